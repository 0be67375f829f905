import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { read, type Story, said, story, user } from "../../../../test/support/loop-stories.js";
import type { Signal } from "../../signal.js";
import { createLoop, type LoopVerdict, loopVerdict, takeLoop } from "./loop.js";

describe("a loop verdict", () => {
  const looping = (): Story => story().times(6, (s) => s.call({ args: "pwd", result: "/w" }));

  it("holds between rounds and grows with them", () => {
    const verdicts = looping().verdicts();
    const from = verdicts.findIndex((verdict) => verdict !== null);
    expect(verdicts.slice(from).every((verdict) => verdict !== null)).toBe(true);
    expect(verdicts.at(-1)?.rounds).toBe(6);
    expect(verdicts.at(-1)?.since).toBe(2000);
  });

  it.each([
    ["a new outcome", (s: Story) => s.call(read("other"))],
    ["a user message", (s: Story) => s.say(user)],
    ["a turn started by the user", (s: Story) => s.say({ kind: "turn", phase: "start", byUser: true })],
    ["the end of the turn", (s: Story) => s.say({ kind: "turn", phase: "end" })],
    ["another session", (s: Story) => s.say({ kind: "session", id: "2" })],
    ["a commit", (s: Story) => s.say({ kind: "commit", id: "c" })],
  ])("is withdrawn after %s", (_, step) => {
    const tale = story()
      .say({ kind: "session", id: "1" })
      .times(6, (s) => s.call({ args: "pwd", result: "/w" }));
    expect(tale.last()).not.toBeNull();
    step(tale);
    expect(tale.last()).toBeNull();
  });

  it.each([
    ["a delta", { kind: "delta", channel: "content", chars: 5 }],
    ["a turn that continues by itself", { kind: "turn", phase: "start" }],
    ["a new remark of the agent", said("Let me try that again.")],
    ["a heartbeat", { kind: "report", heartbeat: true }],
    ["the same session", { kind: "session", id: "1" }],
  ] as [string, Partial<Signal> & { kind: Signal["kind"] }][])("is not withdrawn after %s", (_, signal) => {
    expect(
      story()
        .say({ kind: "session", id: "1" })
        .times(6, (s) => s.call({ args: "pwd", result: "/w" }))
        .say(signal)
        .last(),
    ).not.toBeNull();
  });

  it("about one outcome among others holds through new ones and ends when the outcome stops", () => {
    const tale = story().times(9, (s, i) => s.call({ args: "grep", result: "hit" }).call(read(`f${i}`)));
    const verdicts = tale.verdicts();
    expect(verdicts.slice(verdicts.findIndex(Boolean)).every(Boolean)).toBe(true);
    expect(tale.times(5, (s, i) => s.call(read(`g${i}`))).last()).toBeNull();
  });

  it("about repeating text is withdrawn by the text itself and by another message", () => {
    const repeating = (): Story => story().say({ kind: "repetition", channel: "content", period: 9, repeats: 50 });
    expect(repeating().say({ kind: "repetition", channel: "thought", period: 0, repeats: 0 }).last()).not.toBeNull();
    expect(repeating().say({ kind: "repetition", channel: "content", period: 0, repeats: 0 }).last()).toBeNull();
    expect(repeating().say(said("Something else.")).last()).toBeNull();
  });

  it("expires without further signals", () => {
    const state = createLoop();
    for (const signal of looping().signals) takeLoop(state, signal);
    expect(loopVerdict(state, state.lastAt + 60_000)).not.toBeNull();
    expect(loopVerdict(state, state.lastAt + 3_600_000)).toBeNull();
  });
});

describe("the state of the loop rules", () => {
  const few = fc.integer({ min: 0, max: 5 }).map(String);
  const any = fc.oneof(few, fc.jsonValue());
  const signals = fc.array(
    fc.record({
      kind: fc.constantFrom(
        "tool_start",
        "tool_end",
        "message",
        "turn",
        "session",
        "retry",
        "compaction",
        "repetition",
        "file",
        "commit",
        "test",
        "checkpoint",
        "delta",
        "error",
        "screen",
        "unheard_of",
      ),
      at: fc.oneof(fc.integer({ min: 0, max: 600_000 }), fc.constant(Number.NaN)),
      source: fc.constantFrom("stream", "hook"),
      id: few,
      call: few,
      outcome: few,
      raw: few,
      error: any,
      tool: few,
      class: fc.constantFrom("edit", "shell", "sleep"),
      round: fc.option(few, { nil: undefined }),
      span: fc.option(fc.record({ from: fc.double(), to: fc.double() }), { nil: undefined }),
      subject: few,
      ok: fc.boolean(),
      role: fc.constantFrom("user", "assistant"),
      digest: few,
      phase: fc.constantFrom("start", "end"),
      repeats: fc.integer(),
      channel: fc.constantFrom("content", "thought"),
      text: fc.option(few, { nil: undefined }),
      reading: fc.record({
        repeats: fc.option(fc.record({ digest: few, times: fc.integer(), rows: fc.integer(), text: few }), {
          nil: undefined,
        }),
      }),
    }),
    { maxLength: 60 },
  ) as unknown as fc.Arbitrary<Signal[]>;

  it("accepts any signals and gives the same verdicts for the same signals", () => {
    const run = (list: Signal[]): (LoopVerdict | null)[] => {
      const state = createLoop();
      return list.map((signal) => {
        takeLoop(state, signal);
        return loopVerdict(state, 0);
      });
    };
    fc.assert(
      fc.property(signals, (list) => {
        expect(run(list)).toEqual(run(structuredClone(list)));
      }),
    );
  });

  it("is bounded in a session of any length", () => {
    const state = createLoop();
    const tale = story().times(5000, (s, i) => {
      s.call({
        ...read(`f${i}`),
        subject: `f${i}`,
        span: { from: (i * 7919) % 5000, to: ((i * 7919) % 5000) + 2 },
        round: `r${i}`,
      });
      s.start({ args: `never answered ${i}` });
    });
    for (const signal of tale.signals) takeLoop(state, signal);
    const sizes = [
      state.repeats.entries,
      state.repeats.pages,
      state.repeats.states,
      state.repeats.outcomes,
      state.rounds.open,
      state.rounds.ids,
      state.rounds.names,
    ].map((map) => map.size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
    expect(state.resultless.length).toBeLessThanOrEqual(128);
  });
});
