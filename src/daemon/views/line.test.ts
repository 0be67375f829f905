import { describe, expect, it } from "vitest";
import { moveOf } from "../../core/move.js";
import { lineOf } from "./line.js";

type Agent = Parameters<typeof lineOf>[0][number];
type Problem = Parameters<typeof lineOf>[1][number];

const agent = (name: string, state: Agent["state"], more: Partial<Agent> = {}): Agent => ({
  name,
  state,
  move: moveOf({ state, cause: null }),
  healthy: !["stuck", "error", "needs_input", "gone", "unknown"].includes(state),
  until: null,
  started_at: "2026-11-15T10:00:00.000Z",
  ended_at: null,
  ...more,
});
const problem = (name: string, more: Partial<Problem> = {}): Problem => ({
  agent: name,
  problem: "silent_stream",
  phase: "confirmed",
  acked_at: null,
  silenced_until: null,
  feedback: null,
  allowed: false,
  next: { do: "interrupt", at: null, reason: "" },
  ...more,
});
const NOTHING = {
  ok: 0,
  limited: 0,
  until: null,
  recovering: 0,
  stalled: 0,
  acknowledged: 0,
  needs_you: [],
  more: 0,
};
const ENDED = { ended_at: "2026-11-15T11:00:00.000Z" };

describe("the figures of a status line", () => {
  it("count healthy and stalled agents, and name those that need the user", () => {
    const agents = [
      agent("a", "idle"),
      agent("b", "working"),
      agent("c", "stuck"),
      agent("d", "needs_input"),
      agent("e", "stuck", { move: "you" }),
    ];
    const escalated = { phase: "escalated", next: { do: null, at: null, reason: "" } } as const;
    expect(lineOf(agents, [problem("c"), problem("d"), problem("e", escalated)])).toEqual({
      ...NOTHING,
      ok: 2,
      stalled: 1,
      needs_you: [
        { name: "d", why: "asks" },
        { name: "e", why: "stuck" },
      ],
    });
  });

  it.each<[Agent["state"], Agent["move"]]>([
    ["needs_input", "you"],
    ["stuck", "you"],
    ["error", "you"],
    ["unknown", "you"],
    ["working", "you"],
    ["stuck", "none"],
    ["gone", "none"],
    ["error", "provider"],
    ["waiting", "child"],
    ["working", "agent"],
    ["complete", "you"],
    ["idle", "you"],
  ])("name an agent in %s whose move is %s if the move is yours and it is no result or idle agent", (state, move) => {
    const isNamed = lineOf([agent("a", state, { move })], []).needs_you.length === 1;
    expect(isNamed).toBe(move === "you" && state !== "complete" && state !== "idle");
  });

  it("name an agent at its prompt if rouse gave up on it", () => {
    const up = problem("a", { problem: "crash", allowed: true, phase: "escalated", next: null });
    expect(lineOf([agent("a", "idle")], [up]).needs_you).toEqual([{ name: "a", why: "problem" }]);
  });

  it("show no need for the user while rouse recovers an agent, and show it after rouse gave up", () => {
    const agents = [agent("a", "stuck")];
    expect(lineOf(agents, [problem("a", { allowed: true })])).toEqual({ ...NOTHING, recovering: 1 });
    const up = problem("a", { allowed: true, phase: "escalated", next: { do: null, at: null, reason: "" } });
    expect(lineOf(agents, [up]).needs_you).toEqual([{ name: "a", why: "stuck" }]);
  });

  it.each(["stuck", "working"] as const)(
    "count an agent that is %s as recovering until its recovery is proven",
    (state) => {
      const acting = { allowed: true, phase: "acting", next: { do: null, at: null, reason: "" } } as const;
      expect(lineOf([agent("a", state)], [problem("a", acting)])).toEqual({ ...NOTHING, recovering: 1 });
    },
  );

  it.each([
    ["was acknowledged", { acked_at: "2026-11-15T10:30:00.000Z" }],
    ["is silenced", { silenced_until: "2026-11-15T12:30:00.000Z" }],
    ["was a false alarm", { feedback: "false-alarm" as const }],
  ])("show no need for the user when the agent %s", (_, more) => {
    expect(lineOf([agent("a", "error")], [problem("a", more)])).toEqual({ ...NOTHING, acknowledged: 1 });
  });

  it("include the earliest reset of a limit", () => {
    const until = "2026-11-15T12:00:00.000Z";
    const agents = [
      agent("a", "rate_limited", { until: "2026-11-15T13:00:00.000Z" }),
      agent("b", "rate_limited", { until }),
    ];
    expect(lineOf(agents, [])).toEqual({ ...NOTHING, limited: 2, until });
  });

  it("leave out ended agents unless the end is a problem, and use the newest session", () => {
    const later = { started_at: "2026-11-15T10:30:00.000Z" };
    const escalated = problem("crashed", { phase: "escalated" });
    const agents = [
      agent("done", "complete", ENDED),
      agent("crashed", "gone", ENDED),
      agent("again", "working", later),
      agent("again", "gone", ENDED),
    ];
    expect(lineOf(agents, [escalated])).toEqual({
      ...NOTHING,
      ok: 1,
      needs_you: [{ name: "crashed", why: "gone" }],
    });
  });

  it("name a working agent over its budget, up to the limit of names", () => {
    const over = problem("a", { problem: "over_budget", phase: "escalated", next: null });
    expect(lineOf([agent("a", "working")], [over]).needs_you).toEqual([{ name: "a", why: "over budget" }]);
    const many = Array.from({ length: 14 }, (_, i) => agent(`a${i}`, "unknown"));
    expect(lineOf(many, [])).toMatchObject({ needs_you: { length: 10 }, more: 4 });
  });
});
