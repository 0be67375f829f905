import { describe, expect, it } from "vitest";
import { type Check, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import type { ActionRecord } from "../action.js";
import type { Settings } from "../defaults.js";
import { type PeriodSpend, periodSpend } from "../judgement/period-spend.js";
import { POLICIES } from "../policy/builtin.js";
import type { Policy, RecoveryStep } from "../policy/policy.js";
import { HOUR } from "../text/time.js";
import { applyToIncidents } from "./fold.js";
import type { Incident } from "./incident.js";
import { budgetHoldUntil } from "./over-budget.js";

const step = (name: RecoveryStep["do"]): RecoveryStep => ({
  do: name,
  when: { level: "act", afterMs: 0, origins: null },
  limit: 1,
  waitMs: 30_000,
  proof: name === "interrupt" ? "turn_ended" : "none",
});
const policy = (...names: RecoveryStep["do"][]): Policy => ({
  ...POLICIES.default,
  plans: { ...POLICIES.default.plans, over_budget: names.map(step) },
});

const spent = (tokens: number, period = 0, settings: Settings = { tokens_per_night: 1000 }): PeriodSpend =>
  periodSpend(
    [{ tokens, costUsd: 0, unpriced: tokens }],
    { from: START + (period * 24 - 1) * HOUR, to: START + (period * 24 + 23) * HOUR },
    settings,
  );
const over = (tokens = 1200, rest: Check = {}): Check => ({ spend: spent(tokens), ...rest });

describe("a night's spend", () => {
  it("is the sum of all sessions, for both budgets", () => {
    const period = { from: 0, to: 1 };
    const half = { tokens: 600, costUsd: 1.5, unpriced: 0 };
    expect(periodSpend([half], period, { tokens_per_night: 1000, cost_usd_per_night: 3 }).over).toEqual([]);
    expect(periodSpend([half, half], period, { tokens_per_night: 1000, cost_usd_per_night: 3 }).over).toEqual([
      "1200 tokens used tonight (budget: 1000)",
      "$3.00 spent tonight (budget: $3.00)",
    ]);
    expect(periodSpend([half, half], period, {}).over).toEqual([]);
  });

  it("names tokens without a known price instead of counting them as free", () => {
    const { over: used, doubt } = spent(5000, 0, { cost_usd_per_night: 1 });
    expect(used).toEqual([]);
    expect(doubt).toBe("5000 tokens used tonight have no known price and are not part of the $0.00");
  });
});

describe("an agent over its budget", () => {
  it.each(["observe", "default", "aggressive"] as const)(
    "is reported once a night and not acted on under the policy %s",
    (name) => {
      const world = new World(POLICIES[name]);
      world.check(0, "working", { spend: spent(900) });
      expect(world.incidentState.incidents).toEqual([]);
      expect(world.watch(5, 3600, "working", over())).toEqual(["5 escalate"]);
      expect(world.only).toMatchObject({
        problem: "over_budget",
        phase: "escalated",
        reasons: ["1200 tokens used tonight (budget: 1000)"],
      });
      expect(world.only.escalated?.reason).toContain(`policy ${name} has no recovery step`);
    },
  );

  it("has one incident per night beside its other problems, which ends with the night", () => {
    const world = new World();
    world.check(0, "working", over());
    world.watch(10, 900, "stuck/loop", over());
    world.watch(905, 1000, "working", over(1300, { progress: 904 }));
    const mine = () => world.incidentState.incidents.filter(({ problem }) => problem === "over_budget");
    expect(mine()).toMatchObject([{ endedAt: null, reopened: 0 }]);
    world.check(24 * 3600, "working", { spend: spent(10, 1) });
    expect(mine()).toMatchObject([{ phase: "closed" }]);
    world.check(25 * 3600, "working", { spend: spent(2000, 1) });
    expect(mine()).toMatchObject([{ phase: "closed" }, { endedAt: null }]);
  });

  it("is not reported again in the same night after its incident ended, except for another budget", () => {
    const world = new World();
    world.check(0, "working", over());
    world.check(10, "working", { spend: null });
    world.check(20, "working", over());
    expect(world.only.phase).toBe("closed");
    world.check(30, "working", { spend: spent(3000, 0, { tokens_per_night: 2000 }) });
    expect(world.open()).toMatchObject([{ problem: "over_budget" }]);
  });

  it("is not reported again under a new name, and an agent that takes the old name has its own incident", () => {
    const world = new World();
    world.check(0, "working", over());
    const { id } = world.only;
    applyToIncidents(world.incidentState, { kind: "renamed", from: "a", to: "b" });
    world.check(10, "working", over(1300, { agent: "b" }));
    expect(world.only).toMatchObject({ id, agent: "b", endedAt: null });
    world.check(20, "working", over());
    world.check(30, "working", over());
    expect(world.open("a")).toHaveLength(1);
    expect(new Set(world.incidentState.incidents.map((incident) => incident.id)).size).toBe(2);
  });

  it("is interrupted once by a policy that says so, while a turn is running and no user is present", () => {
    const world = new World(policy("interrupt"));
    expect(world.watch(0, 60, "complete", over())).toEqual([]);
    expect(world.watch(65, 120, "working", over(1200, { facts: { humanPresent: true } }))).toEqual([]);
    expect(world.watch(125, 180, "needs_input/permission", over())).not.toContain("125 interrupt");
    expect(world.watch(185, 1000, "working", over())).toEqual(["185 interrupt", "215 escalate"]);
    expect(world.watch(1005, 3000, "working", over(9000))).toEqual([]);
  });

  it("is not interrupted without permission", () => {
    const world = new World(policy("interrupt"));
    expect(world.watch(0, 600, "working", over(1200, { facts: { allowed: false } }))).toEqual(["0 escalate"]);
  });

  it("is neither nudged, stopped nor started, whatever a policy says", () => {
    const world = new World(policy("nudge", "stop", "restart", "resume", "end_child"));
    expect(world.watch(0, 600, "working", over())).toEqual(["0 escalate"]);
  });

  it("is not continued for another problem after that interrupt until the night ends or a user acknowledges it", () => {
    const world = new World(policy("interrupt"));
    world.watch(0, 60, "working", over());
    const held = budgetHoldUntil(world.incidentState, "a");
    expect(held).toBe(START + 23 * HOUR);
    const done = world.watch(100, 600, "stuck/stopped_early", over(1200, { facts: { heldUntil: held } }));
    expect(done.filter((what) => what.endsWith("nudge"))).toEqual([]);
  });
});

it("an agent is held only while its own used-up budget is open, not acknowledged, and led to an interrupt", () => {
  const incident = { id: "i", agent: "a", problem: "over_budget", endedAt: null, ackedAt: null, until: 9 } as Incident;
  const record = { incident: "i", do: "interrupt", outcome: { result: "done" } } as ActionRecord;
  const held = (rest: Partial<Incident> = {}, action: Partial<ActionRecord> = {}): number | null =>
    budgetHoldUntil({ incidents: [{ ...incident, ...rest }], actions: [{ ...record, ...action }] }, "a");
  expect(held()).toBe(9);
  expect(held({ agent: "b" })).toBeNull();
  expect(held({ problem: "loop" })).toBeNull();
  expect(held({ endedAt: 1 })).toBeNull();
  expect(held({ ackedAt: 1 })).toBeNull();
  expect(held({}, { incident: "other" })).toBeNull();
  expect(held({}, { do: "nudge" })).toBeNull();
});

it("an incident about a budget shows the latest spend", () => {
  const world = new World();
  world.check(0, "working", over(1200));
  world.check(60, "working", over(1900));
  expect(world.only).toMatchObject({
    reasons: ["1900 tokens used tonight (budget: 1000)"],
    seenAt: START + 60_000,
  });
});
