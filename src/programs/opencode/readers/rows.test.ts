import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { OpenCodeReader } from "./rows.js";

const S = "ses_1";
const session = (extra = {}) => ({
  table: "session",
  id: S,
  parent_id: null,
  directory: "/p",
  version: "9.9.9",
  ...extra,
});
const message = (id: string, data: object, of = S) => ({ table: "message", id, session_id: of, data });
const part = (id: string, of: string, data: object, sessionId = S) => ({
  table: "part",
  id,
  message_id: of,
  session_id: sessionId,
  data,
});
const tool = (id: string, state: object, of = "m2") => part(id, of, { type: "tool", tool: "bash", callID: "c", state });

const USER = message("m1", { role: "user", time: { created: 1 } });
const PROMPT = part("p1", "m1", { type: "text", text: "Make the build green." });
const ASKED = message("m2", { role: "assistant", modelID: "mock", time: { created: 2 } });
const INPUT = { command: "make" };
const PENDING = tool("t1", { status: "pending", input: {} });
const RUNNING = tool("t1", { status: "running", input: INPUT, time: { start: 3 } });
const FAILED = tool("t1", { status: "completed", input: INPUT, output: "no rule", metadata: { exit: 2 } });
const STEP = part("f1", "m2", { type: "step-finish", cost: 0.5, tokens: { input: 10, output: 2, reasoning: 1 } });
const CALLED = message("m2", { role: "assistant", time: { created: 2, completed: 4 }, finish: "tool-calls" });
const ASKED_AGAIN = message("m3", { role: "assistant", time: { created: 5 } });
const TEXT = part("x1", "m3", { type: "text", text: "The build is green now.", time: { start: 6, end: 7 } });
const DONE = message("m3", { role: "assistant", time: { created: 5, completed: 8 }, finish: "stop" });
const RUN = [session(), USER, PROMPT, ASKED, PENDING, RUNNING, FAILED, STEP, CALLED, ASKED_AGAIN, TEXT, DONE];

const readAll = (rows: unknown[], reader = new OpenCodeReader()): Signal[] =>
  rows.flatMap((row, i) => reader.read(row, 1000 + i));
const kinds = (signals: Signal[]) => signals.map((s) => (s.kind === "turn" ? `turn ${s.phase}` : s.kind));
const ofKind = <K extends Signal["kind"]>(signals: Signal[], kind: K) =>
  signals.filter((s): s is Extract<Signal, { kind: K }> => s.kind === kind);
const event = (type: string, properties: object) => ({ type, properties: { sessionID: S, ...properties } });

