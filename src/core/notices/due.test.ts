import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assessed, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import type { AgentSession } from "../agent.js";
import type { Incident } from "../incidents/incident.js";
import { createEvidence, takeSignal } from "../judgement/evidence/evidence.js";
import { POLICIES } from "../policy/builtin.js";
import type { NotifyRules } from "./contents.js";
import { dueCompletion, dueMessages, type JudgedAgent } from "./due.js";

const RULES: NotifyRules = {
  patienceMs: () => 900_000,
  can: () => [],
  isWorker: () => true,
  isNotified: () => true,
  isReceiver: () => false,
};
const session = { id: "a-1", name: "a", kind: "claude-code", task: null, origin: "spawn" } as AgentSession;
const view: JudgedAgent = {
  session,
  evidence: createEvidence(),
  assessment: { ...assessed("stuck/silent_stream"), at: START },
  since: START,
};

/** The types of the messages that are due about the only incident of this world. */
function due(world: World, at: number, sent: readonly string[] = [], rules: Partial<NotifyRules> = {}): string[] {
  const edges = { of: () => new Set(sent) };
  const messages = dueMessages(world.incidentState, () => view, edges, { ...RULES, ...rules }, START + at * 1000);
  return messages.map(({ type }) => type);
}

/** An incident that the policy of a new installation escalates as soon as it is confirmed. */
function confirmed(change: (incident: Incident) => void = () => {}, what = "stuck/silent_stream"): World {
  const world = new World(POLICIES.observe);
  world.watch(0, 120, what);
  change(world.only);
  return world;
}

const escalatedAfter = (seconds: number) => (incident: Incident) => {
  incident.escalated = { at: (incident.confirmedAt ?? 0) + seconds * 1000, reason: "no step left", wouldDo: null };
};

describe("a state of less than 5 s", () => {
  const age = fc.integer({ min: 0, max: 10_000 });
  const now = START + 120_000;

  it("is never sent as a problem, and a longer one is", () => {
    const problems = ["stuck/silent_stream", "needs_input/permission", "error/api", "error/auth"];
    fc.assert(
      fc.property(age, fc.constantFrom(...problems), (ms, problem) => {
        const world = confirmed(() => {}, problem);
        const aged = { ...view, since: now - ms };
        const sent = dueMessages(world.incidentState, () => aged, { of: () => new Set() }, RULES, now);
        expect(sent.length > 0).toBe(ms >= 5000);
      }),
      { numRuns: 40 },
    );
  });

  it("is never sent as a result, unless the agent has exited", () => {
    const done = createEvidence();
    Object.assign(done.turn, { startedAt: START, endedAt: now - 10_000, turns: 1 });
    const exited = { ...done, exit: { kind: "exit", source: "process", at: now, code: 0, signal: null } as const };
    const assessment = { ...assessed("complete"), at: now };
    const due = (ms: number, evidence: typeof done): boolean =>
      dueCompletion(
        { ...view, session, evidence, assessment, since: now - ms },
        { of: () => new Set() },
        RULES,
        now,
      ) !== null;
    fc.assert(
      fc.property(age, (ms) => {
        expect([due(ms, done), due(ms, exited)]).toEqual([ms >= 5000, true]);
      }),
    );
  });
});

