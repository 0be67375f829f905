import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEventTruth, parseLiveTruth, parseResetTruth, parseSegmentTruth } from "./truth.js";

describe("truth", () => {
  it("reads a live case", () => {
    const meta = { agent: "codex", t_end: 12.5, timeline: [[0, "starting"]], notes: "not read" };
    expect(parseLiveTruth(meta)).toEqual({ agent: "codex", end: 12.5, timeline: [[0, "starting"]] });
  });

  it("reads a live case without labels as one without segments", () => {
    expect(parseLiveTruth({ agent: "codex", t_end: 3 })?.timeline).toEqual([]);
  });

  it("reads an event stream's label", () => {
    const row = { id: "a", family: "text", nature: "semantic", expect: "loop", eval: "end", events: [] };
    expect(parseEventTruth(row)).toEqual({ id: "a", family: "text", nature: "semantic", expect: "loop", judge: "end" });
  });

  it("reads when the text of a limit was seen, and accepts missing optional fields", () => {
    const row = { id: "a", text: "resets 9pm", now: "2026-01-01T00:00:01Z" };
    const truth = { id: "a", text: "resets 9pm", now: Date.UTC(2026, 0, 1) + 1000, zone: null, until: null };
    expect(parseResetTruth(row)).toEqual(truth);
    const full = { ...row, tz: "Europe/Berlin", until: "2026-01-01T20:00:00Z", state: "rate_limited" };
    expect(parseResetTruth(full)).toEqual({ ...truth, zone: "Europe/Berlin", until: "2026-01-01T20:00:00Z" });
  });

  it("reads a segment's times", () => {
    const row = { file: "a", label: "working", start: "2026-01-01T00:00:00.500Z", end: "2026-01-01T00:00:01Z" };
    expect(parseSegmentTruth(row)).toEqual({
      file: "a",
      label: "working",
      start: Date.UTC(2026, 0, 1) + 500,
      end: Date.UTC(2026, 0, 1) + 1000,
      doing: "",
    });
  });

  it("refuses a segment with an invalid time", () => {
    expect(parseSegmentTruth({ file: "a", label: "working", start: "yesterday", end: "today" })).toBeNull();
  });

  it("gives null for anything else", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const parse of [parseLiveTruth, parseEventTruth, parseResetTruth, parseSegmentTruth]) {
          expect(parse(value)).toBeNull();
        }
      }),
    );
  });
});
