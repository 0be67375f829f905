import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sessionOf } from "../../../test/support/sessions.js";
import { START } from "../../../test/support/steps.js";
import type { AgentSession } from "../../core/agent.js";
import type { JudgingOptions } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { HOUR, MINUTE, SECOND } from "../../core/text/time.js";
import { type Summary, summaryOf } from "./summary.js";

const session = (more: Partial<AgentSession> = {}): AgentSession => sessionOf({ task: "T1", ...more });

function summarise(
  signals: readonly Signal[],
  {
    since = START,
    now = START + HOUR,
    of = session(),
    settings = {},
    needsUser = false,
  }: { since?: number; now?: number; of?: AgentSession; settings?: JudgingOptions; needsUser?: boolean } = {},
): Summary {
  const stored = signals.map((signal, i) => ({ session: of.id, seq: i + 1, signal, receivedAt: signal.at }));
  const work = summaryOf(
    [of],
    () => stored,
    since,
    now,
    () => settings,
    () => needsUser,
  );
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}

const at = (minutes: number) => START + minutes * MINUTE;
const turn = (minutes: number, phase: "start" | "end"): Signal => ({
  kind: "turn",
  at: at(minutes),
  source: "transcript",
  phase,
  ...(phase === "start" ? { byUser: true } : {}),
});
const prompt = (minutes: number, open: boolean): Signal => ({
  kind: "prompt",
  at: at(minutes),
  source: "hook",
  open,
  prompt: "permission",
  question: "May I?",
});

