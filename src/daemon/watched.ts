/** One watched session in the daemon: its evidence and what was last said of it. No clock, no I/O. */
import { profileFor, traitsOf } from "../agents/registry.js";
import type { AgentSession } from "../core/agent.js";
import { type Assessment, assess, RULESET } from "../core/assess.js";
import { awakeMs } from "../core/awake.js";
import type { Settings } from "../core/defaults.js";
import { createEvidence, type Evidence, take } from "../core/evidence/evidence.js";
import type { Signal } from "../core/signal.js";
import { ago } from "../core/spell.js";
import type { NightSpend } from "../core/spending.js";
import { addEntry, type TimelineEntry } from "../core/timeline.js";
import type { Traits } from "../core/traits.js";

/** The story of one session that is kept in memory; the whole of it can be folded out of the journal. */
const TIMELINE_MAX = 200;
/** Nothing was heard of a living session for so long, many beats of its host: rouse is blind to it and says so. */
export const BLIND_MS = 60_000;

/** Whoever registered it saw its process; so long its first signal may take before rouse says that it sees nothing. */
const FIRST_WORD_MS = 10_000;

/** No time after which it would be strange. */
const NEVER_S = 1e9;

/** Who brought news: the host that holds its terminal, the tmux pane it is in, or any other sense of the daemon. */
export type Heard = "host" | "pane" | "senses";

/**
 * Whose word proves that rouse sees a session. A host that is frozen holds the agent's terminal, whatever the process
 * table says; a pane that could be asked is as good as news of it.
 */
const PROOF: Readonly<Record<AgentSession["origin"], ReadonlySet<Heard>>> = {
  run: new Set<Heard>(["host"]),
  spawn: new Set<Heard>(["host"]),
  tmux: new Set<Heard>(["pane", "senses"]),
  transcript: new Set<Heard>(["senses"]),
};

export interface JudgingOptions extends Settings {
  noise_patterns?: readonly string[];
  /** False: only what is seen is kept. */
  isJudging?: boolean;
  /** False: no activity holds a resume back. */
  isGuarded?: boolean;
  /** The ways of its program when its watching begins; those of its kind where nothing is said. */
  traits?: Traits;
}

const unjudged = (reason: string, at: number): Assessment => ({
  state: "unknown",
  cause: null,
  confidence: 0,
  until: null,
  reasons: [reason],
  level: "tell",
  kinds: [],
  at,
  ruleset: RULESET,
  recheckAt: null,
});

const BORN: Omit<Assessment, "at" | "recheckAt" | "reasons"> = {
  state: "starting",
  cause: null,
  confidence: 0.5,
  until: null,
  level: "act",
  kinds: [],
  ruleset: RULESET,
};

export class Watched {
  session: AgentSession;
  readonly evidence: Evidence;
  readonly timeline: TimelineEntry[] = [];
  assessment: Assessment;
  /** When the present state and cause began. */
  since: number;
  /** Last time that anything was heard of it by whoever ought to see it. */
  heardAt: number;
  /** Why its pane tells nothing at present; null while it does. */
  dark: string | null = null;
  /** When it was last seen again after it was lost; null when it never was. */
  sightedAt: number | null = null;
  /** The evaluation threw: nothing is known of this session any more, and the others go on. */
  poisoned: string | null = null;

  /** What the agent used this night, all its sessions together; null where it has no budget. */
  spend: NightSpend | null = null;

  settings: JudgingOptions;
  readonly #bornAt: number;

  constructor(session: AgentSession, now: number, settings: JudgingOptions = {}) {
    this.session = session;
    this.settings = settings;
    this.#bornAt = now;
    this.evidence = createEvidence(settings.traits ?? traitsOf(profileFor(session.kind)));
    this.assessment = this.#assess(now);
    this.since = now;
    this.heardAt = now;
  }

  take(signals: readonly Signal[], now: number): void {
    if (this.poisoned !== null) return;
    try {
      for (const signal of signals) take(this.evidence, signal, this.settings);
    } catch (error) {
      this.#setAside(error, now);
    }
  }

  hear(at: number, by: Heard): void {
    if (by === "pane") this.dark = null;
    if (this.dark !== null || !PROOF[this.session.origin].has(by)) return;
    this.heardAt = Math.max(this.heardAt, at);
  }

  /** What is to be said of rouse's own sight of it: lost, back again, or nothing. */
  sight(now: number, why: string | null = null): Signal | null {
    const { blind, exit, asleep } = this.evidence;
    if (this.poisoned !== null || this.session.endedAt !== null || exit) return null;
    if (blind) return this.heardAt >= blind.at ? { kind: "sight", at: now, source: "observer", seen: true } : null;
    if (awakeMs(asleep, this.heardAt, now) <= BLIND_MS) return null;
    const text = why ?? this.dark ?? UNHEARD[this.session.origin];
    return { kind: "sight", at: now, source: "observer", seen: false, since: this.heardAt, text };
  }

  /** What would be said at this moment; nothing is kept of it. */
  ask(now: number): Assessment {
    return this.#assess(now);
  }

  /** Judges anew. True if the state or its cause changed. */
  judge(now: number): boolean {
    const before = this.assessment;
    try {
      this.assessment = this.#assess(now);
    } catch (error) {
      this.#setAside(error, now);
      this.assessment = this.#assess(now);
    }
    addEntry(this.timeline, this.assessment, this.session.startedAt);
    if (this.timeline.length > TIMELINE_MAX) this.timeline.shift();
    const changed = before.state !== this.assessment.state || before.cause !== this.assessment.cause;
    if (changed) this.since = now;
    return changed;
  }

  #assess(now: number): Assessment {
    if (this.poisoned !== null) return unjudged(`judging this session failed: ${this.poisoned}`, now);
    if (this.settings.isJudging === false)
      return unjudged("judging is switched off (health.enabled in the configuration)", now);
    const { endedAt } = this.session;
    // Its watching ended, not its process: another session goes on with it, and no clock runs here any more.
    if (endedAt !== null && !this.evidence.exit && endedAt < now)
      return { ...this.#assess(endedAt), at: now, recheckAt: null };
    const found = assess(this.evidence, now, this.#judgedBy());
    const firstWordBy = this.#bornAt + FIRST_WORD_MS;
    const isBorn = this.evidence.first === null && !this.evidence.blind && now < firstWordBy;
    if (!isBorn || found.state !== "unknown") return found;
    const reasons = [`met ${ago(now - this.#bornAt)} (observer), nothing was seen of it yet`];
    return { ...BORN, reasons, at: now, recheckAt: firstWordBy };
  }

  /** Where rouse sees no terminal, it is not strange that nothing was shown: there may be a prompt that waits for its first words. */
  #judgedBy(): JudgingOptions {
    const isUnseen = this.session.origin === "transcript" && !this.evidence.lifecycle.shown;
    return isUnseen ? { ...this.settings, never_shown_seconds: NEVER_S } : this.settings;
  }

  #setAside(error: unknown, now: number): void {
    this.poisoned = (error as Error).message;
    this.since = now;
  }
}

const UNHEARD: Readonly<Record<AgentSession["origin"], string>> = {
  run: "the process that holds its terminal is silent; it may be stopped",
  spawn: "the process that holds its terminal is silent; it may be stopped",
  tmux: "neither its pane nor its process can be seen",
  transcript: "its process cannot be seen",
};
