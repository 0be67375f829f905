/**
 * Claude Code's own state file, `~/.claude/sessions/<pid>.json`, rewritten 0.3 to 1.2 s after each change. It is
 * undocumented, and goes stale when the process is killed. A hang, a retry and a long tool are all `busy`.
 */
import type { Signal, StatusSignal } from "../../../core/signal.js";
import type { PromptKind } from "../../../core/states.js";
import { asRecord, stringAt } from "../../../readers/records/json.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { textHead } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";

const STATUSES: ReadonlyMap<string, StatusSignal["status"]> = new Map([
  ["busy", "working"],
  ["idle", "idle"],
  // At its prompt, with a command that the turn left running.
  ["shell", "idle"],
  ["waiting", "blocked"],
]);

const WAITS: readonly (readonly [words: string, prompt: PromptKind])[] = [
  ["permission", "permission"],
  ["plan", "plan"],
  ["trust", "trust"],
  ["login", "login"],
  ["input", "input"],
];

export class ClaudeSessionFileReader implements RecordReader {
  readonly skipped = new SkipCounter();
  readonly #thread: Thread;
  #last = "";

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("session_file", options);
  }

  /** One state of the file. A repeated status is not reported. */
  read(value: unknown, at: number): Signal[] {
    const record = asRecord(value);
    if (record === null) return [];
    return this.#thread.collect(at, () => {
      this.#thread.learns({
        id: stringAt(record, "sessionId"),
        version: stringAt(record, "version"),
        cwd: stringAt(record, "cwd"),
      });
      const word = stringAt(record, "status") ?? "";
      const waitingFor = textHead(stringAt(record, "waitingFor") ?? "");
      if (`${word} ${waitingFor}` === this.#last) return;
      this.#last = `${word} ${waitingFor}`;
      const status = STATUSES.get(word);
      if (status === undefined) {
        // The file exists before its first status.
        if (word !== "") this.skipped.count(`status ${word}`);
        return;
      }
      const prompt = WAITS.find(([words]) => waitingFor.includes(words))?.[1];
      this.#thread.emit({
        kind: "status",
        status,
        ...(status === "blocked" && prompt ? { prompt } : {}),
        ...(waitingFor === "" ? {} : { text: waitingFor }),
      });
    });
  }
}
