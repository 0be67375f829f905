/**
 * A session's state as bytes, for the journal, and back. A snapshot holds only for the rules, the shape of the evidence
 * and the session that it was made of; what the agent's habits are holds beyond that.
 */
import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type { AgentSession } from "../../core/agent.js";
import { RULESET } from "../../core/judgement/assess.js";
import { habitsOf } from "../../core/judgement/learned.js";
import { pauseHabits } from "../../core/judgement/pauses.js";
import { type JudgeState, type JudgingOptions, SessionJudge } from "../../core/session-judge.js";
import type { Habit } from "../../core/signal.js";
import { parseSignal } from "../../readers/signal-schema.js";
import type { Snapshot } from "../../store/snapshots.js";

export interface SessionSnapshot {
  at: number;
  /** The last batch of signals in it. */
  batch: number;
  /** The first one. */
  first: number;
  /** Signals were missing. */
  isIncomplete: boolean;
  /** When the session ended, as far as it was known then. */
  endedAt: number | null;
  habits: readonly Habit[];
  judge: JudgeState;
}

export const habitsIn = ({ evidence: { tools, activity } }: SessionJudge): Habit[] => [
  ...pauseHabits(activity.pauses),
  ...habitsOf(tools.learned),
];

/** Equal for snapshots that this release can continue for this session. */
export function snapshotKey(session: AgentSession, settings: JudgingOptions, release: string): string {
  const { startedAt, origin, command, kind } = session;
  const made = [release, RULESET, process.versions.v8, EVIDENCE_SHAPE];
  const of = [settings.traits ?? null, settings.completion_marker ?? "", startedAt, origin, command, kind];
  return createHash("sha256")
    .update(JSON.stringify([made, of]))
    .digest("base64url")
    .slice(0, 22);
}

export const encodeSnapshot = (snapshot: SessionSnapshot, fits: string): Snapshot => ({
  batch: snapshot.batch,
  fits,
  at: snapshot.at,
  data: serialize(snapshot),
});

/** Null if the bytes are no snapshot of this session that can be judged. */
export function decodeSnapshot(
  stored: Snapshot,
  session: AgentSession,
  settings: JudgingOptions,
): SessionSnapshot | null {
  const found = parse(stored);
  if (!found || found.at !== stored.at || found.batch !== stored.batch) return null;
  // The end of a session may become known later, and nothing is judged after it.
  const { endedAt } = session;
  if (endedAt !== found.endedAt && found.at > (endedAt ?? Number.POSITIVE_INFINITY)) return null;
  try {
    new SessionJudge(session, session.startedAt, settings, found.judge).peek(found.at);
    return found;
  } catch {
    return null;
  }
}

/** What was learned, whichever release made the snapshot. */
export function decodeHabits(stored: Snapshot): Pick<SessionSnapshot, "first" | "habits"> | null {
  try {
    const { first, habits } = deserialize(stored.data) as Record<string, unknown>;
    const signal = parseSignal({ kind: "habits", at: stored.at, source: "observer", habits });
    if (signal?.kind !== "habits" || !isTime(first)) return null;
    return { first, habits: signal.habits };
  } catch {
    return null;
  }
}

function parse({ data }: Snapshot): SessionSnapshot | null {
  try {
    const value: unknown = deserialize(data);
    return isLike(value, TEMPLATE) ? (value as SessionSnapshot) : null;
  } catch {
    return null;
  }
}

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);

/** What is in a new session's snapshot is of the same kind in every other one. Null stands for any value. */
const TEMPLATE = templateOf();

function templateOf(): unknown {
  const session = { command: [] as string[], startedAt: 0, endedAt: null, origin: "spawn" } as unknown as AgentSession;
  const { evidence, assessment, ...judge } = new SessionJudge(session, 0).state;
  const turn = { ...evidence.turn, traits: null };
  return {
    at: 0,
    batch: 0,
    first: 0,
    isIncomplete: false,
    habits: [],
    judge: { ...judge, evidence: { ...evidence, traits: null, turn }, assessment: { ...assessment, recheckAt: null } },
  };
}

function isLike(value: unknown, like: unknown): boolean {
  if (like === null || like === undefined) return true;
  if (typeof like !== "object") return typeof value === typeof like;
  if (typeof value !== "object" || value === null || kindOf(value) !== kindOf(like)) return false;
  if (kindOf(like) !== "Object") return true;
  return Object.entries(like).every(([key, part]) => isLike((value as Record<string, unknown>)[key], part));
}

const kindOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

const EVIDENCE_SHAPE = shapeOf(TEMPLATE);

function shapeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value;
  if (kindOf(value) !== "Object") return kindOf(value);
  return Object.entries(value).map(([key, part]) => [key, shapeOf(part)]);
}
