/**
 * How often agents recovered within ten minutes of a step of a recovery plan, beside a baseline: the same step, if it
 * lacked only permission. Most recoveries would otherwise be credited to rouse, although many hangs end by themselves.
 */
import { ACTIONS, type ActionName, type ActionRecord, usesBudget } from "../action.js";
import { MINUTE } from "../text/time.js";
import type { Incident, IncidentEnd, IncidentState } from "./incident.js";
import type { Problem } from "./problem.js";

/** `shadow`: rouse would have taken the step, and was not permitted to. */
export const ARMS = ["acted", "shadow"] as const;
type Arm = (typeof ARMS)[number];

export interface RecoveryScore {
  problem: Problem;
  step: ActionName;
  arm: Arm;
  tried: number;
  recovered: number;
  rate: number;
  /** Bounds of the 95 % confidence interval of the rate. */
  low: number;
  high: number;
}

const JUDGED_MS: number = 10 * MINUTE;
const Z_95 = 1.96;

/** One step that was taken or withheld. */
interface Trial {
  problem: Problem;
  step: ActionName;
  arm: Arm;
  at: number;
  /** The next action on the agent; infinite if there is none. */
  nextAt: number;
}

type ScoredState = Pick<IncidentState, "incidents" | "actions" | "silences">;

export function scoreRecoveries(state: ScoredState, now: number): RecoveryScore[] {
  const scores = new Map<string, Pick<RecoveryScore, "problem" | "step" | "arm" | "tried" | "recovered">>();
  for (const incident of state.incidents)
    for (const trial of trialsOf(incident, state.actions)) {
      const hasRecovered = judgeTrial(trial, incident, state, now);
      if (hasRecovered === null) continue;
      const { problem, step, arm } = trial;
      const key = `${problem} ${step} ${arm}`;
      const score = scores.get(key) ?? { problem, step, arm, tried: 0, recovered: 0 };
      score.tried++;
      if (hasRecovered) score.recovered++;
      scores.set(key, score);
    }
  return [...scores]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, score]) => ({ ...score, ...wilsonInterval(score.recovered, score.tried) }));
}

function trialsOf({ id, problem, withheld = [] }: Incident, records: readonly ActionRecord[]): Trial[] {
  const actions = records.filter((one) => one.incident === id && ACTIONS[one.do].controls && usesBudget(one));
  const acted = actions.map((record, index): Trial => {
    const [next, afterNext] = actions.slice(index + 1);
    const ending = next && isPreparation(record) && !isPreparation(next) ? afterNext : next;
    const nextAt = ending?.at ?? Number.POSITIVE_INFINITY;
    return { problem: record.problem ?? problem, step: record.do, arm: "acted", at: record.at, nextAt };
  });
  const shadow = withheld.map((step): Trial => {
    const nextAt = actions.find(({ at }) => at >= step.at)?.at ?? Number.POSITIVE_INFINITY;
    return { problem: step.problem, step: step.do, arm: "shadow", at: step.at, nextAt };
  });
  return [...acted, ...shadow];
}

/** An interrupt or a stop cannot start work: it is judged together with the step that follows. */
const isPreparation = ({ proof }: ActionRecord): boolean => proof === "turn_ended" || proof === "process_gone";

/** Null: too early to say, a false alarm, or a user intervened. */
function judgeTrial(trial: Trial, incident: Incident, { silences }: ScoredState, now: number): boolean | null {
  const { arm, at, nextAt, problem } = trial;
  const until = Math.min(at + JUDGED_MS, nextAt);
  const end = endsOf(incident).find((one) => one.at > at && one.at < until);
  const judgedAt = end?.at ?? until;
  const isSilenced = silences.some(
    (one) =>
      (one.agent ?? incident.agent) === incident.agent &&
      (one.problem ?? problem) === problem &&
      one.at <= judgedAt &&
      one.until > at,
  );
  // An acknowledgement after that time is no reason: failures are acknowledged in the end, recoveries never.
  const isAcked = incident.ackedAt !== null && incident.ackedAt <= judgedAt;
  if (isSilenced || isAcked || incident.feedback === "false-alarm") return null;
  if (!end) return now < at + JUDGED_MS || (arm === "shadow" && nextAt === until) ? null : false;
  // Closed without proof: a user took over, or ended the session.
  if (end.phase === "closed") return null;
  // rouse typed nothing, so a new turn was started by a user.
  return arm === "shadow" && end.turnAt !== null && end.turnAt > at ? null : true;
}

/** Incidents of older versions have only their last end. */
const endsOf = ({ ends, endedAt, phase }: Incident): IncidentEnd[] =>
  ends ?? (endedAt === null ? [] : [{ at: endedAt, phase: phase === "recovered" ? phase : "closed", turnAt: null }]);

/** The Wilson score interval, which also holds for few trials and for rates near 0 and 1. */
export function wilsonInterval(recovered: number, tried: number): Pick<RecoveryScore, "rate" | "low" | "high"> {
  const rate = recovered / tried;
  const square = Z_95 ** 2 / tried;
  const middle = (rate + square / 2) / (1 + square);
  const half = (Z_95 * Math.sqrt((rate * (1 - rate)) / tried + square / (4 * tried))) / (1 + square);
  return { rate, low: Math.max(0, Math.min(rate, middle - half)), high: Math.min(1, Math.max(rate, middle + half)) };
}
