import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { GeminiChatReader } from "./chat.js";

const HEADER = { sessionId: "s-1", projectHash: "h", startTime: "2030-01-01T00:00:00Z", kind: "main" };
const PROMPT = { id: "u1", type: "user", content: [{ text: "Make the build green." }] };
const REPLY = {
  id: "g1",
  type: "gemini",
  content: "Let me run the build.",
  thoughts: [{ subject: "", description: "look first" }],
  tokens: { input: 100, output: 20, thoughts: 5, total: 125 },
  model: "gemini-x",
};
const call = (id: string, status: string, output: string, extra = {}) => ({
  id,
  name: "run_shell_command",
  args: { command: "make", description: "Build" },
  status,
  result: [{ functionResponse: { id, name: "run_shell_command", response: { output } } }],
  ...extra,
});
const FAILED = call("c1", "success", "Output: no rule\nExit Code: 2\nProcess Group PGID: 41");
const RESULTS = { id: "u2", type: "user", content: [{ functionResponse: { id: "c1", response: { output: "x" } } }] };
const DONE = { id: "g2", type: "gemini", content: "The build is green now.", tokens: { input: 130, output: 9 } };

const readAll = (records: unknown[], reader = new GeminiChatReader()): Signal[] =>
  records.flatMap((record, i) => reader.read(record, 1000 + i));
const kinds = (signals: Signal[]) => signals.map((s) => (s.kind === "turn" ? `turn ${s.phase}` : s.kind));
const ofKind = <K extends Signal["kind"]>(signals: Signal[], kind: K) =>
  signals.filter((s): s is Extract<Signal, { kind: K }> => s.kind === kind);

