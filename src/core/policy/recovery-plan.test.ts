import { describe, expect, it } from "vitest";
import { assessed, FACTS, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import type { ActionRecord } from "../action.js";
import type { ActionFacts } from "./facts.js";
import type { RecoveryStep } from "./policy.js";
import { afterAction, nextStep } from "./recovery-plan.js";

const step = (name: RecoveryStep["do"]): RecoveryStep => ({
  do: name,
  when: { level: "act", afterMs: 0, origins: null },
  limit: 1,
  waitMs: 0,
  proof: "none",
});
const stuck = { ...assessed("stuck/tool_hang"), at: START };

describe("a step in the terminal of a user", () => {
  const next = (name: RecoveryStep["do"]) =>
    nextStep([step(name)], [], stuck, { ...FACTS, origin: "run", can: ["end_child", "stop", "restart"] });

  it("may end a hung command below the agent", () => {
    expect(next("end_child")).toEqual({ step: step("end_child"), skipped: [] });
  });

  it.each(["stop", "restart"] as const)("is skipped if it would end the session: %s", (name) => {
    expect(next(name)).toEqual({ step: null, skipped: [`${name} (runs in your terminal)`] });
  });
});

describe("a step for a session that has ended", () => {
  const next = (name: RecoveryStep["do"], what: string, gone: boolean) =>
    nextStep([step(name)], [], { ...assessed(what), at: START }, { ...FACTS, can: ["interrupt", "resume"], gone });

  it.each([
    ["gone/crash", false],
    ["stuck/tool_hang", true],
  ] as const)(
    "is skipped if it needs the session, and starts a new one: %s, its process proven gone: %s",
    (what, gone) => {
      expect(next("interrupt", what, gone)).toEqual({ step: null, skipped: ["interrupt (the session has ended)"] });
      expect(next("resume", what, gone)).toEqual({ step: step("resume"), skipped: [] });
    },
  );

  it("is skipped if it starts a session while the old one is running, and may use the old one", () => {
    expect(next("interrupt", "stuck/tool_hang", false)).toEqual({ step: step("interrupt"), skipped: [] });
    expect(next("resume", "stuck/tool_hang", false)).toEqual({
      step: null,
      skipped: ["resume (the old session is still running)"],
    });
  });
});

describe("a refused action", () => {
  const refused = (at: number): ActionRecord => ({
    id: `d${at}`,
    at,
    incident: "i",
    agent: "a",
    do: "nudge",
    deadlineMs: 45_000,
    proof: "turn_started",
    waitMs: 120_000,
    outcome: { intent: `d${at}`, at, result: "refused", reason: "a turn is running", proven: null },
  });
  const wait = (times: number) => {
    const actions = Array.from({ length: times }, (_, n) => refused(START + n));
    const last = START + times - 1;
    const after = afterAction(actions, stuck, [], last);
    return after?.kind === "check" ? (after.until - last) / 1000 : after?.kind;
  };

  it("is tried again after 30 s, then after twice as long each time, and escalated after five refusals", () => {
    expect([1, 2, 3, 4, 5].map(wait)).toEqual([30, 60, 120, 240, "human"]);
  });
});

/** A hang, and then what the first action leads to. */
function steps(facts: Partial<ActionFacts>): World {
  const world = new World();
  for (let at = 0; at <= 150; at += 5) {
    const first = world.done[0]?.action.do;
    if (first === "stop") world.check(at, "gone/crash", { facts: { ...facts, gone: true } });
    else world.check(at, first === "interrupt" ? "idle" : "stuck/silent_stream", { facts });
  }
  return world;
}

describe("a hang in a program that forgets the task of an interrupted turn", () => {
  const done = (world: World) => world.done.map(({ action }) => action.do);

  it("is stopped and resumed, which keeps the conversation", () => {
    const world = steps({ forgets: { task: "fix the parser", canResume: true } });
    expect(done(world)).toEqual(["stop", "resume"]);
    expect(world.done.map(({ action }) => action.task)).toEqual([undefined, undefined]);
  });

  it("is interrupted and given the task again if rouse may not stop it", () => {
    const world = steps({ origin: "tmux", forgets: { task: "fix the parser", canResume: true } });
    expect(done(world)).toEqual(["interrupt", "nudge"]);
    expect(world.done[1]?.action).toMatchObject({ say: "continue", task: "fix the parser" });
  });

  it("is interrupted and given the task again if its conversation cannot be resumed", () => {
    expect(done(steps({ forgets: { task: "fix the parser", canResume: false } }))).toEqual(["interrupt", "nudge"]);
  });

  it("is escalated with the reason if the task is unknown", () => {
    const world = steps({ origin: "run", forgets: { task: null, canResume: true } });
    expect(done(world)).toEqual(["escalate"]);
    expect(world.only.escalated?.reason).toContain("interrupt (the program would forget the task)");
  });

  it("is interrupted by a plan that does not continue the turn", () => {
    const facts = { ...FACTS, forgets: { task: null, canResume: true } };
    expect(nextStep([step("interrupt")], [], stuck, facts).step).toEqual(step("interrupt"));
  });
});

it("a program that keeps the turn is interrupted and nudged without its task", () => {
  const world = steps({ forgets: null });
  expect(world.done.map(({ action: { do: name, task } }) => [name, task])).toEqual([
    ["interrupt", undefined],
    ["nudge", undefined],
  ]);
});

describe("after an action", () => {
  const NOW = START + 60_000;
  const record = (rest: Partial<ActionRecord>, outcome: Partial<NonNullable<ActionRecord["outcome"]>> | null) =>
    ({
      id: "d",
      at: START,
      do: "interrupt",
      deadlineMs: 90_000,
      proof: "turn_ended",
      waitMs: 180_000,
      ...rest,
      outcome: outcome && { intent: "d", at: START + 30_000, result: "done", reason: "why", proven: true, ...outcome },
    }) as ActionRecord;
  const next = (rest: Partial<ActionRecord>, outcome: Parameters<typeof record>[1], what = "idle") => {
    const found = afterAction([record(rest, outcome)], { ...assessed(what), at: START }, [], NOW);
    return found?.kind === "check" ? `${found.reason}, ${(found.until - NOW) / 1000}` : (found?.reason ?? null);
  };

  it("rouse waits for its outcome until the deadline", () => {
    expect(next({}, null)).toBe("interrupt is under way, 30");
  });

  it("that has proven itself and only prepares the next step, the next step follows within seconds", () => {
    expect(next({}, { at: NOW })).toMatch(/^interrupt worked: checking the result, \d$/);
    expect(next({}, {})).toBeNull();
    expect(next({ do: "stop", proof: "process_gone" }, {})).toBeNull();
  });

  it("that ends a turn, the full time counts if the turn still runs, or without proof", () => {
    expect(next({}, {}, "stuck/silent_stream")).toBe("checking whether the interrupt helped, 150");
    expect(next({}, { proven: null })).toBe("checking whether the interrupt helped, 150");
  });

  it("that starts work, the full time counts from its outcome although it has proven itself", () => {
    expect(next({ do: "nudge", proof: "turn_started" }, {})).toBe("checking whether the nudge helped, 150");
    expect(next({ do: "nudge", proof: "turn_started" }, { result: "failed" })).toBe(
      "checking whether the nudge helped, 150",
    );
  });

  it("that could not hand over the task, the user is needed at once", () => {
    expect(next({ do: "continue" }, { result: "failed" })).toBe("why");
  });
});
