/** Scores the reader of reset times on recorded texts of limits: each must be right to the minute. */

export interface ResetTruth {
  id: string;
  text: string;
  /** When the text was recorded, and the zone of the terminal's user; null: that of the run. */
  now: number;
  zone: string | null;
  /** When the limit ends, ISO 8601 in UTC. Null: the text has no such time, and is not scored. */
  until: string | null;
}

export interface ResetCase {
  truth: ResetTruth & { until: string };
  /** The result, ISO 8601 in UTC. */
  until: string | null;
}

export interface ResetFigures {
  right: number;
  of: number;
  wrong: { case: string; expected: string; until: string | null }[];
}

/** Length of `2026-11-15T12:00`. */
const TO_THE_MINUTE = 16;

export function scoreResetTimes(cases: readonly ResetCase[]): ResetFigures {
  const wrong = cases.filter(
    ({ truth, until }) => until?.slice(0, TO_THE_MINUTE) !== truth.until.slice(0, TO_THE_MINUTE),
  );
  return {
    right: cases.length - wrong.length,
    of: cases.length,
    wrong: wrong.map(({ truth, until }) => ({ case: truth.id, expected: truth.until, until })),
  };
}
