import { describe, expect, it } from "vitest";
import type { Action, ActionOutcome } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { ActionRunner } from "./action-runner.js";

const action = { id: "i1", do: "nudge", deadlineMs: 1000 } as Action;
const session = { id: "s1" } as AgentSession;

function runner(carryOut: () => Promise<ActionOutcome>) {
  const outcomes: ActionOutcome[] = [];
  const made = new ActionRunner({ carryOut, now: () => 5, onOutcome: (outcome) => outcomes.push(outcome) });
  return { runner: made as ActionRunner, outcomes };
}

describe("an action", () => {
  it("is not carried out if its intent could not be stored", async () => {
    let runs = 0;
    const done: ActionOutcome = { intent: "i1", at: 5, result: "done", reason: "", proven: true };
    const test = runner(async () => {
      runs++;
      return done;
    });
    await test.runner.run(action, session, 0, "disk full");
    expect(runs).toBe(0);
    expect(test.outcomes).toMatchObject([{ result: "refused", reason: "the intent could not be stored: disk full" }]);
    await test.runner.run(action, session, 0, null);
    expect(runs).toBe(1);
    expect(test.outcomes.at(-1)).toEqual(done);
  });

  it("has an unknown outcome at its deadline, and not before", async () => {
    const test = runner(() => new Promise(() => {}));
    const ended = test.runner.run(action, session, 0, null);
    test.runner.tick(999);
    await Promise.resolve();
    expect(test.outcomes).toEqual([]);
    test.runner.tick(1000);
    await ended;
    expect(test.outcomes).toMatchObject([{ intent: "i1", result: "unknown" }]);
  });
});
