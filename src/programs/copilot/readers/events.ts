/**
 * GitHub Copilot CLI's session, `~/.copilot/session-state/<id>/events.jsonl`: `{type, data, timestamp}`.
 *
 * What it calls a turn is one request to the model: the turn of the user ends with the first reply without a tool
 * request. A permission is recorded when it is asked for and when it is answered.
 */
import type { Signal } from "../../../core/signal.js";
import { Copies, lineKey } from "../../../readers/records/copies.js";
import {
  arrayAt,
  asRecord,
  booleanAt,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
} from "../../../readers/records/json.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { resultText } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";

const SILENT = new Set([
  "session.context_changed",
  "session.info",
  "session.shutdown",
  "session.title_changed",
  "session.truncation",
  "session.warning",
  "system.message",
  "system.notification",
  "tool.user_requested",
]);
/** Families of events that do not concern the work. */
const SILENT_FAMILIES = ["hook.", "skill.", "subagent.", "session.mode", "session.plan", "session.workspace"];

type Handlers = Readonly<Record<string, (data: JsonRecord) => void>>;

export class CopilotEventReader implements RecordReader {
  readonly skipped: SkipCounter = new SkipCounter();
  readonly #thread: Thread;
  readonly #copies = new Copies();
  /** The reply that calls belong to. */
  #reply: string | undefined;
  /** The last reply asked for no tool. */
  #isLast = false;
  /** The request ended; its reply may be written after that. */
  #isRequestOver = false;

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("transcript", options);
  }

  read(value: unknown, at: number): Signal[] {
    const record = asRecord(value) ?? {};
    if (this.#copies.isCopy(lineKey(record, stringAt(record, "id")))) {
      this.skipped.count("copy");
      return [];
    }
    return this.#thread.collect(at, () => this.#event(stringAt(record, "type") ?? "", recordAt(record, "data") ?? {}));
  }

  #event(type: string, data: JsonRecord): void {
    const handler = this.#handlers[type];
    if (handler === undefined) {
      if (!SILENT.has(type) && !SILENT_FAMILIES.some((start) => type.startsWith(start))) this.skipped.count(type);
    } else if (stringAt(data, "parentToolCallId") !== undefined) {
      // The work of a subagent.
      this.#thread.lives((stringAt(data, "content") ?? "").length);
    } else handler(data);
  }

  readonly #handlers: Handlers = {
    __proto__: null as never,
    "session.start": (data) => this.#session(data),
    "session.resume": (data) => this.#session(data),
    "session.model_change": (data) => this.#thread.learns({ model: stringAt(data, "newModel") }),
    "session.error": (data) =>
      this.#thread.fails({
        status: numberAt(data, "statusCode"),
        code: stringAt(data, "errorType"),
        text: stringAt(data, "message") ?? "",
      }),
    "session.idle": () => this.#thread.turnEnds(),
    "session.usage_record": (data) => this.#tokens(recordAt(data, "usage")),
    "session.compaction_start": () => this.#thread.emit({ kind: "compaction", phase: "start" }),
    "session.compaction_complete": () => this.#thread.emit({ kind: "compaction", phase: "end" }),
    "user.message": (data) => this.#thread.prompted(stringAt(data, "content") ?? "", true),
    "assistant.turn_start": () => this.#turnStarts(),
    "assistant.turn_end": () => {
      this.#isRequestOver = true;
      if (this.#isLast) this.#thread.turnEnds();
    },
    "assistant.reasoning": (data) => this.#thread.thinks(stringAt(data, "content") ?? ""),
    "assistant.message": (data) => this.#message(data),
    "tool.execution_start": (data) => this.#toolStarts(data),
    "tool.execution_complete": (data) => this.#toolEnds(data),
    "permission.requested": (data) => this.#asks(recordAt(data, "permissionRequest") ?? {}),
    "permission.completed": () => this.#thread.closePrompt(),
    abort: () => this.#thread.turnInterrupted(true),
  };

  #session(data: JsonRecord): void {
    this.#thread.learns({
      id: stringAt(data, "sessionId"),
      version: stringAt(data, "copilotVersion"),
      cwd: stringAt(data, "context", "cwd"),
      model: stringAt(data, "selectedModel"),
    });
  }

  #turnStarts(): void {
    this.#isLast = false;
    this.#isRequestOver = false;
    this.#thread.turnRuns();
    this.#thread.emit({ kind: "request" });
  }

  #message(data: JsonRecord): void {
    this.#reply = stringAt(data, "messageId");
    this.#isLast = arrayAt(data, "toolRequests").length === 0;
    this.#thread.turnRuns();
    this.#thread.says("assistant", stringAt(data, "content") ?? "");
    if (this.#isLast && this.#isRequestOver) this.#thread.turnEnds();
  }

  #tokens(usage: JsonRecord | undefined): void {
    const [input, output] = [numberAt(usage, "inputTokens") ?? 0, numberAt(usage, "outputTokens") ?? 0];
    this.#thread.emit({ kind: "tokens", input, output });
  }

  #toolStarts(data: JsonRecord): void {
    const id = stringAt(data, "toolCallId");
    const tool = stringAt(data, "toolName") ?? "";
    if (id === undefined) return;
    this.#thread.turnRuns();
    this.#thread.toolStarts({ id, tool, args: recordAt(data, "arguments"), round: this.#reply });
  }

  /** A failed command is a success; only its exit code shows the failure. */
  #toolEnds(data: JsonRecord): void {
    const exitCode = numberAt(data, "shellExecution", "exitCode") ?? 0;
    const text = resultText(recordAt(data, "result")?.content ?? data.error ?? "");
    const code = stringAt(data, "error", "code");
    this.#thread.toolEnds(stringAt(data, "toolCallId") ?? "", {
      ok: booleanAt(data, "success") && exitCode === 0,
      text,
      refused: code === "denied" || code === "rejected",
    });
  }

  #asks(request: JsonRecord): void {
    const question =
      stringAt(request, "fullCommandText") ?? stringAt(request, "intention") ?? stringAt(request, "kind") ?? "";
    this.#thread.asks("permission", question, stringAt(request, "toolCallId"));
  }
}
