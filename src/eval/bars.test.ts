import { describe, expect, it } from "vitest";
import type { State } from "../core/states.js";
import { BARS, checkBars } from "./bars.js";
import { scoreEvents } from "./events.js";
import { scoreLive } from "./live.js";
import { scoreResetTimes } from "./reset-times.js";
import { scoreSessions } from "./sessions.js";

function entry(t: number, state: State) {
  return { t, state, cause: null, confidence: 1, until: null, reasons: [] };
}

function live(truth: string, delay: number) {
  const timeline: [number, string][] = [
    [0, "working"],
    [10, truth],
  ];
  const said = [entry(0, "working"), entry(10 + delay, truth === "hung" ? "stuck" : "complete")];
  return scoreLive([{ name: "a/b", truth: { agent: "claude", timeline, end: 400 }, timeline: said }]);
}

function met(figures: Parameters<typeof checkBars>[0], name: string) {
  return checkBars(figures).find((bar) => bar.name === name)?.met;
}

describe("bars", () => {
  it("have unique names", () => {
    expect(new Set(BARS.map(({ name }) => name)).size).toBe(BARS.length);
  });

  it("are neither met nor missed without cases", () => {
    const empty = {
      live: scoreLive([]),
      events: scoreEvents([]),
      resetTimes: scoreResetTimes([]),
      sessions: scoreSessions([]),
    };
    expect(checkBars(empty).every(({ met, figure }) => met === null && figure === null)).toBe(true);
    expect(checkBars({}).every(({ met, figure }) => met === null && figure === null)).toBe(true);
  });

  it("are not met if no recording could be read", () => {
    const truth = { agent: "claude", timeline: [[0, "working"]] as [number, string][], end: 60 };
    expect(met({ live: scoreLive([{ name: "a/b", truth, timeline: null }]) }, "false alarms")).toBeNull();
  });

  it("separate results at 5 s from results at 6 s", () => {
    expect(met({ live: live("done", 5) }, "prompts, limits, errors, results: delay p95")).toBe(true);
    expect(met({ live: live("done", 6) }, "prompts, limits, errors, results: delay p95")).toBe(false);
  });

  it("give a hang two minutes", () => {
    expect(met({ live: live("hung", 120) }, "hung: delay p95")).toBe(true);
    expect(met({ live: live("hung", 121) }, "hung: delay p95")).toBe(false);
  });

  it("allow no false alarm", () => {
    const truth = { agent: "claude", timeline: [[0, "working"]] as [number, string][], end: 60 };
    const figures = scoreLive([{ name: "a/b", truth, timeline: [entry(20, "stuck")] }]);
    expect(checkBars({ live: figures }).find(({ name }) => name === "false alarms")).toEqual({
      name: "false alarms",
      relation: "at most",
      bar: 0,
      unit: "count",
      figure: 1,
      met: false,
    });
  });

  it("require four of five loops in the event streams", () => {
    const cases = (found: number) =>
      Array.from({ length: 5 }, (_, index) => ({
        truth: { id: `${index}`, family: "f", nature: "semantic", expect: "loop" as const, judge: "any" as const },
        timeline: [{ ...entry(0, index < found ? "stuck" : "working"), cause: "loop" as const }],
      }));
    expect(met({ events: scoreEvents(cases(4)) }, "event streams: recall")).toBe(true);
    expect(met({ events: scoreEvents(cases(3)) }, "event streams: recall")).toBe(false);
  });

  it("require every reset time to the minute", () => {
    const truth = { id: "a", text: "", now: 0, zone: null, until: "2026-11-15T18:48:00Z" };
    const score = (until: string) => ({
      resetTimes: scoreResetTimes([
        { truth, until: truth.until },
        { truth, until },
      ]),
    });
    expect(met(score("2026-11-15T18:48:59.000Z"), "reset times: correct")).toBe(true);
    expect(met(score("2026-11-15T18:49:00.000Z"), "reset times: correct")).toBe(false);
  });

  it("allow one alarm in twenty agent-hours", () => {
    const score = (hours: number) =>
      scoreSessions([
        {
          file: "a",
          segments: [{ file: "a", label: "working", start: 0, end: hours * 3_600_000, doing: "" }],
          timeline: [entry(60, "stuck")],
        },
      ]);
    expect(met({ sessions: score(20) }, "sessions: alarms")).toBe(true);
    expect(met({ sessions: score(19) }, "sessions: alarms")).toBe(false);
  });
});
