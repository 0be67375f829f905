import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { ROUTE, RULES } from "../../../test/support/notifier.js";
import { START } from "../../../test/support/steps.js";
import type { Incident } from "../incidents/incident.js";
import { POLICIES } from "../policy/builtin.js";
import { subjectOf } from "./contents.js";
import { membersIn, planAlerts } from "./plan.js";

it("sends a separate alert for a problem that comes back after its outage was resolved", () => {
  const world = new World(POLICIES.observe);
  world.check(0, "needs_input/permission", { agent: "api" });
  const [incident] = world.open("api");
  if (!incident) throw new Error("it has no incident");
  incident.outage = "o1";
  const edge = { at: START, severity: "critical", kind: "worker.error" } as const;
  const sent = { subject: "outage:o1", members: [], channels: ["ops"] };
  const input = { incidentState: world.incidentState, rules: { ...RULES, groupWaitMs: 0 }, now: START + 60_000 };
  const during = planAlerts({ ...input, known: [{ ...sent, edges: [{ ...edge, edge: "opened" }] }] });
  expect(during.filter((one) => one.edge === "opened")).toEqual([]);
  const edges = [
    { ...edge, edge: "opened" },
    { ...edge, edge: "resolved" },
  ] as const;
  const after = planAlerts({ ...input, known: [{ ...sent, edges }] });
  expect(after.map((one) => `${one.edge} ${one.subject}`)).toEqual([`opened incident:${incident.id}.0`]);
});

it("does not alert about an incident that the user marked as a false alarm", () => {
  const alerts = (feedback: Incident["feedback"]) => {
    const world = new World(POLICIES.observe);
    world.check(0, "needs_input/permission", { agent: "api" });
    for (const incident of world.open("api")) incident.feedback = feedback;
    return planAlerts({
      incidentState: world.incidentState,
      known: [],
      rules: { ...RULES, groupWaitMs: 0 },
      now: START + 60_000,
    });
  };
  expect(alerts(null).map(({ edge }) => edge)).toEqual(["opened"]);
  expect(alerts("right").map(({ edge }) => edge)).toEqual(["opened"]);
  expect(alerts("false-alarm")).toEqual([]);
});

it("an alert covers its incidents of the same generation, in the order of the incident state, or the current members of the outage", () => {
  const place = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e"),
    reopened: fc.nat(1),
    outage: fc.option(fc.constantFrom("o1", "o2")),
  });
  const incidentStates = fc.uniqueArray(place, { selector: ({ id }) => id });
  const sent = fc.uniqueArray(fc.constantFrom<string[]>("a.0", "a.1", "b.0", "c.1", "d.0", "e.0", "e.1", "gone.0"));
  fc.assert(
    fc.property(incidentStates, sent, (places, members) => {
      const incidents = places as unknown as Incident[];
      const find = membersIn({ incidents });
      expect(find({ subject: "group:g", members })).toEqual(
        incidents.filter((one) => members.includes(subjectOf(one))),
      );
      expect(find({ subject: "outage:o1", members })).toEqual(incidents.filter(({ outage }) => outage === "o1"));
    }),
  );
});

it("says that a problem changed if the alert is about one incident, not if it is about a group", () => {
  const edge = { edge: "opened", at: START, severity: "critical", kind: "worker.error" } as const;
  const changes = (names: readonly string[]) => {
    const world = new World(POLICIES.observe);
    for (const agent of names) world.check(0, "needs_input/permission", { agent });
    const members = world.incidentState.incidents.map(subjectOf);
    const known = [{ subject: "group:g", members, channels: ["ops"], edges: [edge] }];
    const rules = { ...RULES, groupWaitMs: 0 };
    return planAlerts({ incidentState: world.incidentState, known, rules, now: START + 60_000 }).map((one) => one.edge);
  };
  expect(changes(["api"])).toEqual(["changed"]);
  expect(changes(["api", "web"])).toEqual([]);
});

describe("a reminder", () => {
  function reminded(before: number, change: (incident: Incident) => void = () => {}): string[] {
    const world = new World(POLICIES.observe);
    world.check(0, "needs_input/permission", { agent: "api" });
    change(world.only);
    const edge = { at: START, severity: "critical", kind: "worker.needs_input" } as const;
    const reminders = Array.from({ length: before }, () => ({ ...edge, edge: "reminder" as const }));
    const edges = [{ ...edge, edge: "opened" as const }, ...reminders];
    const known = [{ subject: "group:g", members: [subjectOf(world.only)], channels: ["ops"], edges }];
    const rules = { ...RULES, reminder: { everyMs: 60_000, max: 2 } };
    return planAlerts({ incidentState: world.incidentState, known, rules, now: START + 60_000 }).map((one) => one.edge);
  }

  it("is sent at most as often as the user said", () => {
    expect(reminded(0)).toEqual(["reminder"]);
    expect(reminded(1)).toEqual(["reminder"]);
    expect(reminded(2)).toEqual([]);
  });

  it("is not sent about a problem that is acknowledged, or that is not seen at the moment", () => {
    const acked = (incident: Incident): void => {
      incident.ackedAt = START;
    };
    const unseen = (incident: Incident): void => {
      incident.quietSince = START;
    };
    expect(reminded(0, acked)).toEqual([]);
    expect(reminded(0, unseen)).toEqual([]);
  });
});

