import { describe, expect, it } from "vitest";
import { assessed, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { periodSpend } from "../judgement/period-spend.js";
import { POLICIES } from "./builtin.js";
import type { ActionFacts } from "./facts.js";
import { interrupt, nudge, resume, stop, when } from "./recovery-plans.js";

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
    const plans = { silent_stream: [early] };
    const atOnce = new World({ ...POLICIES.default, confirmMs: 0, plans });
    expect(atOnce.watch(0, 20, stuck, { facts: { ownTimeoutMs: null } })).toEqual(["0 interrupt"]);
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

it("an agent held back for its spending may still be interrupted", () => {
  const facts = { heldUntil: START + 3_600_000 };
  expect(withPlan(interrupt).watch(0, 80, "stuck/silent_stream", { facts })).toEqual(["60 interrupt"]);
});

it("an agent that rouse cannot see is asked again if the first question was refused, and else not", () => {
  const guard = { send: false, may_ask: true, reason: "no signals" } as NonNullable<ActionFacts["guard"]>;
  const asked = (result: "refused" | "done"): number => {
    const early = assessed("stuck/stopped_early", { level: "report", kinds: ["record"] });
    const world = new World({ ...POLICIES.default, plans: { stopped_early: [{ ...nudge(2), waitMs: 30_000 }] } });
    for (let at = 0; at <= 400; at += 5) world.check(at, early, { facts: { guard, origin: "tmux" } }, result);
    return world.done.filter(({ action }) => action.do === "nudge").length;
  };
  expect(asked("done")).toBe(1);
  expect(asked("refused")).toBeGreaterThan(1);
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
  expect(ended("a", 1)).toBe("needs you: tried nudge (done)");
  expect(ended("b", 2)).toBe("needs you: tried nudge (done) 2 times");
});

describe("an agent over its budget", () => {
  const plan = { over_budget: [{ ...interrupt, when: when({ level: "report" }) }] };
  const spend = periodSpend(
    [{ tokens: 1200, costUsd: 0, unpriced: 1200 }],
    { from: START, to: START + 3_600_000 },
    { tokens_per_night: 1000 },
  );

  it("is interrupted while a turn runs, and left alone at its prompt", () => {
    const running = new World({ ...POLICIES.default, plans: plan });
    expect(running.watch(0, 20, "working", { spend })).toEqual(["0 interrupt"]);
    const atPrompt = new World({ ...POLICIES.default, plans: plan });
    expect(atPrompt.watch(0, 20, "idle", { spend })).toEqual([]);
    expect(atPrompt.decisions.at(-1)?.reason).toBe("no turn is running");
  });

  it("is not started again because of another problem until the night ends, after an interrupt for its spending", () => {
    const world = new World();
    const heldUntil = START + 3_600_000;
    const early = assessed("stuck/stopped_early", { level: "report", kinds: ["record"] });
    expect(world.watch(0, 100, early, { facts: { heldUntil } })).toEqual([]);
    expect(world.decisions.at(-1)).toMatchObject({
      reason: "interrupted because its nightly budget is used up",
      recheckAt: heldUntil,
    });
  });
});

it("the activity guard holds a resume back, but not an interrupt", () => {
  const guard = { send: false, may_ask: false, reason: "recent commits" } as NonNullable<ActionFacts["guard"]>;
  const crashed = new World({ ...POLICIES.default, plans: { crash: [resume(1)] } });
  expect(crashed.watch(0, 100, "gone/crash", { facts: { guard } })).toEqual([]);
  expect(crashed.decisions.at(-1)?.reason).toBe("activity guard: recent commits");
  const hung = withPlan(interrupt);
  expect(hung.watch(0, 80, "stuck/silent_stream", { facts: { guard } })).toEqual(["60 interrupt"]);
});

it("does not restart a session that ended while its problem is not visible: there is nothing to stop", () => {
  const world = withPlan({ ...stop, do: "restart" });
  world.watch(0, 55, "stuck/silent_stream");
  world.only.confirmedAt = START;
  expect(world.watch(60, 100, "idle", { facts: { gone: true } })).toEqual([]);
  expect(world.decisions.at(-1)?.reason).toBe("the problem is not visible at the moment");
});

it("a second nudge about a limit waits for a screen that is as new as the first one", () => {
  const second = (shownAfterMs: number): string | undefined => {
    const world = new World({ ...POLICIES.default, plans: { rate_limited: [nudge(2)] } });
    const limited = assessed("rate_limited", { until: START + 60_000 });
    for (let at = 0; world.done.length === 0 && at < 1000; at += 5) world.check(at, limited);
    const [record] = world.incidentState.actions;
    if (!record?.outcome) throw new Error("it was not nudged");
    record.outcome.proven = true;
    const at = (record.at - START) / 1000 + 200;
    world.check(at, limited, { facts: { shownAt: record.at + shownAfterMs } });
    return world.decisions.at(-1)?.reason;
  };
  expect(second(-1)).toBe("no screen update since nudge");
  expect(second(0)).not.toBe("no screen update since nudge");
});

it("a session that ended is resumed although its last assessment shows no problem", () => {
  const world = withPlan(resume(1));
  world.watch(0, 55, "stuck/silent_stream");
  world.only.confirmedAt = START;
  expect(world.watch(60, 70, "idle", { facts: { gone: true } })).toEqual(["60 resume"]);
});

it("an action waits until the oldest action of a used-up node budget leaves its period", () => {
  const budgets = { ...POLICIES.default.budgets, node: { times: 2, periodMs: 600_000 } };
  const world = new World({ ...POLICIES.default, budgets });
  for (const [at, agent] of [
    [0, "a"],
    [30, "b"],
    [90, "c"],
  ] as const)
    world.watch(at, at + 60, "stuck/loop", { agent }, 60);
  expect(world.done.map(({ agent }) => agent)).toEqual(["a", "b"]);
  expect(world.decisions.at(-1)).toMatchObject({
    reason: "budget used up: 2 actions for this machine in 10 min",
    recheckAt: START + 660_000,
  });
});
