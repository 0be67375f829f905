/**
 * Gemini CLI's headless event stream (`--output-format stream-json`): init, message (the reply in deltas), tool_use,
 * tool_result, error, result. A reply is finished when a tool is used or the result arrives.
 */
import { digest } from "../../../core/digest.js";
import type { Signal } from "../../../core/signal.js";
import { asRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { contentText, textHead } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { geminiResult, geminiText } from "./result.js";

const REPLY_MAX = 65_536;

export class GeminiStreamReader implements RecordReader {
  readonly skipped: SkipCounter = new SkipCounter();
  readonly #thread: Thread;
  #reply = "";
  /** Calls of one reply share a round; a reply starts after results were returned. */
  #round = 0;
  #resultsCameBack = false;
  /** The last error: the result may not repeat it. */
  #lastError = "";

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("stream", options);
  }

  read(record: unknown, at: number): Signal[] {
    const event = asRecord(record) ?? {};
    return this.#thread.collect(at, () => this.#event(event));
  }

  #event(event: JsonRecord): void {
    const type = stringAt(event, "type") ?? "";
    if (type === "init") this.#thread.learns({ id: stringAt(event, "session_id"), model: stringAt(event, "model") });
    else if (type === "message") this.#message(event);
    else if (type === "tool_use") this.#toolUse(event);
    else if (type === "tool_result") this.#toolResult(event);
    else if (type === "error") this.#error(textHead(contentText(event.message)));
    else if (type === "result") this.#result(event);
    else this.skipped.count(`event ${type}`);
  }

  #message(event: JsonRecord): void {
    const text = contentText(event.content);
    if (event.role === "user") {
      this.#replyEnds();
      this.#thread.prompted(text, true);
      return;
    }
    this.#replyBegins();
    if (event.delta !== true) this.#reply = "";
    this.#reply = (this.#reply + text).slice(-REPLY_MAX);
    if (text !== "") this.#thread.writes("content", text);
  }

  #toolUse(event: JsonRecord): void {
    this.#replyBegins();
    this.#replyEnds();
    const id = stringAt(event, "tool_id") ?? "";
    this.#thread.toolStarts({
      id,
      tool: stringAt(event, "tool_name") ?? "",
      args: recordAt(event, "parameters"),
      round: `${this.#round}`,
    });
  }

  #toolResult(event: JsonRecord): void {
    this.#resultsCameBack = true;
    this.#thread.toolEnds(
      stringAt(event, "tool_id") ?? "",
      geminiResult(stringAt(event, "status") ?? "", event.output ?? event.error),
    );
  }

  /** An `error` event may be harmless ("Loop detected"): the result shows whether it was the end. */
  #error(text: string): void {
    this.#lastError = text;
    this.#thread.emit({ kind: "error", cause: "api", final: false, digest: digest(text), text });
  }

  #result(event: JsonRecord): void {
    this.#replyEnds();
    const stats = recordAt(event, "stats");
    if (stats) {
      const [input, output] = [numberAt(stats, "input_tokens") ?? 0, numberAt(stats, "output_tokens") ?? 0];
      this.#thread.emit({ kind: "tokens", input, output });
    }
    if (event.status === "success") this.#thread.turnEnds();
    else
      this.#thread.fails({
        code: stringAt(event, "error", "type"),
        text: geminiText(event.error) || this.#lastError,
      });
    this.#lastError = "";
  }

  #replyBegins(): void {
    this.#thread.turnRuns();
    if (this.#resultsCameBack) this.#round++;
    this.#resultsCameBack = false;
  }

  #replyEnds(): void {
    if (this.#reply !== "") this.#thread.says("assistant", this.#reply);
    this.#reply = "";
  }
}
