/**
 * Verdicts that contradict the label of a quiet segment. One entry of the timeline is one wrong verdict, however many
 * segments it spans. A brief one lasts less than 5 s: it is visible in `status` and leaves no message.
 */
import type { Cause, State } from "../core/states.js";
import { type HeldVerdict, heldBetween } from "./timeline.js";
import type { Timeline } from "./types.js";

export interface Segment {
  label: string;
  doing: string;
  from: number;
  to: number;
}

export interface WrongCount {
  lasting: number;
  brief: number;
}

export type WrongKind = "stall" | "completion" | "permission";

/** Segments in which the agent works, or waits for the user. */
export const QUIET: ReadonlySet<string> = new Set(["working", "long_tool", "waiting_for_user"]);
/** Segments in which it works. */
export const AT_WORK: ReadonlySet<string> = new Set(["working", "long_tool"]);
const ALARMING: ReadonlySet<State> = new Set<State>(["stuck", "error"]);
const GRACE_AFTER_START_S = 3;
const GRACE_BEFORE_END_S = 0.5;
const BRIEF_S = 5;

interface WrongRow {
  labels: ReadonlySet<string>;
  isWrong: (said: { state: State; cause: Cause | null }) => boolean;
}

const ROWS: Readonly<Record<WrongKind, WrongRow>> = {
  stall: { labels: QUIET, isWrong: ({ state }) => ALARMING.has(state) },
  completion: { labels: AT_WORK, isWrong: ({ state }) => state === "complete" },
  permission: { labels: AT_WORK, isWrong: ({ state, cause }) => state === "needs_input" && cause === "permission" },
};

export const WRONG_KINDS = Object.keys(ROWS) as WrongKind[];

/**
 * The wrong verdicts of one kind, each with the first segment that it contradicts. A verdict may last 3 s into a segment
 * (the record that ends a problem is what takes it back), and may come half a second before its time.
 */
export function wrongVerdicts(
  kind: WrongKind,
  segments: readonly Segment[],
  timeline: Timeline,
  isEarly: (next: Segment | undefined) => boolean,
): { segment: Segment; held: HeldVerdict }[] {
  const { labels, isWrong } = ROWS[kind];
  const reported = new Set<HeldVerdict["entry"]>();
  return segments.flatMap((segment, index) => {
    const { label, from, to } = segment;
    if (!labels.has(label)) return [];
    const mayBeEarly = isEarly(segments[index + 1]);
    const isGrace = (held: HeldVerdict): boolean =>
      held.to <= from + GRACE_AFTER_START_S || (mayBeEarly && held.from >= to - GRACE_BEFORE_END_S);
    const wrong = heldBetween(timeline, from, to).filter(
      (held) => isWrong(held.entry) && !isGrace(held) && !reported.has(held.entry),
    );
    for (const { entry } of wrong) reported.add(entry);
    return wrong.map((held) => ({ segment, held }));
  });
}

/** How many of the wrong verdicts of one transcript last. */
export function countWrong(kind: WrongKind, segments: readonly Segment[], timeline: Timeline): WrongCount {
  const count = { lasting: 0, brief: 0 };
  for (const { held } of wrongVerdicts(kind, segments, timeline, () => true)) {
    const next = timeline[timeline.indexOf(held.entry) + 1];
    if (next !== undefined && next.t - held.entry.t < BRIEF_S) count.brief++;
    else count.lasting++;
  }
  return count;
}
