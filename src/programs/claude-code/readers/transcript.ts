/**
 * Claude Code's transcript: `~/.claude/projects/<folder>/<session>.jsonl`.
 *
 * A line per finished block, nothing while a block streams, a tool runs or a dialog is open. The end of a turn differs
 * between releases: a stop reason on every block (from 2.1.100), on half of them (2.1.50 to 2.1.99), on none before;
 * `system/turn_duration` only in a terminal. From 2.1.3xx each request to the model has a line of its own.
 */
import type { Signal } from "../../../core/signal.js";
import { Copies, lineKey } from "../../../readers/records/copies.js";
import { asRecord, booleanAt, type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import {
  type ReaderOptions,
  type RecordReader,
  recordTime,
  SkipCounter,
} from "../../../readers/records/record-reader.js";
import { contentText } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { ClaudeMessages, claudePermissions } from "./content.js";

/** Lines of bookkeeping: they move the file without being work. */
const SILENT = new Set([
  "agent-name",
  "ai-title",
  "api-request-blob",
  "api-request-shape",
  "atis-latch",
  "cost-state",
  "custom-title",
  "file-history-delta",
  "file-history-snapshot",
  "last-prompt",
  "mode",
  "summary",
  "tag",
  "tools-used",
]);

const SILENT_SYSTEM = new Set([
  "away_summary",
  "bridge_status",
  "local_command",
  "microcompact_boundary",
  "scheduled_task_fire",
  "stop_hook_summary",
]);

/** Lines of one moment are out of order by up to 0.4 s, as measured; older lines are repetitions. */
const COPY_AGE_MS = 60_000;

/** Side agents whose files are copies of the parent's lines, with the parent's old times. */
const COPIES = ["acompact", "aside_question", "aprompt_suggestion"];

/** Requests of the conversation itself; others create titles, suggestions and summaries in the background. */
const MAIN_REQUESTS = ["repl_main_thread", "sdk"];

/** The program's notices about a limit that it waits out by itself, or no longer does. */
const LIMIT_NOTICES: readonly (readonly [words: string, resumesItself: boolean])[] = [
  ["continuing automatically", true],
  ["continue cancelled", false],
];

export class ClaudeTranscriptReader implements RecordReader {
  readonly skipped = new SkipCounter();
  subagent: string | undefined;
  readonly #thread: Thread;
  readonly #messages: ClaudeMessages;
  #queued = 0;
  #compacting = false;
  /**
   * A subagent's own file has side lines only, each with its name, and is read like any other. In other files side
   * lines belong to another conversation, even as the first ones: Claude Code 2.0 warms up its subagents in the file of
   * a future session.
   */
  #ownChain: "main" | "side" | undefined;
  #newest = 0;
  #copying = false;
  readonly #replies = new RecentMap<true>(1024);
  readonly #copies = new Copies();

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("transcript", options);
    this.#messages = new ClaudeMessages(this.#thread, options);
  }

  read(value: unknown, at: number): Signal[] {
    const record = asRecord(value);
    if (record === null) return [];
    return this.#thread.collect(at, () => this.#report(record));
  }

  #report(record: JsonRecord): void {
    if (this.#isCopy(record) || this.#copies.isCopy(lineKey(record, stringAt(record, "uuid")))) {
      this.skipped.count("copy");
      return;
    }
    const type = stringAt(record, "type") ?? "";
    const handler = this.#handlers[type];
    if (handler === undefined) {
      if (!SILENT.has(type)) this.skipped.count(type);
      return;
    }
    if (type === "user" || type === "assistant") {
      const isSide = booleanAt(record, "isSidechain");
      if (!isSide) this.#ownChain ??= "main";
      else if (stringAt(record, "agentId") !== undefined) this.#ownChain ??= "side";
      if (this.#ownChain === "side") this.subagent = stringAt(record, "agentId");
      if (isSide && this.#ownChain !== "side") {
        this.#thread.lives(contentText(recordAt(record, "message")).length);
        return;
      }
    }
    this.#thread.learns({
      id: stringAt(record, "sessionId"),
      version: stringAt(record, "version"),
      cwd: stringAt(record, "cwd"),
      effort: stringAt(record, "effort"),
      permissions: claudePermissions(stringAt(record, "permissionMode")),
    });
    handler(record);
  }

  /**
   * A resumed session writes its history again, with the old times and new line ids, but the replies keep their ids. A
   * reply that was not seen before is not a copy: then the clock was set back.
   */
  #isCopy(record: JsonRecord): boolean {
    const agent = stringAt(record, "agentId");
    if (agent !== undefined && COPIES.some((name) => agent.startsWith(name))) return true;
    const time = recordTime(record);
    if (time === null) return this.#copying;
    const reply = stringAt(record, "message", "id");
    const isNew = reply !== undefined && this.#replies.get(reply) === undefined;
    if (time >= this.#newest || isNew) this.#copying = false;
    else if (this.#newest - time > COPY_AGE_MS) this.#copying = true;
    if (this.#copying) return true;
    this.#newest = isNew ? time : Math.max(time, this.#newest);
    if (isNew) this.#replies.set(reply, true);
    return false;
  }

  readonly #handlers: Readonly<Record<string, (record: JsonRecord) => void>> = {
    __proto__: null as never,
    assistant: (record) => {
      this.#compaction(false);
      this.#messages.assistant(record, { presumesEnd: true });
    },
    user: (record) => this.#user(record),
    system: (record) => this.#system(record),
    attachment: (record) => this.#attachment(record),
    progress: (record) => this.#progress(record),
    "api-request": (record) => this.#request(record),
    "permission-mode": () => {},
    "queue-operation": (record) => this.#queue(record),
  };

  #user(record: JsonRecord): void {
    this.#compaction(stringAt(record, "message", "content")?.startsWith("<command-name>/compact<") ?? false);
    this.#messages.user(record);
  }

  /** A compaction may fail and leave no boundary: any message after its start ends it. */
  #compaction(running: boolean): void {
    if (running === this.#compacting) return;
    this.#compacting = running;
    this.#thread.emit({ kind: "compaction", phase: running ? "start" : "end" });
  }

  #system(record: JsonRecord): void {
    const subtype = stringAt(record, "subtype") ?? "";
    if (subtype === "turn_duration") this.#messages.turnEnds();
    else if (subtype === "compact_boundary") this.#boundary();
    else if (subtype === "api_error") this.#retry(record);
    else if (subtype === "informational") this.#remark(stringAt(record, "content") ?? "");
    else if (!SILENT_SYSTEM.has(subtype)) this.skipped.count(`system/${subtype}`);
  }

  #boundary(): void {
    this.#compacting = false;
    this.#thread.emit({ kind: "compaction", phase: "end" });
  }

  #retry(record: JsonRecord): void {
    const error = recordAt(record, "error");
    const text = stringAt(error, "formatted") ?? stringAt(error, "message") ?? contentText(recordAt(error, "error"));
    const code = stringAt(error, "connection", "code") ?? stringAt(error, "cause", "code") ?? stringAt(error, "code");
    this.#thread.turnRuns();
    this.#thread.tries(
      // Without a status and a text, no answer arrived at all.
      { status: numberAt(error, "status"), code: code ?? (text === "" ? "network error" : undefined), text },
      {
        attempt: numberAt(record, "retryAttempt"),
        max: numberAt(record, "maxRetries"),
        delayMs: numberAt(record, "retryInMs"),
      },
    );
  }

  #remark(text: string): void {
    const notice = LIMIT_NOTICES.find(([words]) => text.includes(words));
    if (notice) this.#thread.limited({ resumesItself: notice[1], text });
  }

  /** Text typed during a turn is passed to the model between two tools, not as a line of the user. */
  #attachment(record: JsonRecord): void {
    const attachment = recordAt(record, "attachment");
    if (stringAt(attachment, "type") !== "queued_command") return;
    const text = contentText(attachment?.prompt);
    this.#messages.notice(text);
    this.#thread.says("user", text);
  }

  /** A heartbeat of releases before 2.1.80: a shell's, a hook's, or a message of a subagent. */
  #progress(record: JsonRecord): void {
    const data = recordAt(record, "data");
    if (stringAt(data, "type") === "agent_progress") this.#thread.lives(contentText(recordAt(data, "message")).length);
    else this.#thread.emit({ kind: "output", bytes: stringAt(data, "output")?.length ?? 0 });
  }

  #request(record: JsonRecord): void {
    const source = stringAt(record, "querySource") ?? "";
    if (source.includes("compact")) {
      this.#compaction(true);
    } else if (source === "" || this.#ownChain === "side" || MAIN_REQUESTS.some((name) => source.startsWith(name))) {
      this.#thread.turnRuns();
      this.#thread.emit({ kind: "request" });
    }
  }

  #queue(record: JsonRecord): void {
    const op = stringAt(record, "operation") === "enqueue" ? "enqueue" : "dequeue";
    const all = stringAt(record, "operation") === "popAll";
    this.#queued = op === "enqueue" ? this.#queued + 1 : all ? 0 : Math.max(0, this.#queued - 1);
    this.#thread.emit({ kind: "queue", op, depth: this.#queued });
    if (op === "enqueue") this.#messages.notice(stringAt(record, "content") ?? "");
  }
}
