import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { CodexRolloutReader } from "./rollout.js";

const AT = Date.UTC(2030, 0, 2, 12, 0);

function read(records: unknown[], reader = new CodexRolloutReader()): Signal[] {
  return records.flatMap((record, i) => reader.read(record, AT + i * 1000));
}

const of = <K extends Signal["kind"]>(signals: Signal[], kind: K): Extract<Signal, { kind: K }>[] =>
  signals.filter((signal): signal is Extract<Signal, { kind: K }> => signal.kind === kind);

const item = (type: string, more = {}) => ({ type: "response_item", payload: { type, ...more } });
const event = (type: string, more = {}) => ({ type: "event_msg", payload: { type, ...more } });
const line = (type: string, payload = {}) => ({ type, payload });
const says = (text: string, more = {}) =>
  item("message", { role: "assistant", content: [{ type: "output_text", text }], ...more });
const asked = (text: string) => item("message", { role: "user", content: [{ type: "input_text", text }] });
const call = (id: string, args: unknown, name = "exec_command") =>
  item("function_call", { call_id: id, name, arguments: JSON.stringify(args) });
const output = (id: string, text: unknown) => item("function_call_output", { call_id: id, output: text });
const counted = (total: number, limits?: unknown) =>
  event("token_count", {
    info: { total_token_usage: { total_tokens: total }, last_token_usage: { input_tokens: 20, output_tokens: 3 } },
    rate_limits: limits,
  });

