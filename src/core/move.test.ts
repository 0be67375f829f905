import { describe, expect, it } from "vitest";
import { compareByMove, MOVES, type Move, moveOf } from "./move.js";
import { type Cause, ERROR_CAUSES, PROMPT_KINDS, STATES, STUCK_CAUSES, type State, WAIT_CAUSES } from "./states.js";

describe("what has to act next", () => {
  it.each<[State, Cause | null, Move]>([
    ["needs_input", "permission", "you"],
    ["stuck", "waiting_on_stdin", "you"],
    ["error", "auth", "you"],
    ["complete", null, "you"],
    ["idle", null, "you"],
    ["unknown", null, "you"],
    ["stuck", "silent_stream", "none"],
    ["error", "api", "none"],
    ["gone", "crash", "none"],
    ["rate_limited", "limit", "provider"],
    ["waiting", "retry", "provider"],
    ["error", "unreachable", "provider"],
    ["waiting", "tool", "child"],
    ["waiting", "subagent", "child"],
    ["waiting", "timer", "agent"],
    ["working", null, "agent"],
    ["starting", null, "agent"],
  ])("in the state %s with the cause %s is %s", (state, cause, move) => {
    expect(moveOf({ state, cause })).toBe(move);
  });

  it("is answered for every state and every cause, and each prompt is yours", () => {
    const causes = [null, ...STUCK_CAUSES, ...ERROR_CAUSES, ...WAIT_CAUSES, ...PROMPT_KINDS, "limit" as const];
    const moves = STATES.flatMap((state) => causes.map((cause) => moveOf({ state, cause })));
    expect(new Set(moves)).toEqual(new Set(MOVES));
    expect(PROMPT_KINDS.map((cause) => moveOf({ state: "needs_input", cause }))).toEqual(PROMPT_KINDS.map(() => "you"));
  });
});

it("lists are in the order of the moves, with the longest wait first, results after stalls and idle agents after results", () => {
  const agent = (name: string, state: State, cause: Cause | null, minute: number) => ({
    name,
    state,
    move: moveOf({ state, cause }),
    since: `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`,
  });
  const agents = [
    agent("worker-b", "working", null, 1),
    agent("worker-a", "working", null, 2),
    agent("unused", "idle", null, 0),
    agent("finished", "complete", null, 1),
    agent("asked", "needs_input", "permission", 9),
    agent("asked-first", "needs_input", "input", 3),
    agent("testing", "waiting", "tool", 3),
    agent("limited", "rate_limited", "limit", 3),
    agent("stalled", "stuck", "silent_stream", 9),
  ];
  expect(agents.sort(compareByMove).map(({ name }) => name)).toEqual([
    "asked-first",
    "asked",
    "stalled",
    "finished",
    "unused",
    "limited",
    "testing",
    "worker-a",
    "worker-b",
  ]);
});
