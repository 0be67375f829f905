import { describe, expect, it } from "vitest";
import { assessed, type FACTS, World } from "../../../test/support/incidents.js";
import { POLICIES } from "./builtin.js";

const HOURS = 3600;
const tmux = { origin: "tmux" } as const;
const early = assessed("stuck/stopped_early", { level: "report", kinds: ["record"] });

/** An agent in tmux that stopped early: two nudges, then the escalation. */
function escalated(policy = POLICIES.default, what: typeof early | string = early): World {
  const world = new World(policy);
  world.watch(0, 600, what, { facts: tmux });
  expect(world.only.phase).toBe("escalated");
  world.done.length = 0;
  return world;
}

describe("an agent that has been quiet for twelve hours", () => {
  it("gets one last nudge, once, and stays with the user", () => {
    const world = escalated();
    expect(world.watch(600, 12 * HOURS - 60, early, { facts: tmux }, 60)).toEqual([]);
    expect(world.watch(12 * HOURS - 30, 40 * HOURS, early, { facts: tmux }, 30)).toEqual([`${12 * HOURS} nudge`]);
    expect(world.done[0]).toMatchObject({ action: { do: "nudge", say: "continue" } });
    const decision = world.decisions.find(({ action }) => action?.do === "nudge" && action.attempt === 3);
    expect(decision?.reason).toContain("stopped_early for 12 h, one last nudge");
    expect(world.only.phase).toBe("escalated");
  });

  it("is not prompted twice if the outcome of the prompt is unknown", () => {
    const world = escalated();
    world.watch(12 * HOURS, 12 * HOURS, early, { facts: tmux });
    const record = world.incidentState.actions.at(-1);
    if (record?.outcome) record.outcome.result = "unknown";
    expect(world.watch(12 * HOURS + 10, 30 * HOURS, early, { facts: tmux }, 60)).toEqual([]);
  });

  it.each(["needs_input/permission", "needs_input/input", "error/auth", "error/poisoned_context", "unknown"])(
    "is never prompted if only a user can resolve its problem: %s",
    (what) => {
      const world = new World();
      expect(world.watch(0, 30 * HOURS, what, { facts: tmux }, 300)).toEqual([expect.stringContaining("escalate")]);
    },
  );

  it("is never prompted while it waits for an answer, even if its problem was another one", () => {
    const world = escalated();
    const asking = { ...tmux, promptOpen: true };
    expect(world.watch(12 * HOURS, 13 * HOURS, early, { facts: asking }, 60)).toEqual([]);
  });

  it.each<[string, Partial<typeof FACTS>]>([
    ["without permission", { allowed: false }],
    ["that is active", { guard: { send: false, may_ask: false, reason: "active" } }],
    ["with a user at its keyboard", { humanPresent: true }],
    ["that rouse cannot type into", { can: [] }],
    ["while rouse itself is unhealthy", { observerHealthy: false }],
    ["that is silenced", { silencedUntil: Number.MAX_SAFE_INTEGER }],
    ["that has ended", { gone: true }],
  ])("is not prompted %s", (_, facts) => {
    const world = escalated();
    expect(world.watch(12 * HOURS, 14 * HOURS, early, { facts: { ...tmux, ...facts } }, 60)).toEqual([]);
  });

  it("is not prompted while its turn runs, or if its plan has no prompt", () => {
    const hung = escalated(POLICIES.aggressive, "stuck/tool_hang");
    expect(hung.watch(12 * HOURS, 14 * HOURS, "stuck/tool_hang", { facts: tmux }, 60)).toEqual([]);
    const world = new World();
    world.watch(0, 900, "stuck/silent_stream", { facts: tmux });
    world.done.length = 0;
    expect(world.watch(12 * HOURS, 14 * HOURS, "stuck/silent_stream", { facts: tmux }, 60)).toEqual([]);
    const observed = new World(POLICIES.observe);
    observed.watch(0, 14 * HOURS, early, { facts: tmux }, 60);
    expect(observed.done.map(({ action }) => action.do)).toEqual(["escalate"]);
  });

  it("is not prompted after the user has acknowledged the incident", () => {
    const world = escalated();
    world.only.ackedAt = world.only.since;
    expect(world.watch(12 * HOURS, 14 * HOURS, early, { facts: tmux }, 60)).toEqual([]);
  });
});
