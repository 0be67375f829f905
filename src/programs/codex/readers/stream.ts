/**
 * Codex's headless event stream: `codex exec --json`. A hang and a running tool are both silent in it; retries show as
 * `error` events with the text "Reconnecting... 2/5".
 */
import type { Signal } from "../../../core/signal.js";
import { arrayAt, asRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { contentText, resultText } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { codexFailure, codexRetry } from "./output.js";

type Call = (item: JsonRecord) => { tool: string; args: JsonRecord };

/** Items that are tool calls. */
const CALLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  [
    "command_execution",
    (item) => ({ tool: "exec_command", args: { cmd: unwrapped(stringAt(item, "command") ?? "") } }),
  ],
  ["file_change", (item) => ({ tool: "apply_patch", args: { changes: arrayAt(item, "changes") } })],
  ["web_search", (item) => ({ tool: "web_search", args: { query: stringAt(item, "query") ?? "" } })],
  [
    "mcp_tool_call",
    (item) => ({
      tool: `mcp__${stringAt(item, "server") ?? ""}__${stringAt(item, "tool") ?? ""}`,
      args: recordAt(item, "arguments") ?? {},
    }),
  ],
  [
    "collab_tool_call",
    (item) => ({ tool: stringAt(item, "tool") ?? "spawn_agent", args: { prompt: stringAt(item, "prompt") ?? "" } }),
  ],
]);

/** `error` items are remarks ("model metadata not found"): the run continues. */
const SILENT_ITEMS = new Set(["todo_list", "error"]);
const FAILED = new Set(["failed", "declined"]);

export class CodexStreamReader implements RecordReader {
  readonly skipped = new SkipCounter();
  readonly #thread: Thread;
  #round = 0;
  #resultCame = true;
  #turns = 0;

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("stream", options);
  }

  read(value: unknown, at: number): Signal[] {
    const record = asRecord(value);
    if (record === null) return [];
    return this.#thread.collect(at, () => {
      const type = stringAt(record, "type") ?? "";
      const handler = this.#handlers[type];
      if (handler !== undefined) handler(record);
      else this.skipped.count(type);
    });
  }

  readonly #handlers: Readonly<Record<string, (record: JsonRecord) => void>> = {
    __proto__: null as never,
    "thread.started": (record) => this.#thread.learns({ id: stringAt(record, "thread_id") }),
    "turn.started": () => {
      this.#turns++;
      this.#thread.turnStarts(true);
    },
    "turn.completed": (record) => this.#turnCompleted(recordAt(record, "usage")),
    "turn.failed": (record) => this.#thread.fails(codexFailure(record.error)),
    "item.started": (record) => this.#item(recordAt(record, "item") ?? {}, false),
    "item.updated": (record) => this.#item(recordAt(record, "item") ?? {}, false),
    "item.completed": (record) => this.#item(recordAt(record, "item") ?? {}, true),
    error: (record) => this.#error(record),
  };

  #turnCompleted(usage: JsonRecord | undefined): void {
    this.#thread.uses(`turn ${this.#turns}`, {
      input: numberAt(usage, "input_tokens") ?? 0,
      output: numberAt(usage, "output_tokens") ?? 0,
    });
    this.#thread.turnEnds();
  }

  #item(item: JsonRecord, isOver: boolean): void {
    const type = stringAt(item, "type") ?? "";
    const call = CALLS.get(type);
    if (call !== undefined) {
      this.#tool(item, call(item), isOver);
    } else if (type === "agent_message") {
      this.#replies();
      if (isOver) this.#thread.says("assistant", stringAt(item, "text") ?? "");
    } else if (type === "reasoning") {
      this.#replies();
      if (isOver) this.#thread.thinks(stringAt(item, "text") ?? "");
    } else if (!SILENT_ITEMS.has(type)) {
      this.skipped.count(`item/${type}`);
    }
  }

  /** Parallel calls start before the first of them ends: a call after a result belongs to another reply. */
  #replies(): void {
    if (!this.#resultCame) return;
    this.#resultCame = false;
    this.#round++;
  }

  #tool(item: JsonRecord, call: { tool: string; args: JsonRecord }, isOver: boolean): void {
    const id = stringAt(item, "id");
    if (id === undefined) return;
    this.#replies();
    // Ids count from 0 in every turn of a resumed run.
    const key = `${this.#turns} ${id}`;
    this.#thread.toolStarts({ id: key, ...call, round: `${this.#round}` });
    if (!isOver) return;
    this.#resultCame = true;
    const code = numberAt(item, "exit_code");
    const output = item.aggregated_output ?? item.result ?? item.error ?? "";
    this.#thread.toolEnds(key, {
      ok: code === undefined ? !FAILED.has(stringAt(item, "status") ?? "") : code === 0,
      text: contentText(output) || resultText(output),
      refused: stringAt(item, "status") === "declined",
    });
  }

  /** Top-level errors are retries, and the failure that `turn.failed` repeats. */
  #error(record: JsonRecord): void {
    const text = stringAt(record, "message") ?? "";
    const retry = codexRetry(text);
    if (retry !== undefined) this.#thread.tries({ text }, retry);
    else this.#thread.fails(codexFailure(record));
  }
}

const WRAPPED = /^\S{1,40}sh -l?c (["']?)/;

/** The command without the shell that Codex wraps it in: the same string then reads the same in every source. */
function unwrapped(command: string): string {
  const found = WRAPPED.exec(command.slice(0, 80));
  if (found === null) return command;
  const inner = command.slice(found[0].length);
  return found[1] !== "" && inner.endsWith(found[1] ?? "") ? inner.slice(0, -1) : inner;
}
