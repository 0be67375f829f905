import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLoop, type LoopVerdict, loopVerdict, takeLoop } from "../../core/judgement/evidence/loop.js";
import type { Signal } from "../../core/signal.js";
import { EventReader } from "./events.js";

const readAll = (events: unknown[]): Signal[] => {
  const reader = new EventReader();
  return events.flatMap((event) => reader.read(event));
};
const kinds = (events: unknown[]): string[] => readAll(events).map((signal) => signal.kind);
const verdictOf = (events: { t: number }[]): LoopVerdict | null => {
  const reader = new EventReader();
  const state = createLoop();
  let found: LoopVerdict | null = null;
  for (const event of events) {
    for (const signal of reader.read(event)) takeLoop(state, signal);
    found ??= loopVerdict(state, event.t * 1000);
  }
  return found;
};
const call = (id: string, t: number, extra: object = {}) => ({
  t,
  kind: "tool_call",
  id,
  name: "exec",
  args: { command: "run" },
  ...extra,
});
const result = (id: string, t: number, extra: object = {}) => ({
  t,
  kind: "tool_result",
  id,
  ok: true,
  text: "fine",
  ...extra,
});

describe("calls that differ only in parts that always change", () => {
  const rounds = (n: number, args: (i: number) => object, text: string) =>
    Array.from({ length: n }, (_, i) => [
      call(`c${i}`, i * 5, { args: args(i) }),
      result(`c${i}`, i * 5 + 1, { text }),
    ]).flat();
  const scratch = (i: number) => ({ command: `python3 /tmp/tmp${i}/probe.py` });

  it("are a loop at the seventh equal result", () => {
    expect(verdictOf(rounds(6, scratch, "no server"))).toBeNull();
    expect(verdictOf(rounds(7, scratch, "no server"))).toMatchObject({ cause: "loop" });
  });

  it("are not a loop if they had no result, or a different one each time", () => {
    expect(verdictOf(rounds(20, scratch, ""))).toBeNull();
    expect(verdictOf(rounds(20, (i) => ({ command: `make part${i}` }), "no server"))).toBeNull();
  });

  it("are a loop if they poll a missing shell, but not if the shell has no output", () => {
    const asked = (ok: boolean, text: string) =>
      Array.from({ length: 8 }, (_, i) => [
        call(`b${i}`, i * 6, { name: "BashOutput", args: { bash_id: "1" } }),
        result(`b${i}`, i * 6 + 1, { ok, text }),
      ]).flat();
    expect(verdictOf(asked(false, "No shell found with ID: 1"))).toMatchObject({ cause: "repeated_error" });
    expect(verdictOf(asked(true, "(no output)"))).toBeNull();
  });

  it("are a loop if the same task is given to a subagent again and again", () => {
    const events = Array.from({ length: 4 }, (_, i) => [
      call(`t${i}`, i * 40, { name: "Task", args: { prompt: "Find it" } }),
      result(`t${i}`, i * 40 + 35, { text: "I could not find it." }),
    ]).flat();
    expect(verdictOf(events)).toMatchObject({ cause: "loop", rounds: 4 });
  });
});

