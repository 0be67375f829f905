import { describe, expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { POLICIES } from "../policy/builtin.js";
import { digestOf } from "./digest.js";

const since = START;
const now = START + 3_600_000;
const digested = (world: World) =>
  digestOf({ incidentState: world.incidentState, states: ["working", "stuck", "working"], work: null }, since, now);

function opened(count: number): World {
  const world = new World(POLICIES.observe);
  for (let n = 1; n <= count; n++) world.check(60, "needs_input/permission", { agent: `a${n}` });
  return world;
}

describe("the digest", () => {
  it("counts the agents by state, in the order of the states", () => {
    expect(digested(opened(0))).toMatchObject({
      title: "Digest: 2 working, 1 stuck",
      lines: ["last 60 min: 0 new problems, 0 resolved, 0 actions by rouse"],
      incidents: [],
    });
    const { incidentState } = opened(0);
    expect(digestOf({ incidentState, states: [], work: null }, since, now).title).toBe("Digest: no agents watched");
  });

  it("says what the queue of work does, in its title if no agent is watched", () => {
    const { incidentState } = opened(0);
    const work = { pending: 0, processing: 0, blocked: 0, done: 0, failed: 0 };
    const idle = digestOf({ incidentState, states: [], work }, since, now);
    expect(idle.title).toBe("Digest: Pipeline idle. 0 pending, 0 processing.");
    expect(idle.lines).toHaveLength(1);
    const running = digestOf({ incidentState, states: ["working"], work: { ...work, processing: 1 } }, since, now);
    expect(running).toMatchObject({ title: "Digest: 1 working" });
    expect(running.lines[0]).toBe("Pipeline running. 0 pending, 1 processing.");
  });

  it("counts what began, ended and was done since the last one, including at that very moment", () => {
    const world = opened(4);
    const [first, second, third] = world.incidentState.incidents;
    if (!first || !second || !third) throw new Error("incidents are missing");
    first.openedAt = since;
    Object.assign(second, { openedAt: since - 2, endedAt: since });
    Object.assign(third, { openedAt: since - 2, endedAt: since - 1 });
    const action = { do: "nudge", incident: first.id } as (typeof world.incidentState.actions)[number];
    world.incidentState.actions.push({ ...action, at: since }, { ...action, at: since - 1 });
    expect(digested(world).lines[0]).toBe("last 60 min: 2 new problems, 1 resolved, 1 actions by rouse");
    expect(digested(world).incidents).toHaveLength(2);
  });

  it("lists at most eight open problems, and says how many more there are", () => {
    const eight = digested(opened(8)).lines;
    expect(eight).toHaveLength(9);
    expect(eight.at(-1)).toContain("open: a8");
    const ten = digested(opened(10)).lines;
    expect(ten).toHaveLength(10);
    expect(ten.at(-1)).toBe("and 2 more");
  });
});
