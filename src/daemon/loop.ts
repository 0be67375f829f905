/**
 * The live loop: take in, append, step, save in one transaction, run, send.
 *
 * Signals are stored before they are judged; what the disk has no room for is judged from memory. Effects are saved before
 * they are carried out: an action whose intent could not be saved is not started, and an alert is sent from memory.
 */
import type { Action, ActionOutcome } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import type { Effect } from "../core/effects.js";
import type { IncidentState } from "../core/incidents/incident.js";
import { findSession, type NodeState } from "../core/node-state.js";
import type { LivenessSource, SessionJudge } from "../core/session-judge.js";
import type { Signal } from "../core/signal.js";
import { step } from "../core/step.js";
import type { StepInput, UnansweredInput, UserEvent } from "../core/step-input.js";
import { ActionRunner } from "./action-runner.js";
import type { LoopEvent, LoopOptions } from "./loop-options.js";
import { NoticeStore } from "./notice-store.js";
import { GapDetector, type Moment } from "./self/clock.js";
import { restoreSessions } from "./self/restore.js";
import { SignalStore } from "./signal-store.js";

export class Loop {
  readonly state: NodeState;
  readonly #options: LoopOptions;
  readonly #runner: ActionRunner;
  readonly #signals: SignalStore;
  readonly #notices: NoticeStore;
  readonly #subscribers = new Set<(event: LoopEvent, now: number) => void>();
  readonly #gaps: GapDetector;
  #isClosed = false;
  /** Ids of restored sessions whose stored signals are damaged: what can be seen again has to be reported again. */
  readonly incomplete: Set<string> = new Set();
  /** Finished ticks, for monitoring. */
  ticks = 0;
  /** When the last tick finished, on the daemon's clock. */
  tickedAt: number | null = null;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.state = options.state;
    const { journal, clock, carryOut, receiver } = options;
    this.#runner = new ActionRunner({
      carryOut,
      now: () => this.now(),
      onOutcome: (outcome, { id: session }) => {
        this.#step({ kind: "outcome", outcome, session }, this.#observe());
        if (!this.#isClosed) this.#notices.finish(outcome);
      },
    });
    this.#signals = new SignalStore(journal, clock);
    this.#notices = new NoticeStore(journal, options.alerts, receiver, this.now());
    this.#gaps = new GapDetector(clock);
  }

  /** Restores the state; the time since the last observation counts against no agent. Returns the number of signals. */
  *restoring(lastObserved: Moment | null = null): Generator<number, number> {
    const { journal, clock, release } = this.#options;
    if (lastObserved) clock.resume(lastObserved);
    const restoring = restoreSessions({ state: this.state, journal, clock, lastObserved, release });
    const { signals, incomplete, effects } = yield* restoring;
    for (const id of incomplete) this.incomplete.add(id);
    this.#carryOut(effects, this.now());
    this.#gaps.restart();
    for (const { session } of this.sessions()) if (session.endedAt === null) this.#options.onRegister(session);
    const unobserved = lastObserved && { from: clock.unwatchedFrom(lastObserved.now, lastObserved), to: this.now() };
    this.#step({ kind: "restarted", unobserved }, this.now());
    return signals;
  }

  /** After the journal lost its file: stores what is known. What fails is stored with the next change. */
  storeAgain(): void {
    this.#notices.storeAgain(this.state, this.now());
  }

  /** Saves the state at the end. Outcomes that arrive later are checked after the next start. */
  close(): void {
    this.#notices.save(this.state, [{ kind: "save" }], this.now());
    this.#isClosed = true;
  }

  /** Returns up to which number the signals of the session are stored. */
  register(reported: AgentSession): number {
    const session = this.#options.named?.(reported) ?? reported;
    this.#signals.putSession(session);
    this.#options.onRegister(session);
    this.#step({ kind: "register", session }, this.now());
    return this.#options.journal.acked(session.id);
  }

  /**
   * Take in, append, step. Returns up to which number everything is stored; null for a session that is not registered.
   * Throws a `NotStoredError` after it judged what cannot be stored. `isStored`: false for signals that are only judged.
   */
  async ingest(id: string, from: number | null, sent: readonly Signal[], isStored = true): Promise<number | null> {
    if (!this.state.sessions.has(id)) return null;
    const at = this.#observe();
    const { signals, acked, problem } = await this.#signals.append(id, from, sent, at, isStored);
    this.#step({ kind: "signals", session: id, by: from === null ? "sensor" : "host", signals }, at);
    if (problem !== null) throw problem;
    this.#publish({ kind: "signals", session: id, signals }, at);
    return acked;
  }

  recordLiveness(session: string, by: LivenessSource, at: number = this.now()): void {
    this.#step({ kind: "alive", session, by, at }, this.now());
  }

  /** To be called every `TICK_MS`. */
  tick(): void {
    const now = this.#observe();
    this.#runner.tick(now);
    this.#step({ kind: "tick" }, now);
    this.#signals.retry();
    this.#notices.tick(this.state, now);
    this.#options.send(now);
    this.ticks++;
    this.tickedAt = this.now();
    this.#publish({ kind: "tick" }, now);
  }

  /** Takes an input that needs no answer. */
  take(input: UnansweredInput): void {
    this.#step(input, this.#observe());
  }

  /** Applies a user's event on an incident. Throws if it could not be saved. */
  apply(event: UserEvent): void {
    const problem = this.#step({ kind: "user", event }, this.now());
    if (problem !== null) throw new Error(problem);
  }

  /** Runs an action that a user asked for. */
  order(action: Action, session: string): Promise<ActionOutcome> {
    const outcome = this.#runner.outcomeOf(action);
    this.#step({ kind: "order", action, session }, this.now());
    return outcome;
  }

  get incidents(): IncidentState {
    return this.state.incidents;
  }

  sessions(): SessionJudge[] {
    return [...this.state.sessions.values()];
  }

  /** By id, or by name: a live session first, else the one that started last. */
  find(nameOrId: string): SessionJudge | null {
    return findSession(this.state, nameOrId);
  }

  now(): number {
    return this.#options.clock.now();
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: LoopEvent, now: number) => void): () => void {
    this.#subscribers.add(listener);
    return () => this.#subscribers.delete(listener);
  }

  /** The time. After a sleep, signals may arrive before the first tick, so every reading checks for a gap. */
  #observe(): number {
    const { now, gap } = this.#gaps.read();
    if (gap) this.#step({ kind: "gap", ...gap }, now);
    return now;
  }

  /** Returns why the incidents could not be saved; null if nothing failed. */
  #step(input: StepInput, now: number): string | null {
    return this.#isClosed ? null : this.#carryOut(step(this.state, input, now).effects, now);
  }

  /** Append, save, run; what changed is published once it is saved. */
  #carryOut(effects: readonly Effect[], now: number): string | null {
    this.#signals.keep(effects, now);
    const problem = this.#save(effects, now);
    for (const effect of effects) {
      if (effect.kind === "run") void this.#runner.run(effect.action, effect.session, now, problem);
      if (effect.kind === "assessed" || effect.kind === "incidents" || effect.kind === "renamed")
        this.#publish(effect, now);
    }
    return problem;
  }

  #save(effects: readonly Effect[], now: number): string | null {
    const problem = this.#notices.save(this.state, effects, now);
    if (problem === null && this.state.saveProblem === null) return null;
    const isSave = effects.some(({ kind }) => kind === "save");
    if (problem !== null) this.#step({ kind: "not_saved", problem: isSave ? problem : null, effects }, now);
    else if (isSave) this.#step({ kind: "saved" }, now);
    return isSave ? problem : null;
  }

  #publish(event: LoopEvent, now: number): void {
    for (const listener of this.#subscribers) listener(event, now);
  }
}
