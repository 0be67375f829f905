import { describe, expect, it } from "vitest";
import { assessed } from "../../../test/support/incidents.js";
import { screen } from "../../../test/support/steps.js";
import type { AgentSession } from "../agent.js";
import { createEvidence } from "../judgement/evidence/evidence.js";
import type { Evidence } from "../judgement/evidence/state.js";
import { HOUR } from "../text/time.js";
import { completionOf } from "./complete.js";

const NOW = 100 * HOUR;
const STARTED = NOW - HOUR;

const session: AgentSession = {
  id: "s1",
  name: "api",
  kind: "claude-code",
  tags: [],
  origin: "spawn",
  command: ["claude"],
  workspace: "/w",
  task: null,
  policy: null,
  pid: 1,
  pidStart: "x",
  startedAt: STARTED,
  hostSocket: null,
  pane: null,
  endedAt: null,
};

interface Given {
  agent?: Partial<AgentSession>;
  isWorker?: boolean;
  state?: string;
}

/** A spawned agent whose turn ended a minute ago. */
function completed(change: (evidence: Evidence) => void = () => {}, given: Given = {}) {
  const evidence = createEvidence();
  Object.assign(evidence.turn, { startedAt: STARTED, endedAt: NOW - 60_000, turns: 3 });
  change(evidence);
  const assessment = { ...assessed(given.state ?? "complete"), at: NOW };
  const rules = { isWorker: () => given.isWorker ?? false };
  const result = completionOf({ session: { ...session, ...given.agent }, evidence, assessment }, rules, NOW);
  return result && { subject: result.subject, ...result.payload() };
}

const exited = (code: number | null, signal: number | null = null): Evidence["exit"] => ({
  kind: "exit",
  source: "process",
  at: NOW,
  code,
  signal,
});

describe("the result of a finished turn", () => {
  it("names the session and the turn, and claims no success because of the end of a turn alone", () => {
    expect(completed()).toMatchObject({ subject: "s1.3", outcome: "unknown" });
  });

  it("exists only if the assessment is complete", () => {
    expect(completed(() => {}, { state: "idle" })).toBeNull();
  });

  it("is not sent a day later", () => {
    const endedAt = (at: number) =>
      completed((evidence) => {
        evidence.turn.endedAt = at;
      });
    expect(endedAt(NOW - 24 * HOUR)).not.toBeNull();
    expect(endedAt(NOW - 24 * HOUR - 1)).toBeNull();
  });

  it("waits for a required completion marker, unless the agent exited without it", () => {
    const asked = (given: boolean, exit: Evidence["exit"] = null) =>
      completed((evidence) => {
        Object.assign(evidence.completion, { asked: true, given });
        evidence.exit = exit;
      });
    expect(asked(false)).toBeNull();
    expect(asked(true)).toMatchObject({ outcome: "success" });
    expect(asked(false, exited(0))).toMatchObject({ outcome: "unknown" });
    expect(asked(true, exited(0))).toMatchObject({ outcome: "success" });
  });

  it.each<[string, Evidence["exit"], string]>([
    ["a clean exit", exited(0), "success"],
    ["an exit code", exited(3), "failure"],
    ["a signal", exited(null, 9), "failure"],
  ])("of an agent that ended with %s is judged by that", (_, exit, outcome) => {
    expect(
      completed((evidence) => {
        evidence.exit = exit;
      }),
    ).toMatchObject({ outcome });
  });

  it("belongs to the user who typed the prompt, however long before the turn began", () => {
    const typed = (by: "human" | "client", at: number, given: Given = {}) =>
      completed((evidence) => {
        evidence.turn.prompted = [{ by, at }];
      }, given);
    expect(typed("human", STARTED)).toBeNull();
    expect(typed("human", STARTED - HOUR)).toBeNull();
    expect(typed("human", STARTED + 1)).not.toBeNull();
    expect(typed("human", STARTED, { agent: { task: "T-1" } })).not.toBeNull();
  });

  it("is always sent for the prompt of an orchestrator, also if a user typed before it or during the turn", () => {
    const prompted = (...inputs: ["human" | "client", number][]) =>
      completed(
        (evidence) => {
          evidence.turn.prompted = inputs.map(([by, at]) => ({ by, at }));
          evidence.humanAt = STARTED;
        },
        { agent: { origin: "run" } },
      );
    expect(prompted(["client", STARTED])).not.toBeNull();
    expect(prompted(["human", STARTED - 2000], ["client", STARTED - 1])).not.toBeNull();
    expect(prompted(["client", STARTED - 1], ["human", STARTED + 500])).not.toBeNull();
    expect(prompted(["client", STARTED - 1000], ["human", STARTED - 1])).toBeNull();
  });

  it("is reported for spawned agents, for workers and for agents with a task only", () => {
    expect(completed(() => {}, { agent: { origin: "run" } })).toBeNull();
    expect(completed(() => {}, { agent: { origin: "run" }, isWorker: true })).not.toBeNull();
    expect(completed(() => {}, { agent: { origin: "run", task: "T-1" } })).not.toBeNull();
  });

  it("of an agent that reported it itself is a success, with its own text", () => {
    const reported = (state: "complete" | "working") =>
      completed(
        (evidence) => {
          evidence.report = { state, text: "all green", at: NOW } as NonNullable<Evidence["report"]>;
        },
        { agent: { origin: "run" } },
      );
    expect(reported("complete")).toMatchObject({ outcome: "success", completion_message: "all green" });
    expect(reported("working")).toBeNull();
  });
});

it("a completion message has at most 600 characters", () => {
  const result = completed((evidence) => {
    evidence.report = { state: "complete", text: "x".repeat(900), at: NOW } as NonNullable<Evidence["report"]>;
  });
  expect(result?.completion_message.length).toBeLessThanOrEqual(600);
  expect(result?.completion_message).toMatch(/^x{590}/);
});

it("a completion message never quotes a prompt of rouse", () => {
  const shows = (...tail: string[]) =>
    completed((evidence) => {
      evidence.progress.reading = { ...screen({}).reading, tail };
    })?.completion_message;
  expect(shows("> Please continue where you stopped. [rouse]")).toBe("");
  expect(shows("> Please continue where you", "stopped. [rouse]", "Fixed the parser.")).toBe("Fixed the parser.");
});
