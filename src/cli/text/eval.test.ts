import { describe, expect, it } from "vitest";
import { checkBars } from "../../eval/bars.js";
import { scoreEvents } from "../../eval/events.js";
import { scoreLive } from "../../eval/live.js";
import { scoreResetTimes } from "../../eval/reset-times.js";
import { scoreSessions } from "../../eval/sessions.js";
import { figuresText, worstText } from "./eval.js";

describe("the scores as text", () => {
  it("have a line for each bar, and say which is met, missed or without cases", () => {
    const bar = { name: "false alarms", unit: "count" as const, relation: "<=" as const, bar: 0, figure: 1 };
    const text = figuresText(
      {},
      [
        { ...bar, met: false },
        { ...bar, met: true, figure: 0 },
        { ...bar, met: null, figure: null },
      ] as unknown as Parameters<typeof figuresText>[1],
      { colour: false, columns: 100 },
    );
    expect(text.match(/MISSED|\bmet\b|no cases/g)).toEqual(["MISSED", "met", "no cases"]);
  });

  it.each([60, 80, 100])("fit a terminal of %d columns, and break between words", (columns) => {
    const events = { ...scoreEvents([]), cases: 111 };
    const sessions = { ...scoreSessions([]), sessions: 87 };
    const figures = { live: scoreLive([]), events, resetTimes: scoreResetTimes([]), sessions };
    const text = figuresText(figures, checkBars(figures), { colour: false, columns });
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(text.replace(/\s+/g, " ")).toContain("prompts, limits, errors, results: delay p95 – ≤ 5 s no cases");
  });

  it("list late verdicts, and the verdicts that replaced one that did not hold", () => {
    const working = { t: 111, state: "working" as const, cause: null, reasons: ["A turn is running (title)"] };
    const live = {
      ...scoreLive([]),
      late: [{ case: "claude/a", truth: "waiting_input", from: 61, delay: 6.04, within: 5, instead: [working] }],
      notHeld: [{ case: "claude/b", truth: "waiting_input", share: 0.1, instead: [working] }],
    };
    const text = worstText({ live }, false);
    expect(text).toContain(
      "late: waiting_input in claude/a at 1:01.0, reported after 6.0 s, not within 5 s\n      1:51.0 working: A turn is running (title)",
    );
    expect(text).toContain("did not last: waiting_input in claude/b\n      1:51.0 working: A turn is running (title)");
  });

  it("say that there are no errors", () => {
    expect(worstText({}, false)).toBe("\nno errors\n");
  });
});
