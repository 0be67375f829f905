import { expect, it } from "vitest";
import { wilsonInterval } from "../../core/incidents/recovery-score.js";
import { metricsText } from "./metrics.js";

it("prints a step beside its baseline, and no rate for fewer than five tries", () => {
  const text = metricsText(
    [
      { problem: "crash", step: "resume", arm: "acted", tried: 4, recovered: 3, ...wilsonInterval(3, 4) },
      { problem: "silent_stream", step: "interrupt", arm: "acted", tried: 10, recovered: 9, ...wilsonInterval(9, 10) },
      { problem: "silent_stream", step: "interrupt", arm: "shadow", tried: 5, recovered: 1, ...wilsonInterval(1, 5) },
    ],
    { columns: 80 },
  );
  expect(text).toBe(`PROBLEM        STEP       ARM     RECOVERED  RATE (95% INTERVAL)
crash          resume     acted   3 of 4     too few to compare
silent_stream  interrupt  acted   9 of 10    90% (60% to 98%)
silent_stream  interrupt  shadow  1 of 5     20% (4% to 62%)

Recovered within 10 minutes; shadow: without the step, which was not permitted.
`);
});