describe("EventReader", () => {
  it("reads each kind of event", () => {
    expect(
      kinds([
        { t: 1, kind: "message", role: "user", text: "Do it", new_session: true },
        { t: 2, kind: "thought", text: "Well." },
        { t: 3, kind: "content", text: "I run it." },
        call("a", 4, { round: 7 }),
        result("a", 5),
        call("b", 6),
        { t: 7, kind: "error", id: "b", text: "no such file" },
        { t: 8, kind: "error", text: "the reply has no call in it" },
        { t: 9, kind: "error", text: "529 overloaded" },
        { t: 10, kind: "retry" },
        { t: 11, kind: "compaction", text: "trimmed" },
        { t: 12, kind: "heartbeat" },
        { t: 13, kind: "message", role: "agent", text: "Done." },
      ]),
    ).toEqual([
      "turn",
      "message",
      "delta",
      "delta",
      "tool_start",
      "tool_end",
      "tool_start",
      "tool_end",
      "error",
      "retry",
      "retry",
      "compaction",
      "report",
      "message",
    ]);
  });

  it("carries over time, round, lines and outcome", () => {
    const [start, end] = readAll([
      call("a", 1.5, { round: 3, args: { path: "f", offset: 10, limit: 5 } }),
      result("a", 2),
    ]);
    expect(start).toMatchObject({
      kind: "tool_start",
      at: 1500,
      source: "stream",
      id: "a",
      tool: "exec",
      round: "3",
      span: { from: 10, to: 15 },
    });
    expect(end).toMatchObject({ kind: "tool_end", at: 2000, id: "a", ok: true });
  });

  it("uses the exit code if nothing else shows whether a call succeeded", () => {
    const ok = (extra: object) =>
      readAll([call("a", 1), result("a", 2, { ok: undefined, ...extra })]).map((s) => "ok" in s && s.ok)[1];
    expect([ok({ exit_code: 1 }), ok({ exit_code: 0 }), ok({})]).toEqual([false, true, true]);
  });

  it.each([
    [{ text: "HTTP 429 Too Many Requests" }, "rate"],
    [{ text: "try later", infra: true }, "network"],
    [{ text: "try later", infra: "rate_limit" }, "rate"],
    [{ text: "no", infra: "auth" }, "auth"],
    [{ text: "no such file" }, undefined],
  ])("reads the failure %j as %s", (extra, infra) => {
    const end = readAll([call("a", 1), { t: 2, kind: "error", id: "a", ...extra }])[1];
    expect(end).toMatchObject({ kind: "tool_end", ok: false });
    expect(end && "infra" in end ? end.infra : undefined).toBe(infra);
  });

  it("counts unreadable events and continues", () => {
    const reader = new EventReader();
    for (const event of [
      null,
      7,
      "x",
      [],
      {},
      { kind: "weather" },
      { kind: "tool_call" },
      result("unheard", 1),
      { kind: "message", role: 3 },
      { kind: "__proto__" },
    ]) {
      expect(reader.read(event)).toEqual([]);
    }
    expect([...reader.skipped.values()].reduce((sum, times) => sum + times, 0)).toBe(10);
    expect(reader.read(call("a", 1))).toHaveLength(1);
  });

  it("never throws", () => {
    const kind = fc.constantFrom(
      "message",
      "tool_call",
      "tool_result",
      "error",
      "content",
      "thought",
      "retry",
      "compaction",
      "heartbeat",
    );
    const event = fc.record(
      {
        kind,
        t: fc.anything(),
        id: fc.constantFrom("a", "b", 1),
        name: fc.anything(),
        args: fc.anything(),
        text: fc.anything(),
        role: fc.anything(),
        infra: fc.anything(),
      },
      { requiredKeys: ["kind"] },
    );
    fc.assert(fc.property(fc.array(event), (events) => Array.isArray(readAll(events))));
  });

  it("reports a text loop in any chunking", () => {
    const text = "I should look at the file once more. ".repeat(20);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: text.length }), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        const events = at.slice(1).map((to, i) => ({ t: i / 10, kind: "content", text: text.slice(at[i], to) }));
        expect(verdictOf(events)).toMatchObject({ cause: "loop", period: 37 });
      }),
    );
  });

  it("does not join replies with calls between them", () => {
    const events = Array.from({ length: 30 }, (_, i) => [
      { t: i * 3, kind: "content", text: "Now I look at the next of the files. " },
      { t: i * 3 + 1, kind: "tool_call", id: `c${i}`, name: "read", args: { path: `f${i}` } },
      { t: i * 3 + 2, kind: "tool_result", id: `c${i}`, ok: true, text: `${i}` },
    ]).flat();
    expect(verdictOf(events)).toBeNull();
  });

  it("accepts a reply that is replayed under the same ids", () => {
    const replayed = [call("a", 1), { t: 2, kind: "retry" }, call("a", 3), result("a", 4)];
    expect(kinds(replayed)).toEqual(["tool_start", "retry", "tool_start", "tool_end"]);
    expect(verdictOf(Array.from({ length: 8 }, () => replayed.slice(0, 2)).flat())).toBeNull();
  });
});
