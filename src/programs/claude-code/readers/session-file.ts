/**
 * Claude Code's own state files: `~/.claude/sessions/<pid>.json`, rewritten 0.3 to 1.2 s after each change, and for a
 * session in the background also `jobs/<id>/state.json`. They are undocumented, and the first one goes stale when the
 * process is killed. A hang, a retry and a long tool are all `busy`.
 */
import type { Signal, StatusSignal } from "../../../core/signal.js";
import type { PromptKind } from "../../../core/states.js";
import { asRecord, type JsonRecord, recordAt, stringAt } from "../../../readers/records/json.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { textHead } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { type BackgroundJob, backgroundJob } from "./background-job.js";

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

/** Questions are shown word for word. */
const NEEDS_MAX = 600;

export class ClaudeSessionFileReader implements RecordReader {
  readonly skipped = new SkipCounter();
  readonly #thread: Thread;
  #last = "";
  #waitedFor = "";
  #job: BackgroundJob | null = null;

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("session_file", options);
  }

  /** One state of the files. A repeated status is not reported. */
  read(value: unknown, at: number): Signal[] {
    const record = asRecord(value);
    if (record === null) return [];
    return this.#thread.collect(at, () => {
      this.#thread.learns({
        id: stringAt(record, "sessionId"),
        version: stringAt(record, "version"),
        cwd: stringAt(record, "cwd"),
      });
      this.#readJob(record);
      this.#readStatus(record);
    });
  }

  #readJob(own: JsonRecord): void {
    const job = recordAt(own, "job");
    const id = stringAt(job, "id");
    if (job === undefined || id === undefined) return;
    const before = this.#job;
    // A file that cannot be read at the moment changes nothing.
    if (before !== null && job.state === undefined) return;
    const now = backgroundJob(job, own, this.skipped);
    this.#job = now;
    if (now.isStopped && before?.isStopped !== true)
      this.#thread.emit({ kind: "input", by: "human", bytes: 0, quits: true });
    if (now.isHeld !== before?.isHeld) this.#thread.emit({ kind: "supervisor", id: textHead(id), holds: now.isHeld });
  }

  #readStatus(own: JsonRecord): void {
    const word = stringAt(own, "status") ?? "";
    const waitingFor = textHead(stringAt(own, "waitingFor") ?? "");
    const status = STATUSES.get(word);
    const signal = status && { kind: "status" as const, status, ...this.#details(status, waitingFor) };
    if (status !== "blocked") this.#waitedFor = "";
    const said = signal ? JSON.stringify(signal) : word;
    if (said === this.#last) return;
    this.#last = said;
    // The file exists before its first status.
    if (signal) this.#thread.emit(signal);
    else if (word !== "") this.skipped.count(`status ${word}`);
  }

  #details(status: StatusSignal["status"], waitingFor: string): Partial<StatusSignal> {
    const needs = textHead(this.#job?.needs ?? "", NEEDS_MAX);
    if (status === "idle") {
      const background = this.#job?.background ?? null;
      return {
        ...(this.#job?.asksAtEnd && needs !== "" ? { asks: needs } : {}),
        ...(background === null ? {} : { background }),
      };
    }
    if (status !== "blocked") return waitingFor === "" ? {} : { text: waitingFor };
    const prompt = WAITS.find(([words]) => waitingFor.includes(words))?.[1];
    // The words of the question are in the other file, which may be written later: one question must not look like two.
    const isLate = this.#job !== null && this.#waitedFor !== waitingFor;
    this.#waitedFor = waitingFor;
    const text = needs || (isLate ? "" : waitingFor);
    return { ...(prompt ? { prompt } : {}), ...(text === "" ? {} : { text }) };
  }
}
