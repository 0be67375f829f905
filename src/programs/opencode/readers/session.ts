/** The meaning of OpenCode's sessions, messages and events; `rows.ts` takes them out of their envelopes. */
import type { Signal } from "../../../core/signal.js";
import { booleanAt, type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import type { ReaderOptions } from "../../../readers/records/record-reader.js";
import { Thread } from "../../../readers/records/thread.js";
import { endsTurn, OpenCodeParts } from "./parts.js";

export type OpenCodeEvent =
  | "session"
  | "message"
  | "part"
  | "delta"
  | "status"
  | "idle"
  | "error"
  | "compacted"
  | "permission"
  | "question"
  | "answer";

const ABORTED = "MessageAbortedError";
const OVERFLOW = "ContextOverflowError";

export class OpenCodeSession {
  readonly #thread: Thread;
  readonly #parts: OpenCodeParts;
  readonly #reported = new RecentMap<string>();
  #now = 0;
  #isCompacting = false;

  constructor(source: "transcript" | "stream", options: ReaderOptions, skip: (name: string) => void) {
    this.#thread = new Thread(source, options);
    this.#parts = new OpenCodeParts(this.#thread, skip);
  }

  read(thing: OpenCodeEvent, data: JsonRecord, at: number): Signal[] {
    this.#now = at;
    return this.#thread.collect(at, () => this.#report[thing](data));
  }

  readonly #report: Record<OpenCodeEvent, (data: JsonRecord) => void> = {
    session: (info) => this.#session(info),
    message: (info) => this.#message(info),
    part: (part) => this.#parts.read(part),
    delta: (data) => this.#parts.delta(stringAt(data, "partID") ?? "", stringAt(data, "delta") ?? ""),
    status: (data) => this.#status(recordAt(data, "status")),
    idle: () => this.#thread.turnEnds(),
    error: (data) => this.#failed(recordAt(data, "error")),
    compacted: () => this.#thread.emit({ kind: "compaction", phase: "end" }),
    permission: (data) =>
      this.#thread.asks("permission", stringAt(data, "title") ?? stringAt(data, "permission") ?? ""),
    question: (data) => this.#thread.asks("input", stringAt(data, "questions", "0", "question") ?? ""),
    answer: () => this.#thread.closePrompt(),
  };

  #session(info: JsonRecord): void {
    this.#thread.learns({
      id: stringAt(info, "id"),
      version: stringAt(info, "version"),
      cwd: stringAt(info, "directory"),
    });
    const isCompacting = (numberAt(info, "time_compacting") ?? numberAt(info, "time", "compacting")) !== undefined;
    if (isCompacting === this.#isCompacting) return;
    this.#isCompacting = isCompacting;
    this.#thread.emit({ kind: "compaction", phase: isCompacting ? "start" : "end" });
  }

  #message(info: JsonRecord): void {
    const id = stringAt(info, "id") ?? "";
    const isSummary = booleanAt(info, "summary");
    this.#parts.belongs(id, isSummary ? "summary" : (stringAt(info, "role") ?? ""));
    if (info.role !== "assistant") return;
    this.#thread.learns({ model: stringAt(info, "modelID") });
    const isCompleted = numberAt(info, "time", "completed") !== undefined;
    if (!isCompleted && this.#reported.changes(`asked ${id}`, "")) {
      this.#thread.turnRuns();
      this.#thread.emit({ kind: "request" });
    }
    const failure = recordAt(info, "error");
    if (failure && this.#reported.changes(`ended ${id}`, "")) this.#failed(failure);
    else if (isCompleted && this.#reported.changes(`ended ${id}`, ""))
      this.#completed(id, isSummary, stringAt(info, "finish"));
  }

  #completed(id: string, isSummary: boolean, finish = "unknown"): void {
    if (isSummary) this.#thread.emit({ kind: "compaction", phase: "end" });
    else if (finish === "content-filter") this.#thread.fails({ code: "content_filter", text: "content-filter" });
    else if (endsTurn(finish)) this.#thread.turnEnds();
    // If the user rejects a call, the turn ends, although the reply ended in calls.
    else if (this.#parts.wasRefused(id)) this.#thread.turnInterrupted(true);
  }

  /** Reported by the message and again by an event; the thread is closed by then. */
  #failed(failure: JsonRecord | undefined): void {
    if (!failure) return;
    const code = stringAt(failure, "name") ?? "";
    if (code === ABORTED) {
      if (this.#thread.isTurnOpen) this.#thread.turnInterrupted(true);
      return;
    }
    if (code === OVERFLOW) this.#parts.overflows();
    const text = stringAt(failure, "data", "message") ?? stringAt(failure, "message") ?? "";
    const body = stringAt(failure, "data", "responseBody") ?? "";
    this.#thread.fails({ code, status: numberAt(failure, "data", "statusCode"), text: `${text}\n${body}`.trim() });
  }

  #status(status: JsonRecord | undefined): void {
    const type = stringAt(status, "type");
    if (type === "busy") this.#thread.emit({ kind: "status", status: "working" });
    if (type === "idle") {
      this.#thread.emit({ kind: "status", status: "idle" });
      this.#thread.turnEnds();
    }
    if (type !== "retry") return;
    const attempt = numberAt(status, "attempt");
    const next = numberAt(status, "next");
    if (!this.#reported.changes("retry", `${attempt} ${next}`)) return;
    const delayMs = next === undefined ? undefined : next - this.#now;
    this.#thread.tries({ text: stringAt(status, "message") }, { attempt, delayMs });
  }
}
