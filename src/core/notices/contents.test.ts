import { describe, expect, it } from "vitest";
import { assessed, World } from "../../../test/support/incidents.js";
import { sessionOf } from "../../../test/support/sessions.js";
import type { Problem } from "../incidents/problem.js";
import { createEvidence } from "../judgement/evidence/evidence.js";
import { aboutIncident, aboutSession, type NotifyRules, problemDuration } from "./contents.js";

const NOW = 100_000;

describe("the duration of a problem", () => {
  it.each<[Problem, string, number, number]>([
    ["silent_stream", "since the last activity, whenever it was suspected", 90_000, 50],
    ["rate_limited", "since the last activity before the limit", 90_000, 50],
    ["loop", "since it began: it is active to the end", 20_000, 80],
    ["auth", "since it was there, however long nothing had been done before", 90_000, 10],
    ["unknown", "since its detection if the last sign of life is not known", 90_000, 10],
  ])("of %s counts %s", (problem, _, since, secs) => {
    const evidence = createEvidence();
    evidence.progress.seen = { reply: 50_000, transcript: 40_000 };
    expect(problemDuration({ problem, since }, { evidence }, NOW)).toEqual({
      last_activity: new Date(50_000).toISOString(),
      duration_secs: secs,
    });
  });

  it("of an unobserved agent counts since its last sign of life", () => {
    const evidence = createEvidence();
    evidence.blind = { since: 30_000, text: "its host is silent", at: 90_000 };
    expect(problemDuration({ problem: "unknown", since: 95_000 }, { evidence }, NOW).duration_secs).toBe(70);
  });

  it("does not count unobserved time", () => {
    const evidence = createEvidence();
    evidence.progress.seen = { reply: 50_000 };
    evidence.asleep = [{ from: 60_000, to: 90_000 }];
    expect(problemDuration({ problem: "silent_stream", since: 95_000 }, { evidence }, NOW).duration_secs).toBe(20);
  });
});

it("a message suggests to type into an agent at its prompt, not during a turn", () => {
  const world = new World();
  world.check(0, "stuck/stopped_early");
  const rules = { can: () => ["nudge"] } as unknown as NotifyRules;
  const session = sessionOf({ kind: "claude-code", hostSocket: "/x" });
  const tools = (status: "active" | "idle" | "blocked") => {
    const evidence = createEvidence();
    evidence.turn.statuses.hook = { status, at: NOW };
    const view = { session, evidence, assessment: { ...assessed("stuck/stopped_early"), at: NOW } };
    return aboutIncident(world.only, view, "worker.stuck", rules).suggested_actions.map(({ tool }) => tool);
  };
  expect(tools("idle")).toContain("send_input");
  expect(tools("active")).not.toContain("send_input");
  expect(tools("blocked")).not.toContain("send_input");
});

it("a message carries the task in at most 200 characters and the confidence with two digits", () => {
  const world = new World();
  world.check(0, "stuck/stopped_early");
  const rules = { can: () => [] } as unknown as NotifyRules;
  const session = sessionOf({ task: "t".repeat(300) });
  const view = {
    session,
    evidence: createEvidence(),
    assessment: { ...assessed("complete", { confidence: 0.876 }), at: NOW },
  };
  const about = aboutIncident(world.only, view, "worker.stuck", rules);
  expect(about.task).toMatch(/^t{190,}/);
  expect(about.task?.length).toBeLessThanOrEqual(200);
  expect(aboutSession(view, "worker.complete", rules)).toMatchObject({ confidence: 0.88, task: about.task });
});
