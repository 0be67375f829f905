/**
 * Suspicion as one formula, after memberlist's `suspicionOf.go`: alone in suspecting, wait long; with every
 * independent witness that agrees, wait less, on a logarithmic scale between the base and the floor.
 */

/** The time after which `witnesses` independent ones justify telling; `wanted` of them bring it down to the floor. */
export function suspicionAfter(sources: number, wanted: number, baseMs: number, floorMs: number): number {
  if (!(sources >= 1)) return Number.POSITIVE_INFINITY;
  if (!(wanted > 1)) return floorMs;
  return Math.max(floorMs, baseMs - ((baseMs - floorMs) * Math.log(sources)) / Math.log(wanted));
}

/** How suspicious the elapsed time is: 0 at the start, 1 at the threshold and for ever after. */
export function suspicionOf(elapsedMs: number, thresholdMs: number): number {
  if (!(elapsedMs > 0)) return 0;
  if (!(elapsedMs < thresholdMs)) return thresholdMs >= 0 ? 1 : 0;
  return elapsedMs / thresholdMs;
}
