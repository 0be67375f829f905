/**
 * Scores verdicts on single screens. A third of them are traps that only look like trouble: on those an alarm is
 * worse than a merely wrong state, so it is counted apart. Screens that cannot be told from one frame are left out.
 */
import { type Cause, STATES, type State } from "../core/states.js";
import { ALARMS } from "./timeline.js";

export interface ScreenTruth {
  id: string;
  state: string;
  /** Further states that are right for this screen. */
  also: readonly string[];
  negative: boolean;
  singleFrame: boolean;
  /** The reset time that the screen tells, ISO 8601 in UTC. */
  until: string | null;
}

/** What `rouse replay --screens --json` prints for one screen. */
export interface ScreenVerdict {
  state: State;
  cause: Cause | null;
  until: string | null;
  reasons?: string[];
}

export interface ScreenCase {
  truth: ScreenTruth;
  verdict: ScreenVerdict | null;
}

export interface WrongScreen {
  case: string;
  truth: string;
  negative: boolean;
  verdict: ScreenVerdict | null;
}

export interface WrongReset {
  case: string;
  expected: string;
  until: string | null;
}

export interface ScreenFigures {
  right: number;
  of: number;
  negatives: number;
  negativeAlarms: number;
  resetsRight: number;
  resetsOf: number;
  wrong: WrongScreen[];
  wrongResets: WrongReset[];
}

const RIGHT = new Map<string, readonly State[]>([
  ["working", ["working", "waiting", "idle", "complete", "starting", "unknown"]],
  ["thinking", ["working", "waiting"]],
  ["stuck", ["stuck", "error"]],
  ["needs_input", ["needs_input"]],
  ["rate_limited", ["rate_limited"]],
  ["api_error", ["error", "waiting", "stuck"]],
  ["complete", ["complete", "idle"]],
  ["loop", ["stuck", "needs_input"]],
  ["compacting", ["waiting", "working"]],
  ["crashed", ["gone", "error"]],
]);
/** A screen that no verdict could be right for is mislabelled. */
export const canBeRight = ({ state, also }: ScreenTruth): boolean =>
  RIGHT.has(state) || also.some((other) => (STATES as readonly string[]).includes(other));

/** Length of `2026-11-15T12:00`: a reset time has to be right to the minute. */
const TO_THE_MINUTE = 16;

export function scoreScreens(cases: readonly ScreenCase[]): ScreenFigures {
  const scored = cases.filter(({ truth }) => truth.singleFrame);
  const negatives = scored.filter(({ truth }) => truth.negative);
  const resets = scored.filter(({ truth, verdict }) => truth.until !== null && verdict?.state === "rate_limited");
  const wrong = scored.filter((one) => !isRight(one) || isAlarmOnNegative(one));
  const wrongResets = resets.filter((one) => !isResetRight(one));
  return {
    right: scored.filter(isRight).length,
    of: scored.length,
    negatives: negatives.length,
    negativeAlarms: negatives.filter(isAlarmOnNegative).length,
    resetsRight: resets.length - wrongResets.length,
    resetsOf: resets.length,
    wrong: wrong.map(({ truth: { id, state, negative }, verdict }) => ({ case: id, truth: state, negative, verdict })),
    wrongResets: wrongResets.map(({ truth, verdict }) => ({
      case: truth.id,
      expected: truth.until ?? "",
      until: verdict?.until ?? null,
    })),
  };
}

function isRight({ truth, verdict }: ScreenCase): boolean {
  if (!verdict) return false;
  return (RIGHT.get(truth.state)?.includes(verdict.state) ?? false) || truth.also.includes(verdict.state);
}

function isAlarmOnNegative({ truth, verdict }: ScreenCase): boolean {
  return truth.negative && verdict !== null && ALARMS.has(verdict.state);
}

function isResetRight({ truth, verdict }: ScreenCase): boolean {
  return verdict?.until?.slice(0, TO_THE_MINUTE) === truth.until?.slice(0, TO_THE_MINUTE);
}
