import { expect, it } from "vitest";
import { sessionOf } from "../../test/support/sessions.js";
import type { Action, Outcome } from "../core/action.js";
import { Doing } from "./doing.js";

const action: Action = {
  id: "1",
  do: "nudge",
  incident: "i",
  agent: "a",
  session: "s",
  trouble: "stopped_early",
  attempt: 1,
  deadlineMs: 45_000,
  proof: "turn_started",
  waitMs: 120_000,
};

it.each([
  [null, ["intend", "carry out", "done"]],
  ["disk full", ["intend", "refused"]],
] as const)(
  "carries an action out only after its intent is stored; the problem of the store is %j",
  async (problem, steps) => {
    const seen: string[] = [];
    const outcome: Outcome = { intent: action.id, at: 0, result: "done", reason: "", proven: null };
    const doing = new Doing({
      hands: {
        can: () => ["nudge"],
        carryOut: async () => {
          seen.push("carry out");
          return outcome;
        },
      },
      now: () => 0,
      intend: () => {
        seen.push("intend");
        return problem;
      },
      done: ({ result }) => seen.push(result),
    });
    await doing.act(action, sessionOf({}), 0);
    expect(seen).toEqual(steps);
    expect(doing.isBusy("a")).toBe(false);
  },
);
