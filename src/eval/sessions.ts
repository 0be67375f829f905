/**
 * Scores timelines of long real transcripts against segments that were labelled by rule.
 *
 * **Quiet** segments are working, long_tool and waiting_for_user. An alarm is an entry with `stuck` or `error` in a quiet
 * segment: later than 3 s after its start (the record that ends a problem is what takes it back), and not
 * only in the last half second before a segment of problem. One entry is one alarm, however many quiet segments it
 * spans: the count is how often rouse raises a wrong alarm.
 *
 * **Agent-hours** are the lengths of the quiet segments, but a wait for the user counts for half an hour at most: a night
 * without a user is no observation. Of the 143 quiet hours of the corpus 123 are such waits, and the five longest (72 h)
 * alone would make room for three more alarms; 52 hours remain.
 *
 * **Problems** are stalled, rate_limited and api_error; one is found if a right state holds at any time from half a second
 * before the segment's start to its end, and at least to 5 s after its start: 4 of 28 have no length, being the last
 * record of the file or one of two of the same instant. Some stalls (63 s, 199 s) are shorter than any clock that a
 * transcript alone can carry, so there is no bar on the share found.
 *
 * Other labels (permission_wait, suspect_stall, complete, interrupted, ended_mid_tool, ended_mid_model) are not scored.
 *
 * `t` 0 of a timeline is its transcript's first record, which is where the first segment begins (measured on 87 files:
 * 25 ms apart at most).
 */
import type { State } from "../core/states.js";
import { detectionOf, heldBetween, verdictLine } from "./timeline.js";
import type { Detection, Timeline, VerdictLine } from "./types.js";
import {
  AT_WORK,
  countWrong,
  QUIET,
  type Segment,
  WRONG_KINDS,
  type WrongCount,
  type WrongKind,
  wrongVerdicts,
} from "./wrong-verdicts.js";

export interface SegmentTruth {
  file: string;
  label: string;
  /** Wall-clock milliseconds. */
  start: number;
  end: number;
  /** The agent's activity in the longest silence of the segment, such as `api_retry:other` or `error_stop:billing`. */
  doing: string;
}

export interface SessionCase {
  file: string;
  /** All segments of this file, in any order. */
  segments: readonly SegmentTruth[];
  timeline: Timeline | null;
}

export interface SessionAlarm extends VerdictLine {
  file: string;
  label: string;
  doing: string;
}

export interface SessionMiss {
  file: string;
  label: string;
  doing: string;
  t: number;
  seconds: number;
  instead: VerdictLine[];
}

export interface SessionFigures {
  sessions: number;
  replayed: number;
  agentHours: number;
  alarms: SessionAlarm[];
  alarmsPerHour: number | null;
  /** Hours of segments labelled working and long_tool. */
  workHours: number;
  /** Verdicts that contradict the labels of such segments, and alarms in all quiet ones. */
  wrong: Record<WrongKind, WrongCount>;
  /** Permission waits of 5 s or more in which one is reported: shown, not scored, because most labels are guesses. */
  permissions: { detected: number; of: number };
  /** By label. */
  found: Record<string, Detection>;
  misses: SessionMiss[];
}

const WAIT_COUNTED_MAX_S = 1800;
const GRACE_BEFORE_END_S = 0.5;
const PROBLEM_SECONDS_MIN = 5;

/** A retry may be reported as a wait; if the program gave up, only the error itself is right. */
const PROBLEM: readonly { label: string; doing?: string; right: ReadonlySet<State> }[] = [
  { label: "stalled", right: new Set<State>(["stuck", "error"]) },
  { label: "rate_limited", right: new Set<State>(["rate_limited"]) },
  { label: "api_error", doing: "error_stop", right: new Set<State>(["error", "rate_limited"]) },
  { label: "api_error", right: new Set<State>(["error", "rate_limited", "waiting", "stuck"]) },
];

/** Labels that are not scored. */
const UNSCORED: readonly string[] = [
  "permission_wait",
  "suspect_stall",
  "complete",
  "interrupted",
  "ended_mid_tool",
  "ended_mid_model",
];

export const SEGMENT_LABELS: readonly string[] = [...QUIET, ...PROBLEM.map(({ label }) => label), ...UNSCORED];

