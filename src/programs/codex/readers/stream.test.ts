import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { CodexNotifyReader } from "./notify.js";
import { CodexRolloutReader } from "./rollout.js";
import { CodexStreamReader } from "./stream.js";

const AT = Date.UTC(2030, 0, 2, 12, 0);

function read(records: unknown[], reader = new CodexStreamReader()): Signal[] {
  return records.flatMap((record, i) => reader.read(record, AT + i * 1000));
}

const of = <K extends Signal["kind"]>(signals: Signal[], kind: K): Extract<Signal, { kind: K }>[] =>
  signals.filter((signal): signal is Extract<Signal, { kind: K }> => signal.kind === kind);

const started = (item: object) => ({ type: "item.started", item });
const completed = (item: object) => ({ type: "item.completed", item });
const command = (id: string, more = {}) => ({
  id,
  type: "command_execution",
  command: "/bin/bash -lc 'make all'",
  aggregated_output: "",
  exit_code: null,
  status: "in_progress",
  ...more,
});

describe("CodexStreamReader", () => {
  it("reports a run from its start to its end", () => {
    const signals = read([
      { type: "thread.started", thread_id: "s-1" },
      completed({ id: "item_0", type: "error", message: "Model metadata not found." }),
      { type: "turn.started" },
      completed({ id: "item_1", type: "reasoning", text: "hm" }),
      started(command("item_2")),
      completed(command("item_2", { aggregated_output: "no rule", exit_code: 2, status: "failed" })),
      completed({ id: "item_3", type: "agent_message", text: "It fails." }),
      { type: "turn.completed", usage: { input_tokens: 50, output_tokens: 5 } },
    ]);
    expect(signals.map((signal) => signal.kind)).toEqual([
      "session",
      "turn",
      "delta",
      "tool_start",
      "tool_end",
      "message",
      "tokens",
      "turn",
    ]);
    expect(of(signals, "tool_end")).toMatchObject([{ ok: false }]);
  });

  it("gives a command the same digest as the rollout does", () => {
    const stream = of(read([started(command("item_2"))]), "tool_start")[0];
    const item = { type: "function_call", call_id: "c", name: "exec_command", arguments: '{"cmd":"make all"}' };
    const rollout = of(new CodexRolloutReader().read({ type: "response_item", payload: item }, AT), "tool_start")[0];
    expect(stream?.call).toBe(rollout?.call);
  });

  it("does not confuse items of two turns with the same numbers", () => {
    const turn = [
      { type: "turn.started" },
      started(command("item_0")),
      completed(command("item_0", { exit_code: 0 })),
      { type: "turn.completed" },
    ];
    expect(of(read([...turn, ...turn]), "tool_end")).toHaveLength(2);
  });

  it("distinguishes a retry from the failure that ends the turn", () => {
    const message = "exceeded retry limit, last status: 429 Too Many Requests";
    const signals = read([
      { type: "turn.started" },
      { type: "error", message: `Reconnecting... 2/5 (${message})` },
      { type: "error", message },
      { type: "turn.failed", error: { message } },
    ]);
    expect(signals.slice(1)).toMatchObject([
      { kind: "retry", attempt: 2, max: 5, infra: "rate" },
      { kind: "error", cause: "api", final: true },
      { kind: "turn", phase: "end" },
    ]);
  });

  it("counts unknown kinds of records", () => {
    const reader = new CodexStreamReader();
    read([{ type: "novel" }, completed({ id: "1", type: "novel" }), completed({ id: "2", type: "todo_list" })], reader);
    expect([...reader.skipped]).toEqual([
      ["novel", 1],
      ["item/novel", 1],
    ]);
  });
});

describe("CodexNotifyReader", () => {
  const done = (thread: string, asked: string, said: string) => ({
    type: "agent-turn-complete",
    "thread-id": thread,
    "turn-id": "1",
    cwd: "/w",
    "input-messages": [asked],
    "last-assistant-message": said,
  });
  const title = done("t-2", "Write a short task title for the prompt below.", '{"title":"Mend it"}');

  it("ends a turn with its last message", () => {
    const reader = new CodexNotifyReader();
    expect(reader.read(done("t-1", "go", "Shall I use A or B?"), AT)).toMatchObject([
      { kind: "session", id: "t-1" },
      { kind: "message", closing: "question" },
      { kind: "turn", phase: "end" },
    ]);
    expect(reader.read(done("t-1", "A", "Done."), AT)).toMatchObject([
      { kind: "message" },
      { kind: "turn", phase: "end" },
    ]);
  });

  it("does not treat the thread that invents a title as the agent's turn", () => {
    const reader = new CodexNotifyReader();
    expect(reader.read(title, AT)).toEqual([]);
    expect([...reader.skipped]).toEqual([["foreign thread", 1]]);
  });

  it("ignores other threads if the session's own thread is known", () => {
    const reader = new CodexNotifyReader({}, "t-1");
    expect(reader.read(done("t-9", "go", "Done."), AT)).toEqual([]);
    expect(reader.read(done("t-1", "write a title as JSON", '{"title":"x"}'), AT)).toHaveLength(3);
  });
});
