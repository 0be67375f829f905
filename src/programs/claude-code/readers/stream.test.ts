import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { ClaudeStreamReader } from "./stream.js";

const AT = Date.UTC(2030, 0, 2, 12, 0);

function read(records: unknown[], reader = new ClaudeStreamReader()): Signal[] {
  return records.flatMap((record, i) => reader.read(record, AT + i * 1000));
}

const of = <K extends Signal["kind"]>(signals: Signal[], kind: K): Extract<Signal, { kind: K }>[] =>
  signals.filter((signal): signal is Extract<Signal, { kind: K }> => signal.kind === kind);

const init = {
  type: "system",
  subtype: "init",
  session_id: "s-1",
  model: "m",
  permissionMode: "bypassPermissions",
  claude_code_version: "2.1.300",
  cwd: "/w",
};
const status = (word: string | null) => ({ type: "system", subtype: "status", status: word });
const assistant = (block: unknown, more = {}) => ({
  type: "assistant",
  parent_tool_use_id: null,
  message: { id: "m1", content: [block], stop_reason: null, usage: { input_tokens: 100, output_tokens: 1 } },
  ...more,
});
const delta = (piece: unknown, more = {}) => ({
  type: "stream_event",
  api_message_id: "m1",
  parent_tool_use_id: null,
  event: { type: "content_block_delta", delta: piece },
  ...more,
});
const result = (more = {}) => ({ type: "result", subtype: "success", is_error: false, ...more });

