import { expect, it } from "vitest";
import type { FiguresView, MetricsView } from "../../api/service/incidents.js";
import { wilsonInterval } from "../../core/incidents/recovery-score.js";
import { metricsText } from "./metrics.js";

const none = { value: null, high: null, count: 0, of: 0, met: null };
const NONE: FiguresView = {
  stalls: 0,
  missed: 0,
  false_alarms: 0,
  unrated: 0,
  detection: none,
  recovery: none,
  false_positives: none,
  time_to_recovery: none,
};
const view = (more: Partial<MetricsView>): MetricsView => ({
  since: "2026-10-26T00:00:00.000Z",
  until: "2026-11-19T08:00:00.000Z",
  overall: NONE,
  by_cause: [],
  by_agent: [],
  by_week: [],
  recoveries: [],
  ...more,
});

it("prints each figure with its target and what it is based on, and says when that is not enough", () => {
  const overall: FiguresView = {
    ...NONE,
    stalls: 24,
    missed: 1,
    unrated: 2,
    detection: { value: 0.96, high: 0.96, count: 24, of: 25, met: true },
    recovery: { ...none, count: 2, of: 3 },
    false_positives: { value: 0, high: 2 / 34, count: 0, of: 34, met: null },
    time_to_recovery: { value: 26.4, high: 26.4, count: 8, of: 8, met: false },
  };
  const by_week = [{ ...overall, week: "2026-11-16" }];
  expect(metricsText(view({ overall, by_week }), "week", { columns: 120 })).toBe(`Stalls since 2026-10-26

FIGURE            VALUE            TARGET    RESULT  BASED ON
Stall detection   96%              >= 90%    met     24 of 25 stalls
Recovery success  not enough data  >= 70%    -       2 of 3 stalls that rouse acted on (needs 5)
False positives   0% to 6%         < 5%      open    0 of 34 agent runs; 2 stalls not rated
Time to recovery  26 min           < 25 min  missed  8 recoveries

WEEK        DETECTED  RECOVERED  FALSE POSITIVES  NOT RATED  TIME TO RECOVERY
2026-11-16  24 of 25  2 of 3     0 of 34          2          26 min

No recovery steps to measure yet. A step counts after 10 minutes.
`);
});

it("prints a step beside its baseline, and no rate for fewer than five tries", () => {
  const text = metricsText(
    view({
      recoveries: [
        { problem: "crash", step: "resume", arm: "acted", tried: 4, recovered: 3, ...wilsonInterval(3, 4) },
        {
          problem: "silent_stream",
          step: "interrupt",
          arm: "acted",
          tried: 10,
          recovered: 9,
          ...wilsonInterval(9, 10),
        },
        { problem: "silent_stream", step: "interrupt", arm: "shadow", tried: 5, recovered: 1, ...wilsonInterval(1, 5) },
      ],
    }),
    "cause",
    { columns: 80 },
  );
  expect(text.slice(text.indexOf("PROBLEM"))).toBe(`PROBLEM        STEP       ARM     RECOVERED  RATE (95% INTERVAL)
crash          resume     acted   3 of 4     too few to compare
silent_stream  interrupt  acted   9 of 10    90% (60% to 98%)
silent_stream  interrupt  shadow  1 of 5     20% (4% to 62%)

Recovered within 10 minutes; shadow: without the step, which was not permitted.
`);
});
