import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { GeminiStreamReader } from "./stream.js";

const INIT = { type: "init", session_id: "s-1", model: "auto" };
const PROMPT = { type: "message", role: "user", content: "Make the build green." };
const delta = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
const use = (id: string) => ({
  type: "tool_use",
  tool_id: id,
  tool_name: "run_shell_command",
  parameters: { command: "make" },
});
const ended = (id: string, status = "success", output = "ok") => ({ type: "tool_result", tool_id: id, status, output });
const RESULT = { type: "result", status: "success", stats: { input_tokens: 900, output_tokens: 30 } };

const readAll = (records: unknown[]): Signal[] => {
  const reader = new GeminiStreamReader();
  return records.flatMap((record, i) => reader.read(record, 1000 + i));
};
const ofKind = <K extends Signal["kind"]>(signals: Signal[], kind: K) =>
  signals.filter((s): s is Extract<Signal, { kind: K }> => s.kind === kind);

describe("GeminiStreamReader", () => {
  it("reports a headless run from prompt to result", () => {
    const signals = readAll([
      INIT,
      PROMPT,
      delta("Let me "),
      delta("run it."),
      use("a"),
      ended("a"),
      delta("Green now."),
      RESULT,
    ]);
    expect(signals.map(({ kind }) => kind)).toEqual([
      "session",
      "turn",
      "message",
      "delta",
      "delta",
      "message",
      "tool_start",
      "tool_end",
      "delta",
      "message",
      "tokens",
      "turn",
    ]);
    expect(ofKind(signals, "message").map(({ role, closing }) => [role, closing])).toEqual([
      ["user", undefined],
      ["assistant", "promise"],
      ["assistant", "result"],
    ]);
    expect(ofKind(signals, "turn").at(-1)).not.toHaveProperty("presumed");
  });

  it("reports the same for a reply in any chunking", () => {
    const text = "I looked at both files. Which of the two do you want me to change?";
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = edges.slice(1).map((end, i) => delta(text.slice(edges[i], end)));
        const [message] = ofKind(readAll([...pieces, RESULT]), "message");
        expect(message).toMatchObject({ closing: "question" });
        expect(message?.digest).toBe(ofKind(readAll([delta(text), RESULT]), "message")[0]?.digest);
      }),
    );
  });

  it("puts the calls of one reply into one round", () => {
    const starts = ofKind(readAll([use("a"), use("b"), ended("a"), ended("b"), use("c")]), "tool_start");
    expect(starts.map(({ round }) => round)).toEqual(["0", "0", "1"]);
  });

  it("reports why a run failed", () => {
    const failed = { type: "result", status: "error", error: { type: "ApiError", message: "quota: payment required" } };
    const signals = readAll([INIT, PROMPT, failed]);
    expect(ofKind(signals, "error")).toMatchObject([{ cause: "billing", final: true }]);
    expect(ofKind(signals, "turn").at(-1)).toMatchObject({ phase: "end" });
  });

  it("does not treat a warning as giving up", () => {
    const warning = { type: "error", severity: "warning", message: "Loop detected" };
    expect(ofKind(readAll([PROMPT, warning]), "error")).toMatchObject([{ final: false }]);
  });

  it("marks a tool that failed, and ignores a result that belongs to nothing", () => {
    const signals = readAll([use("a"), ended("a", "error", "not found"), ended("a"), ended("zz")]);
    expect(ofKind(signals, "tool_end")).toMatchObject([{ id: "a", ok: false }]);
  });

  it("reads any JSON without throwing, and counts unknown records", () => {
    fc.assert(fc.property(fc.array(fc.jsonValue()), (records) => Array.isArray(readAll(records))));
    const reader = new GeminiStreamReader();
    reader.read({ type: "hologram" }, 1);
    expect([...reader.skipped]).toEqual([["event hologram", 1]]);
  });
});
