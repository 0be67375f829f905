/** An adopted pane: its session, and when that ends. */

import type { AgentSession } from "../../core/agent.js";
import { digest } from "../../core/digest.js";
import type { ExitSignal, Signal } from "../../core/signal.js";
import { generic } from "../../programs/generic/screens.js";
import { profileFor } from "../../programs/registry.js";
import type { ProfileOverride } from "../../programs/shared/profile.js";
import { textHead } from "../../readers/records/text.js";
import { typedAt } from "../process/typed-at.js";
import type { PaneCandidate } from "./discover.js";
import { type PaneContext, PaneSensor } from "./pane-sensor.js";
import type { Pane } from "./panes.js";
import { isEnded, type ProcessFact } from "./program.js";

/** `unknown`: tmux did not answer. Only an answer makes a pane `gone`. */
export type Liveness = "alive" | "gone" | "unknown";

/** Changes of one pane. `blind` says why it cannot be observed at present. */
export interface PaneReading {
  session: AgentSession;
  signals: Signal[];
  liveness: Liveness;
  blind: string | null;
}

export interface AdoptContext extends PaneContext {
  /** The user's current profiles. */
  profiles: () => readonly ProfileOverride[];
  /** A unique agent name: the wish itself, or derived from it and the pane's id. */
  nameFor: (wish: string, pane: string, session: string) => string;
  emit: (seen: PaneReading) => void;
}

const DEAD_STATUS_MS = 5000;

export class AdoptedPane {
  readonly #context: AdoptContext;
  #session: AgentSession;
  #sensor: PaneSensor;
  #pane: Pane;
  #program: boolean;
  #liveness: Liveness = "alive";
  #blind: string | null = null;
  #deadAt: number | null = null;
  #typedAt: number | null = null;

