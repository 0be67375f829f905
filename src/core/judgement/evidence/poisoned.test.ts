import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { createPoisoned, poisonedVerdict, takePoisoned } from "./poisoned.js";

const s = (at: number, fields: object) => ({ at, source: "transcript", ...fields }) as Signal;
const said = (at: number, digest: string, fields: object = {}) =>
  s(at, { kind: "message", role: "user", digest, ...fields });
const rejected = (at: number, fields: object = {}) =>
  s(at, {
    kind: "error",
    cause: "api",
    final: true,
    digest: "e",
    text: "API Error: 400 tool_use without result",
    ...fields,
  });
const verdictAfter = (signals: Signal[]) => {
  const state = createPoisoned();
  for (const signal of signals) takePoisoned(state, signal);
  return poisonedVerdict(state, 3000);
};

describe("a poisoned context", () => {
  it("is the same rejection of two different inputs", () => {
    expect(verdictAfter([said(0, "a"), rejected(1), said(2, "b"), rejected(3)])).toEqual({
      cause: "poisoned_context",
      since: 1,
      confidence: 0.7,
      reason:
        "Two different inputs got the same rejection, the first 3 s ago (transcript): API Error: 400 tool_use without result",
    });
  });

  it("is the same rejection under another request id", () => {
    const refused = (at: number, id: string) =>
      rejected(at, { digest: id, text: `API Error: 400 tool_use without result (request id: req_${id})` });
    expect(verdictAfter([said(0, "a"), refused(1, "011CSHo"), said(2, "b"), refused(3, "022DTJp")])).not.toBeNull();
  });

  it("is detected across rouse's own nudge, and by the reader's cause without a status code", () => {
    expect(verdictAfter([said(0, "a"), rejected(1), said(2, "b", { own: true }), rejected(3)])).not.toBeNull();
    const known = { cause: "poisoned_context", text: undefined };
    expect(verdictAfter([said(0, "a"), rejected(1, known), said(2, "b"), rejected(3, known)])).not.toBeNull();
  });

  it.each([
    ["one rejection", [said(0, "a"), rejected(1)]],
    ["the same input twice", [said(0, "a"), rejected(1), said(2, "a"), rejected(3)]],
    [
      "two different rejections",
      [said(0, "a"), rejected(1), said(2, "b"), rejected(3, { digest: "f", text: "API Error: 400 too many images" })],
    ],
    [
      "different rejections without text",
      [
        said(0, "a"),
        rejected(1, { text: "", cause: "poisoned_context" }),
        said(2, "b"),
        rejected(3, { digest: "f", text: "", cause: "poisoned_context" }),
      ],
    ],
    [
      "an answer in between",
      [said(0, "a"), rejected(1), s(2, { kind: "delta", channel: "content", chars: 1 }), said(3, "b"), rejected(4)],
    ],
    [
      "an outage",
      [said(0, "a"), rejected(1, { text: "API Error: 529" }), said(2, "b"), rejected(3, { text: "API Error: 529" })],
    ],
    [
      "failures that are retried",
      [said(0, "a"), rejected(1, { final: false }), said(2, "b"), rejected(3, { final: false })],
    ],
    ["a new session", [said(0, "a"), rejected(1), said(2, "b", { newSession: true }), rejected(3)]],
  ] as [string, Signal[]][])("is not reported for %s", (_, signals) => {
    expect(verdictAfter(signals)).toBeNull();
  });
});
