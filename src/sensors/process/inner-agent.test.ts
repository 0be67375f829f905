import { describe, expect, it } from "vitest";
import { isInnerAgent, type ProcessParent } from "./inner-agent.js";

/** From the caller up: each a kind of agent, or null for a shell and the like. Numbers count down from the caller's. */
const above = (...kinds: (string | null)[]): ((pid: number) => ProcessParent | null) => {
  const caller = 100;
  return (pid) => {
    const kind = kinds[caller - pid];
    return kind === undefined ? null : { ppid: pid - 1, kind };
  };
};

describe("an agent inside an agent", () => {
  it.each([
    ["the agent itself", above("claude-code"), 100, false],
    ["a shell of the agent", above(null, "claude-code"), 99, false],
    ["an agent that a shell was started for", above(null, "claude-code", null), 98, false],
    ["a program that starts itself again", above(null, "claude-code", "claude-code"), 98, false],
    ["an agent in a shell of the agent", above(null, "claude-code", null, "claude-code"), 97, true],
    ["another program in a shell of the agent", above("codex", null, "claude-code"), 98, true],
    ["an agent that another one runs, outside of the session", above(null, "codex", null, "claude-code"), 99, false],
    ["an agent whose parents cannot be seen", above(null, "codex"), 90, false],
  ])("%s", (_, kin, root, inner) => {
    expect(isInnerAgent(root, 100, kin)).toBe(inner);
  });

  it("is searched for up to a bound", () => {
    expect(isInnerAgent(1, 7, () => ({ ppid: 7, kind: null }))).toBe(false);
  });
});