describe("messages to an orchestrator", () => {
  it("are due once an incident is confirmed", () => {
    const world = new World(POLICIES.observe);
    world.watch(0, 30, "stuck/silent_stream");
    expect(due(world, 30)).toEqual([]);
    expect(due(confirmed(), 120)).toEqual(["worker.stuck"]);
    expect(due(confirmed(), 120, ["worker.stuck"])).toEqual([]);
  });

  it("are not due about an incident that the user acknowledged", () => {
    const world = confirmed((incident) => {
      incident.ackedAt = START;
    });
    expect(due(world, 120)).toEqual([]);
  });

  it("are not due about an incident that the user marked as a false alarm", () => {
    const marked = (feedback: Incident["feedback"]) =>
      confirmed((incident) => {
        incident.feedback = feedback;
      });
    expect(due(marked("right"), 120)).toEqual(["worker.stuck"]);
    expect(due(marked("false-alarm"), 120)).toEqual([]);
  });

  it("are not due about the orchestrator itself, or about agents that the user left out", () => {
    expect(due(confirmed(), 120, [], { isReceiver: () => true })).toEqual([]);
    expect(due(confirmed(), 120, [], { isNotified: () => false })).toEqual([]);
  });

  it("report an escalation more than 10 s after the confirmation, once, and only after the problem itself", () => {
    const late = confirmed(escalatedAfter(11));
    expect(due(late, 200, ["worker.stuck"])).toEqual(["worker.escalated"]);
    expect(due(late, 200)).toEqual(["worker.stuck"]);
    expect(due(late, 200, ["worker.stuck", "escalated"])).toEqual([]);
    expect(due(confirmed(escalatedAfter(10)), 200, ["worker.stuck"])).toEqual([]);
  });

  it("report an early escalation if rouse acted before it", () => {
    const world = new World(POLICIES.default);
    world.watch(0, 60, "stuck/silent_stream");
    escalatedAfter(0)(world.only);
    expect(due(world, 200, ["worker.stuck"])).toEqual(["worker.escalated"]);
  });

  it("do not report the escalation of a human-only problem: the first message said it", () => {
    const world = confirmed(escalatedAfter(60), "error/auth");
    expect(due(world, 200, ["worker.error"])).toEqual([]);
  });

  it("name the end of a limit, if it is known", () => {
    const until = (at: number | null) => {
      const world = new World(POLICIES.observe);
      world.watch(0, 960, assessed("rate_limited", { until: at }), {}, 60);
      const messages = dueMessages(world.incidentState, () => view, { of: () => new Set() }, RULES, START + 960_000);
      return messages.map(({ payload }) => payload);
    };
    expect(until(START + 7_200_000)).toMatchObject([{ until: new Date(START + 7_200_000).toISOString() }]);
    expect(until(null)).toMatchObject([{ until: null }]);
  });

  it("follow up on an agent that is no longer notified about, if the problem itself was sent", () => {
    const isNotified = (): boolean => false;
    expect(due(confirmed(escalatedAfter(11)), 200, ["worker.stuck"], { isNotified })).toEqual(["worker.escalated"]);
  });

  it("do not report the escalation of a used-up budget: the first message is that already", () => {
    const world = confirmed((incident) => {
      incident.problem = "over_budget";
      escalatedAfter(60)(incident);
    });
    expect(due(world, 200, ["worker.escalated"])).toEqual([]);
  });

  it("report a recovery once, if the problem was sent; the end of a budget period is none", () => {
    const ended = (change: (incident: Incident) => void = () => {}) =>
      confirmed((incident) => {
        Object.assign(incident, { endedAt: START + 150_000, phase: "recovered" });
        change(incident);
      });
    expect(due(ended(), 200, ["worker.stuck"])).toEqual(["worker.recovered"]);
    expect(due(ended(), 200)).toEqual([]);
    expect(due(ended(), 200, ["worker.stuck", "recovered"])).toEqual([]);
    const budget = ended((incident) => {
      incident.problem = "over_budget";
    });
    expect(due(budget, 200, ["worker.escalated"])).toEqual([]);
  });

  it("report a finished turn once", () => {
    const finished = { ...view, since: START - 5000, assessment: { ...assessed("complete"), at: START } };
    const sent = (...edges: string[]) => dueCompletion(finished, { of: () => new Set(edges) }, RULES, START)?.type;
    expect(sent()).toBe("worker.complete");
    expect(sent("complete")).toBeUndefined();
  });

  it("do not count a refused action as an attempt", () => {
    const world = new World(POLICIES.default);
    for (let at = 0; at <= 60; at += 5) world.check(at, "stuck/silent_stream", {}, "refused");
    escalatedAfter(0)(world.only);
    expect(due(world, 200, ["worker.stuck"])).toEqual([]);
  });

  it("carry the confidence of the assessment", () => {
    const messages = dueMessages(
      confirmed().incidentState,
      () => view,
      { of: () => new Set() },
      RULES,
      START + 120_000,
    );
    expect(messages.map(({ payload }) => payload)).toMatchObject([{ confidence: 0.9 }]);
  });

  it("mark a question as known if another source reported it before", () => {
    const known = (...sent: string[]) => {
      const world = confirmed(undefined, "needs_input/permission");
      const edges = { of: () => new Set(sent) };
      return dueMessages(world.incidentState, () => view, edges, RULES, START + 120_000).map(({ isKnown }) => isKnown);
    };
    expect(known()).toEqual([undefined]);
    expect(known("worker.needs_input 0 hook 1f2e")).toEqual([true]);
  });
});

describe("a message about a question", () => {
  const asked = (agoMs: number, text = "") => {
    const world = confirmed(undefined, "needs_input/permission");
    const evidence = createEvidence();
    const now = START + 120_000;
    if (text !== "")
      takeSignal(evidence, {
        kind: "prompt",
        source: "hook",
        at: now - agoMs,
        prompt: "permission",
        question: text,
        open: true,
      });
    return dueMessages(world.incidentState, () => ({ ...view, evidence }), { of: () => new Set() }, RULES, now);
  };

  it("waits 2 s for the text of a dialog", () => {
    expect(asked(1999, "May I?")).toEqual([]);
    expect(asked(2000, "May I?")).toHaveLength(1);
  });

  it("quotes the question, or else the reason", () => {
    expect(asked(5000, "May I?")).toMatchObject([{ payload: { prompt_preview: "May I?" } }]);
    expect(asked(0)).toMatchObject([{ payload: { prompt_preview: "it is needs_input/permission" } }]);
  });
});

it("no message is due about the open incident of an agent that is no longer watched", () => {
  const messages = dueMessages(confirmed().incidentState, () => null, { of: () => new Set() }, RULES, START + 120_000);
  expect(messages).toEqual([]);
});
