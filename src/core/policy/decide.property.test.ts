import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { play, type Step, silence, steps } from "../../../test/support/histories.js";
import { assessed, FACTS, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { ACTIONS } from "../action.js";
import { AGENT_PROBLEMS, HUMAN_ONLY, PROBLEMS } from "../incidents/problem.js";
import type { Assessment } from "../judgement/assess.js";
import { EVIDENCE_KINDS } from "../judgement/evidence/evidence-kind.js";
import { periodSpend } from "../judgement/period-spend.js";
import { POLICIES } from "./builtin.js";
import type { Budget, Policy } from "./policy.js";

const numRuns = process.env.ROUSE_FULL ? 5_000 : 100;

const policies = fc.constantFrom(...Object.values(POLICIES));
/** Budgets so tight that random histories reach them. */
const TIGHT: Policy = {
  ...POLICIES.aggressive,
  confirmMs: 0,
  budgets: {
    incident: 2,
    agent: { times: 2, periodMs: 7_200_000 },
    node: { times: 3, periodMs: 7_200_000 },
    agentRestarts: { times: 1, periodMs: 7_200_000 },
    nodeRestarts: { times: 2, periodMs: 7_200_000 },
  },
};

const FEW: Policy = { ...POLICIES.default, confirmMs: 0, budgets: { ...POLICIES.default.budgets, incident: 2 } };

const controls = (world: World) =>
  world.incidentState.actions.filter((d) => ACTIONS[d.do].controls && d.outcome?.result !== "refused");

function mostIn(times: readonly number[], { periodMs }: Budget): number {
  return Math.max(0, ...times.map((end) => times.filter((at) => at <= end && at > end - periodMs).length));
}

describe("decide, in any history", () => {
  it("gives the same decision for the same situation, without side effects", () => {
    fc.assert(
      fc.property(policies, steps(["a", "b"]), (policy, story) => {
        const one = play(new World(policy), story);
        const two = play(new World(policy), story);
        expect(one.decisions).toEqual(two.decisions);
        expect(JSON.stringify(one.incidentState)).toBe(JSON.stringify(two.incidentState));
      }),
      { numRuns },
    );
  });

  it("never acts on a human-only problem or on an agent that it cannot see", () => {
    fc.assert(
      fc.property(policies, steps(["a", "b"]), (policy, story) => {
        const world = new World({ ...policy, confirmMs: 0, plans: everywhere(POLICIES.aggressive) });
        play(world, story, ({ what, facts }, _, before) => {
          for (const { action } of world.done.slice(before)) {
            if (action.do === "escalate") continue;
            expect(HUMAN_ONLY.has(action.problem)).toBe(false);
            expect(["needs_input", "unknown"]).not.toContain(what.state);
            expect(["auth", "billing"]).not.toContain(what.cause);
            expect(facts.allowed ?? true).toBe(true);
            if (!ACTIONS[action.do].controls) continue;
            expect([facts.humanPresent ?? false, facts.observerHealthy ?? true]).toEqual([false, true]);
          }
        });
      }),
      { numRuns },
    );
  });

  it("stops nothing without two kinds of evidence, permission and a healthy observer, and never stops a user's own terminal", () => {
    fc.assert(
      fc.property(policies, steps(["a"]), (policy, story) => {
        const world = new World({ ...policy, confirmMs: 0, plans: everywhere(POLICIES.aggressive) });
        play(world, story, ({ what, facts }, _, before) => {
          for (const { action } of world.done.slice(before)) {
            if (!ACTIONS[action.do].destructive) continue;
            expect(what.kinds.length).toBeGreaterThanOrEqual(2);
            expect(what.level).toBe("act");
            expect(facts.observerHealthy ?? true).toBe(true);
            if (action.do !== "end_child") expect(facts.origin ?? "spawn").not.toBe("run");
          }
        });
      }),
      { numRuns },
    );
  });

  it("acts no more often in one incident than its steps and its budget permit", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(POLICIES), FEW), steps(["a"]), (policy, story) => {
        const world = play(new World(policy), story);
        for (const { id, chain, problem } of world.incidentState.incidents) {
          const actions = controls(world).filter(({ incident }) => incident === id);
          expect(actions.length).toBeLessThanOrEqual(policy.budgets.incident);
          const steps = [...chain, problem].flatMap((name) => policy.plans[name] ?? []);
          for (const name of new Set(actions.map((record) => record.do))) {
            const limit = Math.max(...steps.filter((step) => step.do === name).map((step) => step.limit));
            expect(actions.filter((record) => record.do === name).length).toBeLessThanOrEqual(limit);
          }
        }
      }),
      { numRuns },
    );
  });

  it("retries a refused action a limited number of times", () => {
    fc.assert(
      fc.property(policies, steps(["a"]), (policy, story) => {
        const world = play(
          new World(policy),
          story.map((step): Step => ({ ...step, result: "refused" })),
        );
        expect(controls(world)).toEqual([]);
        for (const { id } of world.incidentState.incidents)
          expect(world.incidentState.actions.filter(({ incident }) => incident === id).length).toBeLessThanOrEqual(25);
      }),
      { numRuns },
    );
  });

  it("keeps every budget of agents and of the node in every period, in any order of events", () => {
    fc.assert(
      fc.property(steps(["a", "b", "c", "d"]), (story) => {
        const world = play(new World(TIGHT), story);
        const all = controls(world);
        const isRestart = (name: keyof typeof ACTIONS): boolean => ACTIONS[name].starts || ACTIONS[name].destructive;
        expect(
          mostIn(
            all.map(({ at }) => at),
            TIGHT.budgets.node,
          ),
        ).toBeLessThanOrEqual(TIGHT.budgets.node.times);
        expect(
          mostIn(
            all.filter((d) => isRestart(d.do)).map(({ at }) => at),
            TIGHT.budgets.nodeRestarts,
          ),
        ).toBeLessThanOrEqual(TIGHT.budgets.nodeRestarts.times);
        for (const agent of ["a", "b", "c", "d"]) {
          const own = all.filter((record) => record.agent === agent);
          expect(
            mostIn(
              own.map(({ at }) => at),
              TIGHT.budgets.agent,
            ),
          ).toBeLessThanOrEqual(TIGHT.budgets.agent.times);
          expect(
            mostIn(
              own.filter((d) => isRestart(d.do)).map(({ at }) => at),
              TIGHT.budgets.agentRestarts,
            ),
          ).toBeLessThanOrEqual(TIGHT.budgets.agentRestarts.times);
        }
      }),
      { numRuns: process.env.ROUSE_FULL ? 100_000 : 400 },
    );
  });

  it("does nothing about an acknowledged or silenced incident", () => {
    fc.assert(
      fc.property(policies, steps(["a"]), (policy, story) => {
        const world = new World(policy);
        play(world, story, (_, at, before) => {
          for (const { action } of world.done.slice(before)) {
            expect(silence(world, "a", at)).toBeNull();
            expect(world.incidentState.incidents.find(({ id }) => id === action.incident)?.ackedAt ?? null).toBeNull();
          }
        });
      }),
      { numRuns },
    );
  });

  it("marks an incident as recovered only after progress that is newer than the problem", () => {
    fc.assert(
      fc.property(policies, steps(["a"]), (policy, story) => {
        const world = new World(policy);
        let progress = Number.NEGATIVE_INFINITY;
        play(world, story, (step, at) => {
          if (step.progress) progress = START + at * 1000;
          for (const incident of world.incidentState.incidents)
            if (incident.phase === "recovered" && incident.endedAt === START + at * 1000)
              expect(progress).toBeGreaterThan(incident.seenAt);
        });
      }),
      { numRuns },
    );
  });

  it("escalates every lasting problem of an agent in the end", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...AGENT_PROBLEMS),
        policies,
        fc.subarray([...EVIDENCE_KINDS]),
        (problem, policy, kinds) => {
          const state =
            problem === "unknown" || problem === "needs_input" || problem === "rate_limited" ? problem : null;
          const cause = state || problem === "gone" || problem === "error" ? null : problem;
          const isOver = problem === "over_budget";
          const itself = problem === "gone" || problem === "error" ? problem : `error/${cause}`;
          const what = assessed(isOver ? "working" : (state ?? itself), { kinds });
          const world = new World(policy);
          world.watch(0, 11 * 3600, what, isOver ? { spend: OVERSPENT } : {}, 60);
          expect(world.done.at(-1)?.action.do).toBe("escalate");
        },
      ),
      { numRuns: process.env.ROUSE_FULL ? 400 : 40 },
    );
  });

  it("decides the same about an agent regardless of the order in which unrelated agents are checked", () => {
    fc.assert(
      fc.property(steps(["a"]), steps(["b"]), fc.boolean(), (ofA, ofB, aFirst) => {
        // Unrelated problems share no outage, and the budget of the node is not reached.
        const roomy: Policy = {
          ...POLICIES.default,
          budgets: {
            ...POLICIES.default.budgets,
            node: { times: 1e6, periodMs: 1 },
            nodeRestarts: { times: 1e6, periodMs: 1 },
          },
        };
        const quiet = (story: Step[]): Step[] =>
          story.map((step): Step => ({ ...step, word: null, after: 60, what: unshared(step.what) }));
        const alone = play(new World(roomy), quiet(ofA));
        const world = new World(roomy);
        let progress: number | null = null;
        const other = quiet(ofB);
        quiet(ofA).forEach((step, i) => {
          const at = (i + 1) * 60;
          if (step.progress) progress = at;
          const b = other[i];
          const checkB = (): void =>
            void (b && world.check(at, b.what, { agent: "b", facts: { ...FACTS, ...b.facts } }, b.result));
          if (!aFirst) checkB();
          world.check(at, step.what, { agent: "a", facts: { ...FACTS, ...step.facts }, progress }, step.result);
          if (aFirst) checkB();
        });
        const ofAgent = (w: World) => w.done.filter(({ agent }) => agent === "a").map(({ at, action }) => [at, action]);
        expect(ofAgent(world)).toEqual(ofAgent(alone));
      }),
      { numRuns },
    );
  });
});

const OVERSPENT = periodSpend(
  [{ tokens: 2, costUsd: 0, unpriced: 0 }],
  { from: START, to: START + 86_400_000 },
  { tokens_per_night: 1 },
);

const SHARED = new Set(["rate_limited", "auth", "billing"]);
const unshared = (what: Omit<Assessment, "at">): Omit<Assessment, "at"> =>
  SHARED.has(what.state) || SHARED.has(what.cause ?? "") ? assessed("working") : what;

/** The same recovery plans for every problem and session: the worst policy that a user could write. */
function everywhere(policy: Policy): Policy["plans"] {
  const steps = Object.values(policy.plans)
    .flat()
    .map((step) => ({ ...step, when: { ...step.when, origins: null, level: "report" as const } }))
    .sort((x, y) => Number(ACTIONS[y.do].destructive) - Number(ACTIONS[x.do].destructive));
  return Object.fromEntries(PROBLEMS.map((problem) => [problem, steps]));
}
