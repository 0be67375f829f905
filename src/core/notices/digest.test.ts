import { describe, expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { POLICIES } from "../policy/builtin.js";
import { digestOf } from "./digest.js";

const since = START;
const now = START + 3_600_000;
const digested = (world: World) => digestOf(world.incidentState, ["working", "stuck", "working"], since, now);

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
    expect(digestOf(opened(0).incidentState, [], since, now).title).toBe("Digest: no agents watched");
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
