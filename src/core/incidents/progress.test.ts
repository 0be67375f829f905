import { describe, expect, it } from "vitest";
import type { ActionName, ActionRecord } from "../action.js";
import type { Problem } from "./problem.js";
import { isProven, type ProgressTimes } from "./progress.js";

const NONE: ProgressTimes = { workAt: null, outcomeAt: null, turnAt: null };
const SEEN = 100;

const action = (name: ActionName, at: number, result?: "done" | "failed"): ActionRecord =>
  ({ do: name, at, outcome: result ? { result } : null }) as ActionRecord;

const proves = (progress: Partial<ProgressTimes>, problem: Problem = "silent_stream", tried?: ActionRecord): boolean =>
  isProven({ ...NONE, ...progress }, problem, SEEN, tried);

describe("a recovery", () => {
  it("is proven by work that is newer than the problem", () => {
    expect(proves({})).toBe(false);
    expect(proves({ workAt: 100 })).toBe(false);
    expect(proves({ workAt: 101 })).toBe(true);
  });

  it.each<Problem>(["loop", "no_progress", "repeated_error"])(
    "of %s needs a new outcome: more work is no proof",
    (problem) => {
      expect(proves({ workAt: 101 }, problem)).toBe(false);
      expect(proves({ outcomeAt: 101 }, problem)).toBe(true);
      expect(proves({ outcomeAt: 101 }, "silent_stream")).toBe(false);
    },
  );

  it("after a nudge needs work in a turn that began after the nudge", () => {
    const nudge = action("nudge", 200, "done");
    expect(proves({ workAt: 150 }, "api", nudge)).toBe(false);
    expect(proves({ workAt: 210 }, "api", nudge)).toBe(false);
    expect(proves({ workAt: 210, turnAt: 199 }, "api", nudge)).toBe(false);
    expect(proves({ workAt: 210, turnAt: 200 }, "api", nudge)).toBe(true);
    // Records of an earlier turn that are read after the start of the next one.
    expect(proves({ workAt: 210, turnAt: 211 }, "api", nudge)).toBe(false);
  });

  it("after an interrupt that failed may come in the same turn, since that turn continues", () => {
    expect(proves({ workAt: 210, turnAt: 50 }, "silent_stream", action("interrupt", 200, "failed"))).toBe(true);
    expect(proves({ workAt: 210, turnAt: 50 }, "silent_stream", action("nudge", 200, "failed"))).toBe(false);
  });

  it("after an action that starts no turn needs only work that is newer than the action", () => {
    expect(proves({ workAt: 199 }, "tool_hang", action("end_child", 200))).toBe(false);
    expect(proves({ workAt: 201 }, "tool_hang", action("end_child", 200))).toBe(true);
  });
});
