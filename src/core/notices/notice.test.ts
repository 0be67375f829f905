import { describe, expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import type { AgentSession } from "../agent.js";
import type { Incident } from "../incidents/incident.js";
import { createEvidence } from "../judgement/evidence/evidence.js";
import { POLICIES } from "../policy/builtin.js";
import type { AlertEdge, PlannedAlert } from "./alert.js";
import { type AgentSnapshot, subjectOf } from "./contents.js";
import { noticeOf } from "./notice.js";

const NOW = START + 600_000;

function seenWith(preview: string): AgentSnapshot {
  const evidence = createEvidence();
  evidence.message = { preview } as NonNullable<typeof evidence.message>;
  const session = { id: "a-1", name: "a", task: null, hostSocket: null, endedAt: null } as AgentSession;
  return { session, evidence } as AgentSnapshot;
}

function lines(
  world: World,
  edge: AlertEdge = "opened",
  view: AgentSnapshot | null = null,
  subject = "group:g",
): string[] {
  const members = world.incidentState.incidents.map(subjectOf);
  const planned = { key: "k", subject, edge, severity: "warning", at: NOW, members } as unknown as PlannedAlert;
  const clock = (at: number): string => `minute ${(at - START) / 60_000}`;
  const notice = noticeOf(planned, { incidentState: world.incidentState, seen: () => view, clock, now: NOW });
  return [notice.title, ...notice.lines];
}

const asking = (...agents: string[]): World => {
  const world = new World(POLICIES.observe);
  for (const agent of agents) world.check(0, "needs_input/permission", { agent });
  return world;
};

describe("the text of an alert about one agent", () => {
  it("quotes the question, once, and only for a problem that has one", () => {
    const question = "May I delete the folder build and everything that is in it?";
    const world = asking("a");
    world.only.reasons = [`asks for permission: ${question}`];
    const said = lines(world, "opened", seenWith(question));
    expect(said).toContain(`question: ${question}`);
    expect(said).toContain("why: asks for permission");
    const other = new World(POLICIES.observe);
    other.watch(0, 120, "stuck/loop");
    expect(lines(other, "opened", seenWith(question)).join("\n")).not.toContain("question:");
  });

  it("says what rouse did and what it needs, or why it did nothing", () => {
    const idle = asking("a");
    expect(lines(idle)).toContain("needs you: answer its prompt");
    expect(lines(idle).join("\n")).not.toContain("action");
    const tried = new World();
    tried.watch(0, 60, "stuck/silent_stream");
    expect(lines(tried)).toContain("actions taken: interrupt: done");
    expect(lines(tried).join("\n")).not.toContain("needs you:");
    tried.only.escalated = { at: NOW, reason: "needs you: no step left", wouldDo: null };
    expect(lines(tried)).toContain("needs you: no step left");
  });

  it("names the end of a limit only if it is known", () => {
    const world = asking("a");
    expect(lines(world).join("\n")).not.toContain("until");
    world.only.until = START + 1_200_000;
    expect(lines(world)).toContain("until minute 20");
  });

  it("uses the session id in commands if the name is not one word of at most 80 characters", () => {
    const commandOf = (name: string): string => lines(asking(name)).at(-1) ?? "";
    expect(commandOf("a".repeat(80))).toContain(`rouse why ${"a".repeat(80)})`);
    expect(commandOf("a".repeat(81))).toContain(`rouse why ${"a".repeat(81)}-1)`);
    expect(commandOf("example.com")).toContain("rouse why example.com-1)");
  });
});

describe("the text of an alert about several agents", () => {
  it("lists ten of them and says how many more there are", () => {
    const names = Array.from({ length: 12 }, (_, n) => `a${n}`);
    const said = lines(asking(...names));
    expect(said[0]).toBe("Watchdog: 12 agents need attention");
    expect(said).toContain("and 2 more");
    expect(said.filter((line) => /^a\d+:/.test(line))).toHaveLength(10);
    expect(lines(asking("a", "b")).join("\n")).not.toContain("more");
  });

  it("says how many are resolved, unless none or all are", () => {
    const world = asking("a", "b");
    expect(lines(world).join("\n")).not.toContain("of them are resolved");
    const [first] = world.incidentState.incidents;
    if (first) first.endedAt = NOW;
    expect(lines(world)).toContain("1 of them are resolved");
    expect(lines(world, "resolved").join("\n")).not.toContain("of them are resolved");
  });
});

it("a reminder says that it is one", () => {
  expect(lines(asking("a"), "reminder")[0]).toMatch(/^Watchdog: reminder: agent a /);
  expect(lines(asking("a"), "opened")[0]).toMatch(/^Watchdog: agent a /);
});

it("the end of a problem is called a recovery only if progress was proven", () => {
  const ended = (phase: Incident["phase"]) => {
    const world = asking("a");
    Object.assign(world.only, { phase, endedAt: NOW });
    return lines(world, "resolved")[0];
  };
  expect(ended("recovered")).toBe("Watchdog: agent a recovered");
  expect(ended("closed")).toBe("Watchdog: agent a: resolved, the problem is no longer seen");
});

it("quotes the text of the agent's own report only if that report is a question", () => {
  const view = (state: "needs_input" | "working", text: string) => {
    const seen = seenWith("the last message");
    seen.evidence.report = { state, text, at: NOW } as NonNullable<typeof seen.evidence.report>;
    return lines(asking("a"), "opened", seen);
  };
  expect(view("needs_input", "which branch?")).toContain("question: which branch?");
  expect(view("needs_input", "")).toContain("question: the last message");
  expect(view("working", "on it")).toContain("question: the last message");
});