describe("OpenCodeReader", () => {
  it("reports a turn from prompt to answer", () => {
    expect(kinds(readAll(RUN))).toEqual([
      "session",
      "turn start",
      "message",
      "session",
      "request",
      "tool_start",
      "tool_end",
      "tokens",
      "request",
      "delta",
      "message",
      "turn end",
    ]);
  });

  it("starts a tool when its arguments are known, and finds the failed command in a completed call", () => {
    const signals = readAll(RUN);
    expect(ofKind(signals, "tool_start")).toMatchObject([{ at: 1005, round: "m2", tool: "bash" }]);
    expect(ofKind(signals, "tool_end")).toMatchObject([{ at: 1006, ok: false }]);
    expect(ofKind(signals, "tokens")).toMatchObject([{ input: 10, output: 3, costUsd: 0.5 }]);
  });

  it("reports everything once, no matter how often the rows are polled", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(RUN.length - 1), { maxLength: 30 }), (polls) => {
        const reader = new OpenCodeReader();
        readAll(RUN, reader);
        expect(
          readAll(
            polls.map((i) => RUN[i]),
            reader,
          ),
        ).toEqual([]);
      }),
    );
  });

  it("reports the same for rows and for the events that wrote them", () => {
    const asEvents = RUN.map((row) => {
      if (row.table === "session")
        return { type: "session.updated.1", table: "event", data: { sessionID: S, info: row } };
      const inner = { ...("data" in row ? row.data : {}), id: row.id, sessionID: S };
      if (row.table === "message")
        return { table: "event", type: "message.updated.1", data: { sessionID: S, info: inner } };
      const thing = { ...inner, messageID: "message_id" in row ? row.message_id : undefined };
      return { table: "event", type: "message.part.updated.1", data: { sessionID: S, part: thing, time: 1 } };
    });
    expect(readAll(asEvents)).toEqual(readAll(RUN));
  });

  it.each([
    ["auth", { name: "ProviderAuthError", data: { providerID: "x", message: "no key" } }],
    ["api", { name: "APIError", data: { message: "Overloaded", statusCode: 529, isRetryable: true } }],
    ["billing", { name: "APIError", data: { message: "Payment Required", statusCode: 402 } }],
    ["context_full", { name: "ContextOverflowError", data: { message: "too much" } }],
    [
      "unreachable",
      { name: "UnknownError", data: { message: "Unable to connect. Is the computer able to access the url?" } },
    ],
    ["policy_refusal", { name: "ContentFilterError", data: { message: "filtered" } }],
  ])("gives up with cause %s, once, and ends the turn", (cause, error) => {
    const failed = message("m2", { role: "assistant", time: { created: 2, completed: 3 }, error });
    const signals = readAll([
      USER,
      PROMPT,
      ASKED,
      failed,
      failed,
      event("session.error", { error }),
      event("session.idle", {}),
    ]);
    expect(ofKind(signals, "error")).toMatchObject([{ cause, final: true }]);
    expect(kinds(signals).filter((kind) => kind === "turn end")).toHaveLength(1);
  });

  it("treats an abort as a user's interrupt, not as an error", () => {
    const error = { name: "MessageAbortedError", data: { message: "Aborted" } };
    const aborted = message("m2", { role: "assistant", time: { created: 2, completed: 3 }, error });
    const signals = readAll([USER, PROMPT, ASKED, aborted, event("session.error", { error })]);
    expect(kinds(signals)).not.toContain("error");
    expect(kinds(signals).filter((kind) => kind.startsWith("turn"))).toEqual(["turn start", "turn interrupted"]);
  });

  it("ends the turn when the user rejects a call", () => {
    const error = "The user rejected permission to use this specific tool call.";
    const signals = readAll([
      USER,
      PROMPT,
      ASKED,
      RUNNING,
      tool("t1", { status: "error", input: INPUT, error }),
      CALLED,
    ]);
    expect(ofKind(signals, "tool_end")).toMatchObject([{ ok: false, refused: true }]);
    expect(kinds(signals).at(-1)).toBe("turn interrupted");
  });

  it("reads the next attempt from the session's status, and a limit if the attempt is hours away", () => {
    const retry = (attempt: number, message: string, next: number) =>
      event("session.status", { status: { type: "retry", attempt, message, next } });
    const signals = readAll([
      retry(1, "Too Many Requests", 3000),
      retry(1, "Too Many Requests", 3000),
      retry(2, "slow down", 7_200_000),
    ]);
    expect(signals).toMatchObject([
      { kind: "retry", attempt: 1, nextAt: 3000, infra: "rate" },
      { kind: "limit", level: "hit", until: 7_200_000, resumesItself: true },
    ]);
  });

  it("opens a prompt for a permission and for a question, until they are answered", () => {
    const signals = readAll([
      event("permission.asked", { id: "a", permission: "bash" }),
      event("permission.replied", { requestID: "a" }),
      event("question.asked", { id: "b", questions: [{ question: "Which one?" }] }),
      event("question.rejected", { requestID: "b" }),
    ]);
    expect(ofKind(signals, "prompt").map(({ open, prompt, question }) => [open, prompt, question])).toEqual([
      [true, "permission", "bash"],
      [false, undefined, undefined],
      [true, "input", "Which one?"],
      [false, undefined, undefined],
    ]);
  });

  it("reports a compaction from its request to its summary, and treats neither as the user's prompt", () => {
    const signals = readAll([
      message("m8", { role: "user", time: { created: 1 } }),
      part("k", "m8", { type: "compaction", auto: true }),
      message("m9", { role: "assistant", summary: true, time: { created: 2 } }),
      part("y", "m9", { type: "text", text: "So far: …", time: { start: 3, end: 4 } }),
      message("m9", { role: "assistant", summary: true, time: { created: 2, completed: 5 }, finish: "stop" }),
      message("m10", { role: "user", time: { created: 6 } }),
      part("z", "m10", { type: "text", synthetic: true, text: "Continue if you have next steps" }),
    ]);
    expect(kinds(signals)).toEqual(["compaction", "turn start", "request", "compaction"]);
    expect(ofKind(signals, "message")).toEqual([]);
  });

  it("counts streaming text once, before and after the part is complete", () => {
    const signals = readAll([
      ASKED_AGAIN,
      event("message.part.delta", { partID: "x1", field: "text", delta: "The build " }),
      TEXT,
    ]);
    expect(ofKind(signals, "delta").map(({ chars }) => chars)).toEqual([10, 13]);
  });

  it("follows one session and reports the work of its subagents, and neither their turns nor their messages", () => {
    const rows = [
      session(),
      session({ id: "ses_child", parent_id: S }),
      session({ id: "ses_other" }),
      message("m5", { role: "user" }, "ses_child"),
      part("p5", "m5", { type: "text", text: "Look around." }, "ses_child"),
      part(
        "t5",
        "m6",
        { type: "tool", tool: "read", state: { status: "running", input: { filePath: "/a" } } },
        "ses_child",
      ),
      part(
        "t7",
        "m7",
        { type: "tool", tool: "read", state: { status: "running", input: { filePath: "/b" } } },
        "ses_other",
      ),
      message("m6", { role: "assistant", time: { created: 1, completed: 2 }, finish: "stop" }, "ses_child"),
    ];
    const found = readAll(rows, new OpenCodeReader({ follow: S }));
    expect(new Set(kinds(found))).toEqual(new Set(["session", "tool_start", "delta"]));
    expect(ofKind(found, "tool_start")).toMatchObject([{ id: "t5", nested: true }]);
  });

  it("does not treat the summary after an overflow of a headless run as the end of the turn", () => {
    const line = (type: string, data: object) => ({ type, sessionID: S, timestamp: 1, ...data });
    const step = (type: string, messageID: string, reason?: string) =>
      line(type, { part: { id: `${type} ${messageID}`, messageID, type: type.replace("_", "-"), reason } });
    const signals = readAll([
      step("step_start", "m1"),
      line("error", { error: { name: "ContextOverflowError", data: { message: "too much" } } }),
      step("step_start", "m2"),
      step("step_finish", "m2", "stop"),
      step("step_start", "m3"),
      step("step_finish", "m3", "stop"),
    ]);
    expect(kinds(signals)).toEqual(["turn start", "error", "turn end", "turn start", "turn end"]);
    expect(signals.at(-1)?.at).toBe(1005);
  });

  it("reads the lines of a headless run", () => {
    const line = (type: string, part: object) => ({
      type,
      timestamp: 1,
      sessionID: S,
      part: { messageID: "m", ...part },
    });
    const signals = readAll(
      [
        line("step_start", { id: "b", type: "step-start" }),
        line("tool_use", {
          id: "t",
          type: "tool",
          tool: "bash",
          state: { status: "completed", input: INPUT, output: "ok" },
        }),
        line("text", { id: "x", type: "text", text: "All done.", time: { start: 1, end: 2 } }),
        line("step_finish", { id: "f", type: "step-finish", reason: "stop", tokens: { input: 1, output: 1 } }),
        {
          type: "error",
          timestamp: 2,
          sessionID: S,
          error: { name: "APIError", data: { message: "no", statusCode: 401 } },
        },
      ],
      new OpenCodeReader({ source: "stream" }),
    );
    expect(kinds(signals)).toEqual([
      "turn start",
      "tool_start",
      "tool_end",
      "delta",
      "message",
      "tokens",
      "turn end",
      "error",
    ]);
    expect(signals.every(({ source }) => source === "stream")).toBe(true);
  });

  it("reads any JSON without throwing, and counts unknown records", () => {
    const field = fc.constantFrom(
      "table",
      "type",
      "data",
      "properties",
      "info",
      "part",
      "id",
      "state",
      "status",
      "time",
      "error",
      "text",
    );
    const word = fc.constantFrom(
      "part",
      "message",
      "session",
      "event",
      "tool",
      "text",
      "session.status",
      "message.part.updated.1",
    );
    const tree = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: "small" }, fc.jsonValue(), word, tie("node"), fc.array(tie("value"))),
      node: fc.dictionary(field, tie("value")),
    })).value;
    fc.assert(fc.property(fc.array(tree, { maxLength: 8 }), (rows) => Array.isArray(readAll(rows))));
    const reader = new OpenCodeReader();
    readAll([{ table: "ghost" }, { type: "lsp.updated" }, part("q", "m", { type: "hologram" })], reader);
    expect([...reader.skipped]).toEqual([
      ["record ghost", 1],
      ["part hologram", 1],
    ]);
  });
});
