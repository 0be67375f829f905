import { describe, expect, it } from "vitest";
import { START, screen } from "../../../test/support/steps.js";
import type { Incident } from "../incidents/incident.js";
import { createEvidence, takeSignal } from "../judgement/evidence/evidence.js";
import type { ScreenReading, Signal } from "../signal.js";
import { PLAIN_TRAITS } from "../traits.js";
import { actionFactsOf, type FactsOptions, guardFrom } from "./facts.js";

const incident = { id: "i", since: START + 60_000 } as Incident;

describe("the guard's question", () => {
  it.each([
    { what: "the row of the limit itself, drawn a second after its record,", afterMs: 1000, send: true },
    { what: "a continuing reply", afterMs: 20_000, send: false },
  ])("is answered correctly by $what", ({ afterMs, send }) => {
    const evidence = createEvidence();
    takeSignal(evidence, { ...screen({ busy: true, reply: "I look at the code" }), at: START });
    takeSignal(evidence, { ...screen({ busy: false, reply: "You hit your limit" }), at: incident.since + afterMs });
    const facts = actionFactsOf(evidence, guardFrom(incident, []), incident.since + 180_000);
    expect(facts.guard?.send).toBe(send);
  });

  const line = { kind: "delta", source: "transcript", channel: "content", chars: 40 } as const;
  const server = { kind: "file", source: "workspace", path: "server.log", role: "workspace", digest: "d" } as const;
  const watcher = { kind: "test", source: "workspace", ok: true, digest: "t" } as const;
  const call = { kind: "tool_start", source: "transcript", id: "b", tool: "Bash", class: "build", call: "b" } as const;
  const mate = { ...call, class: "subagent" } as const;
  const behind = {
    kind: "tool_end",
    source: "hook",
    id: "b",
    ok: true,
    outcome: "",
    raw: "",
    background: true,
  } as const;
  const idle = { ...screen({ busy: true, reply: "I look at the code" }) };

  it.each([
    { what: "a server that writes beside a turn without a call", before: [idle, line], after: server, send: true },
    { what: "a test watcher beside such a turn", before: [idle, line], after: watcher, send: true },
    { what: "a server that the agent started, without a screen", before: [call, behind], after: server, send: true },
    { what: "the files of a call under way", before: [idle, call], after: server, send: false },
    { what: "the files of an agent beside it", before: [idle, mate, behind], after: server, send: false },
    { what: "the files of an agent whose calls cannot be seen", before: [idle], after: server, send: false },
    { what: "the files of an agent that only a transcript shows", before: [line], after: server, send: false },
  ])("is answered correctly by $what", ({ before, after, send }) => {
    const evidence = createEvidence();
    for (const signal of before) takeSignal(evidence, { ...signal, at: START } as Signal);
    takeSignal(evidence, { ...after, at: incident.since + 60_000 });
    const facts = actionFactsOf(evidence, guardFrom(incident, []), incident.since + 180_000);
    expect(facts.guard?.send).toBe(send);
  });

  it("is not asked if the user turned the activity guard off", () => {
    const evidence = createEvidence();
    takeSignal(evidence, { ...screen({ busy: true, reply: "I look at the code" }), at: START });
    takeSignal(evidence, { ...screen({ busy: true, reply: "I go on" }), at: incident.since + 20_000 });
    const guard = (isGuarded: boolean) =>
      actionFactsOf(evidence, guardFrom(incident, []), incident.since + 180_000, { isGuarded }).guard;
    expect(guard(true)?.send).toBe(false);
    expect(guard(false)).toBeNull();
  });

  it.each([
    { what: "lets an agent be resumed that worked until it was gone", doneMs: 30_000, send: true },
    { what: "does not resume a session that continues elsewhere after its end", doneMs: 60_000, send: false },
  ])("$what", ({ doneMs, send }) => {
    const evidence = createEvidence();
    takeSignal(evidence, { ...screen({ busy: true, reply: "I look at the code" }), at: START });
    const commit = { kind: "commit", source: "workspace", id: "c", subject: "more" } as const;
    const crash = { kind: "exit", source: "process", code: null, signal: 9 } as const;
    for (const [signal, afterMs] of [
      [crash, 40_000],
      [commit, doneMs],
    ] as const)
      takeSignal(evidence, { ...signal, at: incident.since + afterMs });
    const facts = actionFactsOf(evidence, guardFrom(incident, []), incident.since + 180_000);
    expect(facts.guard?.send).toBe(send);
  });
});

it("a user counts as present for two minutes after the last key, 20 s in a spawned agent, not in a dead one, and a dialog on the screen as an open prompt", () => {
  const evidence = createEvidence();
  const facts = (now: number) => actionFactsOf(evidence, 0, now, { isGuarded: false } as FactsOptions);
  evidence.humanAt = 1000;
  expect(facts(120_999)).toMatchObject({ humanPresent: true, promptOpen: false });
  expect(facts(121_000).humanPresent).toBe(false);
  const spawned = (now: number) => actionFactsOf(evidence, 0, now, { isGuarded: false } as FactsOptions, "spawn");
  expect([spawned(20_999), spawned(21_000)].map(({ humanPresent }) => humanPresent)).toEqual([true, false]);
  evidence.exit = { kind: "exit", at: 1500, source: "process", code: null, signal: 9 };
  expect(facts(2000).humanPresent).toBe(false);
  evidence.progress.reading = { dialog: { prompt: "permission" } } as unknown as typeof evidence.progress.reading;
  expect(facts(0).promptOpen).toBe(true);
});

it("a program that forgets an interrupted turn has the user's last prompt as its task, not rouse's own text", () => {
  const evidence = createEvidence({ ...PLAIN_TRAITS, keepsInterruptedTurn: false });
  const forgets = () => actionFactsOf(evidence, 0, START, { isGuarded: false }).forgets;
  const prompt = { kind: "message", at: START, source: "transcript", role: "user", digest: "d" } as const;
  expect(forgets()).toEqual({ task: null, canResume: false });
  takeSignal(evidence, { ...prompt, request: "fix the parser" });
  takeSignal(evidence, { ...prompt, own: true });
  takeSignal(evidence, { kind: "session", at: START, source: "transcript", id: "c1" });
  expect(forgets()).toEqual({ task: "fix the parser", canResume: true });
  takeSignal(evidence, prompt);
  expect(forgets()).toEqual({ task: null, canResume: true });
  expect(actionFactsOf(createEvidence(), 0, START, { isGuarded: false }).forgets).toBeNull();
});

describe("an open prompt", () => {
  const prompt = {
    kind: "prompt",
    source: "hook",
    at: START,
    open: true,
    prompt: "permission",
    question: "Push?",
  } as const;
  const openOf = (...signals: Signal[]): boolean => {
    const evidence = createEvidence();
    for (const signal of signals) takeSignal(evidence, signal);
    return actionFactsOf(evidence, START, START + 1000).promptOpen;
  };

  it("is one that a hook reports although the screen shows no dialog, and one that only the screen shows", () => {
    expect(openOf({ ...screen({ busy: true }), at: START })).toBe(false);
    expect(openOf(prompt as Signal)).toBe(true);
    expect(
      openOf({
        ...screen({ dialog: { prompt: "permission", question: "Push?" } as NonNullable<ScreenReading["dialog"]> }),
        at: START,
      }),
    ).toBe(true);
  });
});
