/**
 * Claude Code's headless event stream: `claude -p --output-format stream-json --verbose`, with or without
 * `--include-partial-messages`.
 *
 * It contains what the terminal hides: each retry with its status, a heartbeat every 30 s while a tool runs, the state
 * of the usage windows. Silence here is real: nothing repaints.
 */
import type { Signal } from "../../../core/signal.js";
import {
  arrayAt,
  asRecord,
  booleanAt,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
} from "../../../readers/records/json.js";
import {
  fromEpoch,
  type ReaderOptions,
  type RecordReader,
  SkipCounter,
} from "../../../readers/records/record-reader.js";
import { contentText, textHead } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { ClaudeMessages, claudePermissions } from "./content.js";

const SILENT = new Set(["keep_alive", "control_response", "prompt_suggestion", "tool_use_summary"]);
const SILENT_SYSTEM = new Set([
  "hook_started",
  "hook_progress",
  "hook_response",
  "files_persisted",
  "session_state_changed",
]);

/** Endings of a run that no error of the provider explains, by the name that the table of provider errors knows. */
const RUN_ENDS: ReadonlyMap<string, string> = new Map([
  ["prompt_too_long", "context_window"],
  ["error_max_budget_usd", "spending limit"],
]);

export class ClaudeStreamReader implements RecordReader {
  readonly skipped = new SkipCounter();
  readonly #thread: Thread;
  readonly #messages: ClaudeMessages;
  #compacting = false;
  #limited = false;
  #costUsd = 0;

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("stream", options);
    this.#messages = new ClaudeMessages(this.#thread);
  }

  read(value: unknown, at: number): Signal[] {
    const record = asRecord(value);
    if (record === null) return [];
    return this.#thread.collect(at, () => {
      const type = stringAt(record, "type") ?? "";
      const handler = this.#handlers[type];
      if (handler !== undefined) handler(record);
      else if (!SILENT.has(type)) this.skipped.count(type);
    });
  }

  readonly #handlers: Readonly<Record<string, (record: JsonRecord) => void>> = {
    __proto__: null as never,
    system: (record) => this.#system(record),
    assistant: (record) => this.#ofMainThread(record, () => this.#messages.assistant(record, { presumesEnd: false })),
    user: (record) => this.#ofMainThread(record, () => this.#messages.user(record)),
    stream_event: (record) => this.#streamEvent(record),
    tool_progress: () => this.#beat(),
    rate_limit_event: (record) => this.#rateLimit(recordAt(record, "rate_limit_info") ?? record),
    control_request: (record) => this.#controlRequest(record),
    auth_status: (record) => this.#authStatus(record),
    result: (record) => this.#result(record),
  };

  /** Records of a subagent only prove that it is alive. */
  #ofMainThread(record: JsonRecord, report: () => void): void {
    if (stringAt(record, "parent_tool_use_id") === undefined) report();
    else this.#thread.lives(contentText(recordAt(record, "message")).length);
  }

  #system(record: JsonRecord): void {
    const subtype = stringAt(record, "subtype") ?? "";
    const handler = this.#systemHandlers[subtype];
    if (handler !== undefined) handler(record);
    else if (subtype.startsWith("task_")) this.#beat();
    else if (!SILENT_SYSTEM.has(subtype)) this.skipped.count(`system/${subtype}`);
  }

  readonly #systemHandlers: Readonly<Record<string, (record: JsonRecord) => void>> = {
    __proto__: null as never,
    init: (record) => this.#init(record),
    status: (record) => this.#status(stringAt(record, "status")),
    compact_boundary: () => this.#compaction(false),
    api_retry: (record) =>
      this.#thread.tries(
        {
          status: numberAt(record, "error_status"),
          code: stringAt(record, "error"),
          text: stringAt(record, "error_message"),
        },
        {
          attempt: numberAt(record, "attempt"),
          max: numberAt(record, "max_retries"),
          delayMs: numberAt(record, "retry_delay_ms"),
        },
      ),
    thinking_tokens: (record) => this.#thread.lives(numberAt(record, "estimated_tokens_delta") ?? 0, "thought"),
    permission_denied: (record) => this.#denied(record),
  };

  /** Every prompt of a headless run starts with it; the prompt itself is an argument and not in the stream. */
  #init(record: JsonRecord): void {
    this.#thread.learns({
      id: stringAt(record, "session_id"),
      version: stringAt(record, "claude_code_version"),
      cwd: stringAt(record, "cwd"),
      model: stringAt(record, "model"),
      permissions: claudePermissions(stringAt(record, "permissionMode")),
    });
    if (!this.#thread.isTurnOpen) this.#thread.turnStarts(true);
  }

  #status(status: string | undefined): void {
    if (status === "requesting") this.#thread.emit({ kind: "request" });
    this.#compaction(status === "compacting");
  }

  #compaction(running: boolean): void {
    if (running === this.#compacting) return;
    this.#compacting = running;
    this.#thread.emit({ kind: "compaction", phase: running ? "start" : "end" });
  }

  #beat(): void {
    this.#thread.emit({ kind: "output", bytes: 0 });
  }

  #denied(record: JsonRecord): void {
    const id = stringAt(record, "tool_use_id");
    const text = stringAt(record, "message") ?? stringAt(record, "decision_reason") ?? "permission denied";
    if (id !== undefined) this.#thread.toolEnds(id, { ok: false, text, refused: true });
  }

  #streamEvent(record: JsonRecord): void {
    const event = recordAt(record, "event");
    const type = stringAt(event, "type");
    if (type === "message_delta" && stringAt(record, "parent_tool_use_id") === undefined) {
      const reply = stringAt(record, "api_message_id");
      if (reply !== undefined) this.#messages.tokens(reply, recordAt(event, "usage"));
    }
    if (type !== "content_block_delta") return;
    const delta = recordAt(event, "delta");
    const [text, thought, argument] = [
      stringAt(delta, "text"),
      stringAt(delta, "thinking"),
      stringAt(delta, "partial_json"),
    ];
    if (stringAt(record, "parent_tool_use_id") !== undefined)
      this.#thread.lives((text ?? thought ?? argument ?? "").length);
    else if (text !== undefined) this.#thread.writes("content", text);
    else if (thought !== undefined) this.#thread.writes("thought", thought);
    else if (argument !== undefined) this.#thread.lives(argument.length);
  }

  #rateLimit(info: JsonRecord): void {
    const status = stringAt(info, "status") ?? "";
    const stamp = numberAt(info, "resetsAt");
    const until = stamp === undefined ? undefined : fromEpoch(stamp);
    const text = textHead(`usage window ${stringAt(info, "rateLimitType") ?? ""}: ${status}`);
    // Beyond the plan's window, paid usage may continue: then nothing is stopped.
    const stopped = status === "rejected" && !booleanAt(info, "isUsingOverage");
    if (stopped) {
      this.#thread.limited({ until, text });
    } else if (status !== "allowed") {
      this.#thread.emit({ kind: "limit", level: "warning", ...(until === undefined ? {} : { until }), text });
    } else if (this.#limited) {
      this.#thread.emit({ kind: "limit", level: "cleared" });
    }
    this.#limited = stopped;
  }

  /** With `--permission-prompt-tool stdio` the program that runs Claude Code is asked, in this stream. */
  #controlRequest(record: JsonRecord): void {
    const request = recordAt(record, "request");
    if (stringAt(request, "subtype") !== "can_use_tool") return;
    this.#thread.asks("permission", stringAt(request, "tool_name") ?? "", stringAt(request, "tool_use_id"));
  }

  #authStatus(record: JsonRecord): void {
    const text = stringAt(record, "error");
    if (text !== undefined && text !== "") this.#thread.fails({ code: "authentication_error", text });
  }

  #result(record: JsonRecord): void {
    const cost = numberAt(record, "total_cost_usd") ?? 0;
    if (cost > this.#costUsd) {
      this.#thread.emit({ kind: "tokens", input: 0, output: 0, costUsd: cost - this.#costUsd });
      this.#costUsd = cost;
    }
    if (!booleanAt(record, "is_error")) {
      this.#thread.turnEnds();
      return;
    }
    const reason = stringAt(record, "terminal_reason") ?? stringAt(record, "subtype") ?? "";
    this.#thread.fails({
      status: numberAt(record, "api_error_status"),
      code: RUN_ENDS.get(reason) ?? RUN_ENDS.get(stringAt(record, "subtype") ?? "") ?? reason,
      text: stringAt(record, "result") ?? (contentText(arrayAt(record, "errors")) || reason),
    });
  }
}
