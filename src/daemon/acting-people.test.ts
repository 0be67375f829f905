/** Decisions of the user: acknowledgement, silence and permission. */
import { describe, expect, it } from "vitest";
import { HUNG_S, useIncidentRig } from "../../test/support/incident-rig.js";
import type { ActionName } from "../core/action.js";
import type { Incident, IncidentState } from "../core/incidents/incident.js";
import { POLICIES } from "../core/policy/builtin.js";
import type { SessionJudge } from "../core/session-judge.js";
import { incidentView } from "./views/incident-view.js";
import { viewOf } from "./views/view.js";

const stage = useIncidentRig();
const { acts, hanging, run } = stage;

describe("the incident engine", () => {
  it("stops acting on an acknowledged incident", async () => {
    await hanging();
    const { loop, controls } = acts(() => ({}));
    for (let n = 0; n < HUNG_S && loop.incidents.incidents.length === 0; n++) await run(1);
    loop.apply({ kind: "acked", at: stage.test.loop.now(), incident: loop.incidents.incidents[0]?.id as string });
    await run(HUNG_S);
    expect(controls).toEqual([]);
    const { next } = incidentView(loop.incidents.incidents[0] as Incident, { state: loop.state, now: loop.now() });
    expect(next?.reason).toBe("acknowledged");
  });

  it("leaves a silenced agent alone until the silence ends", async () => {
    await hanging();
    const { loop, controls } = acts(() => ({}));
    const at = stage.test.loop.now();
    loop.apply({ kind: "silenced", silence: { agent: "api", problem: null, at, until: at + 1200_000 } });
    await run(1190);
    expect(controls).toEqual([]);
    await run(60);
    expect(controls[0]).toBe("interrupt");
  });
});

it("the next move is the user's once rouse has nothing left to try, until the user acknowledges it", async () => {
  await hanging();
  const { loop } = acts(() => ({}), { allowed: false });
  const move = (): string => viewOf(loop.find("api") as SessionJudge, loop.now(), loop.incidents).move;
  await run(HUNG_S / 4);
  expect(move()).toBe("none");
  await run(HUNG_S);
  expect(loop.incidents.incidents).toMatchObject([{ phase: "escalated" }]);
  expect(move()).toBe("you");
  loop.apply({ kind: "acked", at: loop.now(), incident: loop.incidents.incidents[0]?.id as string });
  expect(move()).toBe("none");
});

describe("a permission given later", () => {
  it("lets rouse take the action that was not permitted before", async () => {
    await hanging();
    const { loop, controls, allow } = acts(() => ({}), { allowed: false });
    await run(HUNG_S);
    expect(loop.incidents.incidents[0]?.escalated).toMatchObject({ wouldDo: "interrupt" });
    loop.take({ kind: "reconsider" });
    await run(1);
    expect(controls).toEqual([]);
    allow();
    loop.take({ kind: "reconsider" });
    await run(1);
    expect(controls).toEqual(["interrupt"]);
  });
});

describe("the suggested commands of an incident", () => {
  const suggested = async (can: readonly ActionName[]): Promise<string[]> => {
    await hanging();
    const { loop } = acts(() => ({}), { allowed: false });
    Object.assign(stage.test.stepRules, { can: () => can });
    await run(HUNG_S);
    const [incident] = loop.incidents.incidents as [Incident];
    return incidentView(incident, { state: loop.state, now: loop.now() }).commands;
  };

  it("include recovery and permission if an action is possible", async () => {
    expect(await suggested(["interrupt"])).toEqual(
      expect.arrayContaining(["rouse recover api --dry-run", "rouse allow api"]),
    );
  });

  it("include neither recovery nor permission if no action is possible", async () => {
    const commands = await suggested([]);
    expect(commands).toContain("rouse why api");
    expect(commands.filter((command) => /recover|allow/.test(command))).toEqual([]);
  });
});

describe("an action that was not permitted", () => {
  /** Adds earlier actions on the same agent, a minute ago, that were not permitted. */
  const unpermitted = (incidentState: IncidentState, times: number): void => {
    for (let number = 0; number < times; number++) {
      const at = stage.test.loop.now() - 60_000;
      const escalated = { at, reason: "", wouldDo: "nudge" as const };
      const id = `other-${number}`;
      incidentState.incidents.push({
        ...(incidentState.incidents[0] as Incident),
        id,
        endedAt: at,
        escalated,
        phase: "closed",
      });
    }
  };

  it("counts against the budget of other such actions, is not reported as taken, and runs once it is permitted", async () => {
    await hanging();
    const { loop, controls, allow } = acts(() => ({}), { allowed: false });
    await run(HUNG_S / 4);
    expect(loop.incidents.incidents[0]).toMatchObject({ problem: "silent_stream", escalated: null });
    unpermitted(loop.incidents, POLICIES.default.budgets.agent.times);
    await run(HUNG_S);
    const [incident] = loop.incidents.incidents as [Incident];
    expect(incident.escalated).toMatchObject({ wouldDo: "interrupt", overBudget: true });
    const view = incidentView(incident, { state: loop.state, now: loop.now() });
    expect(view).toMatchObject({
      withheld_step: null,
      next: { reason: expect.stringContaining("12 actions for this agent") },
    });
    allow();
    loop.take({ kind: "reconsider" });
    await run(1);
    expect(controls).toEqual(["interrupt"]);
  });
});
