import { describe, expect, it } from "vitest";
import { sessionOf } from "../../../test/support/sessions.js";
import { START } from "../../../test/support/steps.js";
import type { AgentSession } from "../../core/agent.js";
import { SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { HOUR, MINUTE } from "../../core/text/time.js";
import { checkOf } from "./check.js";

const CHECK_HOURS = { warning_hours: 2, critical_hours: 6, auto_resume_hours: 12 };

function agent(name: string, signals: readonly Signal[] = [], more: Partial<AgentSession> = {}): SessionJudge {
  const session = sessionOf({ id: `id-${name}`, name, ...more });
  const judge = new SessionJudge(session, START);
  judge.take(signals, START);
  return judge;
}

const check = (judge: SessionJudge, hours: number, activityCheck = true) => {
  judge.judge(START + hours * HOUR);
  const [checked] = checkOf([judge], START + hours * HOUR, () => ({ ...CHECK_HOURS, activityCheck }));
  return checked;
};

const turn: Signal = { kind: "turn", at: START, source: "transcript", phase: "start", byUser: true };
const commit = (hours: number): Signal => ({
  kind: "commit",
  at: START + hours * HOUR - 5 * MINUTE,
  source: "workspace",
  id: `c${hours}`,
});

describe("checkOf", () => {
  it("uses the confidence threshold of the agent's settings", () => {
    const judge = agent("a", [turn, commit(8)]);
    expect(check(judge, 8)).toMatchObject({ category: "warning", activity: { is_active: true } });
    judge.settings = { min_confidence_threshold: 0.99 };
    expect(check(judge, 8)).toMatchObject({ category: "critical", activity: { is_active: false } });
  });

  it.each([
    [0, "fresh"],
    [1.99, "fresh"],
    [2, "warning"],
    [5.99, "warning"],
    [6, "critical"],
    [11.99, "critical"],
    [12, "auto-resume"],
    [100, "auto-resume"],
  ] as const)("rates an agent whose last sign is %d h old as %s", (hours, category) => {
    expect(check(agent("a", [turn]), hours)).toMatchObject({
      category,
      category_by_age: category,
      capped_because: null,
      age_secs: Math.round(hours * 3600),
    });
  });

  it("does not escalate an agent that commits, and names the source", () => {
    expect(check(agent("a", [turn, commit(13)]), 13)).toMatchObject({
      category: "warning",
      category_by_age: "auto-resume",
      capped_because: "other sources show activity",
      activity: { known: true, is_active: true, confidence: 0.7, sources: ["git_commit"] },
    });
  });

  it("does not count a commit from before the agent's start", () => {
    const old: Signal = { kind: "commit", at: START - MINUTE, source: "workspace", id: "c0" };
    const word: Signal = { ...turn, source: "screen" } as Signal;
    expect(check(agent("a", [old, word]), 0.1)?.activity).toMatchObject({ is_active: false, sources: [] });
  });

  it("uses only the age if the activity check is turned off", () => {
    expect(check(agent("a", [turn, commit(13)]), 13, false)).toMatchObject({ category: "auto-resume", activity: null });
  });

  it("does not recommend resuming an agent that is done", () => {
    const end: Signal = { kind: "turn", at: START + MINUTE, source: "transcript", phase: "end" };
    expect(check(agent("a", [turn, end]), 13)).toMatchObject({ category: "warning", state: "complete" });
  });

  it("never recommends resuming an agent that waits for an answer: it is at most critical", () => {
    const asks: Signal = {
      kind: "prompt",
      at: START,
      source: "hook",
      open: true,
      prompt: "confirmation",
      question: "y?",
    };
    expect(check(agent("a", [turn, asks]), 13)).toMatchObject({
      state: "needs_input",
      category: "critical",
      category_by_age: "auto-resume",
      capped_because: "it is waiting for an answer",
    });
  });

  it("escalates if the agent could not be observed, and reports its activity as unknown", () => {
    expect(check(agent("a"), 7)).toMatchObject({ category: "critical", activity: { known: false, is_active: false } });
  });

  it("does not count time in which the machine slept", () => {
    const gap: Signal = {
      kind: "gap",
      at: START + 8 * HOUR,
      source: "observer",
      from: START + HOUR,
      to: START + 8 * HOUR,
    };
    expect(check(agent("a", [turn, gap]), 8)).toMatchObject({ category: "fresh", age_secs: 3600 });
  });

  it("lists the longest silent agent first and leaves out ended agents", () => {
    const late: Signal = { ...turn, at: START + HOUR };
    const all = [agent("late", [late]), agent("early", [turn]), agent("over", [], { endedAt: START + 1 })];
    const checked = checkOf(all, START + 3 * HOUR, () => ({ ...CHECK_HOURS, activityCheck: true }));
    expect(checked.map(({ name }) => name)).toEqual(["early", "late"]);
  });

  it("uses the hours configured for each agent's folder", () => {
    const all = [agent("strict", [turn], { workspace: "/strict" }), agent("usual", [turn], { workspace: "/usual" })];
    const checked = checkOf(all, START + 3 * HOUR, ({ workspace }) => ({
      ...CHECK_HOURS,
      critical_hours: workspace === "/strict" ? 3 : 6,
      activityCheck: false,
    }));
    expect(checked.map(({ name, category }) => [name, category])).toEqual([
      ["strict", "critical"],
      ["usual", "warning"],
    ]);
  });
});