  constructor(candidate: PaneCandidate, socket: string, context: AdoptContext, at: number) {
    const { pane, program } = candidate;
    this.#context = context;
    this.#pane = pane;
    this.#program = program !== null;
    const id = `tmux-${digest(JSON.stringify([serverKey(pane), pane.id, pane.pid, program?.pid, program?.start]))}`;
    this.#session = {
      id,
      name: context.nameFor(wishFor(pane), pane.id, id),
      origin: "tmux",
      workspace: pane.cwd || null,
      policy: null,
      hostSocket: null,
      endedAt: null,
      startedAt: program?.startedAt || at,
      pane: { socket, id: pane.id },
      ...this.#reported(candidate),
    };
    this.#sensor = this.#newSensor(at);
    const signals: Signal[] = pane.cwd ? [{ kind: "session", at, source: "process", cwd: pane.cwd }] : [];
    this.#emit(signals);
  }

  get pane(): Pane {
    return this.#pane;
  }

  get session(): AgentSession {
    return this.#session;
  }

  /** It contained an agent program, not just any program in a tagged pane. */
  get hasProgram(): boolean {
    return this.#program;
  }

  /** Its pane as just listed by the server, with its rows if they were captured. */
  see(pane: Pane, captured: string | null, at: number): void {
    const wish = wishFor(pane);
    const renamed = wish !== wishFor(this.#pane);
    const reported = this.#session;
    this.#pane = pane;
    const name = renamed ? this.#context.nameFor(wish, pane.id, reported.id) : reported.name;
    const tags = sameList(pane.tags, reported.tags) ? reported.tags : pane.tags;
    if (name !== reported.name || tags !== reported.tags || pane.task !== reported.task) {
      this.#session = { ...reported, name, tags, task: pane.task };
    }
    this.#typedAt = typedAt(pane.tty, this.#session.startedAt);
    const signals = captured === null ? [] : this.#sensor.check(pane, captured, at);
    this.#report(signals, "alive", this.#sensor.blind, this.#session !== reported);
  }

  /** A program appeared in a pane that was adopted for its tag or name. */
  recognise(candidate: PaneCandidate, at: number): void {
    if (this.#program || !candidate.program) return;
    this.#program = true;
    this.#session = { ...this.#session, ...this.#reported(candidate) };
    this.#sensor.dispose();
    this.#sensor = this.#newSensor(at);
    this.#emit([]);
  }

  /** The server now has another socket path. */
  moveTo(socket: string): void {
    this.#session = { ...this.#session, pane: { socket, id: this.#pane.id } };
    this.#emit([]);
  }

  /** A dead pane reports how its process ended a moment later; some releases never report a signal. */
  isSettled(at: number): boolean {
    this.#deadAt ??= at;
    return this.#pane.deadStatus !== null || this.#pane.deadSignal !== null || at - this.#deadAt >= DEAD_STATUS_MS;
  }

  /** The agent's own process ended below a shell that is still running. An unreadable table ends no agent. */
  isEndedBy(rows: ReadonlyMap<number, ProcessFact> | null): boolean {
    const { pid, pidStart } = this.#session;
    if (!rows || pid === null || pid === this.#pane.pid) return false;
    // The pane's own process ended as well: the pane is about to report how, which the table cannot.
    const shell = rows.get(this.#pane.pid);
    if (!shell || isEnded(shell)) return false;
    return !runs(rows, pid, pidStart);
  }

  /** The server is gone: a pane is gone too if its process is. */
  isDeadBy(rows: ReadonlyMap<number, ProcessFact> | null): boolean {
    const { pid, pidStart } = this.#session;
    if (pid === null) return false;
    return rows ? !runs(rows, pid, pidStart) : !exists(pid);
  }

  doubt(reason: string): void {
    this.#report([], "unknown", reason, false);
  }

  end(at: number, status: Pick<ExitSignal, "code" | "signal"> = { code: null, signal: null }): void {
    this.#session = { ...this.#session, endedAt: at };
    const typed = this.#typedAt === null ? {} : { typedAt: this.#typedAt };
    this.#report([{ kind: "exit", at, source: "process", ...status, ...typed, adopted: true }], "gone", null, true);
    this.dispose();
  }

  dispose(): void {
    this.#sensor.dispose();
  }

  #reported({
    pane,
    program,
  }: PaneCandidate): Pick<AgentSession, "kind" | "tags" | "command" | "task" | "pid" | "pidStart"> {
    const argv = program?.argv ?? [];
    return {
      kind: profileFor(pane.kind ?? program?.kind ?? generic.id, this.#context.profiles()).id,
      tags: pane.tags,
      command: (argv.length > 0 ? argv : [pane.command]).slice(0, 50).map((word) => textHead(word)),
      task: pane.task,
      pid: program?.pid ?? pane.pid,
      pidStart: program?.start || null,
    };
  }

  #newSensor(at: number): PaneSensor {
    return new PaneSensor(profileFor(this.#session.kind, this.#context.profiles()), this.#pane, this.#context, at);
  }

  #report(signals: Signal[], liveness: Liveness, blind: string | null, changed: boolean): void {
    const hasChanged = changed || signals.length > 0 || liveness !== this.#liveness || blind !== this.#blind;
    this.#liveness = liveness;
    this.#blind = blind;
    if (hasChanged) this.#emit(signals);
  }

  #emit(signals: Signal[]): void {
    this.#context.emit({ session: this.#session, signals, liveness: this.#liveness, blind: this.#blind });
  }
}

/** One run of a server. Its socket may move, and another server may later listen at the same path. */
export const serverKey = (pane: Pane): string => `${pane.server.pid}@${pane.server.startedAt}`;

/** An unnamed session has a number. */
const wishFor = (pane: Pane): string =>
  pane.name ?? (/^\d*$/.test(pane.session.name) ? `tmux-${pane.session.name}` : pane.session.name);

function runs(rows: ReadonlyMap<number, ProcessFact>, pid: number, start: string | null): boolean {
  const row = rows.get(pid);
  return row !== undefined && !isEnded(row) && (start === null || row.start === start);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, at) => word === b[at]);
