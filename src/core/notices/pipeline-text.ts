/** The queue of work in one line, for the digest and the summary. */

export interface WorkTotals {
  /** Wait for a holder. */
  pending: number;
  /** Held by an agent. */
  processing: number;
  blocked: number;
  /** Closed in the period. */
  done: number;
  failed: number;
}

/** In the words of a digest. */
export function pipelineText(totals: WorkTotals): string {
  const state = totals.processing > 0 ? "running" : totals.pending > 0 ? "waiting" : "idle";
  return `Pipeline ${state}. ${countsText(totals, "processing")}`;
}

/** In the words of `rouse task list`. */
export const tasksText = (totals: WorkTotals): string => `Tasks: ${countsText(totals, "in progress")}`;

function countsText({ pending, processing, blocked, done, failed }: WorkTotals, held: string): string {
  const counted = [`${pending} pending`, `${processing} ${held}`, ...some(blocked, "blocked")];
  const closed = [...some(done, "done"), ...some(failed, "failed")];
  return `${counted.join(", ")}.${closed.length === 0 ? "" : ` Closed: ${closed.join(", ")}.`}`;
}

const some = (count: number, word: string): string[] => (count === 0 ? [] : [`${count} ${word}`]);
