import { describe, expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { POLICIES } from "../policy/builtin.js";

/** How many outages there are after these agents of one account show the problem, this many seconds apart. */
function outages(agents: number, what: string, apart = 1, account: (n: number) => string = () => "one"): number {
  const world = new World(POLICIES.observe);
  for (let n = 0; n < agents; n++) world.check(n * apart, what, { agent: `a${n}`, account: account(n) });
  return world.incidentState.outages.length;
}

describe("an outage", () => {
  it.each([
    ["rate_limited", 2],
    ["error/auth", 2],
    ["error/api", 3],
    ["gone/crash", 3],
  ])("of the kind %s is opened by %i agents, not by fewer", (what, agents) => {
    expect(outages(agents - 1, what)).toBe(0);
    expect(outages(agents, what)).toBe(1);
  });

  it.each([
    ["rate_limited", 60],
    ["error/auth", 15],
  ])("of the kind %s joins problems that begin within %i minutes", (what, minutes) => {
    expect(outages(2, what, minutes * 60)).toBe(1);
    expect(outages(2, what, minutes * 60 + 1)).toBe(0);
  });

  it("does not join agents of different accounts", () => {
    expect(outages(2, "rate_limited", 1, (n) => `account ${n}`)).toBe(0);
  });

  it("of a service does not join programs that rouse does not know: they may use different services", () => {
    const opened = (program: string): number => {
      const world = new World(POLICIES.observe);
      for (const agent of ["a", "b", "c"]) world.check(0, "error/api", { agent, program });
      return world.incidentState.outages.length;
    };
    expect(opened("codex")).toBe(1);
    expect(opened("generic")).toBe(0);
  });
});
