/** Durations for users. */

/** Rounded: "45 s", "12 min", "3.5 h". Most clocks expire within three minutes, so these are shown in seconds. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "some time";
  if (ms < 180_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 360_000) / 10} h`;
}

/** "just now", "45 s ago", "3 min ago". */
export function formatAgo(ms: number): string {
  return ms < 1000 ? "just now" : `${formatDuration(ms)} ago`;
}

/** How long it has lasted: "for less than a second", "for 45 s". */
export function formatFor(ms: number): string {
  return ms < 1000 ? "for less than a second" : `for ${formatDuration(ms)}`;
}
