/** The bars that the figures must meet, as data. A figure without cases is neither met nor missed. */
import type { EventFigures } from "./events.js";
import { IN_TIME_S, type LiveFigures } from "./live.js";
import type { ResetFigures } from "./reset-times.js";
import type { SessionFigures } from "./sessions.js";
import type { Detection } from "./types.js";

export interface Figures {
  live?: LiveFigures;
  events?: EventFigures;
  resetTimes?: ResetFigures;
  sessions?: SessionFigures;
}

type Unit = "share" | "seconds" | "count" | "per hour";

export interface BarResult {
  name: string;
  relation: "at least" | "at most";
  bar: number;
  unit: Unit;
  figure: number | null;
  met: boolean | null;
}

interface Bar extends Omit<BarResult, "figure" | "met"> {
  figure: (figures: Figures) => number | null | undefined;
}

export const BARS: readonly Bar[] = [
  ...detectionBars("prompts, limits, errors, results", (live) => live.pooled, 0.98, IN_TIME_S.other),
  ...detectionBars("unreachable", (live) => live.states.unreachable, 0.98, IN_TIME_S.unreachable),
  ...detectionBars("hung", (live) => live.states.hung, 0.95, IN_TIME_S.hung),
  atLeast("looping: detected", 0.9, ({ live }) => detectedShare(live?.states.looping)),
  atMost("false alarms", 0, "count", ({ live }) => live && ofReplayed(live, live.falseAlarms)),
  atMost("false completions", 0, "count", ({ live }) => live && ofReplayed(live, live.falseCompletions)),
  atMost("verdicts that did not last", 1, "count", ({ live }) => live && (hasFound(live) ? live.notHeld.length : null)),
  atLeast("event streams: precision", 0.95, ({ events }) => events?.semantic.precision),
  atLeast("event streams: recall", 0.8, ({ events }) => events?.semantic.recall),
  atLeast("reset times: correct", 1, ({ resetTimes }) => resetTimes && share(resetTimes.right, resetTimes.of)),
  atMost("sessions: alarms", 0.05, "per hour", ({ sessions }) => sessions?.alarmsPerHour),
];

export function checkBars(figures: Figures): BarResult[] {
  return BARS.map(({ figure: read, ...bar }) => {
    const figure = read(figures) ?? null;
    const met = figure === null ? null : bar.relation === "at least" ? figure >= bar.bar : figure <= bar.bar;
    return { ...bar, figure, met };
  });
}

/** The parts with scored cases: a share of no cases is no figure. */
export function withCases({ live, events, resetTimes, sessions }: Figures): Figures {
  return {
    ...(live && live.cases > 0 ? { live } : {}),
    ...(events && events.cases > 0 ? { events } : {}),
    ...(resetTimes && resetTimes.of > 0 ? { resetTimes } : {}),
    ...(sessions && sessions.sessions > 0 ? { sessions } : {}),
  };
}

function detectionBars(
  name: string,
  of: (live: LiveFigures) => Detection | undefined,
  shareMin: number,
  delayMax: number,
): Bar[] {
  return [
    atLeast(`${name}: detected`, shareMin, ({ live }) => live && detectedShare(of(live))),
    atMost(`${name}: delay p95`, delayMax, "seconds", ({ live }) => live && of(live)?.p95),
  ];
}

function atLeast(name: string, bar: number, figure: Bar["figure"]): Bar {
  return { name, relation: "at least", bar, unit: "share", figure };
}

function atMost(name: string, bar: number, unit: Unit, figure: Bar["figure"]): Bar {
  return { name, relation: "at most", bar, unit, figure };
}

/** The number of wrong verdicts, if any recording could be replayed. */
function ofReplayed({ cases, replayed }: LiveFigures, wrong: readonly unknown[]): number | null {
  return cases > 0 && replayed > 0 ? wrong.length : null;
}

const hasFound = ({ states }: LiveFigures): boolean => Object.values(states).some(({ detected }) => detected > 0);

function detectedShare(detection: Detection | undefined): number | null {
  return detection ? share(detection.detected, detection.of) : null;
}

function share(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
