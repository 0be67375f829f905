/** Whether a diagnosis may run now, and whether one is due: pure functions. */
import { digest } from "../core/digest.js";
import type { DiagnosisFacts } from "./context.js";

export interface RunSituation {
  stage: string | null;
  /** Sessions of the runner's program. */
  sessions: number;
  /** One of them is limited: a diagnosis would use the same limit. */
  isLimited: boolean;
  runner: string;
  maxSessions: number;
  runsToday: number;
  runsPerDay: number;
  costToday: number;
  costPerDay: number;
}

/** Null if it may run. */
export function checkRun(situation: RunSituation): string | null {
  const { stage, sessions, isLimited, runner, maxSessions, runsToday, runsPerDay, costToday, costPerDay } = situation;
  if (stage === "build") return "skipped: the pipeline is in the stage build";
  if (isLimited) return `skipped: a usage limit stops an agent of the program that ${runner} uses`;
  if (sessions >= maxSessions)
    return `skipped: ${sessions} sessions of this program are running (diagnosis.max_sessions is ${maxSessions})`;
  if (runsToday >= runsPerDay) return `skipped: ${runsToday} runs today (diagnosis.runs_per_day)`;
  return costToday >= costPerDay ? `skipped: $${costToday.toFixed(2)} spent today (diagnosis.cost_usd_per_day)` : null;
}

/** Stays the same while nothing that is wrong changes; null if nothing is wrong. */
export function problemKey({ incidents, problems }: Pick<DiagnosisFacts, "incidents" | "problems">): string | null {
  const wrong = [
    ...incidents.map(({ id, problem, phase }) => `${id} ${problem} ${phase}`),
    ...problems.map(({ id }) => id),
  ];
  return wrong.length === 0 ? null : digest(wrong.sort().join("\n"));
}
