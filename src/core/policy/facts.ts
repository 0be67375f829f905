/** Facts about the agent and about rouse that a decision needs besides the assessment. The caller gathers them. */

import { type ActionName, type ActionRecord, usesBudget } from "../action.js";
import { awakeMs } from "../awake.js";
import type { Incident } from "../incidents/incident.js";
import type { ActivityOptions, ActivitySignal } from "../judgement/activity.js";
import type { ActivitySource } from "../judgement/activity-sources.js";
import { openPrompt } from "../judgement/evidence/prompts.js";
import type { Evidence } from "../judgement/evidence/state.js";
import { type ResumeAdvice, shouldSendResume } from "../judgement/guard.js";
import { MINUTE, SECOND } from "../text/time.js";
import { ownTimeoutMs } from "../traits.js";
import type { SessionOrigin } from "./policy.js";
import { typableText } from "./typing-checks.js";

export interface ActionFacts {
  origin: SessionOrigin;
  /** The user permitted actions, in general and for an adopted agent also for this agent. */
  allowed: boolean;
  /** The actions that are technically possible: known keys, a resume command, an own process group. */
  can: readonly ActionName[];
  /** Its process has exited, whatever the assessment says. */
  gone: boolean;
  /** It reports only, and rouse sees neither a process nor a terminal of it. */
  unseen?: boolean;
  /** On the user's schedule, a missing checkpoint is acted on from here on; null to act at once. */
  scheduledAt?: number | null;
  /** A user typed recently. */
  humanPresent: boolean;
  /** A dialog is open, including a usage limit's own dialog. */
  promptOpen: boolean;
  /** No lag, no failing store, and no unobserved sensor of this agent. */
  observerHealthy: boolean;
  /** When the machine or rouse last woke up; null if it never slept. */
  wokeAt: number | null;
  silencedUntil: number | null;
  /** After this time the program ends a silent request itself. */
  ownTimeoutMs: number | null;
  /** The program shows that it will continue by itself after the limit. */
  resumesItself: boolean;
  /** When its screen was last read; null if it has none. */
  shownAt?: number | null;
  /** It was interrupted for its spending: until then only a user can continue it. */
  heldUntil?: number | null;
  /** Set if an interrupt makes the program forget the task of the turn. */
  forgets?: ForgottenTask | null;
  /** Advice from the activity since the problem began; null if unavailable or turned off. */
  guard: ResumeAdvice | null;
}

/** How the agent can get a task back that an interrupt took out of its conversation. */
export interface ForgottenTask {
  /** The task as it can be typed again; null if it is unknown, or cannot be typed. */
  task: string | null;
  /** The conversation is known, so a new process can continue it. */
  canResume: boolean;
}

type FactSource = Pick<
  ActionFacts,
  "humanPresent" | "promptOpen" | "wokeAt" | "ownTimeoutMs" | "resumesItself" | "shownAt" | "guard" | "forgets"
>;

/**
 * A user who typed within this time counts as present. Users sit in front of their own terminals; a spawned agent has a
 * user only while one is attached.
 */
export const PRESENT_MS: Readonly<Record<SessionOrigin, number>> = {
  run: 2 * MINUTE,
  tmux: MINUTE,
  spawn: 20 * SECOND,
  transcript: 2 * MINUTE,
  report: 2 * MINUTE,
};

/**
 * Activity that a key press or the problem itself causes ends within this time: a record reports a limit about a second
 * before it appears on the screen.
 */
const STIRRED_MS: number = 5 * SECOND;

/** Activity after this time prevents an action: since the problem began, or since rouse's last action on the agent. */
export function guardFrom(incident: Incident, actions: readonly ActionRecord[]): number {
  const last = actions.findLast((record) => record.incident === incident.id && usesBudget(record));
  return Math.max(incident.since, last ? (last.outcome?.at ?? last.at) : 0) + STIRRED_MS;
}

export interface FactsOptions extends ActivityOptions {
  /** False: the user turned the activity guard off. */
  isGuarded?: boolean;
}

/** The facts that follow from the evidence; `since` comes from `guardFrom`. */
export function actionFactsOf(
  evidence: Evidence,
  since: number,
  now: number,
  settings?: FactsOptions,
  origin: SessionOrigin = "run",
): FactSource {
  const { humanAt, asleep, prompts, failures, traits, exit } = evidence;
  const limits = [failures.limit, failures.shownLimit];
  return {
    // A program that has exited has no terminal to share with a user.
    humanPresent: exit === null && humanAt !== null && awakeMs(asleep, humanAt, now) < PRESENT_MS[origin],
    promptOpen: openPrompt(prompts) !== null || evidence.progress.reading?.dialog !== undefined,
    wokeAt: asleep.at(-1)?.to ?? null,
    ownTimeoutMs: ownTimeoutMs(traits, settings),
    resumesItself: limits.some((limit) => limit?.resumesItself),
    shownAt: evidence.progress.readingAt,
    forgets: traits.keepsInterruptedTurn
      ? null
      : { task: typableText(evidence.request.text), canResume: evidence.session.id !== undefined },
    guard: settings?.isGuarded === false ? null : guardSince(evidence, since, now, settings),
  };
}

/**
 * The guard counts only activity since the problem began: with its full window of one hour, an agent that committed five
 * minutes before its stream died would count as active. Activity of a process before its exit does not count either.
 */
function guardSince(evidence: Evidence, since: number, now: number, settings?: ActivityOptions): ResumeAdvice {
  const { activity, exit } = evidence;
  const from = Math.max(since, exit === null ? 0 : exit.at + STIRRED_MS);
  const fresh = [...activity.recent.values()].flat().filter((signal) => signal.at > from && isItsOwn(signal, evidence));
  return shouldSendResume(fresh, now, {
    ...settings,
    pauses: activity.pauses,
    ...(activity.checkedAt === null ? {} : { checkedAt: activity.checkedAt }),
  });
}

/** What a server in the same folder, a test watcher or another agent does as well. */
const ANY_PROGRAM: ReadonlySet<ActivitySource> = new Set<ActivitySource>([
  "file_modification",
  "test_execution",
  "workspace_access",
]);

/** Whether activity since a problem began is the agent's: a server's writes are not. */
export const isItsOwn = ({ source }: Pick<ActivitySignal, "source">, evidence: Evidence): boolean =>
  !(ANY_PROGRAM.has(source) && showsItsCalls(evidence));

/**
 * An agent changes files by calls, and rouse would see them: its records come in, its screen or the command that it left
 * running says what else may write, and no call is under way. A call that ended since counts by itself.
 */
function showsItsCalls({ progress, tools, exit }: Evidence): boolean {
  const { stream, transcript, hook } = progress.seen;
  if (exit !== null || (stream ?? transcript ?? hook) === undefined || tools.open.size > 0) return false;
  const behind = [...tools.behind.values()];
  return !behind.some(({ class: kind }) => kind === "subagent") && (progress.reading !== null || behind.length > 0);
}