export function scoreSessions(cases: readonly SessionCase[]): SessionFigures {
  const alarms: SessionAlarm[] = [];
  const misses: SessionMiss[] = [];
  const delays = new Map<string, number[]>();
  const wrong = Object.fromEntries(WRONG_KINDS.map((kind) => [kind, { lasting: 0, brief: 0 }]));
  const permissions = { detected: 0, of: 0 };
  let quietSeconds = 0;
  let workSeconds = 0;
  for (const { file, segments, timeline } of cases) {
    const ordered = inSeconds(segments);
    quietSeconds += ordered.reduce((sum, segment) => sum + countedSeconds(segment), 0);
    workSeconds += ordered.reduce((sum, { label, from, to }) => sum + (AT_WORK.has(label) ? to - from : 0), 0);
    alarms.push(...alarmsIn(ordered, timeline ?? []).map((alarm) => ({ file, ...alarm })));
    for (const kind of WRONG_KINDS) addCount(wrong[kind] as WrongCount, countWrong(kind, ordered, timeline ?? []));
    for (const segment of ordered) {
      if (segment.label === "permission_wait" && segment.to - segment.from >= PROBLEM_SECONDS_MIN) {
        permissions.of++;
        if (isPermissionFound(segment, timeline ?? [])) permissions.detected++;
      }
      const right = rightStates(segment);
      if (!right) continue;
      const { label, doing, from, to } = segment;
      const window = heldBetween(timeline ?? [], from - GRACE_BEFORE_END_S, Math.max(to, from + PROBLEM_SECONDS_MIN));
      const hit = window.find(({ entry }) => right.has(entry.state));
      if (hit) delays.set(label, [...(delays.get(label) ?? []), Math.max(0, hit.from - from)]);
      else misses.push({ file, label, doing, t: from, seconds: to - from, instead: window.slice(-3).map(verdictLine) });
    }
  }
  const labels = [...new Set(PROBLEM.map(({ label }) => label))];
  const agentHours = quietSeconds / 3600;
  return {
    sessions: cases.length,
    replayed: cases.filter(({ timeline }) => timeline !== null).length,
    agentHours,
    alarms,
    alarmsPerHour: agentHours > 0 ? alarms.length / agentHours : null,
    workHours: workSeconds / 3600,
    wrong: wrong as Record<WrongKind, WrongCount>,
    permissions,
    found: Object.fromEntries(
      labels.map((label) => [
        label,
        detectionOf(delays.get(label) ?? [], misses.filter((miss) => miss.label === label).length),
      ]),
    ),
    misses,
  };
}

function inSeconds(segments: readonly SegmentTruth[]): Segment[] {
  const zero = Math.min(...segments.map(({ start }) => start));
  return segments
    .map(({ label, doing, start, end }) => ({ label, doing, from: (start - zero) / 1000, to: (end - zero) / 1000 }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

function countedSeconds({ label, from, to }: Segment): number {
  if (!QUIET.has(label)) return 0;
  return label === "waiting_for_user" ? Math.min(to - from, WAIT_COUNTED_MAX_S) : to - from;
}

function rightStates({ label, doing }: Segment): ReadonlySet<State> | undefined {
  return PROBLEM.find((row) => row.label === label && doing.startsWith(row.doing ?? ""))?.right;
}

function addCount(sum: WrongCount, { lasting, brief }: WrongCount): void {
  sum.lasting += lasting;
  sum.brief += brief;
}

const isPermissionFound = ({ from, to }: Segment, timeline: Timeline): boolean =>
  heldBetween(timeline, from, to).some(({ entry }) => entry.state === "needs_input" && entry.cause === "permission");

/** A verdict may precede a problem by half a second, and nothing else. */
function alarmsIn(segments: readonly Segment[], timeline: Timeline): Omit<SessionAlarm, "file">[] {
  const isEarly = (next: Segment | undefined): boolean => next !== undefined && rightStates(next) !== undefined;
  return wrongVerdicts("stall", segments, timeline, isEarly).map(({ segment: { label, doing }, held }) => ({
    label,
    doing,
    ...verdictLine(held),
  }));
}
