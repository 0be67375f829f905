/**
 * Timers that type a message into an agent at an interval, to wake a watchdog that is itself an agent. Each message passes
 * the checks of `send_input`, so it is skipped while a turn runs, a dialog is open or a user types, and when it is no longer
 * permitted. A timer ends with its agent, and with the token that started it. A timer with an inbox types only when that
 * inbox has new messages, so that an orchestrator is not disturbed while all agents are well.
 */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { writeWhole } from "../config/whole-file.js";
import type { AgentSession } from "../core/agent.js";
import type { Loop } from "../daemon/loop.js";
import type { AgentControl } from "./agent-control.js";
import { ApiError } from "./error.js";

const MAX = 50;

const recordSchema = z.object({
  session: z.string(),
  agent: z.string(),
  client: z.string(),
  /** As in the audit trail; timers of older versions have none. */
  author: z.string().default(""),
  /** Digest of the token that started it; null if the user started it. */
  token: z.string().nullable(),
  /** Session of the watched agent that started it; null for any other client. */
  by: z.string().nullable().default(null),
  interval_secs: z.number().min(5).max(86_400),
  message: z.string().min(1).max(2000),
  /** Types only when this inbox has messages that were not announced yet; null for every interval. */
  inbox: z.string().nullable().default(null),
});
export type TimerRecord = z.infer<typeof recordSchema>;

export interface WatchdogView {
  pane_id: string;
  agent: string;
  interval_secs: number;
  message: string;
  inbox: string | null;
  sent: number;
  /** Messages skipped because typing would have disturbed the agent, or failed. */
  left_out: number;
  last_result: string | null;
}

interface Running extends TimerRecord {
  timer: NodeJS.Timeout;
  sent: number;
  leftOut: number;
  last: string | null;
  /** The newest message of the inbox that the agent was told about. */
  announced: number;
}

/** Checked again before every message. */
export interface TypingPermission {
  /** The token still has the right to type. */
  holds(token: string): boolean;
  /** Why nothing may be typed into this agent; null if it is permitted. */
  objection(session: AgentSession, startedBy: Pick<TimerRecord, "token" | "by">): string | null;
}

/** The number of the newest unacknowledged message of an inbox; null if it is empty. */
export type NewestMessage = (inbox: string) => number | null;

export class Watchdogs {
  readonly #file: string;
  readonly #loop: Pick<Loop, "find">;
  readonly #control: Pick<AgentControl, "sendInput">;
  readonly #leave: TypingPermission;
  readonly #newest: NewestMessage;
  readonly #woken: Set<string>;
  readonly #running = new Map<string, Running>();

  constructor(
    file: string,
    loop: Pick<Loop, "find">,
    control: Pick<AgentControl, "sendInput">,
    leave: TypingPermission,
    newest: NewestMessage,
    woken: Set<string>,
  ) {
    this.#file = file;
    this.#loop = loop;
    this.#control = control;
    this.#leave = leave;
    this.#newest = newest;
    this.#woken = woken;
    for (const record of readFile(file)) if (this.#isAlive(record.session)) this.#run(record);
  }

  /** A second timer for the same agent replaces the first. */
  start(record: TimerRecord): WatchdogView {
    if (this.#running.size >= MAX && !this.#running.has(record.session))
      throw new ApiError("full", `the limit of ${MAX} watchdog timers is reached; stop one first`);
    this.#end(record.session);
    this.#run(record);
    this.#keep();
    return viewOf(this.#running.get(record.session) as Running);
  }

  /** False if there was none. */
  stop(session: string): boolean {
    if (!this.#end(session)) return false;
    this.#keep();
    return true;
  }

  list(): WatchdogView[] {
    return [...this.#running.values()].map(viewOf);
  }

  close(): void {
    for (const { timer } of this.#running.values()) clearInterval(timer);
  }

  #run(record: TimerRecord): void {
    const timer = setInterval(() => void this.#say(running), record.interval_secs * 1000);
    const running: Running = { ...record, timer, sent: 0, leftOut: 0, last: null, announced: 0 };
    this.#running.set(record.session, running);
    this.#woken.add(record.session);
  }

  async #say(running: Running): Promise<void> {
    const judge = this.#loop.find(running.session);
    const isRevoked = running.token !== null && !this.#leave.holds(running.token);
    if (!judge || judge.session.endedAt !== null || isRevoked) {
      this.#end(running.session);
      try {
        this.#keep();
      } catch {
        // A later run of the daemon checks the permission again.
      }
      return;
    }
    const newest = running.inbox === null ? null : this.#newest(running.inbox);
    if (running.inbox !== null && (newest === null || newest <= running.announced)) return;
    try {
      const objection = this.#leave.objection(judge.session, running);
      if (objection !== null) throw new ApiError("refused", objection);
      const by = { author: running.author || running.client, origin: "timer" } as const;
      const order = { client: `${running.client} (watchdog)`, by, session: judge.session };
      const { result, reason } = await this.#control.sendInput(order, running.message);
      running.last = `${result}: ${reason}`;
      if (result === "done") {
        running.sent++;
        running.announced = newest ?? 0;
      } else running.leftOut++;
    } catch (error) {
      running.last = (error as Error).message;
      running.leftOut++;
    }
  }

  #isAlive(session: string): boolean {
    return this.#loop.find(session)?.session.endedAt === null;
  }

  #end(session: string): boolean {
    const running = this.#running.get(session);
    if (!running) return false;
    clearInterval(running.timer);
    this.#woken.delete(session);
    return this.#running.delete(session);
  }

  #keep(): void {
    const records = [...this.#running.values()].map((running) => recordSchema.parse(running));
    writeWhole(this.#file, JSON.stringify(records));
  }
}

const viewOf = ({ session, agent, interval_secs, message, inbox, sent, leftOut, last }: Running): WatchdogView => ({
  pane_id: session,
  agent,
  interval_secs,
  message,
  inbox,
  sent,
  left_out: leftOut,
  last_result: last,
});

/** Timers of an earlier run; none if the file is missing or invalid. */
function readFile(path: string): TimerRecord[] {
  try {
    return z
      .array(recordSchema)
      .max(MAX)
      .parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return [];
  }
}
