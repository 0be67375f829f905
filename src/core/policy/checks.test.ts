import { describe, expect, it } from "vitest";
import { assessed, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { POLICIES } from "./builtin.js";
import type { ActionFacts } from "./facts.js";
import { interrupt, nudge, stop, when } from "./recovery-plans.js";

const reported = { level: "report", kinds: ["screen"] } as const;
const withPlan = (...plan: (typeof interrupt)[]): World =>
  new World({ ...POLICIES.default, plans: { ...POLICIES.default.plans, silent_stream: plan } });

describe("an interrupt on little evidence", () => {
  const early = { ...interrupt, when: when({ level: "report" }) };
  const stuck = assessed("stuck/silent_stream", { ...reported, kinds: ["screen"] });

  it("waits for the program's own timeout and 30 s more", () => {
    const world = withPlan(early);
    expect(world.watch(0, 340, stuck, { facts: { ownTimeoutMs: 300_000 } })).toEqual(["330 interrupt"]);
    const waiting = withPlan(early);
    waiting.watch(0, 100, stuck, { facts: { ownTimeoutMs: 300_000 } });
    expect(waiting.decisions.at(-1)).toMatchObject({
      reason: "waiting for the program's own timeout",
      recheckAt: START + 330_000,
    });
  });

  it("waits no longer than for confirmation if the program has no timeout", () => {
    expect(withPlan(early).watch(0, 80, stuck, { facts: { ownTimeoutMs: null } })).toEqual(["60 interrupt"]);
  });
});

it("says which evidence a stop has, and calls the user's own request by that name", () => {
  const world = withPlan({ ...stop, when: when({ level: "report" }) });
  world.watch(0, 90, assessed("stuck/silent_stream", { level: "act", kinds: ["person"] }));
  expect(world.decisions.at(-1)?.reason).toBe("stop needs two kinds of evidence; found: your request");
  const other = withPlan({ ...stop, when: when({ level: "report" }) });
  other.watch(0, 90, assessed("stuck/silent_stream", { level: "act", kinds: ["screen"] }));
  expect(other.decisions.at(-1)?.reason).toBe("stop needs two kinds of evidence; found: screen");
});

describe("the activity guard", () => {
  const early = assessed("stuck/stopped_early", { level: "report", kinds: ["record"] });
  const nudged = (send: boolean, may_ask: boolean) => {
    const world = new World();
    const guard = { send, may_ask, reason: "recent commits" } as NonNullable<ActionFacts["guard"]>;
    world.watch(0, 100, early, { facts: { guard, origin: "tmux" } });
    return world.done.map(({ action }) => `${action.do} ${action.say}`);
  };

  it("lets an instruction pass if it agrees, allows one question if rouse cannot see, and else nothing", () => {
    expect(nudged(true, false)).toEqual(["nudge continue"]);
    expect(nudged(false, true)).toEqual(["nudge are_you_there"]);
    expect(nudged(false, false)).toEqual([]);
  });
});

it("an action with an unknown outcome is observed for two minutes and then escalated, never repeated", () => {
  const world = new World();
  for (let at = 0; at <= 300; at += 5) world.check(at, "stuck/silent_stream", {}, "unknown");
  const done = world.done.map(({ at, action }) => `${(at - START) / 1000} ${action.do}`);
  expect(done).toEqual(["60 interrupt", "180 escalate"]);
});

it("an escalation says what was tried and how often", () => {
  const ended = (agent: string, times: number): string | undefined => {
    const early = assessed("stuck/stopped_early", { level: "report", kinds: ["record"] });
    const plan = [{ ...nudge(times), waitMs: 60_000 }];
    const world = new World({ ...POLICIES.default, plans: { stopped_early: plan } });
    world.watch(0, 600, early, { agent });
    return world.incidentState.incidents[0]?.escalated?.reason;
  };
  expect(ended("a", 1)).toBe("stopped_early: needs you: tried nudge (done)");
  expect(ended("b", 2)).toBe("stopped_early: needs you: tried nudge (done) 2 times");
});
