import { describe, expect, it } from "vitest";
import type { Assessment } from "./assess.js";
import { addEntry, type TimelineEntry } from "./timeline.js";

const said = (at: number, fields: Partial<Assessment>): Assessment => ({
  state: "working",
  cause: null,
  confidence: 0.9,
  until: null,
  reasons: ["A turn is running"],
  level: "act",
  kinds: [],
  at: 5000 + at * 1000,
  ruleset: 1,
  recheckAt: null,
  ...fields,
});

function story(...assessments: Assessment[]): TimelineEntry[] {
  const timeline: TimelineEntry[] = [];
  for (const assessment of assessments) addEntry(timeline, assessment, 5000);
  return timeline;
}

describe("a timeline", () => {
  it("has an entry at every change of state or cause, and none between", () => {
    const timeline = story(
      said(0, {}),
      said(1, { confidence: 0.5 }),
      said(2, { state: "stuck", cause: "loop" }),
      said(3, { state: "stuck", cause: "silent_stream" }),
    );
    expect(timeline.map(({ t, state, cause }) => [t, state, cause])).toEqual([
      [0, "working", null],
      [2, "stuck", "loop"],
      [3, "stuck", "silent_stream"],
    ]);
  });

  it("adds the end of a limit when it becomes known, and again only when it changes", () => {
    const limit = (at: number, until: number | null) => said(at, { state: "rate_limited", cause: "limit", until });
    const timeline = story(limit(0, null), limit(1, 3_600_000), limit(2, 3_601_000), limit(3, 7_200_000));
    expect(timeline.map((entry) => entry.until)).toEqual([
      null,
      "1970-01-01T01:00:00.000Z",
      "1970-01-01T02:00:00.000Z",
    ]);
  });

  it("completes a prompt with the text of a source that reports it shortly after", () => {
    const asked = (at: number, reason: string) =>
      said(at, { state: "needs_input", cause: "permission", reasons: [reason] });
    expect(story(asked(0, "a title says so"), asked(1, "Run rm?"))).toMatchObject([{ t: 0, reasons: ["Run rm?"] }]);
    expect(story(asked(0, "a title says so"), asked(9, "Run rm?"))).toMatchObject([{ reasons: ["a title says so"] }]);
  });

  it("is safe to show and accepts times that Date cannot represent", () => {
    const [entry] = story(said(0, { reasons: ["\u001b[31mred\u0007"], until: 1e300 }));
    expect(entry).toMatchObject({ reasons: ["[31mred"], until: null });
  });
});
