/**
 * Timers that say something to an agent again and again: what wakes a watchdog that is itself an agent. Each word goes
 * the way of every other one, so one that would disturb (a turn runs, a dialog is open, somebody types) is left out; so is
 * one that may not be said any more. A timer ends with its agent, and with the token that started it.
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
  /** Digest of the token that started it; null for one of the user's own. */
  token: z.string().nullable(),
  interval_secs: z.number().min(5).max(86_400),
  message: z.string().min(1).max(2000),
});
type Record = z.infer<typeof recordSchema>;

export interface WatchdogView {
  pane_id: string;
  agent: string;
  interval_secs: number;
  message: string;
  sent: number;
  /** Times at which it would have disturbed, or could not be said. */
  left_out: number;
  last_result: string | null;
}

interface Running extends Record {
  timer: NodeJS.Timeout;
  sent: number;
  leftOut: number;
  last: string | null;
}

/** What is asked again before every word. */
export interface TypingPermission {
  /** The token still opens typing. */
  holds(token: string): boolean;
  /** Why nothing may be typed into this agent; null where it may. */
  objection(session: AgentSession): string | null;
}

export class Watchdogs {
  readonly #file: string;
  readonly #loop: Pick<Loop, "find">;
  readonly #control: Pick<AgentControl, "sendInput">;
  readonly #leave: TypingPermission;
  readonly #running = new Map<string, Running>();

  constructor(
    file: string,
    loop: Pick<Loop, "find">,
    control: Pick<AgentControl, "sendInput">,
    leave: TypingPermission,
  ) {
    this.#file = file;
    this.#loop = loop;
    this.#control = control;
    this.#leave = leave;
    for (const record of readFile(file)) if (this.#isAlive(record.session)) this.#run(record);
  }

  /** A second one for the same agent takes the place of the first. */
  start(record: Record): WatchdogView {
    if (this.#running.size >= MAX && !this.#running.has(record.session))
      throw new ApiError("full", `the limit of ${MAX} watchdog timers is reached; stop one first`);
    this.#end(record.session);
    this.#run(record);
    this.#keep();
    return viewOf(this.#running.get(record.session) as Running);
  }

  /** False when there was none. */
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

  #run(record: Record): void {
    const timer = setInterval(() => void this.#say(running), record.interval_secs * 1000);
    const running: Running = { ...record, timer, sent: 0, leftOut: 0, last: null };
    this.#running.set(record.session, running);
  }

  async #say(running: Running): Promise<void> {
    const judge = this.#loop.find(running.session);
    const isRevoked = running.token !== null && !this.#leave.holds(running.token);
    if (!judge || judge.session.endedAt !== null || isRevoked) {
      this.#end(running.session);
      try {
        this.#keep();
      } catch {
        // A later life looks again whether it may be said.
      }
      return;
    }
    try {
      const objection = this.#leave.objection(judge.session);
      if (objection !== null) throw new ApiError("refused", objection);
      const order = { client: `${running.client} (watchdog)`, session: judge.session };
      const { result, reason } = await this.#control.sendInput(order, running.message);
      running.last = `${result}: ${reason}`;
      if (result === "done") running.sent++;
      else running.leftOut++;
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
    return this.#running.delete(session);
  }

  #keep(): void {
    const records = [...this.#running.values()].map((running) => recordSchema.parse(running));
    writeWhole(this.#file, JSON.stringify(records));
  }
}

const viewOf = ({ session, agent, interval_secs, message, sent, leftOut, last }: Running): WatchdogView => ({
  pane_id: session,
  agent,
  interval_secs,
  message,
  sent,
  left_out: leftOut,
  last_result: last,
});

/** Those of an earlier life; none where the file says nothing sensible. */
function readFile(path: string): Record[] {
  try {
    return z
      .array(recordSchema)
      .max(MAX)
      .parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return [];
  }
}
