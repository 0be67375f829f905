/** The last sign of work of a session: output, records, sockets, and its own checkpoints. Null: there was none. */
import type { Evidence } from "./state.js";

export function lastActivityAt({ progress, checkpoint }: Pick<Evidence, "progress" | "checkpoint">): number | null {
  const { checkpointAt, claimedAt } = checkpoint;
  const times = [...Object.values(progress.seen), checkpointAt, claimedAt].filter((at) => at !== null);
  return times.length > 0 ? Math.max(...times) : null;
}
