/**
 * Codex's rollout: `~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl`, lines of `{timestamp, type, payload}`.
 *
 * It has no retries, no approvals and, before 0.101, no end of a turn. Up to 0.63 a call was written only together with
 * its result. The text of a prompt appears two or three times; the events are used, because the items also contain
 * additions of the program itself. The reply of a call is not recorded: calls up to the next token count form one
 * round.
 */
import type { Signal } from "../../../core/signal.js";
import { Copies, lineKey } from "../../../readers/records/copies.js";
import {
  arrayAt,
  asRecord,
  booleanAt,
  type JsonRecord,
  numberAt,
  parseRecord,
  recordAt,
  stringAt,
} from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { contentText } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { CodexApprovals, callLimitMs } from "./approvals.js";
import { codexFailure, codexResult, codexRetry, codexSession, codexWallMs } from "./output.js";
import { CodexWindows } from "./windows.js";

type Handlers = Readonly<Record<string, (payload: JsonRecord) => void>>;

const SILENT_ITEMS = new Set(["ghost_snapshot", "compaction_summary", "other"]);

/** Events that repeat an item, or do not concern the work. */
const SILENT_EVENTS = new Set([
  "agent_message",
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "agent_reasoning_section_break",
  "entered_review_mode",
  "exec_command_end",
  "exited_review_mode",
  "image_generation_end",
  "mcp_tool_call_end",
  "patch_apply_end",
  "thread_name_updated",
  "thread_rolled_back",
  "thread_settings_applied",
  "view_image_tool_call",
  "warning",
  "web_search_end",
]);

const SILENT_TYPES = new Set(["world_state"]);

