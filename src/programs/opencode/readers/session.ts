/** What the sessions, messages and events of OpenCode mean; `opencode-rows.ts` takes them out of their envelopes. */
import type { Signal } from "../../../core/signal.js";
import { bool, type JsonRecord, num, obj, str } from "../../../readers/json.js";
import { RecentMap } from "../../../readers/recent.js";
import type { ReaderOptions } from "../../../readers/record-reader.js";
import { Thread } from "../../../readers/thread.js";
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
  private readonly thread: Thread;
  private readonly parts: OpenCodeParts;
  private readonly reported = new RecentMap<string>();
  private now = 0;
  private isCompacting = false;

  constructor(source: "transcript" | "stream", options: ReaderOptions, skip: (name: string) => void) {
    this.thread = new Thread(source, options);
    this.parts = new OpenCodeParts(this.thread, skip);
  }

  read(thing: OpenCodeEvent, data: JsonRecord, at: number): Signal[] {
    this.now = at;
    return this.thread.collect(at, () => this.report[thing](data));
  }

  private readonly report: Record<OpenCodeEvent, (data: JsonRecord) => void> = {
    session: (info) => this.session(info),
    message: (info) => this.message(info),
    part: (part) => this.parts.read(part),
    delta: (data) => this.parts.delta(str(data, "partID") ?? "", str(data, "delta") ?? ""),
    status: (data) => this.status(obj(data, "status")),
    idle: () => this.thread.turnEnds(),
    error: (data) => this.failed(obj(data, "error")),
    compacted: () => this.thread.emit({ kind: "compaction", phase: "end" }),
    permission: (data) => this.thread.asks("permission", str(data, "title") ?? str(data, "permission") ?? ""),
    question: (data) => this.thread.asks("input", str(data, "questions", "0", "question") ?? ""),
    answer: () => this.thread.closePrompt(),
  };

  private session(info: JsonRecord): void {
    this.thread.learns({ id: str(info, "id"), version: str(info, "version"), cwd: str(info, "directory") });
    const isCompacting = (num(info, "time_compacting") ?? num(info, "time", "compacting")) !== undefined;
    if (isCompacting === this.isCompacting) return;
    this.isCompacting = isCompacting;
    this.thread.emit({ kind: "compaction", phase: isCompacting ? "start" : "end" });
  }

  private message(info: JsonRecord): void {
    const id = str(info, "id") ?? "";
    const isSummary = bool(info, "summary");
    this.parts.belongs(id, isSummary ? "summary" : (str(info, "role") ?? ""));
    if (info.role !== "assistant") return;
    this.thread.learns({ model: str(info, "modelID") });
    const isCompleted = num(info, "time", "completed") !== undefined;
    if (!isCompleted && this.reported.changes(`asked ${id}`, "")) {
      this.thread.turnRuns();
      this.thread.emit({ kind: "request" });
    }
    const failure = obj(info, "error");
    if (failure && this.reported.changes(`ended ${id}`, "")) this.failed(failure);
    else if (isCompleted && this.reported.changes(`ended ${id}`, ""))
      this.completed(id, isSummary, str(info, "finish"));
  }

  private completed(id: string, isSummary: boolean, finish = "unknown"): void {
    if (isSummary) this.thread.emit({ kind: "compaction", phase: "end" });
    else if (finish === "content-filter") this.thread.fails({ code: "content_filter", text: "content-filter" });
    else if (endsTurn(finish)) this.thread.turnEnds();
    // A human who rejects a call ends the turn, although the reply ended in calls.
    else if (this.parts.wasRefused(id)) this.thread.turnInterrupted(true);
  }

  /** Said by the message and again by an event; the thread is closed by then. */
  private failed(failure: JsonRecord | undefined): void {
    if (!failure) return;
    const code = str(failure, "name") ?? "";
    if (code === ABORTED) {
      if (this.thread.isTurnOpen) this.thread.turnInterrupted(true);
      return;
    }
    if (code === OVERFLOW) this.parts.overflows();
    const text = str(failure, "data", "message") ?? str(failure, "message") ?? "";
    const body = str(failure, "data", "responseBody") ?? "";
    this.thread.fails({ code, status: num(failure, "data", "statusCode"), text: `${text}\n${body}`.trim() });
  }

  private status(status: JsonRecord | undefined): void {
    const type = str(status, "type");
    if (type === "busy") this.thread.emit({ kind: "status", status: "working" });
    if (type === "idle") {
      this.thread.emit({ kind: "status", status: "idle" });
      this.thread.turnEnds();
    }
    if (type !== "retry") return;
    const attempt = num(status, "attempt");
    const next = num(status, "next");
    if (!this.reported.changes("retry", `${attempt} ${next}`)) return;
    const delayMs = next === undefined ? undefined : next - this.now;
    this.thread.tries({ text: str(status, "message") }, { attempt, delayMs });
  }
}
