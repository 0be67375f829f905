/**
 * Suspicion as one formula, after memberlist's `suspicion.go`: a single source has to wait long. Each independent
 * source that agrees shortens the wait, on a logarithmic scale between the base and the floor.
 */

/**
 * The time after which this number of independent sources justifies a report. `wanted` sources reduce it to the floor.
 */
export function suspicionAfter(sources: number, wanted: number, baseMs: number, floorMs: number): number {
  if (!(sources >= 1)) return Number.POSITIVE_INFINITY;
  if (!(wanted > 1)) return floorMs;
  return Math.max(floorMs, baseMs - ((baseMs - floorMs) * Math.log(sources)) / Math.log(wanted));
}

/** How suspicious the elapsed time is: 0 at the start, 1 from the threshold on. */
export function suspicionOf(elapsedMs: number, thresholdMs: number): number {
  if (!(elapsedMs > 0)) return 0;
  if (!(elapsedMs < thresholdMs)) return thresholdMs >= 0 ? 1 : 0;
  return elapsedMs / thresholdMs;
}
