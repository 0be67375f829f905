import { describe, expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { POLICIES } from "../policy/builtin.js";
import { joinOutage } from "./outage.js";

/** How many outages there are after these agents of one account show the problem, this many seconds apart. */
function outages(agents: number, what: string, apart = 1, account: (n: number) => string = () => "one"): number {
  const world = new World(POLICIES.observe);
  for (let n = 0; n < agents; n++) world.check(n * apart, what, { agent: `a${n}`, account: account(n) });
  return world.incidentState.outages.length;
}

describe("an outage", () => {
  it.each([
    ["rate_limited", 2],
    ["error/auth", 2],
    ["error/api", 3],
    ["gone/crash", 3],
  ])("of the kind %s is opened by %i agents, not by fewer", (what, agents) => {
    expect(outages(agents - 1, what)).toBe(0);
    expect(outages(agents, what)).toBe(1);
  });

  it.each([
    ["rate_limited", 60],
    ["error/auth", 15],
  ])("of the kind %s joins problems that begin within %i minutes", (what, minutes) => {
    expect(outages(2, what, minutes * 60)).toBe(1);
    expect(outages(2, what, minutes * 60 + 1)).toBe(0);
  });

  it("does not join agents of different accounts", () => {
    expect(outages(2, "rate_limited", 1, (n) => `account ${n}`)).toBe(0);
  });

  it("of a service does not join programs that rouse does not know: they may use different services", () => {
    const opened = (program: string): number => {
      const world = new World(POLICIES.observe);
      for (const agent of ["a", "b", "c"]) world.check(0, "error/api", { agent, program });
      return world.incidentState.outages.length;
    };
    expect(opened("codex")).toBe(1);
    expect(opened("generic")).toBe(0);
  });
});

it("agents that share a problem again after their outage ended are in a new outage", () => {
  const world = new World(POLICIES.observe);
  const both = (at: number, what: string, progress: number | null = null): void => {
    for (const agent of ["a", "b"]) world.check(at, what, { agent, progress });
  };
  both(0, "rate_limited");
  for (let at = 10; at <= 60; at += 10) both(at, "working", at);
  expect(world.incidentState.outages).toMatchObject([{ endedAt: expect.any(Number) }]);
  both(70, "rate_limited");
  both(75, "rate_limited");
  expect(world.incidentState.incidents).toMatchObject([{ reopened: 1 }, { reopened: 1 }]);
  expect(world.incidentState.outages).toMatchObject([{ endedAt: expect.any(Number) }, { endedAt: null }]);
});

it("incidents of one outage that get another shared cause form an outage of that cause", () => {
  const world = new World(POLICIES.observe);
  for (const agent of ["a", "b", "c"]) world.check(0, "error/api", { agent });
  const [first, second] = world.incidentState.incidents;
  if (!first || !second) throw new Error("there are no incidents");
  first.problem = "auth";
  second.problem = "auth";
  expect(joinOutage(world.incidentState, first)).toMatchObject({
    group: "login",
    members: [first.id, second.id].sort(),
  });
});

it.each([
  ["error/api", 10],
  ["gone/crash", 5],
])("an outage of three agents of the kind %s joins problems that begin within %i minutes", (what, minutes) => {
  expect(outages(3, what, minutes * 30)).toBe(1);
  expect(outages(3, what, minutes * 30 + 1)).toBe(0);
});

it("a later incident joins the outage of its own account, not that of another", () => {
  const world = new World(POLICIES.observe);
  for (const agent of ["a", "b"]) world.check(0, "rate_limited", { agent, account: "one" });
  world.check(5, "rate_limited", { agent: "c", account: "two" });
  world.check(5, "rate_limited", { agent: "d", account: "one" });
  const [outage] = world.incidentState.outages;
  const joined = world.incidentState.incidents.filter((incident) => incident.outage === outage?.id);
  expect(joined.map(({ agent }) => agent)).toEqual(["a", "b", "d"]);
  expect(outage?.members).toHaveLength(3);
});

it("a new incident after the first recovery of an outage shows that the cause is still there", () => {
  const world = new World(POLICIES.observe);
  for (const agent of ["a", "b"]) world.check(0, "rate_limited", { agent });
  for (let at = 10; at <= 60; at += 10) {
    world.check(at, "working", { agent: "a", progress: at });
    world.check(at, "rate_limited", { agent: "b" });
  }
  const [outage] = world.incidentState.outages;
  expect(outage?.provenAt).toEqual(expect.any(Number));
  world.check(70, "rate_limited", { agent: "c" });
  expect(outage?.provenAt).toBeNull();
});

describe("an end of an agent that rouse only watches", () => {
  const agents = ["a", "b", "c", "d"];

  it("forms no outage, however many end at once", () => {
    const world = new World(POLICIES.observe);
    for (const agent of agents) world.check(0, "gone", { agent, isAdopted: true });
    expect(world.incidentState.outages).toEqual([]);
  });

  it("does not count towards an outage of the agents that rouse started", () => {
    const world = new World(POLICIES.observe);
    for (const agent of ["a", "b"]) world.check(0, "gone/crash", { agent });
    world.check(0, "gone/crash", { agent: "c", isAdopted: true });
    expect(world.incidentState.outages).toEqual([]);
  });

  it("leaves an outage, which ends with the problems of the others", () => {
    const world = new World(POLICIES.observe);
    for (const agent of ["a", "b", "c"]) world.check(0, "stuck/silent_stream", { agent, isAdopted: agent === "a" });
    expect(world.incidentState.outages).toMatchObject([{ endedAt: null }]);
    world.check(10, "gone", { agent: "a", isAdopted: true });
    expect(world.open("a")).toMatchObject([{ problem: "gone", outage: null }]);
    for (let at = 20; at <= 80; at += 10)
      for (const agent of ["b", "c"]) world.check(at, "working", { agent, progress: at });
    expect(world.incidentState.outages).toMatchObject([{ endedAt: expect.any(Number) }]);
  });
});

it("a problem that comes back in an open outage withdraws the proof that the cause is gone", () => {
  const world = new World(POLICIES.observe);
  for (const agent of ["a", "b"]) world.check(0, "rate_limited", { agent });
  for (let at = 10; at <= 60; at += 10) {
    world.check(at, "working", { agent: "a", progress: at });
    world.check(at, "rate_limited", { agent: "b" });
  }
  expect(world.incidentState.outages).toMatchObject([{ provenAt: expect.any(Number), endedAt: null }]);
  world.check(70, "rate_limited", { agent: "a" });
  expect(world.open("a")).toMatchObject([{ reopened: 1 }]);
  expect(world.incidentState.outages).toMatchObject([{ provenAt: null, endedAt: null }]);
});

it.each([
  ["a service", "error/api", true],
  ["a limit, which resets at a time of its own", "rate_limited", false],
])("a long outage of %s is escalated: %s", (_, what, isEscalated) => {
  const world = new World(POLICIES.observe);
  for (let at = 0; at <= 3600; at += 60) for (const agent of ["a", "b", "c"]) world.check(at, what, { agent });
  const [outage] = world.incidentState.outages;
  expect(outage?.members).toHaveLength(3);
  expect(typeof outage?.escalatedAt === "number").toBe(isEscalated);
});

describe("the proof that the cause of an outage is gone", () => {
  function outage(): {
    world: World;
    provenAt: () => number | null | undefined;
    endedAt: () => number | null | undefined;
  } {
    const world = new World(POLICIES.observe);
    for (const agent of ["a", "b", "c"]) world.check(0, "error/api", { agent });
    const found = () => world.incidentState.outages[0];
    return { world, provenAt: () => found()?.provenAt, endedAt: () => found()?.endedAt };
  }
  const works = (world: World, agent: string, from: number): void => {
    for (let at = from; at <= from + 50; at += 10) world.check(at, "working", { agent, progress: at });
  };

  it("is the recovery of one member, not an end without proof", () => {
    const { world, provenAt } = outage();
    world.watch(10, 700, "idle", { agent: "a", isOver: true });
    expect(provenAt()).toBeNull();
    works(world, "b", 710);
    expect(provenAt()).toEqual(expect.any(Number));
  });

  it("ends the outage only with its last member", () => {
    const { world, endedAt } = outage();
    works(world, "a", 10);
    works(world, "b", 10);
    expect(endedAt()).toBeNull();
    works(world, "c", 100);
    expect(endedAt()).toEqual(expect.any(Number));
  });
});
