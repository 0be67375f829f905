/**
 * The next step of an incident and the time at which it will happen if nothing changes: the decision is made for each
 * later time at which it may differ, with the judgement of that time. So a step is announced only if it can happen.
 */
import type { ActionName } from "./action.js";
import { situationOf } from "./agent-decisions.js";
import { confirmsAt } from "./incidents/course.js";
import type { Incident } from "./incidents/incident.js";
import type { NodeState } from "./node-state.js";
import { type Decision, decide } from "./policy/decide.js";
import type { SessionJudge } from "./session-judge.js";
import { HOUR } from "./text/time.js";

export interface Forecast {
  /** Null if nothing is going to be done, or nothing is known yet. */
  do: ActionName | null;
  /** When it happens, or when the next decision is made; null for now, or for an unknown time. */
  at: number | null;
  /** Why nothing is done now. */
  reason: string;
}

const HORIZON_MS: number = 24 * HOUR;
const DECISIONS_MAX = 200;

export function forecastOf(state: NodeState, incident: Incident, judge: SessionJudge, now: number): Forecast {
  const first = decide(situationOf(state, incident, judge, now));
  const { reason } = first;
  if (first.action) return { do: stepOf(first), at: null, reason };
  // What the program's own supervisor does is not known, so nothing can be announced for later.
  if (judge.assessment.supervisor) return { do: null, at: first.recheckAt, reason };
  const isWaiting = first.wouldDo !== null || (incident.confirmedAt === null && incident.ackedAt === null);
  if (!isWaiting || first.recheckAt === null) return { do: null, at: first.recheckAt, reason };
  let at: number | null = first.recheckAt;
  for (let decisions = 0; at !== null && at - now <= HORIZON_MS && decisions < DECISIONS_MAX; decisions++) {
    const later = decideLater(state, incident, judge, at);
    if (later.action) return { do: stepOf(later), at, reason };
    at = later.recheckAt !== null && later.recheckAt > at ? later.recheckAt : null;
  }
  return { do: null, at: null, reason };
}

/** The step that is taken, or that only lacks permission. */
const stepOf = ({ action, wouldDo }: Decision): ActionName | null =>
  (action?.do === "escalate" ? null : action?.do) ?? wouldDo?.do ?? null;

function decideLater(state: NodeState, incident: Incident, judge: SessionJudge, at: number): Decision {
  const { confirmMs } = state.rules.policyOf(judge.session);
  const isConfirmed = confirmsAt(state.incidents, incident, at, confirmMs) <= at;
  const confirmedAt = incident.confirmedAt ?? (isConfirmed ? at : null);
  const situation = situationOf(state, { ...incident, confirmedAt }, judge, at);
  return decide({ ...situation, assessment: judge.peek(at) });
}