describe("CodexRolloutReader", () => {
  it.each([
    [{ cmd: "make", with_escalated_permissions: true }, true],
    [{ cmd: "make", sandbox_permissions: "require_escalated" }, true],
    [{ cmd: "make", sandbox_permissions: "use_default" }, undefined],
  ])("reports whether a call asks for more permissions: %j", (args, asks) => {
    expect(of(read([call("c1", args)]), "tool_start")[0]?.asks).toBe(asks);
  });

  it("reports a turn of a new release, with its prompt once", () => {
    const signals = read([
      line("session_meta", { id: "s-1", cli_version: "0.166.0", cwd: "/w" }),
      event("task_started", { turn_attribution: { turn_trigger: "user" } }),
      asked("<environment_context>\n</environment_context>"),
      line("turn_context", { model: "m", approval_policy: "never" }),
      asked("Mend it"),
      event("item_completed", { item: { type: "UserMessage", content: [{ type: "text", text: "Mend it" }] } }),
      item("reasoning", { summary: [{ type: "summary_text", text: "hm" }] }),
      call("c1", { cmd: "make" }),
      output("c1", "Chunk ID: 1a2b\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nbuilt\n"),
      says("Built."),
      event("task_complete", { last_agent_message: "Built." }),
    ]);
    expect(signals.map((signal) => signal.kind)).toEqual([
      "session",
      "turn",
      "session",
      "message",
      "delta",
      "tool_start",
      "tool_end",
      "message",
      "turn",
    ]);
    expect(of(signals, "turn")).toMatchObject([{ phase: "start", byUser: true }, { phase: "end" }]);
    expect(of(signals, "turn")[1]).not.toHaveProperty("presumed");
    expect(of(signals, "session")[1]).toMatchObject({ permissions: "bypass", model: "m" });
  });

  it("presumes the end of a turn if the release does not mark it", () => {
    const turns = of(
      read([
        asked("Mend it"),
        event("user_message", { message: "Mend it", kind: "plain" }),
        event("agent_message", { message: "Looking." }),
        says("Looking."),
        call("c1", { command: ["bash", "-lc", "ls"] }, "shell"),
        output("c1", '{"output":"a","metadata":{"exit_code":0,"duration_seconds":0.1}}'),
        says("Done."),
        event("user_message", { message: "<environment_context>", kind: "environment_context" }),
      ]),
      "turn",
    );
    expect(turns.map(({ phase, byUser, presumed }) => [phase, byUser ?? presumed])).toEqual([
      ["start", true],
      ["end", true],
      ["start", false],
      ["end", true],
    ]);
  });

  it("reports a prompt typed into an open turn as a new prompt of the user", () => {
    const prompt = (text: string) => event("user_message", { message: text });
    const turns = of(read([event("task_started"), prompt("go"), prompt("and this too")]), "turn");
    expect(turns).toMatchObject([{ byUser: true }, { byUser: true, at: AT + 2000 }]);
  });

  it("gives the calls of one reply one round", () => {
    const rounds = of(
      read([
        call("a", { cmd: "1" }),
        call("b", { cmd: "2" }),
        line("token_usage_record"),
        output("a", "x"),
        output("b", "y"),
        counted(1),
        call("c", { cmd: "1", yield_time_ms: 9 }),
      ]),
      "tool_start",
    );
    expect(rounds.map((signal) => signal.round)).toEqual(["1", "1", "2"]);
    expect(rounds[0]?.call).toBe(rounds[2]?.call);
  });

  it.each<[string, unknown, object]>([
    ["an exit code in leading lines", "Exit code: 2\nWall time: 0.2 seconds\nOutput:\nno rule", { ok: false }],
    ["an exit code in an envelope", '{"output":"no rule","metadata":{"exit_code":2}}', { ok: false }],
    [
      "an exit code in a torn envelope",
      '{"output":"no rule","metadata":{"exit_code":2}}"metadata":{"exit_code":2}}',
      { ok: false },
    ],
    ["a record that says so", { content: "no rule", success: false }, { ok: false }],
    ["a patch that does not apply", "apply_patch verification failed: no such line", { ok: false }],
    ["a refusal", "exec command rejected by user", { ok: false, refused: true }],
    ["an interruption", "aborted by user after 3.1s", { ok: false, interrupted: true }],
    [
      "a process that keeps running",
      "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\nlistening",
      { ok: true, background: true },
    ],
    ["words of failure in ordinary output", "Exit code: 0\nOutput:\nerror: 0, failed: 0", { ok: true }],
    ["blocks of text", [{ type: "input_text", text: "fine" }], { ok: true }],
    ["nothing", undefined, { ok: true }],
  ])("reads %s", (_, result, expected) => {
    expect(of(read([call("c", { cmd: "x" }), output("c", result)]), "tool_end")).toMatchObject([expected]);
  });

  it("finds the same outcome despite different times", () => {
    const run = (id: string, chunk: string, seconds: string) => [
      call(id, { cmd: "x" }),
      output(id, `Chunk ID: ${chunk}\nWall time: ${seconds} seconds\nProcess exited with code 1\nOutput:\nno rule`),
    ];
    const ends = of(read([...run("a", "2afcaa", "0.1"), ...run("b", "991b01", "4.7")]), "tool_end");
    expect(ends[0]?.outcome).toBe(ends[1]?.outcome);
    expect(ends[0]?.raw).not.toBe(ends[1]?.raw);
  });

  it.each([
    [
      "auth",
      { message: "unexpected status 401", codex_error_info: { http_connection_failed: { http_status_code: 401 } } },
    ],
    ["api", { message: "Selected model is at capacity.", codex_error_info: "server_overloaded" }],
    ["context_full", { message: "ran out", codex_error_info: "context_window_exceeded" }],
    ["auth", { message: "sign in", codex_error_info: "unauthorized" }],
    ["api", { message: "what now" }],
  ])("calls a failed turn %s", (cause, error) => {
    const signals = read([event("task_started"), event("task_complete", { error, last_agent_message: null })]);
    expect(signals.slice(1)).toMatchObject([
      { kind: "error", cause, final: true },
      { kind: "turn", phase: "end" },
    ]);
  });

  it("reads a usage limit with its end", () => {
    const error = {
      message: "You’ve hit your usage limit. Upgrade or try again at 4:50 PM.",
      codex_error_info: "usage_limit_exceeded",
    };
    const signals = read([event("task_started"), event("task_complete", { error })]);
    expect(of(signals, "limit")).toMatchObject([{ level: "hit", until: Date.UTC(2030, 0, 2, 16, 50) }]);
  });

  it("warns of a full window with each report, and does not call it a limit", () => {
    const window = (used: number, seconds: number) => ({
      primary: { used_percent: used, window_minutes: 300, resets_in_seconds: seconds },
      secondary: null,
    });
    const limits = of(
      read([
        counted(1, window(99, 500)),
        counted(2, window(100, 499)),
        counted(3, window(100, 498)),
        counted(4, window(0, 18_000)),
      ]),
      "limit",
    );
    expect(limits).toMatchObject([
      { level: "warning", full: true, until: AT + 500_000 },
      { level: "warning", full: true, until: AT + 500_000 },
      { level: "cleared" },
    ]);
    expect(
      of(
        read([
          counted(1, { rate_limit_reached_type: "primary", primary: { used_percent: 100, resets_at: AT / 1000 + 60 } }),
        ]),
        "limit",
      ),
    ).toMatchObject([{ level: "hit", until: AT + 60_000 }]);
  });

  it("counts tokens once per reply", () => {
    expect(of(read([counted(23), counted(23), counted(46)]), "tokens")).toMatchObject([
      { input: 20, output: 3 },
      { input: 20, output: 3 },
    ]);
  });

  it("reads interruptions, compactions and searches", () => {
    const signals = read([
      event("task_started"),
      item("web_search_call", { status: "completed", action: { type: "search", query: "x" } }),
      line("compacted", { message: "" }),
      event("turn_aborted", { reason: "interrupted" }),
    ]);
    expect(signals.map((signal) => signal.kind)).toEqual(["turn", "tool_start", "tool_end", "compaction", "turn"]);
    expect(signals.at(-1)).toMatchObject({ phase: "interrupted", byUser: true });
  });

  it("reads the oldest files, whose items have no envelope", () => {
    const signals = read([
      { id: "s", timestamp: "2025-06-01T00:00:00Z", instructions: null },
      { record_type: "state" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c" },
      { type: "function_call_output", call_id: "c", output: "a" },
    ]);
    expect(signals.map((signal) => signal.kind)).toEqual(["turn", "message", "tool_start", "tool_end"]);
  });

  it("counts unknown kinds of records", () => {
    const reader = new CodexRolloutReader();
    read(
      [
        event("novel"),
        item("novel"),
        line("novel"),
        { session_id: "s", ts: 1, text: "a line of history.jsonl" },
        event("agent_message"),
      ],
      reader,
    );
    expect([...reader.skipped]).toEqual([
      ["event_msg/novel", 1],
      ["response_item/novel", 1],
      ["novel", 1],
      ["no type", 1],
    ]);
  });
});
