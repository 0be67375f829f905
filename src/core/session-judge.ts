/** One watched session: its evidence, its assessment, and whether rouse can observe it. */
import type { AgentSession } from "./agent.js";
import { awakeMs } from "./awake.js";
import type { Settings } from "./defaults.js";
import { type Assessment, assess, RULESET } from "./judgement/assess.js";
import { LASTING_MS } from "./judgement/clocks.js";
import { askByCommand } from "./judgement/evidence/completion.js";
import { createEvidence, takeHistory, takeSignal } from "./judgement/evidence/evidence.js";
import type { Evidence } from "./judgement/evidence/state.js";
import type { PeriodSpend } from "./judgement/period-spend.js";
import { addTime, SLOT_MS, type Strip } from "./judgement/strip.js";
import { addEntry, type TimelineEntry } from "./judgement/timeline.js";
import type { Signal } from "./signal.js";
import { formatAgo } from "./text/duration.js";
import type { Traits } from "./traits.js";

/** Entries kept in memory; the full timeline can be rebuilt from the journal. */
const TIMELINE_MAX = 200;
/** Many missed heartbeats of a host: after this long without a sign of life, rouse reports that it cannot see the session. */
export const BLIND_MS: number = 60_000;

/** The first signal may take this long after registration before the session counts as unobserved. */
const FIRST_SIGNAL_MS = 10_000;

/** The start was seen if the first signal came this soon after it. A program takes no longer to show something. */
const START_SEEN_MS = 60_000;

/** Longer than any session. */
const NEVER_S = 1e9;

/** Where a sign of life came from: the host that holds the terminal, the tmux pane, or any other sensor of the daemon. */
export type LivenessSource = "host" | "pane" | "sensor";

/**
 * Which sources prove that rouse can see a session. A frozen host still holds the agent's terminal, whatever the process
 * table says; a pane that answers proves as much as new output in it.
 */
const PROOF: Readonly<Record<AgentSession["origin"], ReadonlySet<LivenessSource>>> = {
  run: new Set<LivenessSource>(["host"]),
  spawn: new Set<LivenessSource>(["host"]),
  tmux: new Set<LivenessSource>(["pane", "sensor"]),
  transcript: new Set<LivenessSource>(["sensor"]),
  report: new Set<LivenessSource>(["sensor"]),
};

export interface JudgingOptions extends Settings {
  noise_patterns?: readonly string[];
  /** The text that agents are asked to write when all work is done; empty for none. */
  completion_marker?: string;
  /** False: signals are stored and nothing is judged. */
  isJudging?: boolean;
  /** False: activity does not hold back a resume. */
  isGuarded?: boolean;
  /** Traits of the program; plain ones if not given. Read once, when the session is created. */
  traits?: Traits;
}

/** All that the signals of a session amount to, as plain data, for a snapshot. */
export interface JudgeState {
  createdAt: number;
  evidence: Evidence;
  timeline: TimelineEntry[];
  strip: Strip;
  assessment: Assessment;
  since: number;
  lastAliveAt: number;
  visibleAgainAt: number | null;
  judgingError: string | null;
}

const UNSEEN_START = "It started before rouse observed it (observer), and has shown nothing since";

const unjudged = (reason: string, at: number): Assessment => ({
  state: "unknown",
  cause: null,
  confidence: 0,
  until: null,
  reasons: [reason],
  level: "report",
  kinds: [],
  at,
  ruleset: RULESET,
  recheckAt: null,
});

const NEW: Omit<Assessment, "at" | "recheckAt" | "reasons"> = {
  state: "starting",
  cause: null,
  confidence: 0.5,
  until: null,
  level: "act",
  kinds: [],
  ruleset: RULESET,
};

export class SessionJudge {
  session: AgentSession;
  readonly evidence: Evidence;
  readonly timeline: TimelineEntry[];
  /** The last 24 hours, in a size that does not depend on how often the state changes. */
  readonly strip: Strip;
  assessment: Assessment;
  /** When the present state and cause began. */
  since: number;
  /** Last sign of life from a source that proves that rouse can see the session. */
  lastAliveAt: number;
  /** Why its pane cannot be read at present; null while it can. */
  unreadableReason: string | null = null;
  /** When it became visible again after it was unobserved; null if it never was. */
  visibleAgainAt: number | null = null;
  /** Judging threw: this session is set aside, the others continue. */
  judgingError: string | null = null;

  /** Usage of all sessions of the agent in the present budget period; null without a budget. */
  spend: PeriodSpend | null = null;

  settings: JudgingOptions;
  readonly #createdAt: number;

  /** With the state of a snapshot, it continues from there; the state is then its own. */
  constructor(session: AgentSession, now: number, settings: JudgingOptions = {}, known: JudgeState | null = null) {
    this.session = session;
    this.settings = settings;
    this.#createdAt = known?.createdAt ?? now;
    this.evidence = known?.evidence ?? createEvidence(settings.traits);
    if (!known) askByCommand(this.evidence.completion, session.command, settings.completion_marker ?? "");
    this.timeline = known?.timeline ?? [];
    this.strip = known?.strip ?? [];
    this.assessment = known?.assessment ?? this.#assess(now);
    this.since = known?.since ?? now;
    this.lastAliveAt = known?.lastAliveAt ?? now;
    this.visibleAgainAt = known?.visibleAgainAt ?? null;
    this.judgingError = known?.judgingError ?? null;
  }

  /** Shares its parts with this judge: to be copied before the next signal. */
  get state(): JudgeState {
    const { evidence, timeline, strip, assessment, since, lastAliveAt, visibleAgainAt, judgingError } = this;
    return {
      createdAt: this.#createdAt,
      evidence,
      timeline,
      strip,
      assessment,
      since,
      lastAliveAt,
      visibleAgainAt,
      judgingError,
    };
  }

