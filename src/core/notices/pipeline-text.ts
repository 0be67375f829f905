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

export function pipelineText({ pending, processing, blocked, done, failed }: WorkTotals): string {
  const state = processing > 0 ? "running" : pending > 0 ? "waiting" : "idle";
  const counted = [`${pending} pending`, `${processing} processing`, ...some(blocked, "blocked")];
  const closed = [...some(done, "done"), ...some(failed, "failed")];
  return `Pipeline ${state}. ${counted.join(", ")}.${closed.length === 0 ? "" : ` Closed: ${closed.join(", ")}.`}`;
}

const some = (count: number, word: string): string[] => (count === 0 ? [] : [`${count} ${word}`]);