describe("ClaudeStreamReader", () => {
  it("reports a run from its start to its result", () => {
    const signals = read([
      init,
      status("requesting"),
      assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "make" } }),
      {
        type: "user",
        parent_tool_use_id: null,
        message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
      },
      assistant({ type: "text", text: "Built." }),
      result({ total_cost_usd: 0.25 }),
    ]);
    expect(signals.map((signal) => signal.kind)).toEqual([
      "session",
      "turn",
      "request",
      "tokens",
      "tool_start",
      "tool_end",
      "message",
      "tokens",
      "turn",
    ]);
    expect(signals[0]).toMatchObject({ id: "s-1", version: "2.1.300", permissions: "bypass" });
    expect(of(signals, "turn")).toMatchObject([{ phase: "start", byUser: true }, { phase: "end" }]);
    expect(of(signals, "tokens")[1]).toMatchObject({ costUsd: 0.25 });
  });

  it("counts partial text as liveness, and its tokens as they grow", () => {
    const signals = read([
      init,
      delta({ type: "text_delta", text: "Hello" }),
      delta({ type: "thinking_delta", thinking: "hmm" }),
      delta({ type: "input_json_delta", partial_json: '{"a' }),
      delta({ type: "signature_delta", signature: "xyz" }),
      assistant({ type: "text", text: "Hello" }),
      {
        type: "stream_event",
        api_message_id: "m1",
        event: { type: "message_delta", usage: { input_tokens: 100, output_tokens: 60 } },
      },
    ]);
    expect(of(signals, "delta").map((signal) => [signal.channel, signal.chars])).toEqual([
      ["content", 5],
      ["thought", 3],
      ["content", 3],
    ]);
    expect(of(signals, "tokens").map((signal) => [signal.input, signal.output])).toEqual([
      [100, 1],
      [0, 59],
    ]);
  });

  it("reports a reply that repeats itself, in any chunking, and withdraws it with the next text", () => {
    const loop = "I will try the same thing once more and see what happens. ".repeat(40);
    for (const size of [1, 7, 500]) {
      const reader = new ClaudeStreamReader();
      const pieces = loop.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const signals = read([init, ...pieces.map((text) => delta({ type: "text_delta", text }))], reader);
      expect(of(signals, "repetition")).toMatchObject([{ channel: "content", period: 58 }]);
      read([assistant({ type: "text", text: loop })], reader);
      expect(of(read([delta({ type: "text_delta", text: "Now something new." })], reader), "repetition")).toMatchObject(
        [{ repeats: 0 }],
      );
    }
  });

  it("reads retries by status", () => {
    const retry = (error_status: number | null, error: string) => ({
      type: "system",
      subtype: "api_retry",
      attempt: 2,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status,
      error,
    });
    const retries = of(
      read([
        retry(429, "rate_limit"),
        retry(500, "server_error"),
        retry(401, "authentication_failed"),
        retry(null, "connection refused"),
      ]),
      "retry",
    );
    expect(retries.map((signal) => signal.infra)).toEqual(["rate", "overload", "auth", "refused"]);
    expect(retries[0]).toMatchObject({ attempt: 2, max: 10, nextAt: AT + 500 });
  });

  it("follows the usage window: a warning, a hit, and all clear", () => {
    const window = (state: string, more = {}) => ({
      type: "rate_limit_event",
      rate_limit_info: { status: state, resetsAt: AT / 1000 + 60, rateLimitType: "five_hour", ...more },
    });
    const limits = of(
      read([
        window("allowed"),
        window("allowed_warning"),
        window("rejected", { isUsingOverage: true }),
        window("rejected"),
        window("allowed"),
        window("allowed"),
      ]),
      "limit",
    );
    expect(limits.map((signal) => signal.level)).toEqual(["warning", "warning", "hit", "cleared"]);
    expect(limits[2]?.until).toBe(AT + 60_000);
  });

  it("reports a failure once, although the message and the result both contain it", () => {
    const signals = read([
      init,
      assistant({ type: "text", text: "API Error: Repeated 529 Overloaded errors" }, { error: "server_error" }),
      result({
        is_error: true,
        api_error_status: 529,
        result: "API Error: Repeated 529 Overloaded errors",
        terminal_reason: "api_error",
      }),
    ]);
    expect(of(signals, "error")).toMatchObject([{ cause: "api", final: true }]);
    expect(of(signals, "turn").map((signal) => signal.phase)).toEqual(["start", "end"]);
  });

  it.each([
    ["context_full", { terminal_reason: "prompt_too_long", result: "Prompt too large" }],
    ["billing", { subtype: "error_max_budget_usd", errors: ["stopped"] }],
    ["auth", { api_error_status: 401, result: "nope" }],
    ["api", { subtype: "error_during_execution" }],
  ])("calls a failed result %s", (cause, more) => {
    expect(of(read([init, result({ is_error: true, ...more })]), "error")).toMatchObject([{ cause, final: true }]);
  });

  it("treats a refused tool as ended, and a subagent's records as liveness only", () => {
    const signals = read([
      init,
      assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "rm x" } }),
      { type: "system", subtype: "permission_denied", tool_use_id: "t1", message: "not allowed" },
      assistant({ type: "tool_use", id: "t2", name: "Bash", input: {} }, { parent_tool_use_id: "t0" }),
      { type: "tool_progress", tool_use_id: "t2", heartbeat: true },
    ]);
    expect(of(signals, "tool_end")).toMatchObject([{ id: "t1", ok: false, refused: true }]);
    expect(of(signals, "tool_start")).toHaveLength(1);
    expect(of(signals, "delta")).toHaveLength(1);
    expect(of(signals, "output")).toHaveLength(1);
  });

  it("keeps a permission open until its tool ends", () => {
    const signals = read([
      init,
      assistant({ type: "tool_use", id: "t1", name: "Bash", input: {} }),
      assistant({ type: "tool_use", id: "t2", name: "Bash", input: { command: "ls" } }),
      { type: "control_request", request: { subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "t1" } },
      { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t2", content: "other" }] } },
      { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] } },
    ]);
    expect(of(signals, "prompt").map((signal) => [signal.open, signal.at - AT])).toEqual([
      [true, 3000],
      [false, 5000],
    ]);
  });

  it("follows a compaction", () => {
    expect(
      of(read([status("compacting"), status("compacting"), status(null)]), "compaction").map((signal) => signal.phase),
    ).toEqual(["start", "end"]);
  });

  it("counts unknown kinds of records", () => {
    const reader = new ClaudeStreamReader();
    read([{ type: "novel" }, { type: "system", subtype: "newer" }, { type: "keep_alive" }], reader);
    expect([...reader.skipped]).toEqual([
      ["novel", 1],
      ["system/newer", 1],
    ]);
  });
});
