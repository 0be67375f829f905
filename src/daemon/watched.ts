/** One watched session in the daemon: its evidence and what was last said of it. No clock, no I/O. */
import { profileFor, traitsOf } from "../agents/registry.js";
import type { AgentSession } from "../core/agent.js";
import { type Assessment, assess } from "../core/assess.js";
import type { Settings } from "../core/defaults.js";
import { createEvidence, type Evidence, take } from "../core/evidence/evidence.js";
import type { Signal } from "../core/signal.js";
import { addEntry, type TimelineEntry } from "../core/timeline.js";

/** The story of one session that is kept in memory; the whole of it can be folded out of the journal. */
const TIMELINE_MAX = 200;

export class Watched {
  session: AgentSession;
  readonly evidence: Evidence;
  readonly timeline: TimelineEntry[] = [];
  assessment: Assessment;
  /** When the present state and cause began. */
  since: number;
  /** Last time anything at all was heard of it. */
  heardAt: number;
  /** The evaluation threw: this session is left alone, the others go on. */
  poisoned: string | null = null;

  readonly #settings: Settings;

  constructor(session: AgentSession, now: number, settings: Settings = {}) {
    this.session = session;
    this.#settings = settings;
    this.evidence = createEvidence(traitsOf(profileFor(session.kind)));
    this.assessment = assess(this.evidence, now, settings);
    this.since = now;
    this.heardAt = now;
  }

  take(signals: readonly Signal[], now: number): void {
    if (this.poisoned !== null) return;
    this.heardAt = now;
    try {
      for (const signal of signals) take(this.evidence, signal);
    } catch (error) {
      this.poisoned = (error as Error).message;
    }
  }

  /** What would be said at this moment; nothing is kept of it. */
  ask(now: number): Assessment {
    return this.poisoned === null ? assess(this.evidence, now, this.#settings) : this.assessment;
  }

  /** Judges anew. True if the state or its cause changed. */
  judge(now: number): boolean {
    if (this.poisoned !== null) return false;
    const before = this.assessment;
    try {
      this.assessment = assess(this.evidence, now, this.#settings);
    } catch (error) {
      this.poisoned = (error as Error).message;
      return false;
    }
    addEntry(this.timeline, this.assessment, this.session.startedAt);
    if (this.timeline.length > TIMELINE_MAX) this.timeline.shift();
    const changed = before.state !== this.assessment.state || before.cause !== this.assessment.cause;
    if (changed) this.since = now;
    return changed;
  }
}
