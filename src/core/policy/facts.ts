/** What a decision has to know of the agent and of rouse itself, beside the assessment. Gathered by the caller. */

import { type ActionName, type ActionRecord, usesBudget } from "../action.js";
import { awakeMs } from "../awake.js";
import type { Incident } from "../incidents/incident.js";
import type { ActivityOptions } from "../judgement/activity.js";
import { openPrompt } from "../judgement/evidence/prompts.js";
import type { Evidence } from "../judgement/evidence/state.js";
import { type ResumeAdvice, shouldSendResume } from "../judgement/guard.js";
import { MINUTE, SECOND } from "../text/time.js";
import { ownTimeoutMs } from "../traits.js";
import type { SessionOrigin } from "./policy.js";

export interface ActionFacts {
  origin: SessionOrigin;
  /** The user has turned acting on, for rouse and, where it was only adopted, for this agent. */
  allowed: boolean;
  /** What can be done with this agent at all: it has keys, a resume command, a process group of rouse's own. */
  can: readonly ActionName[];
  /** Its process is proven to be gone, whatever the assessment says. */
  gone: boolean;
  /** Somebody typed of late, or sits in front of it. */
  humanPresent: boolean;
  /** A dialog is open, also when it is the limit's own. */
  promptOpen: boolean;
  /** rouse sees, keeps and keeps up: no lag, no failing store, no blind sensor of this agent. */
  observerHealthy: boolean;
  /** When the machine, or rouse, last woke up; null when it never slept. */
  wokeAt: number | null;
  silencedUntil: number | null;
  /** After so long the program ends a silent request itself. */
  ownTimeoutMs: number | null;
  /** The program says that it continues by itself after the limit. */
  resumesItself: boolean;
  /** When its screen was last read; null where it has none. */
  shownAt?: number | null;
  /** It was interrupted for its spending: until then nobody but a person sets it going. */
  heldUntil?: number | null;
  /** The activity since the problem began; null where nobody could ask, or nobody is to. */
  guard: ResumeAdvice | null;
}

type FactSource = Pick<
  ActionFacts,
  "humanPresent" | "promptOpen" | "wokeAt" | "ownTimeoutMs" | "resumesItself" | "shownAt" | "guard"
>;

/** A human who typed so lately is still there. */
const PRESENT_MS: number = 2 * MINUTE;

/**
 * What a key press stirs up by itself is over after so long. So is what the problem itself leaves behind: a record tells of
 * a limit a second before the row of it is seen on the screen.
 */
const STIRRED_MS: number = 5 * SECOND;

/** From when on activity speaks against acting: since the problem began, or since rouse itself last touched the agent. */
export function guardFrom(incident: Incident, actions: readonly ActionRecord[]): number {
  const last = actions.findLast((record) => record.incident === incident.id && usesBudget(record));
  return Math.max(incident.since, last ? (last.outcome?.at ?? last.at) : 0) + STIRRED_MS;
}

export interface FactsOptions extends ActivityOptions {
  /** False: the user lets no activity hold a resume back. */
  isGuarded?: boolean;
}

/** The facts that the evidence itself knows; `since` is that of `guardFrom`. */
export function actionFactsOf(evidence: Evidence, since: number, now: number, settings?: FactsOptions): FactSource {
  const { humanAt, asleep, prompts, failures, traits } = evidence;
  const limits = [failures.limit, failures.shownLimit];
  return {
    humanPresent: humanAt !== null && awakeMs(asleep, humanAt, now) < PRESENT_MS,
    promptOpen: openPrompt(prompts) !== null || evidence.progress.reading?.dialog !== undefined,
    wokeAt: asleep.at(-1)?.to ?? null,
    ownTimeoutMs: ownTimeoutMs(traits, settings),
    resumesItself: limits.some((limit) => limit?.resumesItself),
    shownAt: evidence.progress.readingAt,
    guard: settings?.isGuarded === false ? null : guardSince(evidence, since, now, settings),
  };
}

/**
 * The guard asks for activity since the problem began: the hour that it looks back would call an agent active that
 * committed five minutes before its stream died. Nor is what a process did before its end activity of one that is gone.
 * Its other windows are left as they are.
 */
function guardSince(evidence: Evidence, since: number, now: number, settings?: ActivityOptions): ResumeAdvice {
  const { activity, exit } = evidence;
  const from = Math.max(since, exit === null ? 0 : exit.at + STIRRED_MS);
  const fresh = [...activity.recent.values()].flat().filter(({ at }) => at > from);
  return shouldSendResume(fresh, now, {
    ...settings,
    ...(activity.checkedAt === null ? {} : { checkedAt: activity.checkedAt }),
  });
}
