import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { MINUTE } from "../../text/time.js";
import { createSpin, spinVerdict, takeSpin } from "./spin.js";

const s = (at: number, fields: object) => ({ at, source: "transcript", ...fields }) as Signal;
const visit = (at: number, fields: object = {}) =>
  s(at, { kind: "tool_start", id: `${at}`, tool: "Read", class: "instant", call: "c", subject: "src/a.ts", ...fields });
const done = (at: number, id: number, ok = true) =>
  s(at, { kind: "tool_end", id: `${id}`, ok, outcome: "o", raw: "r" });
const verdictAfter = (signals: Signal[], now: number) => {
  const state = createSpin();
  for (const signal of signals) takeSpin(state, signal);
  return spinVerdict(state, now);
};
const times = (count: number, make: (i: number) => Signal | Signal[]) =>
  Array.from({ length: count }, (_, i) => make(i)).flat();

describe("spinning on one file", () => {
  it("is reported at the eighth visit within ten minutes, with low confidence", () => {
    expect(
      verdictAfter(
        times(7, (i) => visit(i * MINUTE)),
        7 * MINUTE,
      ),
    ).toBeNull();
    expect(
      verdictAfter(
        times(8, (i) => visit(i * MINUTE)),
        7 * MINUTE,
      ),
    ).toEqual({
      cause: "no_progress",
      since: 0,
      subject: "src/a.ts",
      count: 8,
      confidence: 0.3,
      reason: "src/a.ts was read or edited 8 times in 7 min (transcript) without any change",
    });
  });

  it("is reported when every read has the same result", () => {
    expect(
      verdictAfter(
        times(8, (i) => [visit(i), done(i, i)]),
        MINUTE,
      )?.count,
    ).toBe(8);
  });

  it("is reported when edits of one file only go back and forth", () => {
    const flip = (i: number) => [visit(i, { class: "edit", call: `c${i % 2}`, after: i % 2 ? "a" : "b" }), done(i, i)];
    expect(verdictAfter(times(12, flip), MINUTE)?.subject).toBe("src/a.ts");
  });

  it("is reported when edits of one file fail", () => {
    const fail = (i: number) => [visit(i, { class: "edit", call: `c${i}`, after: `a${i}` }), done(i, i, false)];
    expect(verdictAfter(times(8, fail), MINUTE)?.count).toBe(8);
  });

  it.each([
    ["visits further apart", times(8, (i) => visit(i * 2 * MINUTE)), 14 * MINUTE],
    ["pages of one long file", times(20, (i) => visit(i, { call: `offset ${i}` })), MINUTE],
    [
      "following a growing log",
      times(20, (i) => [visit(i), s(i, { kind: "tool_end", id: `${i}`, ok: true, outcome: `o${i}`, raw: "r" })]),
      MINUTE,
    ],
    ["twenty files", times(20, (i) => visit(i, { subject: `src/${i}.ts` })), MINUTE],
    ["commands", times(20, (i) => visit(i, { class: "shell" })), MINUTE],
    [
      "edits with a new result each",
      times(20, (i) => [visit(i, { class: "edit", call: `c${i}`, after: `a${i}` }), done(i, i)]),
      MINUTE,
    ],
    [
      "rereading a plan between edits elsewhere",
      times(20, (i) => [
        visit(i),
        visit(i + 1000, { class: "edit", subject: "src/b.ts", call: `c${i}`, after: `a${i}` }),
        done(i, i + 1000),
      ]),
      MINUTE,
    ],
  ] as [string, Signal[], number][])("is not reported for %s", (_, signals, now) => {
    expect(verdictAfter(signals, now)).toBeNull();
  });
});
