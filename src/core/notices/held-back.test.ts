import { expect, it } from "vitest";
import { START, screen } from "../../../test/support/steps.js";
import type { Incident } from "../incidents/incident.js";
import type { Problem } from "../incidents/problem.js";
import { createEvidence, takeSignal } from "../judgement/evidence/evidence.js";
import type { Evidence } from "../judgement/evidence/state.js";
import type { Signal } from "../signal.js";
import type { AgentSnapshot } from "./contents.js";
import { isHeldByActivity } from "./held-back.js";

const COMMIT = { kind: "commit", source: "workspace", at: START + 120_000, digest: "c", subject: "Fix it" } as const;

/** Two minutes after the problem began, unless the agent has done something meanwhile. */
function isHeld(problem: Problem, after: Signal | null, change: (evidence: Evidence) => void = () => {}): boolean {
  const evidence = createEvidence();
  takeSignal(evidence, { ...screen({ busy: true, reply: "I look at the code" }), at: START } as Signal);
  if (after) takeSignal(evidence, after);
  change(evidence);
  const incident = { id: "i", problem, since: START + 30_000 } as Incident;
  return isHeldByActivity({ actions: [] }, incident, { evidence } as AgentSnapshot, START + 180_000);
}

it("a stall is not sent while other sources show work since it began", () => {
  expect(isHeld("silent_stream", null)).toBe(false);
  expect(isHeld("silent_stream", COMMIT as unknown as Signal)).toBe(true);
  expect(isHeld("silent_stream", { ...COMMIT, at: START + 20_000 } as unknown as Signal)).toBe(false);
});

it("activity does not hold back a loop, which is active, an error, or the end of a process", () => {
  const commit = COMMIT as unknown as Signal;
  for (const problem of ["loop", "no_progress", "api", "needs_input", "rate_limited"] as const)
    expect([problem, isHeld(problem, commit)]).toEqual([problem, false]);
  const exited = (evidence: Evidence): void => {
    evidence.exit = { kind: "exit", source: "process", at: START + 170_000, code: 1, signal: null };
  };
  expect(isHeld("silent_stream", commit, exited)).toBe(false);
});
