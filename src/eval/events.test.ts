import { describe, expect, it } from "vitest";
import type { Cause, State } from "../core/states.js";
import { type EventCase, scoreEvents } from "./events.js";

function eventCase(
  expected: "loop" | "not_loop",
  said: readonly (readonly [State, Cause?])[] | null,
  { judge = "any", nature = "semantic" }: { judge?: "any" | "end"; nature?: string } = {},
): EventCase {
  const entries = said?.map(([state, cause], t) => {
    return { t, state, cause: cause ?? null, confidence: 1, until: null, reasons: [`${state} at ${t}`] };
  });
  return { truth: { id: "c-1", family: "tool_repeat", nature, expect: expected, judge }, timeline: entries ?? null };
}

const LOOP = ["stuck", "loop"] as const;

describe("the score of loop verdicts", () => {
  const table: { name: string; case: EventCase; right: boolean }[] = [
    { name: "finds a loop in any entry", case: eventCase("loop", [["working"], LOOP, ["working"]]), right: true },
    {
      name: "judges only the last entry if required",
      case: eventCase("loop", [LOOP, ["working"]], { judge: "end" }),
      right: false,
    },
    { name: "counts repeated errors as a loop", case: eventCase("loop", [["stuck", "repeated_error"]]), right: true },
    {
      name: "does not count a silent stream as a loop",
      case: eventCase("loop", [["stuck", "silent_stream"]]),
      right: false,
    },
    {
      name: "counts a loop in a case without one as wrong",
      case: eventCase("not_loop", [LOOP, ["working"]]),
      right: false,
    },
    {
      name: "ignores a withdrawn loop if only the end counts",
      case: eventCase("not_loop", [LOOP, ["working"]], { judge: "end" }),
      right: true,
    },
    { name: "counts a case without a timeline as no loop", case: eventCase("loop", null), right: false },
  ];
  for (const row of table) {
    it(row.name, () => expect(scoreEvents([row.case]).wrong).toHaveLength(row.right ? 0 : 1));
  }

  it("gives precision and recall for semantic cases, and for all cases", () => {
    const figures = scoreEvents([
      eventCase("loop", [LOOP]),
      eventCase("loop", [["working"]]),
      eventCase("not_loop", [["working"]]),
      eventCase("not_loop", [LOOP], { nature: "contested" }),
    ]);
    expect(figures.semantic).toMatchObject({ precision: 1, recall: 0.5, truePositives: 1, trueNegatives: 1 });
    expect(figures.all).toMatchObject({ precision: 0.5, recall: 0.5, falsePositives: 1, falseNegatives: 1 });
  });

  it("has no precision without cases, and no recall without loops", () => {
    expect(scoreEvents([]).all).toMatchObject({ precision: null, recall: null });
    expect(scoreEvents([eventCase("not_loop", [["working"]])]).all).toMatchObject({ precision: 1, recall: null });
  });

  it("is precise and finds nothing without verdicts", () => {
    expect(scoreEvents([eventCase("loop", [])]).all).toMatchObject({ precision: 1, recall: 0 });
  });

  it("gives the reasons of the entry that was wrong", () => {
    expect(scoreEvents([eventCase("not_loop", [["working"], LOOP, ["idle"]])]).wrong[0]?.said).toEqual({
      t: 1,
      state: "stuck",
      cause: "loop",
      reasons: ["stuck at 1"],
    });
  });
});
