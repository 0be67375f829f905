import { describe, expect, it } from "vitest";
import { POLICIES } from "./builtin.js";
import type { Budget, Policy } from "./policy.js";

const shown = ({ budgets, confirmMs, patienceMs, outageMs, autoResumeMs }: Policy) => {
  const perHour = ({ times, periodMs }: Budget): number => (times * 3_600_000) / periodMs;
  return {
    seconds: [confirmMs, patienceMs, outageMs, autoResumeMs].map((ms) => ms / 1000),
    perIncident: budgets.incident,
    perHour: [budgets.agent, budgets.node, budgets.agentRestarts, budgets.nodeRestarts].map(perHour),
  };
};

describe("the built-in policies", () => {
  it("act at most this often: per incident, and per hour on an agent and a machine, and in stops and starts", () => {
    // A literal copy on purpose: these numbers bound what rouse may do to agents, and docs/acting.md promises them.
    const cautious = { seconds: [60, 900, 1800, 43_200], perIncident: 12, perHour: [12, 60, 4, 12] };
    expect(shown(POLICIES.observe)).toEqual(cautious);
    expect(shown(POLICIES.default)).toEqual(cautious);
    expect(shown(POLICIES.aggressive)).toEqual({
      seconds: [30, 900, 1800, 43_200],
      perIncident: 14,
      perHour: [20, 100, 6, 20],
    });
  });

  it("wait this long for a limit: margin, delay, first and longest back-off, own resume", () => {
    for (const { limits } of Object.values(POLICIES))
      expect(limits).toEqual({
        marginMs: 90_000,
        jitterMs: 60_000,
        backoffMs: 60_000,
        backoffMaxMs: 3_600_000,
        ownResumeMs: 300_000,
      });
  });

  it("let only the aggressive one end a command, a looping session or an adopted agent", () => {
    const ending = (policy: Policy) =>
      Object.entries(policy.plans)
        .filter(([, steps]) => steps.some(({ do: name }) => name === "stop" || name === "end_child"))
        .map(([problem]) => problem)
        .sort();
    const inDefault = ending(POLICIES.default);
    expect(ending(POLICIES.observe)).toEqual([]);
    expect(ending(POLICIES.aggressive).filter((name) => !inDefault.includes(name))).toEqual([
      "loop",
      "repeated_error",
      "tool_hang",
      "waiting_on_stdin",
    ]);
    const stops = Object.values(POLICIES.default.plans)
      .flat()
      .filter(({ do: name }) => name === "stop");
    expect(stops.length).toBeGreaterThan(0);
    for (const { when } of stops) expect(when.origins).toEqual(["spawn"]);
  });
});
