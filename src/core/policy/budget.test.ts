import { describe, expect, it } from "vitest";
import type { ActionName, ActionRecord, OutcomeResult } from "../action.js";
import { spentBudget } from "./budget.js";
import type { Budgets } from "./policy.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ROOM = { times: 100, periodMs: HOUR };
const BUDGETS: Budgets = { incident: 100, agent: ROOM, node: ROOM, agentRestarts: ROOM, nodeRestarts: ROOM };
const NOW = 10 * HOUR;

/** So many minutes ago. */
const took = (name: ActionName, minutes: number, rest: Partial<ActionRecord> = {}, result: OutcomeResult = "done") =>
  ({
    do: name,
    at: NOW - minutes * MINUTE,
    agent: "a",
    incident: "i",
    outcome: { result },
    ...rest,
  }) as ActionRecord;

const spent = (budgets: Partial<Budgets>, actions: ActionRecord[], restart = false): string | null => {
  const found = spentBudget({ ...BUDGETS, ...budgets }, actions, { incident: "i", agent: "a", restart }, NOW);
  return found && `${found.scope}, ${found.what}, ${found.freeAt === null ? "never" : (found.freeAt - NOW) / MINUTE}`;
};

describe("a budget", () => {
  const two = { times: 2, periodMs: HOUR };

  it("of an incident counts all its actions, whatever their age, and never frees up", () => {
    const old = [took("nudge", 500), took("interrupt", 400)];
    expect(spent({ incident: 2 }, old)).toBe("incident, 2 actions in this incident, never");
    expect(spent({ incident: 3 }, old)).toBeNull();
    expect(spent({ incident: 2 }, [took("nudge", 5), took("nudge", 4, { incident: "other" })])).toBeNull();
  });

  it("of an agent counts its actions within the period, and frees up when the oldest of them leaves it", () => {
    expect(spent({ agent: two }, [took("nudge", 50), took("nudge", 20)])).toBe(
      "agent, 2 actions for this agent in 60 min, 10",
    );
    expect(spent({ agent: two }, [took("nudge", 60), took("nudge", 20)])).toBeNull();
    expect(spent({ agent: two }, [took("nudge", 50), took("nudge", 20, { agent: "b" })])).toBeNull();
    // With one action too many, two of them have to leave.
    expect(spent({ agent: two }, [took("nudge", 20), took("nudge", 50), took("nudge", 30)])).toBe(
      "agent, 3 actions for this agent in 60 min, 30",
    );
  });

  it("of a machine counts the actions on all its agents", () => {
    expect(spent({ node: two }, [took("nudge", 50), took("nudge", 20, { agent: "b" })])).toBe(
      "node, 2 actions for this machine in 60 min, 10",
    );
  });

  it("of stops and starts counts only these, and forbids only these", () => {
    const actions = [took("stop", 50), took("resume", 20), took("nudge", 10)];
    expect(spent({ agentRestarts: two }, actions, true)).toBe("agent, 2 restarts for this agent in 60 min, 10");
    expect(spent({ agentRestarts: two }, actions, false)).toBeNull();
    expect(spent({ agentRestarts: two }, [took("stop", 50), took("nudge", 10)], true)).toBeNull();
    expect(spent({ nodeRestarts: two }, [took("stop", 50, { agent: "b" }), took("resume", 20)], true)).toBe(
      "node, 2 restarts for this machine in 60 min, 10",
    );
  });

  it("is not used up by refused actions, nor by what does not touch the agent", () => {
    expect(spent({ agent: two }, [took("nudge", 50, {}, "refused"), took("nudge", 20)])).toBeNull();
    expect(spent({ agent: two }, [took("release", 50), took("block", 40), took("escalate", 20)])).toBeNull();
  });

  it("still counts an action in the future, after the clock was set back", () => {
    expect(spent({ agent: two }, [took("nudge", -30), took("nudge", 20)])).toBe(
      "agent, 2 actions for this agent in 60 min, 40",
    );
  });

  it("that frees up last is named if several are used up", () => {
    const actions = [took("nudge", 50), took("nudge", 20)];
    expect(spent({ agent: two, node: { times: 1, periodMs: HOUR } }, actions)).toBe(
      "node, 2 actions for this machine in 60 min, 40",
    );
  });
});
