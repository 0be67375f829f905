import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Check, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { applyToIncidents } from "./fold.js";
import type { Incident } from "./incident.js";
import { scoreRecoveries, wilsonInterval } from "./recovery-score.js";

const FORBIDDEN: Check = { facts: { allowed: false } };
const at = (seconds: number): number => START + seconds * 1000;

/** "api nudge acted 1/2": recovered of tried, at that time or long after everything. */
const scores = ({ incidentState }: World, seconds = 100_000): string[] =>
  scoreRecoveries(incidentState, at(seconds)).map(
    ({ problem, step, arm, recovered, tried }) => `${problem} ${step} ${arm} ${recovered}/${tried}`,
  );

/** An API error that ends the turn is nudged at once; nothing happens after that by itself. */
function nudged(): World {
  const world = new World();
  world.check(0, "error/api");
  world.watch(5, 90, "error/api");
  expect(world.done.map(({ action }) => action.do)).toEqual(["nudge"]);
  return world;
}

/** The same without permission; returns the time of the step that was withheld. */
function withheld(): { world: World; from: number } {
  const world = new World();
  world.watch(0, 90, "error/api", FORBIDDEN);
  expect(world.only.withheld).toMatchObject([{ do: "nudge", problem: "api" }]);
  return { world, from: ((world.only.withheld?.[0]?.at ?? 0) - START) / 1000 };
}