describe("summaryOf", () => {
  it("lists an agent with an escalated problem as yours", () => {
    expect(summarise([], { needsUser: true }).agents).toMatchObject([{ move: "you" }]);
  });

  it("gives a prompt the words of the source that knows its text, as the timeline does", () => {
    const reading = { reply: "r", lastLine: "", busy: false, moving: false, composer: "hidden" } as const;
    const dialog = { prompt: "permission", question: "Do you want to proceed? git push" } as const;
    const shown: Signal = { kind: "screen", at: at(1) + SECOND, source: "screen", reading: { ...reading, dialog } };
    const [agent] = summarise([turn(0, "start"), prompt(1, true), shown]).agents;
    expect(agent?.problems).toMatchObject([{ reason: expect.stringContaining("Do you want to proceed? git push") }]);
  });

  it("judges by the settings that applied to the agent", () => {
    const [reported] = summarise([turn(0, "start")], { settings: { isJudging: false } }).agents;
    expect(reported?.state).toBe("unknown");
  });

  it("reports the time in each state, and each question with its duration and what followed", () => {
    const { agents } = summarise([turn(0, "start"), prompt(1, true), prompt(21, false), turn(22, "end")]);
    expect(agents).toHaveLength(1);
    expect(agents[0]).toMatchObject({ name: "a", task: "T1", state: "complete", ended: null });
    expect(agents[0]?.states).toMatchObject({ needs_input: 20 * 60 });
    expect(agents[0]?.problems).toMatchObject([
      { state: "needs_input", cause: "permission", duration_secs: 1200, followed_by: "working", began_before: false },
    ]);
    const total = Object.values(agents[0]?.states ?? {}).reduce((sum, secs) => sum + secs, 0);
    expect(total).toBe(3600);
  });

  it("finds a silence without a signal, because it rechecks when the recheck is due", () => {
    const delta: Signal = { kind: "delta", at: at(1), source: "stream", channel: "content", chars: 10 };
    const { agents } = summarise([{ ...turn(0, "start"), source: "stream" }, delta], { now: at(60) });
    expect(agents[0]?.problems.at(-1)).toMatchObject({ state: "stuck", to: null, followed_by: null });
  });

  it("says that a lasting problem began before the period", () => {
    const { agents } = summarise([turn(0, "start"), prompt(1, true)], { since: at(30), now: at(60) });
    expect(agents[0]).toMatchObject({ from: new Date(at(30)).toISOString(), states: { needs_input: 1800 } });
    expect(agents[0]?.problems).toMatchObject([{ began_before: true, to: null, duration_secs: 1800 }]);
  });

  it("counts each commit and file once, and only within the period", () => {
    const commit = (minutes: number, id: string): Signal => ({
      kind: "commit",
      at: at(minutes),
      source: "workspace",
      id,
    });
    const file = (minutes: number, path: string): Signal => ({
      kind: "file",
      at: at(minutes),
      source: "workspace",
      path,
      role: "workspace",
    });
    const { agents } = summarise([commit(1, "old"), commit(31, "c1"), commit(32, "c1"), file(33, "x"), file(34, "x")], {
      since: at(30),
    });
    expect(agents[0]).toMatchObject({ commits: 1, files: 1 });
  });

  it("does not count commits from before the agent, whenever they are reported", () => {
    const signals: Signal[] = [turn(0, "start"), { kind: "commit", at: at(-30), source: "workspace", id: "old" }];
    expect(summarise(signals, { since: at(-60) }).agents[0]).toMatchObject({ commits: 0 });
  });

  it("does not add up tokens that two sources report", () => {
    const tokens = (source: Signal["source"]): Signal => ({
      kind: "tokens",
      at: at(1),
      source,
      input: 100,
      output: 10,
      costUsd: 0.5,
    });
    const { agents } = summarise([tokens("transcript"), tokens("hook"), tokens("transcript")]);
    expect(agents[0]?.tokens).toEqual({ input: 100, output: 10, cost_usd: 0.5 });
  });

  it("reports how the session ended, and leaves out sessions that ended before", () => {
    const exit: Signal = { kind: "exit", at: at(10), source: "process", code: 3, signal: null };
    const of = session({ endedAt: at(10) });
    expect(summarise([exit], { of }).agents[0]).toMatchObject({
      ended: { code: 3, signal: null },
      to: new Date(at(10)).toISOString(),
    });
    expect(summarise([exit], { of, since: at(11) }).agents).toEqual([]);
  });

  it("reports the unobserved time", () => {
    const gap: Signal = { kind: "gap", at: at(40), source: "observer", from: at(10), to: at(40) };
    expect(summarise([gap], { since: at(20) }).agents[0]?.unobserved_secs).toBe(1200);
  });

  it("yields often, however many signals there are", () => {
    const signals = Array.from(
      { length: 5000 },
      (_, i): Signal => ({ kind: "output", at: START + i, source: "screen", bytes: 1 }),
    );
    const stored = signals.map((signal, i) => ({ session: "s1", seq: i + 1, signal, receivedAt: signal.at }));
    const work = summaryOf([session()], () => stored, START, START + HOUR);
    let pauses = 0;
    while (!work.next().done) pauses++;
    expect(pauses).toBeGreaterThan(10);
  });

  it("accounts for the whole period for any signals in any order", () => {
    const any: fc.Arbitrary<Signal> = fc.oneof(
      fc
        .tuple(fc.integer({ min: -10, max: 90 }), fc.constantFrom("start" as const, "end" as const))
        .map(([m, phase]) => turn(m, phase)),
      fc.tuple(fc.integer({ min: -10, max: 90 }), fc.boolean()).map(([m, open]) => prompt(m, open)),
      fc.constant<Signal>({ kind: "output", at: Number.NaN, source: "screen", bytes: 1 }),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), fc.integer({ min: -5, max: 59 }), (signals, since) => {
        const { agents } = summarise(signals, { since: at(since) });
        const total = Object.values(agents[0]?.states ?? {}).reduce((sum, secs) => sum + secs, 0);
        expect(Math.abs(total * SECOND - (HOUR - Math.max(0, since) * MINUTE))).toBeLessThan(12 * SECOND);
      }),
      { numRuns: process.env.ROUSE_FULL === "1" ? 5000 : 100 },
    );
  });
});
