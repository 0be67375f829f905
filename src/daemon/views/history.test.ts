import { describe, expect, it } from "vitest";
import { sessionOf } from "../../../test/support/sessions.js";
import { START } from "../../../test/support/steps.js";
import type { AgentSession } from "../../core/agent.js";
import type { Signal } from "../../core/signal.js";
import { HOUR, MINUTE } from "../../core/text/time.js";
import { type History, historyOf } from "./history.js";

const at = (minutes: number) => START + minutes * MINUTE;
const turn = (minutes: number, phase: "start" | "end"): Signal => ({
  kind: "turn",
  at: at(minutes),
  source: "transcript",
  phase,
  ...(phase === "start" ? { byUser: true } : {}),
});
const tokens = (minutes: number, source: "transcript" | "hook", costUsd?: number): Signal => ({
  kind: "tokens",
  at: at(minutes),
  source,
  input: 1000,
  output: 500,
  ...(costUsd === undefined ? {} : { costUsd }),
});

function historyFrom(
  given: readonly { session: AgentSession; signals: readonly Signal[] }[],
  since: number = START,
  now: number = at(120),
): History {
  const stored = (id: string) =>
    (given.find(({ session }) => session.id === id)?.signals ?? []).map((signal, i) => ({
      session: id,
      seq: i + 1,
      signal,
      receivedAt: signal.at,
      batch: i + 1,
    }));
  const work = historyOf(
    given.map(({ session }) => session),
    stored,
    since,
    now,
  );
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}

describe("historyOf", () => {
  it("lists each state with its span and leaves the last one of a running agent open", () => {
    const { states } = historyFrom([{ session: sessionOf(), signals: [turn(10, "start"), turn(11, "end")] }]);
    expect(states.map(({ state }) => state).slice(-2)).toEqual(["working", "complete"]);
    expect(states.at(-2)).toMatchObject({ from: new Date(at(10)).toISOString(), to: new Date(at(11)).toISOString() });
    expect(states.at(-1)).toMatchObject({ to: null });
    for (const [i, { to }] of states.entries()) if (to !== null) expect(states[i + 1]?.from).toBe(to);
  });

  it("joins all sessions of the agent within the period, oldest first", () => {
    const early = sessionOf({ id: "s0", startedAt: START - 3 * HOUR, endedAt: START - 2 * HOUR });
    const first = sessionOf({ id: "s1", startedAt: START, endedAt: at(30) });
    const second = sessionOf({ id: "s2", startedAt: at(40) });
    const found = historyFrom([
      { session: second, signals: [] },
      { session: first, signals: [turn(1, "start")] },
      { session: early, signals: [] },
    ]);
    expect(found.sessions.map(({ session }) => session)).toEqual(["s1", "s2"]);
    expect(found.sessions[0]?.ended).not.toBeNull();
  });

  it("sums tokens and cost per hour and never adds up two sources of the same tokens", () => {
    const signals = [
      tokens(5, "transcript", 0.25),
      tokens(6, "hook"),
      tokens(7, "transcript", 0.5),
      tokens(70, "hook"),
    ];
    const { usage } = historyFrom([{ session: sessionOf(), signals }]);
    expect(usage.map(({ tokens: sum, cost_usd }) => [sum, cost_usd])).toEqual([
      [3000, 0.75],
      [1500, null],
    ]);
  });

  it("keeps the newest time spans and counts the others", () => {
    const signals = Array.from({ length: 1400 }, (_, i) => turn(i / 10 + 1, i % 2 === 0 ? "start" : "end"));
    const { states, states_omitted } = historyFrom([{ session: sessionOf(), signals }], START, at(400));
    expect(states).toHaveLength(1000);
    expect(states_omitted).toBeGreaterThan(300);
    expect(states.at(-1)?.to).toBeNull();
  });
});
