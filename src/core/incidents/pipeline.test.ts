import { describe, expect, it } from "vitest";
import { START } from "../../../test/support/steps.js";
import { applyToIncidents } from "./fold.js";
import { createIncidentState, type IncidentState } from "./incident.js";
import type { PipelineFinding } from "./pipeline.js";

const MINUTE = 60_000;
const LOCK: PipelineFinding = {
  project: "shop",
  problem: "lock_held",
  reasons: ["The lock merge has been held for 12 min."],
  advice: "release the lock",
};
const IDLE: PipelineFinding = { ...LOCK, problem: "pipeline_idle", reasons: ["No job."], advice: "add a scout job" };

const take = (state: IncidentState, minute: number, ...found: PipelineFinding[]) =>
  applyToIncidents(state, { kind: "pipeline", at: START + minute * MINUTE, found });
/** "pipeline:shop lock_held escalated" */
const shown = ({ incidents }: IncidentState): string[] =>
  incidents.map(({ agent, problem, phase }) => `${agent} ${problem} ${phase}`);
/** "lock_held opened" */
const changed = (state: IncidentState, minute: number, ...found: PipelineFinding[]): string[] =>
  take(state, minute, ...found).map(
    ({ incident, change }) => `${state.incidents.find(({ id }) => id === incident)?.problem} ${change}`,
  );

describe("a problem of a pipeline", () => {
  it("is an incident that is confirmed and escalated at once, with its reasons and its advice", () => {
    const state = createIncidentState();
    take(state, 0, LOCK);
    expect(state.incidents).toMatchObject([
      {
        agent: "pipeline:shop",
        kind: "pipeline",
        account: null,
        problem: "lock_held",
        phase: "escalated",
        openedAt: START,
        confirmedAt: START,
        reasons: LOCK.reasons,
        escalated: { at: START, reason: "needs you: release the lock", wouldDo: null },
      },
    ]);
  });

  it("of tasks without a project belongs to the pipeline as a whole", () => {
    const state = createIncidentState();
    take(state, 0, { ...LOCK, project: "" });
    expect(shown(state)).toEqual(["pipeline lock_held escalated"]);
  });

  it("stays one incident while it is found, and is announced once", () => {
    const state = createIncidentState();
    expect(changed(state, 0, LOCK)).toEqual(["lock_held opened", "lock_held phase_changed", "lock_held phase_changed"]);
    expect(changed(state, 5, { ...LOCK, reasons: ["17 min."], advice: "ask its holder" })).toEqual([]);
    expect(state.incidents).toMatchObject([
      { openedAt: START, seenAt: START + 5 * MINUTE, escalated: { at: START, reason: "needs you: ask its holder" } },
    ]);
  });

  it("is closed when the rule no longer finds it; the others stay open", () => {
    const state = createIncidentState();
    const other = { ...LOCK, project: "blog" };
    take(state, 0, LOCK, other, IDLE);
    expect(changed(state, 5, other, IDLE)).toEqual(["lock_held phase_changed"]);
    expect(shown(state)).toEqual([
      "pipeline:shop lock_held closed",
      "pipeline:blog lock_held escalated",
      "pipeline:shop pipeline_idle escalated",
    ]);
    take(state, 10, other);
    expect(shown(state)[2]).toBe("pipeline:shop pipeline_idle closed");
    expect(state.incidents[0]?.endedAt).toBe(START + 5 * MINUTE);
  });

  it("that was closed and is found again later is another incident", () => {
    const state = createIncidentState();
    take(state, 0, LOCK);
    take(state, 5);
    take(state, 60, LOCK);
    expect(shown(state)).toEqual(["pipeline:shop lock_held closed", "pipeline:shop lock_held escalated"]);
  });

  it("does not end the incidents of agents", () => {
    const state = createIncidentState();
    take(state, 0, LOCK);
    const [incident] = state.incidents;
    if (!incident) throw new Error("no incident");
    state.incidents.push({ ...incident, id: "own", agent: "web", problem: "crash", phase: "confirmed" });
    take(state, 5);
    expect(shown(state)).toEqual(["pipeline:shop lock_held closed", "web crash confirmed"]);
  });
});