/** Text that the program adds to a conversation in the user's name. */
const NOT_PROMPTS = ["<environment_context>", "<user_instructions>", "<turn_aborted>", "<permissions", "# AGENTS.md"];
export class CodexRolloutReader implements RecordReader {
  readonly skipped = new SkipCounter();
  /** The thread of a subagent has a file of its own. */
  subagent: string | undefined;
  readonly #thread: Thread;
  readonly #windows: CodexWindows;
  #marksTurns = false;
  #prompts = 0;
  #round = 0;
  #replyIsOver = true;
  #totalTokens = -1;
  #searches = 0;
  /** The call that started a session, and the session that a later call writes to. */
  readonly #launches = new RecentMap<string>(256);
  readonly #writes = new RecentMap<string>(256);
  readonly #approvals = new CodexApprovals();
  readonly #copies = new Copies();

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("transcript", options);
    this.#windows = new CodexWindows(this.#thread);
  }

  read(value: unknown, at: number): Signal[] {
    const record = asRecord(value);
    if (record === null) return [];
    if (this.#copies.isCopy(lineKey(record))) {
      this.skipped.count("copy");
      return [];
    }
    return this.#thread.collect(at, () => this.#report(record, at));
  }

  #report(record: JsonRecord, at: number): void {
    const type = stringAt(record, "type") ?? "";
    const payload = recordAt(record, "payload");
    this.#now = at;
    if (payload === undefined) this.#oldest(record, type);
    else if (type === "response_item") this.#item(payload);
    else if (type === "event_msg") this.#dispatch(this.#events, SILENT_EVENTS, "event_msg/", payload);
    else this.#dispatch(this.#types, SILENT_TYPES, "", { ...payload, type });
  }

  #now = 0;

  #dispatch(handlers: Handlers, silent: ReadonlySet<string>, prefix: string, payload: JsonRecord): void {
    const type = stringAt(payload, "type") ?? "";
    const handler = handlers[type];
    if (handler !== undefined) handler(payload);
    else if (!silent.has(type)) this.skipped.count(`${prefix}${type}`);
  }

  /** Before 0.32 an item was a line of its own, and there were no events. */
  #oldest(record: JsonRecord, type: string): void {
    if (type === "message" && stringAt(record, "role") === "user") this.#prompt(contentText(record.content));
    else if (this.#items[type] !== undefined) this.#item(record);
    else if (stringAt(record, "record_type") === undefined && stringAt(record, "instructions") === undefined) {
      this.skipped.count(type === "" ? "no type" : type);
    }
  }

  readonly #types: Handlers = {
    __proto__: null as never,
    session_meta: (meta) => {
      const id = stringAt(meta, "id");
      if (recordAt(meta, "source", "subagent") !== undefined) this.subagent = id;
      this.#thread.learns({ id, version: stringAt(meta, "cli_version"), cwd: stringAt(meta, "cwd") });
    },
    turn_context: (context) => {
      this.#replyIsOver = true;
      const policy = stringAt(context, "approval_policy");
      this.#thread.learns({
        cwd: stringAt(context, "cwd"),
        model: stringAt(context, "model"),
        effort: stringAt(context, "effort") ?? stringAt(context, "collaboration_mode", "settings", "reasoning_effort"),
        permissions: policy === undefined ? undefined : policy === "never" ? "bypass" : "asking",
      });
    },
    token_usage_record: () => {
      this.#replyIsOver = true;
    },
    compacted: () => this.#thread.emit({ kind: "compaction", phase: "end" }),
  };

  readonly #events: Handlers = {
    __proto__: null as never,
    task_started: (event) => this.#turnStarts(event),
    turn_started: (event) => this.#turnStarts(event),
    task_complete: (event) => this.#turnEnds(event),
    turn_complete: (event) => this.#turnEnds(event),
    turn_aborted: (event) => this.#thread.turnInterrupted(stringAt(event, "reason") !== "review_ended"),
    user_message: (event) => {
      if ((stringAt(event, "kind") ?? "plain") === "plain") this.#prompt(stringAt(event, "message") ?? "");
    },
    item_completed: (event) => {
      if (stringAt(event, "item", "type") === "UserMessage") this.#prompt(contentText(recordAt(event, "item")));
    },
    token_count: (event) => this.#tokenCount(event),
    context_compacted: () => this.#thread.emit({ kind: "compaction", phase: "end" }),
    error: (event) => this.#thread.fails(codexFailure(event)),
    stream_error: (event) => this.#streamError(event),
  };

  #turnStarts(event: JsonRecord): void {
    this.#marksTurns = true;
    this.#prompts = 0;
    const trigger = stringAt(event, "turn_attribution", "turn_trigger");
    this.#thread.turnStarts(trigger === undefined || trigger === "user");
  }

  #turnEnds(event: JsonRecord): void {
    const error = event.error;
    if (error === undefined || error === null) this.#thread.turnEnds();
    else this.#thread.fails(codexFailure(error));
  }

  /** If the program marks turns, its first prompt belongs to the mark; a later one is typed into the open turn. */
  #prompt(text: string): void {
    if (text.trim() === "" || NOT_PROMPTS.some((mark) => text.startsWith(mark))) return;
    this.#replyIsOver = true;
    this.#prompts++;
    if (this.#marksTurns && this.#thread.isTurnOpen && this.#prompts === 1) this.#thread.says("user", text);
    else this.#thread.prompted(text, true);
  }

  #streamError(event: JsonRecord): void {
    const failure = codexFailure(event);
    this.#thread.tries(failure, codexRetry(failure.text) ?? {});
  }

  #tokenCount(event: JsonRecord): void {
    this.#replyIsOver = true;
    const total = numberAt(event, "info", "total_token_usage", "total_tokens");
    const last = recordAt(event, "info", "last_token_usage");
    if (total !== undefined && total !== this.#totalTokens) {
      this.#totalTokens = total;
      this.#thread.emit({
        kind: "tokens",
        input: numberAt(last, "input_tokens") ?? 0,
        output: numberAt(last, "output_tokens") ?? 0,
      });
    }
    this.#windows.read(recordAt(event, "rate_limits"), this.#now);
  }

  #item(item: JsonRecord): void {
    this.#dispatch(this.#items, SILENT_ITEMS, "response_item/", item);
  }

  readonly #items: Handlers = {
    __proto__: null as never,
    message: (item) => {
      if (stringAt(item, "role") === "assistant") this.#answer(item);
    },
    reasoning: (item) => {
      this.#replies();
      this.#thread.thinks(contentText(arrayAt(item, "summary")));
    },
    function_call: (item) => this.#call(item, stringAt(item, "name") ?? "", parsedArguments(item)),
    custom_tool_call: (item) =>
      this.#call(item, stringAt(item, "name") ?? "", { input: stringAt(item, "input") ?? "" }),
    local_shell_call: (item) => this.#call(item, "shell", recordAt(item, "action") ?? {}),
    function_call_output: (item) => this.#output(item),
    custom_tool_call_output: (item) => this.#output(item),
    web_search_call: (item) => this.#search(item),
    compaction: () => this.#thread.emit({ kind: "compaction", phase: "end" }),
  };

  #replies(): void {
    this.#thread.turnRuns();
    if (!this.#replyIsOver) return;
    this.#replyIsOver = false;
    this.#round++;
  }

  #answer(item: JsonRecord): void {
    this.#replies();
    this.#thread.says("assistant", contentText(item.content));
    if (this.#marksTurns || stringAt(item, "phase") === "commentary" || item.end_turn === false) return;
    this.#thread.turnEnds(booleanAt(item, "end_turn") ? {} : { presumed: true });
  }

  #call(item: JsonRecord, tool: string, args: JsonRecord): void {
    this.#replies();
    const id = stringAt(item, "call_id") ?? stringAt(item, "id");
    const session = args.session_id;
    if (id !== undefined && tool === "write_stdin") this.#writes.set(id, String(session));
    if (id === undefined) return;
    const asks = this.#approvals.asks(id, tool, args, this.#now);
    this.#thread.toolStarts({ id, tool, args, round: `${this.#round}`, asks, limitMs: callLimitMs(tool, args) });
  }

  #output(item: JsonRecord): void {
    const id = stringAt(item, "call_id");
    if (id === undefined) return;
    const result = codexResult(item.output);
    this.#approvals.ended(id, codexWallMs(item.output), this.#now);
    const written = this.#writes.get(id);
    // A call that writes to a session starts nothing: the session belongs to the call that started it.
    const waited = { ...result, background: false, running: result.background };
    this.#thread.toolEnds(id, written === undefined ? result : waited);
    const session = codexSession(item.output);
    if (written === undefined && session !== undefined) this.#launches.set(session, id);
    const launch = this.#launches.get(written ?? "");
    if (launch !== undefined && !result.background) this.#thread.backgroundEnds(launch);
  }

  /** The provider runs the search: the call is written when it has ended, without its results. */
  #search(item: JsonRecord): void {
    const id = `search-${this.#searches++}`;
    this.#call({ call_id: id }, "web_search", recordAt(item, "action") ?? {});
    this.#thread.toolEnds(id, { ok: stringAt(item, "status") !== "failed", text: "" });
  }
}

function parsedArguments(item: JsonRecord): JsonRecord {
  const text = stringAt(item, "arguments");
  const args = text === undefined ? recordAt(item, "arguments") : parseRecord(text);
  return args ?? { input: text ?? "" };
}
