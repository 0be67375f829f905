import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assessed, World } from "../../../test/support/incidents.js";
import { ACTIONS, type ActionRecord } from "../action.js";
import { POLICIES } from "./builtin.js";
import { type Budget, type Policy, perHour } from "./policy.js";
import { unpermittedActions } from "./unpermitted.js";

const RUNS = process.env.ROUSE_FULL === "1" ? 5000 : 200;
const MIN = 60;
const NOT_ALLOWED = { facts: { allowed: false, can: ["nudge", "interrupt", "stop", "resume"] as const } };

const tight: Policy = {
  ...POLICIES.default,
  budgets: {
    ...POLICIES.default.budgets,
    agent: perHour(2),
    node: perHour(3),
    agentRestarts: perHour(1),
    nodeRestarts: perHour(2),
  },
};

/** One problem of one agent, long enough for a decision, and then recovered. */
function problem(world: World, agent: string, at: number, what: string): void {
  for (const after of [0, 70, 200]) world.check(at + after, assessed(what), { agent, ...NOT_ALLOWED });
  for (const after of [210, 250]) world.check(at + after, "working", { agent, progress: at + after });
}

const claims = (world: World): (string | null)[] =>
  world.incidentState.incidents.map(({ escalated }) =>
    escalated?.overBudget ? "beyond" : (escalated?.wouldDo ?? null),
  );

describe("an action that rouse would have taken", () => {
  it("does not exceed the budget of an agent in an hour", () => {
    const world = new World(tight);
    for (const minute of [0, 15, 30, 45, 61]) problem(world, "a", minute * MIN, "error/api");
    // The first one is an hour old by then.
    expect(claims(world)).toEqual(["nudge", "nudge", "beyond", "beyond", "nudge"]);
    expect(world.incidentState.incidents[2]?.escalated?.reason).toBe(
      "needs you: auto-recovery is off (see `rouse allow`); its budget would be used up by now: 2 actions for this agent in 60 min",
    );
  });

  it("does not exceed the budget of a machine, and every problem is still escalated at once", () => {
    const world = new World(tight);
    for (const [i, agent] of ["a", "b", "c", "d"].entries()) problem(world, agent, i * 12 * MIN, "error/api");
    expect(claims(world)).toEqual(["nudge", "nudge", "nudge", "beyond"]);
    expect(world.incidentState.incidents.every(({ escalated }) => escalated !== null)).toBe(true);
  });

  it("does not count for an agent with permission", () => {
    const world = new World(tight);
    for (const minute of [0, 15]) problem(world, "a", minute * MIN, "error/api");
    world.watch(30 * MIN, 33 * MIN, "error/api", { agent: "a" });
    expect(world.done.at(-1)?.action.do).toBe("nudge");
    expect(unpermittedActions(world.incidentState)).toHaveLength(2);
  });

  it("is not recorded if another check objects: a budget, or too little evidence", () => {
    const spent = new World({ ...tight, budgets: { ...tight.budgets, incident: 0 } });
    spent.watch(0, 3 * MIN, "error/api", NOT_ALLOWED);
    expect(spent.only.escalated).toMatchObject({
      wouldDo: null,
      reason: expect.stringContaining("budget used up"),
    });
    const unsure = new World(tight);
    unsure.watch(0, 20 * MIN, assessed("stuck/never_started", { level: "report", kinds: ["screen"] }), NOT_ALLOWED, 30);
    expect(unsure.only.escalated).toMatchObject({
      wouldDo: null,
      reason: expect.stringContaining("not enough evidence for stop"),
    });
  });

  it("never exceeds a budget in any period, in any history", () => {
    const what = fc.constantFrom("error/api", "stuck/never_started", "stuck/stopped_early", "gone/crash");
    const step = fc.record({ agent: fc.constantFrom("a", "b", "c"), what, minutes: fc.integer({ min: 5, max: 25 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 24 }), (steps) => {
        const world = new World(tight);
        let at = 0;
        for (const { agent, what: befalls, minutes } of steps) {
          problem(world, agent, at, befalls);
          at += minutes * MIN;
        }
        const actions = unpermittedActions(world.incidentState);
        const restarts = actions.filter(({ do: name }) => ACTIONS[name].starts || ACTIONS[name].destructive);
        const { budgets } = tight;
        expectWithin(actions, budgets.node);
        expectWithin(restarts, budgets.nodeRestarts);
        for (const agent of ["a", "b", "c"]) {
          expectWithin(
            actions.filter((record) => record.agent === agent),
            budgets.agent,
          );
          expectWithin(
            restarts.filter((record) => record.agent === agent),
            budgets.agentRestarts,
          );
        }
      }),
      { numRuns: RUNS },
    );
  });
});

function expectWithin(actions: readonly ActionRecord[], { times, periodMs }: Budget): void {
  for (const { at } of actions)
    expect(actions.filter((record) => record.at > at - periodMs && record.at <= at).length).toBeLessThanOrEqual(times);
}
