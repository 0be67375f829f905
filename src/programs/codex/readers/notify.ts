/**
 * The payload of Codex's `notify` program: only `agent-turn-complete`. It arrives for each thread of the program,
 * including the small one that creates a title for the session, some seconds into the first turn.
 */
import type { Signal } from "../../../core/signal.js";
import { arrayAt, asRecord, type JsonRecord, parseRecord, stringAt } from "../../../readers/records/json.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { Thread } from "../../../readers/records/thread.js";

export class CodexNotifyReader implements RecordReader {
  readonly skipped = new SkipCounter();
  readonly #thread: Thread;

  /** `threadId` is the session's own thread, if known: others are then ignored. */
  readonly #threadId: string | undefined;

  constructor(options: ReaderOptions = {}, threadId?: string) {
    this.#threadId = threadId;

    this.#thread = new Thread("hook", options);
  }

  read(value: unknown, at: number): Signal[] {
    const payload = asRecord(value);
    if (payload === null) return [];
    return this.#thread.collect(at, () => {
      const type = stringAt(payload, "type") ?? "";
      if (type !== "agent-turn-complete") this.skipped.count(type);
      else if (this.#isForeign(payload)) this.skipped.count("foreign thread");
      else this.#turnEnds(payload);
    });
  }

  #isForeign(payload: JsonRecord): boolean {
    const id = stringAt(payload, "thread-id");
    if (this.#threadId !== undefined && id !== undefined) return id !== this.#threadId;
    return makesTitle(payload);
  }

  #turnEnds(payload: JsonRecord): void {
    this.#thread.learns({ id: stringAt(payload, "thread-id"), cwd: stringAt(payload, "cwd") });
    this.#thread.says("assistant", stringAt(payload, "last-assistant-message") ?? "");
    // The start of a turn is never reported, so each notice is the end of a new turn.
    this.#thread.emit({ kind: "turn", phase: "end" });
  }
}

/** A request for a title, answered with a record that has one: no agent answers a task like that. */
function makesTitle(payload: JsonRecord): boolean {
  const asked = arrayAt(payload, "input-messages").some(
    (text) => typeof text === "string" && text.slice(0, 200).toLowerCase().includes("title"),
  );
  return asked && stringAt(parseRecord(stringAt(payload, "last-assistant-message") ?? ""), "title") !== undefined;
}
