import { describe, expect, it } from "vitest";
import { type Check, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { MINUTE } from "../text/time.js";
import { applyToIncidents } from "./fold.js";
import { type Figures, isStall, type StallFigures, stallFigures } from "./stall-figures.js";

const FORBIDDEN: Check = { facts: { allowed: false } };

function measure(world: World, more: Partial<Parameters<typeof stallFigures>[0]> = {}): StallFigures {
  const runs = [...new Set(world.incidentState.incidents.map(({ agent }) => agent))].map(run);
  const given = { state: world.incidentState, lapsed: [], runs, since: START, weekOf: () => "w1" };
  return stallFigures({ ...given, ...more });
}
const run = (agent: string) => ({ agent, session: `${agent}-1`, startedAt: START });

/** `count` agents with an API error: a nudge at once, then new work. */
function recovered(world: World, count: number, from = 0): World {
  for (let n = from; n < from + count; n++) {
    const agent = `a${n}`;
    // Apart, so that it is no outage.
    const at = n * 3600;
    world.check(at, "error/api", { agent, active: at - 60 });
    world.watch(at + 5, at + 90, "error/api", { agent });
    world.watch(at + 95, at + 200, "working", { agent, progress: at + 100 });
  }
  return world;
}

/** One that is not permitted to act on, and goes on by itself. */
function passed(world: World, agent: string, at: number): void {
  world.watch(at, at + 90, "error/api", { ...FORBIDDEN, agent });
  world.watch(at + 95, at + 200, "working", { ...FORBIDDEN, agent, progress: at + 100 });
}

const counts = ({ stalls, missed, falseAlarms, unrated }: Figures) => ({ stalls, missed, falseAlarms, unrated });

describe("the figures about stalls", () => {
  it("say that the data is not enough for fewer than five stalls", () => {
    const { overall } = measure(recovered(new World(), 4));
    expect(overall.detection).toEqual({ value: null, high: null, count: 4, of: 4, met: null });
    expect(overall.recovery).toMatchObject({ value: null, count: 4, of: 4, met: null });
    expect(overall.time_to_recovery).toMatchObject({ value: null, met: null });
  });

  it("count a stall that rouse ended as detected and recovered, from the last activity to the action", () => {
    const world = recovered(new World(), 5);
    const nudged = world.done.find(({ agent }) => agent === "a0");
    const { overall } = measure(world);
    expect(overall.detection).toEqual({ value: 1, high: 1, count: 5, of: 5, met: true });
    expect(overall.recovery).toMatchObject({ value: 1, count: 5, of: 5, met: true });
    expect(overall.time_to_recovery.value).toBeCloseTo(((nudged?.at ?? 0) - START + MINUTE) / MINUTE, 5);
    expect(overall.time_to_recovery).toMatchObject({ of: 5, met: true });
  });

  it("count an escalation as a failed recovery, and a stall that rouse may not act on not at all", () => {
    const world = recovered(new World(), 4);
    const done = world.watch(40_000, 60_000, "error/api", { agent: "hopeless" });
    expect(done.at(-1)).toContain("escalate");
    world.watch(80_000, 90_000, "error/api", { ...FORBIDDEN, agent: "observed" });
    const { overall } = measure(world);
    expect(overall.recovery).toEqual({ value: 0.8, high: 0.8, count: 4, of: 5, met: true });
    expect(overall.detection).toMatchObject({ count: 6, of: 6 });
  });

  it("do not decide yet about a stall that is being recovered", () => {
    const world = recovered(new World(), 5);
    world.watch(40_000, 40_100, "error/api", { agent: "open" });
    expect(world.done.at(-1)?.agent).toBe("open");
    expect(measure(world).overall.recovery).toMatchObject({ of: 5 });
    expect(measure(world).overall.detection).toMatchObject({ of: 6 });
  });

  it("count what the user reports, and a lapsed claim without an incident, as missed", () => {
    const world = recovered(new World(), 5);
    const missed = { agent: "quiet", at: START + MINUTE, problem: "silent_stream" } as const;
    applyToIncidents(world.incidentState, { kind: "missed", missed });
    // The same report again.
    applyToIncidents(world.incidentState, { kind: "missed", missed });
    const claim = { session: "x", claimedAt: START, endedAt: START + 30 * MINUTE };
    const { overall, byCause } = measure(world, {
      lapsed: [
        { ...claim, agent: "lost" },
        { ...claim, agent: "a0" },
      ],
    });
    expect(counts(overall)).toEqual({ stalls: 5, missed: 2, falseAlarms: 0, unrated: 0 });
    expect(overall.detection).toMatchObject({ count: 5, of: 7, met: false });
    expect([...byCause].map(([cause, one]) => [cause, one.detection.count, one.detection.of])).toEqual([
      ["api", 5, 5],
      ["silent_stream", 0, 1],
      ["stale_claim", 0, 1],
    ]);
  });

  it("count a lapsed claim as missed unless an incident was confirmed while its agent held the task", () => {
    const detected = (claim: { agent: string; session: string; claimedAt: number; endedAt: number }): boolean => {
      const { overall } = measure(recovered(new World(), 5), { lapsed: [claim] });
      return overall.missed === 0;
    };
    const claim = { agent: "a0", session: "other", claimedAt: START, endedAt: START + 30 * MINUTE };
    expect(detected(claim)).toBe(true);
    // The agent was renamed since.
    expect(detected({ ...claim, agent: "renamed", session: "a0-1" })).toBe(true);
    expect(detected({ ...claim, agent: "renamed" })).toBe(false);
    expect(detected({ ...claim, claimedAt: START + 20 * MINUTE })).toBe(false);
    expect(detected({ ...claim, agent: "a1" })).toBe(false);
    expect(detected({ ...claim, agent: "a1", endedAt: START + 90 * MINUTE })).toBe(true);
    const world = recovered(new World(), 5);
    world.check(40_000, "stuck/silent_stream", { agent: "suspect" });
    const suspected = { ...claim, agent: "suspect", endedAt: START + 40_000_000 };
    expect(measure(world, { lapsed: [suspected] }).overall.missed).toBe(1);
  });

  it("leave the rate of false positives open while stalls that passed by themselves are not rated", () => {
    const world = new World();
    for (let n = 0; n < 4; n++) passed(world, `p${n}`, n * 3600);
    const runs = Array.from({ length: 40 }, (_, n) => run(`p${n}`));
    const rate = () => measure(world, { runs }).overall.false_positives;
    expect(rate()).toEqual({ value: 0, high: 0.1, count: 0, of: 40, met: null });
    const [first, second, third, fourth] = world.incidentState.incidents.map(({ id }) => id);
    const give = (incident = "", feedback: "right" | "false-alarm") =>
      applyToIncidents(world.incidentState, { kind: "feedback", at: START, incident, feedback });
    give(first, "false-alarm");
    for (const id of [second, third, fourth]) give(id, "right");
    // The three stalled, so they are not among the healthy ones.
    expect(rate()).toEqual({ value: 1 / 37, high: 1 / 37, count: 1, of: 37, met: true });
    expect(counts(measure(world, { runs }).overall)).toEqual({ stalls: 3, missed: 0, falseAlarms: 1, unrated: 0 });
  });

  it("are about stalls: not about questions, limits, logins, budgets or pipelines", () => {
    for (const problem of ["needs_input", "rate_limited", "auth", "billing", "over_budget", "pipeline_idle"] as const)
      expect(isStall(problem)).toBe(false);
    for (const problem of ["silent_stream", "no_checkpoint", "loop", "api", "crash", "gone"] as const)
      expect(isStall(problem)).toBe(true);
    const world = new World();
    world.watch(0, 600, "needs_input/permission");
    expect(measure(world).overall.stalls).toBe(0);
  });

  it("are the same per cause, agent and week, and begin at a time", () => {
    const world = recovered(new World(), 6);
    const weekOf = (at: number) => (at < START + 3 * 3600_000 ? "2026-11-09" : "2026-11-16");
    const all = measure(world, { weekOf });
    expect([...all.byWeek].map(([week, { stalls }]) => [week, stalls])).toEqual([
      ["2026-11-09", 3],
      ["2026-11-16", 3],
    ]);
    expect(all.byAgent.size).toBe(6);
    expect(all.byAgent.get("a2")).toMatchObject({ stalls: 1, recovery: { count: 1, of: 1 } });
    expect(measure(world, { since: START + 3 * 3600_000 }).overall.stalls).toBe(3);
  });
});
