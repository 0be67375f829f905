/** The repository's own recordings against their labels; `test/replay` has more tests of replay itself. */
import { describe, expect, it } from "vitest";
import { type LiveCase, scoreLive } from "../../src/eval/live.js";
import { parseLiveTruth } from "../../src/eval/truth.js";
import { SOURCE_NAMES, type SourceName } from "../../src/replay/case-folder.js";
import { replayCase } from "../../src/replay/replay-case.js";
import { caseFolders, OWN_CASES } from "../support/recordings.js";

const OWN = caseFolders(OWN_CASES);

describe("the project's own recordings", () => {
  const scored = async (sources: readonly SourceName[]) => {
    const cases: LiveCase[] = [];
    for (const path of OWN) {
      const { case: name, meta, timeline } = await replayCase(path, { sources: new Set(sources), zone: "UTC" });
      const truth = parseLiveTruth(meta);
      expect(truth, name).not.toBeNull();
      if (truth) cases.push({ name, truth, timeline });
    }
    return scoreLive(cases);
  };

  it("meet every bar with all sources: every problem found in time, held, with its cause, and no false alarm", async () => {
    const { misses, notHeld, wrongCause, falseAlarms, falseCompletions, total } = await scored(SOURCE_NAMES);
    expect({ misses, notHeld, wrongCause, falseAlarms, falseCompletions }).toEqual({
      misses: [],
      notHeld: [],
      wrongCause: [],
      falseAlarms: [],
      falseCompletions: [],
    });
    expect(total.of).toBeGreaterThanOrEqual(20);
  });

  it("meet the bars with the screen alone, and a headless run with its stream", async () => {
    const { misses, falseAlarms, falseCompletions } = await scored(["screen", "stream"]);
    expect({ misses, falseAlarms, falseCompletions }).toEqual({ misses: [], falseAlarms: [], falseCompletions: [] });
  });
});
