import type { SessionJudge } from "../../core/session-judge.js";

/** Time of the last status (turn state, report) or progress; the start of the agent if there was none. */
export function lastActivityAt({ session, evidence }: SessionJudge): number {
  const turnTimes = Object.values(evidence.turn.statuses).map(({ at }) => at);
  const statuses = (evidence.activity.recent.get("status_update") ?? []).map(({ at }) => at);
  const progressTimes = Object.values(evidence.progress.seen);
  return Math.max(session.startedAt, evidence.report?.at ?? 0, ...turnTimes, ...statuses, ...progressTimes);
}