describe("the score of a recovery step", () => {
  it("counts a nudge that new work follows", () => {
    const world = nudged();
    world.watch(95, 200, "working", { progress: 100 });
    expect(scores(world)).toEqual(["api nudge acted 1/1"]);
  });

  it("keeps a recovery that is followed by the same problem, and counts the next step by itself", () => {
    const world = nudged();
    world.watch(95, 200, "working", { progress: 100 });
    world.watch(205, 330, "error/api", { progress: 100 });
    expect(world.only.reopened).toBe(1);
    expect(scores(world)).toEqual(["api nudge acted 1/2"]);
  });

  it("uses the last end of an incident that an older version stored", () => {
    const world = nudged();
    world.watch(95, 200, "working", { progress: 100 });
    delete world.only.ends;
    expect(scores(world)).toEqual(["api nudge acted 1/1"]);
  });

  it("does not count new work that comes after 10 minutes or after the next action", () => {
    const late = nudged();
    late.watch(95, 800, "unknown");
    late.watch(805, 900, "working", { progress: 804 });
    expect(late.only.phase).toBe("recovered");
    expect(scores(late)).toEqual(["api nudge acted 0/1"]);
    const second = nudged();
    for (let time = 95; second.done.length < 2; time += 5) second.check(time, "error/api");
    second.watch(400, 500, "working", { progress: 399 });
    expect(scores(second)).toEqual(["api nudge acted 1/2"]);
  });

  it("waits 10 minutes before a step without proof counts", () => {
    const world = nudged();
    const nudgedAt = ((world.done[0]?.at ?? 0) - START) / 1000;
    expect(scores(world, nudgedAt + 599)).toEqual([]);
    expect(scores(world, nudgedAt + 600)).toEqual(["api nudge acted 0/1"]);
  });

  it("does not count a refused action", () => {
    const world = new World();
    for (let time = 0; world.done.length === 0; time += 5) world.check(time, "error/api", {}, "refused");
    expect(scores(world)).toEqual([]);
  });

  it("judges an interrupt together with the nudge that follows it", () => {
    const world = new World();
    let time = 0;
    for (; world.done.length < 1; time += 5) world.check(time, "stuck/silent_stream");
    for (; world.done.length < 2; time += 5) world.check(time, "idle");
    expect(world.done.map(({ action }) => action.do)).toEqual(["interrupt", "nudge"]);
    world.watch(time, time + 60, "working", { progress: time });
    expect(scores(world)).toEqual(["silent_stream interrupt acted 1/1", "silent_stream nudge acted 1/1"]);
  });

  it("counts an agent that recovers in its own turn as the baseline of a step that was not permitted", () => {
    const { world, from } = withheld();
    world.watch(95, 200, "working", { ...FORBIDDEN, progress: from + 100, turn: -60 });
    expect(world.only.phase).toBe("recovered");
    expect(scores(world)).toEqual(["api nudge shadow 1/1"]);
    const { world: failed, from: since } = withheld();
    expect(scores(failed, since + 599)).toEqual([]);
    expect(scores(failed, since + 600)).toEqual(["api nudge shadow 0/1"]);
  });

  it("leaves out a step that was not permitted if a user prompted the agent, or permitted the step in time", () => {
    const { world, from } = withheld();
    world.watch(95, 200, "working", { ...FORBIDDEN, progress: from + 100, turn: from + 80 });
    expect(scores(world)).toEqual([]);
    const { world: permitted } = withheld();
    applyToIncidents(permitted.incidentState, { kind: "reconsidered", incident: permitted.only.id });
    permitted.check(95, "error/api");
    permitted.watch(100, 200, "working", { progress: 101 });
    expect(scores(permitted)).toEqual(["api nudge acted 1/1"]);
  });

  const byUser: [string, (world: World, incident: Incident) => void][] = [
    [
      "acknowledges the incident",
      ({ incidentState }, { id }) => applyToIncidents(incidentState, { kind: "acked", at: at(120), incident: id }),
    ],
    [
      "silences the agent",
      ({ incidentState }) =>
        applyToIncidents(incidentState, {
          kind: "silenced",
          silence: { agent: "a", problem: null, at: at(120), until: at(4000) },
        }),
    ],
    [
      "stops watching the agent",
      ({ incidentState }) => applyToIncidents(incidentState, { kind: "forgotten", at: at(120), agent: "a" }),
    ],
    [
      "marks a false alarm",
      ({ incidentState }, { id }) =>
        applyToIncidents(incidentState, { kind: "feedback", at: at(9000), incident: id, feedback: "false-alarm" }),
    ],
  ];
  it.each(byUser)("leaves out both arms if the user %s", (_, intervene) => {
    for (const world of [nudged(), withheld().world]) {
      expect(scores(world)).toHaveLength(1);
      intervene(world, world.only);
      expect(scores(world)).toEqual([]);
    }
  });

  it.each([
    ["another agent", { agent: "b", problem: null, at: at(120), until: at(4000) }],
    ["another problem", { agent: "a", problem: "loop", at: at(120), until: at(4000) }],
    ["a time before the step", { agent: "a", problem: "api", at: at(-200), until: at(-100) }],
    ["a time after the 10 minutes", { agent: null, problem: null, at: at(9000), until: at(9900) }],
  ] as const)("counts a step although the user silenced %s", (_, silence) => {
    const world = nudged();
    world.incidentState.silences.push(silence);
    expect(scores(world)).toEqual(["api nudge acted 0/1"]);
  });

  it.each([
    ["all agents", { agent: null, problem: null }],
    ["this problem of all agents", { agent: null, problem: "api" }],
    ["this problem of the agent", { agent: "a", problem: "api" }],
  ] as const)("leaves a step out if the user silenced %s meanwhile", (_, what) => {
    const world = nudged();
    world.incidentState.silences.push({ ...what, at: at(120), until: at(4000) });
    expect(scores(world)).toEqual([]);
  });

  it("counts a failed step that the user acknowledges later, because only failures are acknowledged", () => {
    const world = nudged();
    applyToIncidents(world.incidentState, { kind: "acked", at: at(9000), incident: world.only.id });
    expect(scores(world)).toEqual(["api nudge acted 0/1"]);
  });
});

describe("the confidence interval", () => {
  it("contains the rate and stays within 0 and 1", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (tried, share) => {
        const { rate, low, high } = wilsonInterval(Math.round(share * tried), tried);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(rate);
        expect(high).toBeGreaterThanOrEqual(rate);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each([
    [0, 10, 0, 0.278],
    [5, 10, 0.237, 0.763],
    [9, 10, 0.596, 0.982],
    [1, 1, 0.207, 1],
  ])("of %d in %d is %d to %d, as in the tables", (recovered, tried, low, high) => {
    const interval = wilsonInterval(recovered, tried);
    expect(interval.low).toBeCloseTo(low, 3);
    expect(interval.high).toBeCloseTo(high, 3);
  });
});
