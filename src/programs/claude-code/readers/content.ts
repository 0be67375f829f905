/**
 * Messages of Claude Code, which its transcript and its event stream write alike: one record per finished block of a
 * reply, and tool results as messages of the user.
 */
import { compareVersions } from "../../../core/version-fit.js";
import { arrayAt, booleanAt, type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import { fromEpoch, type ReaderOptions } from "../../../readers/records/record-reader.js";
import { contentText, resultText, textHead } from "../../../readers/records/text.js";
import type { Thread } from "../../../readers/records/thread.js";
import type { ToolResult } from "../../../readers/records/tool-calls.js";
import type { VendorError } from "../../../readers/records/vendor-errors.js";
import { askedTask, ENDED_STATUS, hasEnded, isCancelled, isLaunch, taskOf, timerOf } from "./launches.js";

/** Written by the program itself in the model's name: an error, or a remark that is not an answer. */
const SYNTHETIC = "<synthetic>";
const CALLS = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);
const ENDS = new Set(["end_turn", "stop_sequence"]);
/** Reasons to stop that are failures, by the name that the table of provider errors knows. */
const FAILED_STOPS: ReadonlyMap<string, string> = new Map([
  ["refusal", "content_policy"],
  ["model_context_window_exceeded", "context_window"],
]);
const OUTPUT_MAXIMUM = /max_output_tokens|output token maximum/;
const INTERRUPTED = "[Request interrupted by user";
const REFUSED = "The user doesn't want to ";

/** Messages that the program adds to a conversation by itself and stores as the user's. */
const NOT_PROMPTS = ["<command-", "<local-command-", "<bash-", "<system-reminder>", "Caveat: The messages below"];
const NOTICES = ["<task-notification", "<teammate-message", "<agent-notification", "<background-task"];

export interface AssistantContext {
  /**
   * Some releases do not mark the end of a turn in the file: a final text with nothing after it is then presumed to be
   * it.
   */
  presumesEnd: boolean;
}

