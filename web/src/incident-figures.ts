/** How incidents ended, and figures per cause and week. */
import type { Incident } from "./records.js";

export type Ending = "open" | "by itself" | "by rouse" | "by you" | "false alarm";
export const ENDINGS: readonly Ending[] = ["open", "by itself", "by rouse", "by you", "false alarm"];

/** A false alarm is one, however it ended; what the user took was ended by the user. */
export function endingOf({ feedback, ended_at, acked_at, actions }: Incident): Ending {
  if (feedback === "false-alarm") return "false alarm";
  if (ended_at === null) return "open";
  if (acked_at !== null) return "by you";
  return actions.some(({ result }) => result === "done" || result === "unknown") ? "by rouse" : "by itself";
}

const WEEK_MS = 7 * 86_400_000;

export interface WeekFigures {
  /** Starts of weeks, in seconds. */
  weeks: number[];
  /** Per problem, its number in each week; the most frequent first. */
  problems: { problem: string; counts: number[] }[];
  /** Median seconds from detection to the first alert-level certainty, and to the end. */
  recovery: (number | null)[];
}

export function figuresOf(incidents: readonly Incident[], now: number, weeks: number): WeekFigures {
  const first = now - weeks * WEEK_MS;
  const slot = (at: string): number => Math.floor((Date.parse(at) - first) / WEEK_MS);
  const counts = new Map<string, number[]>();
  const spans: number[][] = Array.from({ length: weeks }, () => []);
  for (const incident of incidents) {
    const at = slot(incident.opened_at);
    if (at < 0 || at >= weeks) continue;
    const row = counts.get(incident.problem) ?? Array.from({ length: weeks }, () => 0);
    row[at] = (row[at] ?? 0) + 1;
    counts.set(incident.problem, row);
    if (incident.ended_at !== null && incident.phase === "recovered")
      spans[at]?.push((Date.parse(incident.ended_at) - Date.parse(incident.opened_at)) / 1000);
  }
  const total = (row: readonly number[]): number => row.reduce((sum, one) => sum + one, 0);
  return {
    weeks: Array.from({ length: weeks }, (_, i) => (first + i * WEEK_MS) / 1000),
    problems: [...counts]
      .map(([problem, row]) => ({ problem, counts: row }))
      .sort((a, b) => total(b.counts) - total(a.counts)),
    recovery: spans.map(median),
  };
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
