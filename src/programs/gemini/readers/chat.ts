/**
 * Gemini CLI's chat file, `~/.gemini/tmp/<project>/chats/session-*.jsonl`.
 *
 * A line is a header (`sessionId`, `kind`), a message (`type` user, gemini, info, error, warning), `$set` with changed
 * fields, or `$rewindTo`. A message is written again under its id when it grows: a reply first without, then with
 * `toolCalls`, and that second line comes only when the tools have **ended**. So the file never shows a tool that runs
 * or waits for a permission, and a reply without calls may or may not be the last of its turn: the end of a turn is
 * presumed, unless the reply announces more. Title, screen and event stream are more reliable. `$set.messages` restates
 * the whole history (at the start, on resuming, on a rewind): messages in it that were never seen are not reported,
 * because they are old.
 */

import { digest } from "../../../core/digest.js";
import { closingOf } from "../../../core/judgement/closing.js";
import type { Signal } from "../../../core/signal.js";
import { arrayAt, asRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { signalsOfSubagent } from "../../../readers/records/subagent.js";
import { contentText, textHead } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { classifyVendorError } from "../../../readers/records/vendor-errors.js";
import { geminiResult } from "./result.js";

/** States of its scheduler in which a call has not ended; in one of them it waits for the user. */
const OPEN_STATUSES = new Set(["validating", "scheduled", "executing", "awaiting_approval"]);
const ASKING_STATUS = "awaiting_approval";
const CANCELLED_STATUS = "cancelled";
/** Context that the program writes in the user's name. */
const CONTEXT = "<session_context>";
const CANCELLED = /^request cancelled/i;
const COMPRESSED = /compressed (?:context|from)/i;
/** The model's provider stopped the reply, whose text follows this notice. */
const STOPPED = /response stopped due to /i;
const NOTICE_MAX = 500;

export class GeminiChatReader implements RecordReader {
  readonly skipped: SkipCounter = new SkipCounter();
  readonly #thread: Thread;
  /** The reported parts of each message, under its id: the digest of its text, the tokens, the prompt, the notice. */
  readonly #reported = new RecentMap<string>();
  #subagent: string | undefined;
  /** Why the provider stopped the reply that follows. */
  #stopped = "";

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("transcript", options);
  }

  read(record: unknown, at: number): Signal[] {
    const line = asRecord(record);
    const signals = this.#thread.collect(at, () => this.#line(line ?? {}));
    return this.#subagent === undefined ? signals : signalsOfSubagent(signals, this.#subagent);
  }

  #line(line: JsonRecord): void {
    const changed = recordAt(line, "$set");
    if (changed) this.#restated(arrayAt(changed, "messages"));
    else if (stringAt(line, "type") !== undefined) this.#message(line);
    else if (stringAt(line, "sessionId") !== undefined) this.#header(line);
    else if (stringAt(line, "$rewindTo") === undefined) this.skipped.count("record");
  }

  #header(line: JsonRecord): void {
    if (line.kind === "subagent") this.#subagent = stringAt(line, "sessionId");
    this.#thread.learns({ id: stringAt(line, "sessionId"), cwd: stringAt(arrayAt(line, "directories"), "0") });
    // Before the JSON lines, the file was one document with its messages.
    for (const message of arrayAt(line, "messages")) this.#message(asRecord(message) ?? {});
  }

  #restated(messages: readonly unknown[]): void {
    for (const message of messages) {
      const id = stringAt(message, "id");
      if (id === undefined) continue;
      const isKnown = this.#reported.get(id) !== undefined;
      if (isKnown) this.#toolCalls(message);
      else this.#reported.set(id, RESTATED);
    }
  }

  #message(message: JsonRecord): void {
    const id = stringAt(message, "id") ?? "";
    const type = stringAt(message, "type") ?? "";
    if (this.#reported.get(id) === RESTATED) return;
    if (type === "gemini") this.#reply(message, id);
    else if (!["user", "info", "warning", "error"].includes(type)) this.skipped.count(`message ${type}`);
    else if (this.#reported.changes(id, type)) {
      if (type === "user") this.#user(message);
      else if (type === "error") this.#error(contentText(message.content));
      else this.#notice(textHead(contentText(message.content), NOTICE_MAX));
    }
  }

  /** A prompt, or tool results on their way to the model. */
  #user(message: JsonRecord): void {
    // The user's input is `displayContent` if the program sends something else.
    const text = contentText(message.displayContent ?? message.content);
    if (text === "") this.#request();
    else if (!text.startsWith(CONTEXT)) this.#thread.prompted(text, true);
    this.#stopped = "";
  }

  /** Results of cancelled calls are stored for later, without a request to the model. */
  #request(): void {
    if (this.#thread.isTurnOpen) this.#thread.emit({ kind: "request" });
  }

  #reply(message: JsonRecord, id: string): void {
    const text = contentText(message.content);
    const isNew = this.#reported.changes(id, digest(text));
    const hasCalls = arrayAt(message, "toolCalls").length > 0;
    this.#thread.learns({ model: stringAt(message, "model") });
    if (isNew && text !== "") this.#thread.turnRuns();
    const thoughts = contentText(arrayAt(message, "thoughts").map((thought) => stringAt(thought, "description") ?? ""));
    if (thoughts !== "" && this.#reported.changes(`thoughts ${id}`, digest(thoughts))) this.#thread.thinks(thoughts);
    if (isNew) this.#thread.says("assistant", text);
    const tokens = recordAt(message, "tokens");
    if (tokens && this.#reported.changes(`tokens ${id}`, "")) {
      const output = (numberAt(tokens, "output") ?? 0) + (numberAt(tokens, "thoughts") ?? 0);
      this.#thread.emit({ kind: "tokens", input: numberAt(tokens, "input") ?? 0, output });
    }
    this.#toolCalls(message);
    if (isNew && !hasCalls && text !== "") this.#replyEnds(text);
  }

  #replyEnds(text: string): void {
    if (this.#stopped !== "") this.#thread.fails({ text: this.#stopped });
    else if (closingOf(text) !== "promise") this.#thread.turnEnds({ presumed: true });
    this.#stopped = "";
  }

  #toolCalls(message: unknown): void {
    for (const call of arrayAt(message, "toolCalls")) {
      const id = stringAt(call, "id");
      const tool = stringAt(call, "name");
      if (id === undefined || tool === undefined) {
        this.skipped.count("tool call");
        continue;
      }
      const status = stringAt(call, "status") ?? "";
      if (!this.#reported.changes(`call ${id}`, status)) continue;
      // A cancelled call is written after the end of the turn.
      if (status !== CANCELLED_STATUS) this.#thread.turnRuns();
      this.#thread.toolStarts({ id, tool, args: recordAt(call, "args"), round: stringAt(message, "id") });
      if (status === ASKING_STATUS) this.#thread.asks("permission", stringAt(call, "description") ?? tool);
      else this.#thread.closePrompt();
      if (!OPEN_STATUSES.has(status)) this.#thread.toolEnds(id, geminiResult(status, asRecord(call)?.result));
    }
  }

  #notice(text: string): void {
    if (CANCELLED.test(text)) this.#thread.turnInterrupted(true);
    else if (STOPPED.test(text)) this.#stopped = text;
    else if (COMPRESSED.test(text)) this.#thread.emit({ kind: "compaction", phase: "end" });
  }

  /** The provider's errors end the turn; an unexplained error row may be about a mistyped command. */
  #error(text: string): void {
    const verdict = classifyVendorError({ text });
    const isUnexplained = verdict.kind === "error" && verdict.cause === "api" && !/api error/i.test(text.slice(0, 200));
    if (!isUnexplained) this.#thread.fails({ text });
    else this.#thread.emit({ kind: "error", cause: "api", final: false, digest: digest(text), text: textHead(text) });
  }
}

const RESTATED = "restated";