/** A notice of the program itself; any other message of a teammate is a report in the middle of its work. */
const MATE_RESTS =
  /^<teammate-message[^>]{0,300}>\s{0,9}\{"type":"(?:idle_notification|teammate_terminated|shutdown_approved)"/;
/** The release from which every reply has a stop reason. */
const STOPS_MARKED_FROM = "2.1.100";

export class ClaudeMessages {
  #endedReply: string | undefined;
  /** The last reply exceeded the maximum of output tokens. */
  #cutOff: VendorError | undefined;
  readonly #calls = new RecentMap<{ tool: string; task: string | undefined }>(256);
  /** The call that started a background task, by the task's id or the name of the agent. */
  readonly #launches = new RecentMap<string>(256);

  readonly #thread: Thread;
  readonly #commandLimitMs: number;

  /** `commandLimitMs`: see `ReadContext`. */
  constructor(thread: Thread, { commandLimitMs = COMMAND_LIMIT_MS }: Pick<ReaderOptions, "commandLimitMs"> = {}) {
    this.#thread = thread;
    this.#commandLimitMs = commandLimitMs;
  }

  assistant(record: JsonRecord, { presumesEnd }: AssistantContext): void {
    const message = recordAt(record, "message");
    const blocks = blocksOf(message);
    const failure = failureOf(record, blocks);
    if (failure) {
      this.#fails(failure, record);
      return;
    }
    this.#cutOff = undefined;
    const model = stringAt(message, "model");
    if (model === SYNTHETIC) return;
    const reply = stringAt(message, "id");
    // A reply has one record per block: a block after the end of the turn does not open another turn.
    if (reply === undefined || reply !== this.#endedReply) this.#thread.turnRuns();
    this.#thread.learns({ model });
    if (reply !== undefined) this.tokens(reply, recordAt(message, "usage"));
    let hasText = false;
    let hasCall = false;
    for (const block of blocks) {
      const type = stringAt(block, "type") ?? "";
      if (type === "text") {
        hasText = true;
        this.#thread.says("assistant", stringAt(block, "text") ?? "");
      } else if (type === "thinking") {
        this.#thread.thinks(stringAt(block, "thinking") ?? "");
      } else if (CALLS.has(type)) {
        hasCall = true;
        this.#thread.turnRuns();
        this.#call(block, reply, record);
      } else if (type.endsWith("_tool_result")) {
        this.#result(block, record);
      }
    }
    if (hasText && !hasCall) this.#stop(record, message, reply, presumesEnd);
  }

  tokens(reply: string, usage: JsonRecord | undefined): void {
    const input =
      (numberAt(usage, "input_tokens") ?? 0) +
      (numberAt(usage, "cache_creation_input_tokens") ?? 0) +
      (numberAt(usage, "cache_read_input_tokens") ?? 0);
    this.#thread.uses(reply, { input, output: numberAt(usage, "output_tokens") ?? 0 });
  }

  user(record: JsonRecord): void {
    const blocks = blocksOf(recordAt(record, "message"));
    let hasResult = false;
    for (const block of blocks) {
      if (stringAt(block, "type") !== "tool_result") continue;
      hasResult = true;
      this.#result(block, record);
    }
    const text = contentText(blocks.filter((block) => stringAt(block, "type") === "text"));
    this.notice(text);
    if (text.startsWith(INTERRUPTED)) this.#thread.turnInterrupted(true);
    else if (!hasResult && isPrompt(record, text)) this.#thread.prompted(text, isFromHuman(record, text));
  }

  /** After a reply that was too long, the program asks the model to go on; at the end of the turn it has given up. */
  #fails(failure: VendorError, record: JsonRecord): void {
    const isCutOff = OUTPUT_MAXIMUM.test(`${failure.code} ${failure.text}`);
    this.#cutOff = isCutOff ? failure : undefined;
    if (isCutOff) this.#thread.emit({ kind: "retry", text: textHead(failure.text ?? "") });
    else this.#thread.fails(failure, limitEnd(record));
  }

  /** The program's own mark of the end of a turn. */
  turnEnds(): void {
    if (this.#cutOff) this.#thread.fails(this.#cutOff);
    else this.#thread.turnEnds();
    this.#cutOff = undefined;
  }

  /** A notice of the program that background work ended. */
  notice(text: string): void {
    if (!isNotice(text)) return;
    const mate = /^<teammate-message[^>]{0,200}teammate_id="([^"]{1,100})"/.exec(text)?.[1];
    const call = /<tool-use-id>([^<]{1,128})<\/tool-use-id>/.exec(text)?.[1];
    const task = /<task-id>([^<]{1,128})<\/task-id>/.exec(text)?.[1];
    const launch = mate === undefined ? (call ?? this.#launches.get(task ?? "")) : this.#launches.get(mate);
    // The first status is the program's own; the result below it may quote others.
    const status = /<status>[a-z_]{1,20}<\/status>/.exec(text)?.[0] ?? "";
    if (launch !== undefined && (mate === undefined ? ENDED_STATUS.test(status) : MATE_RESTS.test(text)))
      this.#thread.backgroundEnds(launch, /killed|stopped/.test(status));
  }

  #call(block: unknown, reply: string | undefined, record: JsonRecord): void {
    const id = stringAt(block, "id");
    if (id === undefined) return;
    const tool = stringAt(block, "name") ?? "";
    const input = recordAt(block, "input") ?? {};
    this.#calls.set(id, { tool, task: askedTask(tool, input) });
    const mate = stringAt(input, "team_name") === undefined ? undefined : stringAt(input, "name");
    if (mate !== undefined) this.#launches.set(mate, id);
    const isOpen = stringAt(record, "message", "stop_reason") === undefined && marksStops(stringAt(record, "version"));
    const limitMs = limitOf(tool, input, this.#commandLimitMs);
    this.#thread.toolStarts({ id, tool, args: input, round: reply, partial: isOpen, limitMs });
  }

  #result(block: unknown, record: JsonRecord): void {
    const id = stringAt(block, "tool_use_id");
    if (id === undefined) return;
    const text = resultText((block as JsonRecord).content);
    const details = recordAt(record, "toolUseResult") ?? recordAt(record, "tool_use_result");
    const call = this.#calls.get(id);
    const result = claudeResult(
      text,
      !booleanAt(block, "is_error"),
      details,
      call?.tool,
      stringAt(record, "timestamp"),
    );
    this.#thread.toolEnds(id, result);
    if (result.background) {
      const started = taskOf(call?.tool ?? "", details) ?? call?.tool;
      if (started !== undefined) this.#launches.set(started, id);
    }
    const wakeup = isCancelled(call?.tool ?? "", details) ? this.#launches.get("ScheduleWakeup") : undefined;
    if (wakeup !== undefined) this.#thread.backgroundEnds(wakeup);
    const launch = this.#launches.get(call?.task ?? "");
    if (launch !== undefined && call !== undefined && hasEnded(call.tool, result, details))
      this.#thread.backgroundEnds(launch);
  }

  #stop(record: JsonRecord, message: JsonRecord | undefined, reply: string | undefined, presumesEnd: boolean): void {
    const reason = stringAt(message, "stop_reason");
    const failed = FAILED_STOPS.get(reason ?? "");
    const presumed = reason === undefined && presumesEnd && !booleanAt(record, "isAbortedMidStream");
    if (failed !== undefined) this.#thread.fails({ code: failed, text: `stop_reason: ${reason}` });
    else if (presumed) this.#thread.turnEnds({ presumed });
    else if (reason !== undefined && ENDS.has(reason)) this.#thread.turnEnds();
    else return;
    this.#endedReply = reply;
  }
}