  take(signals: readonly Signal[], now: number): void {
    if (this.judgingError !== null) return;
    try {
      for (const signal of signals)
        if (this.#isHistory(signal)) takeHistory(this.evidence, signal);
        else takeSignal(this.evidence, signal, this.settings);
    } catch (error) {
      this.#setAside(error, now);
    }
  }

  /** A resumed program has the records of earlier processes, which ended with everything they did. */
  #isHistory({ source, at }: Signal): boolean {
    return source === "transcript" && at < this.session.startedAt;
  }

  recordLiveness(at: number, by: LivenessSource): void {
    if (by === "pane") this.unreadableReason = null;
    if (this.unreadableReason !== null || !PROOF[this.session.origin].has(by)) return;
    this.lastAliveAt = Math.max(this.lastAliveAt, at);
  }

  /** The signal to record when rouse lost sight of the session or sees it again; null if nothing changed. */
  checkVisibility(now: number): Signal | null {
    const { blind, exit, asleep } = this.evidence;
    if (this.judgingError !== null || this.session.endedAt !== null || exit) return null;
    // Nothing but its own reports is ever seen of it.
    if (this.session.origin === "report") return null;
    if (blind) return this.lastAliveAt >= blind.at ? { kind: "sight", at: now, source: "observer", seen: true } : null;
    if (awakeMs(asleep, this.lastAliveAt, now) <= BLIND_MS) return null;
    const text = this.unreadableReason ?? UNOBSERVED[this.session.origin];
    return { kind: "sight", at: now, source: "observer", seen: false, since: this.lastAliveAt, text };
  }

  /** The assessment at this moment, without recording it. */
  peek(now: number): Assessment {
    return this.#assess(now);
  }

  /** Judges at this moment. True if the state or its cause changed. */
  judge(now: number): boolean {
    const before = this.assessment;
    try {
      this.assessment = this.#assess(now);
    } catch (error) {
      this.#setAside(error, now);
      this.assessment = this.#assess(now);
    }
    addTime(this.strip, before.state, before.at, this.#stripEnd(now), this.evidence.asleep);
    addEntry(this.timeline, this.assessment, this.session.startedAt);
    if (this.timeline.length > TIMELINE_MAX) this.timeline.shift();
    const changed = before.state !== this.assessment.state || before.cause !== this.assessment.cause;
    if (changed) this.since = now;
    this.#recheckBy(this.since + LASTING_MS, now);
    return changed;
  }

  /** An ended session keeps its state; its end is shown, and not all the time after it. */
  #stripEnd(now: number): number {
    const { endedAt } = this.session;
    return endedAt === null ? now : Math.min(now, endedAt + SLOT_MS);
  }

  /** A message about the state is due when it has lasted. */
  #recheckBy(at: number, now: number): void {
    const { recheckAt } = this.assessment;
    if (at > now && at < (recheckAt ?? Number.POSITIVE_INFINITY))
      this.assessment = { ...this.assessment, recheckAt: at };
  }

  #assess(now: number): Assessment {
    if (this.judgingError !== null) return unjudged(`judging this session failed: ${this.judgingError}`, now);
    if (this.settings.isJudging === false)
      return unjudged("judging is turned off (health.enabled in the configuration)", now);
    const { endedAt } = this.session;
    // Watching ended, not the process: another session continues with it, and no clock runs here any more.
    if (endedAt !== null && !this.evidence.exit && endedAt < now)
      return { ...this.#assess(endedAt), at: now, recheckAt: null };
    const found = assess(this.evidence, now, this.#effectiveSettings());
    if (found.state === "starting" && this.#isUnclear(now))
      return { ...unjudged(UNSEEN_START, now), recheckAt: found.recheckAt };
    const firstSignalBy = this.#createdAt + FIRST_SIGNAL_MS;
    const isNew = this.evidence.first === null && !this.evidence.blind && now < firstSignalBy;
    if (!isNew || found.state !== "unknown") return found;
    const reasons = [`First seen ${formatAgo(now - this.#createdAt)} (observer), no signal yet`];
    return { ...NEW, reasons, at: now, recheckAt: firstSignalBy };
  }

  /**
   * An empty screen is evidence only in a terminal that rouse has watched since the start. Otherwise the program may be
   * waiting for its first prompt, or may have shown everything before.
   */
  #effectiveSettings(): JudgingOptions {
    const isUnseen = this.session.origin === "transcript" || this.#missedStart;
    return isUnseen && !this.evidence.lifecycle.shown
      ? { ...this.settings, never_shown_seconds: NEVER_S }
      : this.settings;
  }

  /** Its terminal would have shown something by now if it were starting. */
  #isUnclear(now: number): boolean {
    const { first } = this.evidence;
    return this.session.origin !== "transcript" && this.#missedStart && now - (first?.at ?? now) > START_SEEN_MS;
  }

  get #missedStart(): boolean {
    const { first } = this.evidence;
    return first !== null && first.at - this.session.startedAt > START_SEEN_MS;
  }

  #setAside(error: unknown, now: number): void {
    this.judgingError = (error as Error).message;
    this.since = now;
  }
}

const UNOBSERVED: Readonly<Record<AgentSession["origin"], string>> = {
  run: "the process that holds its terminal is silent; it may be stopped",
  spawn: "the process that holds its terminal is silent; it may be stopped",
  tmux: "neither its pane nor its process can be seen",
  transcript: "its process cannot be seen",
  report: "rouse cannot see it",
};