it("waits for more problems before the first alert, and sends few of them one by one", () => {
  const subjects = (at: number): number => {
    const world = new World(POLICIES.observe);
    for (const agent of ["api", "web"]) world.check(0, "needs_input/permission", { agent });
    return planAlerts({ incidentState: world.incidentState, known: [], rules: RULES, now: START + at }).length;
  };
  expect(subjects(RULES.groupWaitMs - 1)).toBe(0);
  expect(subjects(RULES.groupWaitMs)).toBe(2);
});

it("an alert that no route takes goes to the fallback channel, and to no other", () => {
  const world = new World(POLICIES.observe);
  world.check(0, "needs_input/permission", { agent: "api" });
  const routes = [
    { ...ROUTE, channel: "mine", agents: ["web"] },
    { ...ROUTE, channel: "rest", agents: [] },
  ];
  const channels = (fallback: string | null) =>
    planAlerts({
      incidentState: world.incidentState,
      known: [],
      rules: { ...RULES, groupWaitMs: 0, routes, fallback },
      now: START + 60_000,
    }).flatMap(({ deliveries }) => deliveries.map(({ channel }) => channel));
  expect(channels("rest")).toEqual(["rest"]);
  expect(channels(null)).toEqual([]);
});

it("does not open an alert about a problem that is not seen at the moment", () => {
  const world = new World(POLICIES.observe);
  world.check(0, "needs_input/permission", { agent: "api" });
  const input = { incidentState: world.incidentState, known: [], rules: { ...RULES, groupWaitMs: 0 } };
  world.only.quietSince = START + 30_000;
  expect(planAlerts({ ...input, now: START + 60_000 })).toEqual([]);
  world.only.quietSince = null;
  expect(planAlerts({ ...input, now: START + 60_000 })).toHaveLength(1);
});

it("an outage becomes critical only once it lasts too long", () => {
  const edges = (escalatedAt: number | undefined): string[] => {
    const world = new World(POLICIES.observe);
    for (const agent of ["a", "b", "c"]) world.check(0, "error/api", { agent });
    const [outage] = world.incidentState.outages;
    if (!outage) throw new Error("there is no outage");
    if (escalatedAt !== undefined) outage.escalatedAt = escalatedAt;
    const edge = { edge: "opened", at: START, severity: "warning", kind: "worker.error" } as const;
    const known = [{ subject: `outage:${outage.id}`, members: [], channels: ["ops"], edges: [edge] }];
    for (const incident of world.incidentState.incidents) incident.escalated = null;
    return planAlerts({ incidentState: world.incidentState, known, rules: RULES, now: START + 60_000 }).map(
      (one) => `${one.edge} ${one.severity}`,
    );
  };
  expect(edges(START + 50_000)).toEqual(["escalated critical"]);
  expect(edges(undefined)).toEqual([]);
});

describe("the opinion of a model", () => {
  function edges(opinion: Partial<NonNullable<Incident["opinion"]>> | null): string[] {
    const world = new World(POLICIES.observe);
    world.check(0, "needs_input/permission", { agent: "api" });
    if (opinion) world.only.opinion = { id: "d1", at: START + 30_000, text: "why", message: "look", ...opinion };
    const opened = { edge: "opened", at: START + 10_000, severity: "critical", kind: "worker.needs_input" } as const;
    const known = [{ subject: "group:g", members: [subjectOf(world.only)], channels: ["ops"], edges: [opened] }];
    const input = { incidentState: world.incidentState, known, rules: RULES, now: START + 60_000 };
    return planAlerts(input).map(({ edge }) => edge);
  }

  it("follows an alert once, if it has a message and is newer than the alert", () => {
    expect(edges({})).toEqual(["diagnosis"]);
    expect(edges(null)).toEqual([]);
    expect(edges({ message: null })).toEqual([]);
    expect(edges({ at: START + 5000 })).toEqual([]);
    expect(edges({ at: START + 10_000 })).toEqual([]);
  });
});
