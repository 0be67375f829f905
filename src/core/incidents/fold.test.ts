import { describe, expect, it } from "vitest";
import { assessed, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import type { Action, ActionRecord } from "../action.js";
import { PERIOD_MAX_MS } from "../defaults.js";
import { POLICIES } from "../policy/builtin.js";
import { applyToIncidents } from "./fold.js";

const watching = (): World => new World(POLICIES.observe);

describe("an incident", () => {
  it("is opened when a problem is reported and confirmed after a minute; errors, prompts and limits are confirmed at once", () => {
    const world = watching();
    world.check(0, "stuck/loop");
    expect(world.only).toMatchObject({ phase: "suspected", confirmedAt: null });
    world.check(60, "stuck/loop");
    expect(world.only.confirmedAt).toBe(START + 60_000);
    for (const what of ["error/api", "needs_input/permission", "rate_limited", "gone/crash"]) {
      const sure = watching();
      sure.check(0, what);
      expect(sure.only.confirmedAt).toBe(START);
    }
  });

  it("has an id derived from its agent, cause and opening", () => {
    const [one, two, other] = [watching(), watching(), watching()];
    one.check(0, "stuck/loop");
    two.check(0, "stuck/loop");
    other.check(1, "stuck/loop");
    expect(one.only.id).toBe(two.only.id);
    expect(one.only.id).not.toBe(other.only.id);
  });

  it("recovers only when work is proven and continues", () => {
    const world = watching();
    world.check(0, "stuck/silent_stream");
    world.check(10, "working", { progress: null });
    world.check(50, "working", { progress: -5 });
    expect(world.only.endedAt).toBeNull();
    world.check(60, "working", { progress: 55 });
    expect(world.only.phase).toBe("recovered");
  });

  it("recovers after a nudge only by a turn that began after it", () => {
    const world = new World();
    world.watch(0, 90, "error/api");
    expect(world.done.map(({ action }) => action.do)).toEqual(["nudge"]);
    world.watch(95, 200, "working", { progress: 94, turn: 50 });
    expect(world.only.endedAt).toBeNull();
    world.watch(205, 240, "working", { progress: 204, turn: 70 });
    expect(world.only.phase).toBe("recovered");
  });

  it("recovers after an interrupt that failed by more work in the same turn", () => {
    const world = new World();
    for (let at = 0; at <= 600 && world.done.length === 0; at += 5)
      world.check(at, "stuck/silent_stream", {}, "failed");
    const at = ((world.done[0]?.at ?? 0) - START) / 1000;
    world.watch(at + 5, at + 60, "working", { progress: at + 4, turn: -10 });
    expect(world.only.phase).toBe("recovered");
  });

  it("stays open while the state flickers", () => {
    const world = watching();
    for (let at = 0; at < 600; at += 20) {
      world.check(at, "stuck/silent_stream");
      world.check(at + 10, "working", { progress: at + 10 });
    }
    expect(world.only.endedAt).toBeNull();
  });

  it("is closed when it is no longer seen without proof, sooner if a user is at the keyboard", () => {
    const world = watching();
    world.check(0, "stuck/silent_stream");
    world.watch(10, 605, "working");
    expect(world.only.endedAt).toBeNull();
    world.watch(610, 615, "working");
    expect(world.only.phase).toBe("closed");
    const handed = watching();
    handed.check(0, "stuck/silent_stream");
    handed.watch(10, 75, "idle");
    expect(handed.only.phase).toBe("closed");
  });

  it("is reopened under its own id if it comes back soon, with all its actions", () => {
    const world = new World();
    world.watch(0, 65, "stuck/stopped_early");
    world.watch(70, 130, "working", { progress: 90 });
    expect(world.only.phase).toBe("recovered");
    world.watch(140, 900, "stuck/stopped_early", { progress: 90, facts: { origin: "run" } });
    expect(world.only.reopened).toBe(1);
    expect(world.done.map(({ action }) => action.do)).toEqual(["nudge", "nudge", "escalate"]);
  });

  it("is a new one after a long time of work", () => {
    const world = watching();
    world.check(0, "stuck/loop");
    world.watch(10, 60, "working", { progress: 20 });
    world.check(2000, "stuck/loop", { progress: 1990 });
    expect(world.incidentState.incidents.map(({ phase }) => phase)).toEqual(["recovered", "suspected"]);
  });

  it("takes the next cause of the same hang", () => {
    const world = watching();
    world.check(0, "stuck/silent_stream");
    world.check(300, "error/api");
    expect(world.only).toMatchObject({ problem: "api", chain: ["silent_stream"] });
  });

  it("keeps its cause when rouse stops the process, and takes the exit of the replacement session as its cause", () => {
    const world = watching();
    world.check(0, "stuck/frozen_screen");
    const { id } = world.only;
    const does = (name: "stop" | "resume", at: number): void => {
      const about = { agent: "a", session: "a-1", problem: "frozen_screen", proof: "none" } as const;
      const action = { id: `${name}-${at}`, do: name, incident: id, attempt: 1, deadlineMs: 1, waitMs: 1, ...about };
      world.carryOut(action, START + at * 1000, "done");
    };
    does("stop", 10);
    world.check(15, "gone/crash");
    does("resume", 20);
    world.check(25, "gone/crash");
    world.check(30, "unknown", { session: "a-2" });
    expect(world.only).toMatchObject({ problem: "frozen_screen", chain: [] });
    // Its earlier signals came too late or never: only the exit was seen.
    world.check(90, "gone/crash", { session: "a-2" });
    world.check(95, "gone/crash", { session: "a-2" });
    expect(world.only).toMatchObject({ problem: "crash", chain: ["frozen_screen"] });
  });

  it("treats an exit as caused by rouse if a record of an older version names no session", () => {
    const world = watching();
    world.check(0, "stuck/frozen_screen");
    const intent = { id: "s", at: START, agent: "a", do: "stop", deadlineMs: 1, proof: "none", waitMs: 1 } as const;
    applyToIncidents(world.incidentState, { kind: "intended", intent: { ...intent, incident: world.only.id } });
    world.check(15, "gone/crash", { session: "a-2" });
    expect(world.only).toMatchObject({ problem: "frozen_screen", chain: [] });
  });

  it("is closed while another problem of the same agent hides it", () => {
    const world = watching();
    world.check(0, "stuck/silent_stream");
    world.watch(10, 700, "rate_limited");
    expect(world.incidentState.incidents.map(({ problem, phase }) => [problem, phase])).toEqual([
      ["silent_stream", "closed"],
      ["rate_limited", "escalated"],
    ]);
  });

  it("stays open while rouse cannot see the agent, and a short gap is not reported", () => {
    const world = watching();
    world.watch(0, 30, "unknown");
    expect(world.incidentState.incidents).toEqual([]);
    world.check(40, "stuck/loop");
    world.watch(50, 4000, "unknown");
    expect(world.only.endedAt).toBeNull();
  });

  it("is unchanged after it is stored and read as JSON", () => {
    const world = new World();
    world.watch(0, 400, "stuck/silent_stream");
    world.check(400, "error/api", { agent: "b" });
    expect(JSON.parse(JSON.stringify(world.incidentState))).toEqual(world.incidentState);
  });

  it("keeps a bounded history", () => {
    const world = watching();
    for (let i = 0; i < 700; i++) {
      world.check(i * 4000, "stuck/loop", { agent: `a${i}` });
      world.watch(i * 4000 + 10, i * 4000 + 60, "working", { agent: `a${i}`, progress: i * 4000 + 10 }, 50);
    }
    expect(world.incidentState.incidents.length).toBeLessThanOrEqual(501);
  });
});

describe("feedback on an incident", () => {
  it("counts a false alarm once and ends further action", () => {
    const world = new World();
    world.check(0, "stuck/loop");
    const { id: incident } = world.only;
    for (const feedback of ["false-alarm", "false-alarm"] as const)
      applyToIncidents(world.incidentState, { kind: "feedback", at: START, incident, feedback });
    expect(world.incidentState.feedback).toEqual([{ agent: "a", problem: "loop", falseAlarms: 1, right: 0 }]);
    expect(world.watch(5, 4000, "stuck/loop")).toEqual([]);
    applyToIncidents(world.incidentState, { kind: "feedback", at: START, incident, feedback: "right" });
    expect(world.incidentState.feedback).toEqual([{ agent: "a", problem: "loop", falseAlarms: 0, right: 1 }]);
  });
});

describe("an incident of a session that has ended", () => {
  const ended = (world: World, rest: object) =>
    applyToIncidents(world.incidentState, {
      kind: "assessed",
      agent: "a",
      session: "a-1",
      program: "claude-code",
      account: null,
      assessment: { ...assessed("error/api"), at: START + 60_000 },
      progress: { workAt: null, outcomeAt: null, turnAt: null },
      confirmMs: 60_000,
      outageMs: 1_800_000,
      ...rest,
    });

  it("is closed when a user ended the session, whatever the problem", () => {
    const world = watching();
    world.check(0, "error/api");
    ended(world, {});
    expect(world.open()).toHaveLength(1);
    ended(world, { endedByHuman: true });
    expect(world.only).toMatchObject({ phase: "closed", endedAt: START + 60_000 });
    ended(world, { endedByHuman: true });
    expect(world.only.phase).toBe("closed");
  });

  it.each(["complete", "idle"])("ends without an escalation when the session ended by itself and is %s", (state) => {
    const world = new World();
    const reported = assessed("stuck/silent_stream", { level: "report" });
    for (const at of [0, 60, 300]) world.check(at, reported, { facts: { can: ["stop"] }, program: "generic" });
    expect(world.only).toMatchObject({ endedAt: null, escalated: null });
    world.check(310, state, { isOver: true, facts: { gone: true } });
    expect(world.only).toMatchObject({ phase: "closed", endedAt: START + 310_000, escalated: null });
  });

  it("is recovered when the session ended after work that is newer than the problem", () => {
    const world = watching();
    world.check(0, "stuck/silent_stream");
    world.check(20, "complete", { isOver: true, progress: 15 });
    expect(world.only.phase).toBe("recovered");
  });

  it("of a question ends when its agent is gone", () => {
    const world = watching();
    world.check(0, "needs_input/permission");
    world.check(60, "gone");
    expect(world.incidentState.incidents.map(({ problem, phase, endedAt }) => [problem, phase, endedAt])).toEqual([
      ["needs_input", "closed", START + 60_000],
      ["gone", "escalated", null],
    ]);
  });

  it("continues after rouse stopped the process, even with exit code 0", () => {
    const world = watching();
    world.check(0, "stuck/frozen_screen");
    const intent = { id: "s", at: START, agent: "a", do: "stop", deadlineMs: 1, proof: "none", waitMs: 1 } as const;
    applyToIncidents(world.incidentState, {
      kind: "intended",
      intent: { ...intent, session: "a-1", incident: world.only.id },
    });
    world.check(15, "complete", { isOver: true });
    expect(world.only.endedAt).toBeNull();
  });

  it("is closed when its agent is no longer watched, and other incidents stay open", () => {
    const world = watching();
    world.check(0, "error/api");
    world.check(0, "error/auth", { agent: "b" });
    applyToIncidents(world.incidentState, { kind: "forgotten", at: START + 1000, agent: "a" });
    expect(world.open("a")).toEqual([]);
    expect(world.open("b")).toHaveLength(1);
  });
});

describe("a renamed agent", () => {
  it("keeps its incidents, actions, silences and feedback", () => {
    const world = new World();
    world.watch(0, 65, "error/api");
    const { id, openedAt } = world.only;
    applyToIncidents(world.incidentState, { kind: "feedback", at: START, incident: id, feedback: "right" });
    const silence = { agent: "a", problem: null, at: START, until: START + 1000 };
    applyToIncidents(world.incidentState, { kind: "silenced", silence });
    applyToIncidents(world.incidentState, { kind: "renamed", from: "a", to: "b" });
    world.check(70, "error/api", { agent: "b" });
    expect(world.only).toMatchObject({ id, openedAt, agent: "b", endedAt: null });
    expect(world.incidentState.actions.map(({ do: name, agent }) => `${agent} ${name}`)).toEqual(["b nudge"]);
    expect(world.incidentState.silences.map(({ agent }) => agent)).toEqual(["b"]);
    expect(world.incidentState.feedback).toEqual([{ agent: "b", problem: "api", falseAlarms: 0, right: 1 }]);
  });

  it("adds its feedback to that of the previous agent of the new name", () => {
    const { incidentState } = watching();
    incidentState.feedback = [
      { agent: "b", problem: "loop", falseAlarms: 1, right: 0 },
      { agent: "a", problem: "loop", falseAlarms: 2, right: 3 },
    ];
    incidentState.blind = [{ agent: "a", since: 5 }];
    applyToIncidents(incidentState, { kind: "renamed", from: "a", to: "b" });
    expect(incidentState.feedback).toEqual([{ agent: "b", problem: "loop", falseAlarms: 3, right: 3 }]);
    expect(incidentState.blind).toEqual([{ agent: "b", since: 5 }]);
  });
});

describe("an escalated incident", () => {
  it("continues when permission is given, and keeps its reason and the withheld action until then", () => {
    const world = new World();
    expect(world.watch(0, 80, "error/api", { facts: { allowed: false } })).toEqual(["60 escalate"]);
    expect(world.only.escalated).toMatchObject({ reason: expect.stringContaining("rouse allow") });
    applyToIncidents(world.incidentState, { kind: "reconsidered", incident: world.only.id });
    expect(world.only).toMatchObject({ phase: "confirmed", escalated: null });
    expect(world.watch(85, 100, "error/api")).toEqual(["85 nudge"]);
  });
});

describe("a silence", () => {
  it("ends only for the agent that it was set for", () => {
    const { incidentState } = watching();
    const until = START + 1000;
    for (const agent of ["a", "b", null])
      applyToIncidents(incidentState, { kind: "silenced", silence: { agent, problem: null, at: START, until } });
    applyToIncidents(incidentState, { kind: "unsilenced", agent: "a", problem: null });
    expect(incidentState.silences.map(({ agent }) => agent)).toEqual(["b", null]);
  });
});

describe("an action that a user orders", () => {
  it("does not take an escalated incident back from the user", () => {
    const world = new World(POLICIES.observe);
    world.watch(0, 120, "stuck/silent_stream");
    expect(world.only.phase).toBe("escalated");
    const { id, session, problem } = world.only;
    const action: Action = {
      id: "ordered",
      do: "nudge",
      incident: id,
      agent: "a",
      session,
      problem,
      attempt: 1,
      deadlineMs: 1000,
      proof: "none",
      waitMs: 0,
    };
    world.carryOut(action, START + 130_000, "done");
    expect(world.only.phase).toBe("escalated");
  });
});

it("counts how often a problem came back during one incident", () => {
  const world = new World(POLICIES.observe);
  world.watch(0, 120, "stuck/silent_stream");
  for (const at of [125, 135]) {
    world.check(at, "working");
    expect(world.only.quietSince).not.toBeNull();
    world.check(at + 5, "stuck/silent_stream");
  }
  expect(world.only.returned).toBe(2);
});

it("keeps the time of the first acknowledgement", () => {
  const world = new World(POLICIES.observe);
  world.check(0, "error/auth");
  const { id } = world.only;
  for (const at of [START + 5000, START + 9000])
    applyToIncidents(world.incidentState, { kind: "acked", at, incident: id });
  expect(world.only.ackedAt).toBe(START + 5000);
});

it("a problem that returns within 10 minutes after its recovery reopens the incident, and opens another one later", () => {
  const incidentsAfter = (seconds: number): number => {
    const world = watching();
    world.watch(0, 60, "stuck/loop");
    for (let at = 65; world.only.endedAt === null && at < 1000; at += 5) world.check(at, "working", { progress: at });
    const { endedAt, phase } = world.only;
    expect(phase).toBe("recovered");
    world.check(((endedAt ?? 0) - START) / 1000 + seconds, "stuck/loop");
    return world.incidentState.incidents.length;
  };
  expect(incidentsAfter(600)).toBe(1);
  expect(incidentsAfter(601)).toBe(2);
});

it("an action is kept for the budgets for a while after its incident was dropped", () => {
  const world = new World();
  const record = (id: string, ageMs: number) => ({ id, incident: "dropped", at: START + 3_600_000 - ageMs });
  const actions = [record("recent", PERIOD_MAX_MS), record("old", PERIOD_MAX_MS + 1)];
  world.incidentState.actions = actions as unknown as ActionRecord[];
  world.check(3600, "stuck/loop");
  expect(world.incidentState.actions.map(({ id }) => id)).toEqual(["recent"]);
});

it("a problem of one agent never reopens the incident of another agent", () => {
  const world = watching();
  world.check(0, "error/api", { agent: "a" });
  for (let at = 5; at <= 60; at += 5) world.check(at, "working", { agent: "a", progress: at });
  expect(world.only.phase).toBe("recovered");
  world.check(65, "error/api", { agent: "b" });
  expect(world.incidentState.incidents).toMatchObject([
    { agent: "a", reopened: 0 },
    { agent: "b", reopened: 0 },
  ]);
});

it("a reopened incident is open again, not recovered", () => {
  const world = watching();
  world.watch(0, 60, "stuck/loop");
  for (let at = 65; world.only.endedAt === null && at < 1000; at += 5) world.check(at, "working", { progress: at });
  world.check(((world.only.endedAt ?? 0) - START) / 1000 + 10, "stuck/loop");
  expect(world.only).toMatchObject({ phase: "suspected", reopened: 1, endedAt: null });
});

it("reports the end of an incident in the same step in which another problem opens", () => {
  const world = watching();
  world.check(0, "stuck/loop");
  const changes = applyToIncidents(world.incidentState, {
    kind: "assessed",
    agent: "a",
    session: "a-1",
    program: "claude-code",
    account: null,
    assessment: { ...assessed("error/api"), at: START + 600_000 },
    progress: { workAt: START + 500_000, outcomeAt: START + 500_000, turnAt: START + 500_000 },
    confirmMs: 60_000,
    outageMs: 3_600_000,
    isOver: true,
  });
  expect(changes.map(({ phase, change }) => `${phase} ${change}`)).toEqual([
    "recovered phase_changed",
    "suspected opened",
    "confirmed phase_changed",
  ]);
});

describe("an incident of a process that ended", () => {
  const ended = (): World => {
    const world = watching();
    world.check(0, "gone", { isAdopted: true });
    return world;
  };

  it("closes when the next session of the agent works, although no progress is proven", () => {
    const world = ended();
    world.check(60, "starting", { session: "a-2" });
    world.check(80, "working", { session: "a-2" });
    expect(world.only.endedAt).toBeNull();
    world.check(95, "working", { session: "a-2" });
    expect(world.only).toMatchObject({ phase: "closed" });
  });

  it("stays open while the next session has only started", () => {
    const world = ended();
    world.watch(60, 300, "starting", { session: "a-2" });
    expect(world.only.endedAt).toBeNull();
  });

  it("stays open if rouse itself started the next session, until progress is proven", () => {
    const world = new World();
    world.watch(0, 300, "gone/crash", { facts: { gone: true } });
    expect(world.incidentState.actions.map((record) => record.do)).toContain("resume");
    world.watch(305, 600, "working", { session: "a-2" });
    expect(world.only.endedAt).toBeNull();
  });
});
