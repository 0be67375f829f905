import { describe, expect, it } from "vitest";
import { assessed } from "../../test/support/incidents.js";
import { START } from "../../test/support/steps.js";
import type { IncidentState } from "./incidents/incident.js";
import { POLICIES } from "./policy/builtin.js";
import type { Policy } from "./policy/policy.js";
import { agentSession, WhatIf } from "./what-if.js";

const HOUR = 3_600_000;
const MINUTE = 60_000;

const withBudgets = (budgets: Partial<Policy["budgets"]>): Policy => ({
  ...POLICIES.default,
  budgets: { ...POLICIES.default.budgets, ...budgets },
});

/** Every 20 minutes the service fails, a nudge helps, and the agent works for a while. */
function play(whatIf: WhatIf, from: number, times: number): string[] {
  for (let round = 0; round < times; round++) {
    const at = from + round * 20 * MINUTE;
    const check = (ms: number, what: string, worked: boolean): void => {
      const progress = worked ? at + ms : null;
      whatIf.assess({ ...assessed(what), at: at + ms }, { progressAt: progress });
    };
    for (const ms of [0, 70_000]) check(ms, "error/api", false);
    for (const ms of [80_000, 120_000]) check(ms, "working", true);
  }
  return whatIf.wouldDo.map(({ at, do: name }) => `${Math.round((at - from) / MINUTE)} ${name}`);
}

const controls = (runs: readonly WhatIf[]): number[] =>
  runs.flatMap(({ wouldDo }) => wouldDo.filter(({ do: name }) => name === "nudge").map(({ at }) => at));

describe("what-if", () => {
  it("acts on an agent no more often in a period than its budget permits, and then escalates", () => {
    const policy = withBudgets({ agent: { times: 2, periodMs: HOUR } });
    expect(play(new WhatIf({ policy, origin: "spawn" }), START, 4)).toEqual([
      "1 nudge",
      "21 nudge",
      "41 escalate",
      "61 nudge",
    ]);
  });

  it("acts on an incident no more often than its budget permits", () => {
    const policy = withBudgets({ incident: 1 });
    const whatIf = new WhatIf({ policy, origin: "spawn" });
    for (let second = 0; second < 1200; second += 10)
      whatIf.assess({ ...assessed("error/api"), at: START + second * 1000 });
    expect(whatIf.wouldDo.map(({ do: name }) => name)).toEqual(["nudge", "escalate"]);
    expect(whatIf.wouldDo.at(-1)?.reason).toContain("budget used up: 1 actions in this incident");
  });

  const policy = withBudgets({ node: { times: 3, periodMs: HOUR } });
  const onOne = (starts: readonly number[]): WhatIf[] => {
    const node: IncidentState[] = [];
    return starts.map((start) => {
      const whatIf = new WhatIf({ policy, origin: "spawn", node });
      play(whatIf, start, 2);
      return whatIf;
    });
  };

  it("shares the budget of a machine with its other recordings, in any order of replay", () => {
    const starts = [0, 5, 10, 15].map((minute) => START + minute * MINUTE);
    for (const order of [starts, [...starts].reverse()]) {
      const all = controls(onOne(order)).sort((a, b) => a - b);
      expect(all.length).toBeGreaterThanOrEqual(3);
      for (const at of all)
        expect(all.filter((other) => other > at - HOUR && other <= at).length).toBeLessThanOrEqual(3);
    }
  });

  it("shares no budget with recordings of another day or another machine", () => {
    expect(controls(onOne([START, START + 24 * HOUR, START - 24 * HOUR]))).toHaveLength(6);
    const apart = [0, 1, 2].map(() => new WhatIf({ policy, origin: "spawn" }));
    for (const whatIf of apart) play(whatIf, START, 2);
    expect(controls(apart)).toHaveLength(6);
  });

  it("gives reasons with ages at the time of the action, not of the last judgement before it", () => {
    const whatIf = new WhatIf({ policy: POLICIES.default, origin: "spawn" });
    const session = agentSession("spawn", "claude-code", START);
    whatIf.take({ kind: "register", session }, START);
    const turn = { kind: "turn", source: "transcript", phase: "start", byUser: true } as const;
    const failure = {
      kind: "error",
      source: "transcript",
      cause: "api",
      final: true,
      digest: "e",
      text: "529",
    } as const;
    const signals = [
      { ...turn, at: START - 1000 },
      { ...failure, at: START },
    ];
    whatIf.take({ kind: "signals", session: session.id, by: "host", signals }, START);
    // It is judged every ten seconds, and once more 55 s after the failure; the nudge is due after 60 s.
    for (const second of [10, 20, 30, 40, 50, 55, 56, 57, 58, 59, 60, 61]) {
      const now = START + second * 1000;
      whatIf.take({ kind: "alive", session: session.id, by: "host", at: now }, now);
      if (second === 55) whatIf.take({ kind: "check", session: session.id }, now);
      whatIf.take({ kind: "tick" }, now);
    }
    expect(whatIf.wouldDo).toMatchObject([{ do: "nudge", reason: expect.stringContaining("error 60 s ago") }]);
  });

  it("names no action that is impossible with such an agent", () => {
    const whatIf = new WhatIf({ policy, origin: "spawn", can: ["stop"] });
    play(whatIf, START, 1);
    expect(whatIf.wouldDo.map(({ do: name }) => name)).not.toContain("nudge");
  });
});