const COMMAND_LIMIT_MS = 120_000;
/** The longest of 54 calls that needed no approval took 107 s. */
const WEB_LIMIT_MS = 120_000;

/** How long the program lets a call run, if it has such a limit. */
function limitOf(tool: string, input: JsonRecord, commandLimitMs: number): number | undefined {
  if (booleanAt(input, "run_in_background")) return 0;
  if (tool === "Bash" || tool === "PowerShell") return numberAt(input, "timeout") ?? commandLimitMs;
  return tool === "WebFetch" || tool === "WebSearch" ? WEB_LIMIT_MS : undefined;
}

function marksStops(version: string | undefined): boolean {
  return version !== undefined && compareVersions(version, STOPS_MARKED_FROM) >= 0;
}

/** A result with the marks that only Claude Code's own texts have. */
export function claudeResult(
  text: string,
  ok: boolean,
  details?: JsonRecord,
  tool = "",
  at?: string,
): ToolResult & { background: boolean } {
  const background = ok && isLaunch(text, details, tool);
  const timer = background ? timerOf(tool, details, at) : undefined;
  return {
    ok,
    text,
    refused: !ok && text.startsWith(REFUSED),
    interrupted: booleanAt(details, "interrupted") || (!ok && text.startsWith(INTERRUPTED)),
    background,
    ...(timer ? { timer } : {}),
  };
}

/** Modes without questions: everything is permitted, or everything that is not allowed is refused. */
const UNASKED = new Set(["bypassPermissions", "dontAsk"]);

export function claudePermissions(mode: string | undefined): "asking" | "bypass" | undefined {
  return mode === undefined ? undefined : UNASKED.has(mode) ? "bypass" : "asking";
}

export function isNotice(text: string): boolean {
  return NOTICES.some((mark) => text.startsWith(mark));
}

function blocksOf(message: JsonRecord | undefined): readonly unknown[] {
  const text = stringAt(message, "content");
  return text === undefined ? arrayAt(message, "content") : [{ type: "text", text }];
}

function isPrompt(record: JsonRecord, text: string): boolean {
  if (text.trim() === "" || booleanAt(record, "isMeta") || booleanAt(record, "isSynthetic")) return false;
  if (booleanAt(record, "isCompactSummary") || booleanAt(record, "isVisibleInTranscriptOnly")) return false;
  return !NOT_PROMPTS.some((mark) => text.startsWith(mark));
}

function isFromHuman(record: JsonRecord, text: string): boolean {
  const origin = stringAt(record, "origin", "kind");
  return (origin === undefined || origin === "human") && !isNotice(text);
}

/** The program's report that it gave up; the stream has only `error`. */
function failureOf(record: JsonRecord, blocks: readonly unknown[]): VendorError | undefined {
  const code = stringAt(record, "error");
  if (!booleanAt(record, "isApiErrorMessage") && code === undefined) return undefined;
  const words = [
    stringAt(record, "apiError"),
    code,
    stringAt(record, "apiErrorType"),
    stringAt(record, "errorDetails"),
  ];
  return {
    status: numberAt(record, "apiErrorStatus"),
    code: words.filter(Boolean).join(" "),
    text: contentText(blocks),
  };
}

function limitEnd(record: JsonRecord): number | undefined {
  const info = recordAt(record, "apiErrorParams", "rate_limit_info") ?? recordAt(record, "quotaLimits");
  const stamp = numberAt(info, "resetsAt");
  return stamp === undefined ? undefined : fromEpoch(stamp);
}