describe("GeminiChatReader", () => {
  it("reports a turn from prompt to answer", () => {
    const signals = readAll([HEADER, PROMPT, REPLY, { ...REPLY, toolCalls: [FAILED] }, RESULTS, DONE]);
    expect(kinds(signals)).toEqual([
      "session",
      "turn start",
      "message",
      "session",
      "delta",
      "message",
      "tokens",
      "tool_start",
      "tool_end",
      "request",
      "message",
      "tokens",
      "turn end",
    ]);
    expect(ofKind(signals, "tokens").map(({ input, output }) => [input, output])).toEqual([
      [100, 25],
      [130, 9],
    ]);
    expect(ofKind(signals, "tool_start")[0]).toMatchObject({ tool: "run_shell_command", round: "g1", at: 1003 });
  });

  it("only presumes the end of a turn, and not after a reply that announces more", () => {
    const signals = readAll([PROMPT, REPLY]);
    expect(kinds(signals)).not.toContain("turn end");
    expect(ofKind(readAll([PROMPT, DONE]), "turn").at(-1)).toMatchObject({ phase: "end", presumed: true });
  });

  it("withdraws a presumed end when tools turn out to have run", () => {
    const reply = { ...REPLY, content: "The build is red." };
    const signals = readAll([PROMPT, reply, { ...reply, toolCalls: [FAILED] }]);
    expect(ofKind(signals, "turn").map(({ phase, byUser }) => [phase, byUser === true])).toEqual([
      ["start", true],
      ["end", false],
      ["start", false],
    ]);
  });

  it("finds the failed command behind a successful call", () => {
    const [end] = ofKind(readAll([{ ...REPLY, toolCalls: [FAILED] }]), "tool_end");
    expect(end).toMatchObject({ ok: false });
    expect(end?.error).toBeDefined();
  });

  it("gives the same outcome to the same result of another process group, and another digest to the raw text", () => {
    const again = call("c2", "success", "Output: no rule\nExit Code: 2\nProcess Group PGID: 97");
    const [first, second] = ofKind(readAll([{ ...REPLY, toolCalls: [FAILED, again] }]), "tool_end");
    expect(second?.outcome).toBe(first?.outcome);
    expect(second?.raw).not.toBe(first?.raw);
  });

  it("counts a call described in other words as the same call", () => {
    const other = { ...FAILED, id: "c2", args: { command: "make", description: "Build it again" } };
    const [first, second] = ofKind(readAll([{ ...REPLY, toolCalls: [FAILED, other] }]), "tool_start");
    expect(second?.call).toBe(first?.call);
  });

  it("opens a permission while a call awaits approval, and closes it when the call continues", () => {
    const message = (status: string) => ({ ...REPLY, toolCalls: [call("c1", status, "")] });
    const signals = readAll([message("awaiting_approval"), message("executing"), message("cancelled")]);
    expect(ofKind(signals, "prompt").map(({ open, prompt }) => [open, prompt])).toEqual([
      [true, "permission"],
      [false, undefined],
    ]);
    expect(ofKind(signals, "tool_end")[0]).toMatchObject({ ok: false, interrupted: true });
  });

  it("reports a user's cancel, and does not treat later records of that turn as a new turn", () => {
    const cancelled = { id: "g9", type: "gemini", content: "", toolCalls: [call("c9", "cancelled", "by user")] };
    const signals = readAll([PROMPT, { id: "i1", type: "info", content: "Request cancelled." }, cancelled, RESULTS]);
    expect(kinds(signals)).toEqual(["turn start", "message", "turn interrupted", "tool_start", "tool_end"]);
  });

  it("reports a provider's error with its cause, and does not treat a mistyped command as giving up", () => {
    const failure = { id: "e1", type: "error", content: '[API Error: {"error":{"code":401,"message":"bad key"}}]' };
    expect(ofKind(readAll([PROMPT, failure]), "error")).toMatchObject([{ cause: "auth", final: true }]);
    const typo = { id: "e2", type: "error", content: "Unknown command: /foo" };
    expect(ofKind(readAll([PROMPT, typo]), "error")).toMatchObject([{ final: false }]);
  });

  it("reads the reset time of a quota", () => {
    const content = "[API Error: You have exhausted your capacity on this model. Your quota will reset after 2h0m0s.]";
    const [limit] = ofKind(readAll([{ id: "e1", type: "error", content }]), "limit");
    expect(limit).toMatchObject({ level: "hit", until: 1000 + 7_200_000 });
  });

  it("does not treat its own context or its warning to the model as a prompt", () => {
    const context = { id: "u0", type: "user", content: [{ text: "<session_context>\nfiles" }] };
    const shown = [{ functionResponse: { id: "c1", response: { output: "" } } }];
    const warning = {
      id: "u9",
      type: "user",
      content: [{ text: "System: you repeat yourself" }],
      displayContent: shown,
    };
    const signals = readAll([{ $set: { messages: [context] } }, context, PROMPT, warning]);
    expect(kinds(signals)).toEqual(["turn start", "message", "request"]);
  });

  it("does not report restated history", () => {
    const old = { ...REPLY, id: "g0", toolCalls: [call("c0", "success", "ok")] };
    const reader = new GeminiChatReader();
    expect(readAll([{ $set: { messages: [PROMPT, old] } }, { $rewindTo: "u1" }, PROMPT, old], reader)).toEqual([]);
    expect(kinds(readAll([REPLY, { $set: { messages: [{ ...REPLY, toolCalls: [FAILED] }] } }], reader))).toContain(
      "tool_end",
    );
  });

  it("reports the work in a subagent's file, and neither its turns nor its messages", () => {
    const signals = readAll([{ ...HEADER, kind: "subagent" }, PROMPT, { ...REPLY, toolCalls: [FAILED] }, DONE]);
    expect(new Set(kinds(signals))).toEqual(new Set(["tool_start", "tool_end", "tokens", "delta"]));
  });

  it("reads a whole document of an older release like lines", () => {
    const messages = [PROMPT, { ...REPLY, toolCalls: [FAILED] }, RESULTS, DONE];
    const whole = readAll([{ ...HEADER, messages }]);
    expect(kinds(whole)).toEqual(kinds(readAll([HEADER, ...messages])));
  });

  it("reports everything once, no matter how often lines are repeated", () => {
    const lines = [HEADER, PROMPT, REPLY, { ...REPLY, toolCalls: [FAILED] }, RESULTS, DONE];
    const once = kinds(readAll(lines));
    fc.assert(
      fc.property(fc.array(fc.nat(lines.length - 1), { maxLength: 12 }), (repeats) => {
        const reader = new GeminiChatReader();
        const first = kinds(readAll(lines, reader));
        const again = readAll(
          repeats.map((i) => lines[i]),
          reader,
        );
        expect(first).toEqual(once);
        expect(again).toEqual([]);
      }),
    );
  });

  it("reads any JSON without throwing, and counts unknown records", () => {
    const field = fc.constantFrom(
      "type",
      "$set",
      "messages",
      "toolCalls",
      "content",
      "id",
      "status",
      "result",
      "tokens",
      "args",
      "name",
    );
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.jsonValue(),
        fc.constantFrom("user", "gemini", "error", "info"),
        tie("node"),
        fc.array(tie("value")),
      ),
      node: fc.dictionary(field, tie("value")),
    })).value;
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 8 }), (records) => {
        expect(Array.isArray(readAll(records))).toBe(true);
      }),
    );
    const reader = new GeminiChatReader();
    reader.read({ type: "hologram" }, 1);
    reader.read(7, 1);
    expect([...reader.skipped]).toEqual([
      ["message hologram", 1],
      ["record", 1],
    ]);
  });
});
