import { describe, expect, it } from "vitest";
import type { ScreenReading, Signal } from "../../signal.js";
import { MINUTE, SECOND } from "../../text/time.js";
import { createRetries, retriesVerdict, takeRetries } from "./retries.js";

const s = (at: number, fields: object) => ({ at, source: "transcript", ...fields }) as Signal;
const retry = (at: number, fields: object = {}) => s(at, { kind: "retry", ...fields });
const screen = (at: number, fields: Partial<ScreenReading>) => {
  const reading = { reply: "r", lastLine: "l", busy: true, moving: true, composer: "empty", ...fields };
  return s(at, { kind: "screen", source: "screen", reading });
};
const verdictAfter = (signals: Signal[], now: number, options = {}) => {
  const state = createRetries();
  for (const signal of signals) takeRetries(state, signal);
  return retriesVerdict(state, now, options);
};
const phaseAfter = (signals: Signal[], now: number) => verdictAfter(signals, now)?.phase ?? null;

/** Claude Code's own retry schedule: ten attempts in about three minutes. */
const DELAYS = [0.6, 1.1, 2.2, 4.5, 9.2, 18.6, 36, 36, 36, 37];
function sequence(infra?: string): { signals: Signal[]; end: number } {
  let at = 0;
  const signals = DELAYS.map((seconds, i) => {
    const signal = retry(at, { attempt: i + 1, max: 10, nextAt: at + seconds * SECOND, ...(infra && { infra }) });
    at += seconds * SECOND;
    return signal;
  });
  return { signals, end: at };
}

describe("retries", () => {
  it("are a wait with the current attempt through a whole retry schedule", () => {
    const { signals, end } = sequence("overload");
    for (let i = 1; i <= signals.length; i++) {
      expect(phaseAfter(signals.slice(0, i), signals[i - 1]?.at ?? 0)).toBe("waiting");
    }
    expect(verdictAfter(signals, end)).toMatchObject({
      phase: "waiting",
      attempt: 10,
      max: 10,
      since: 0,
      overdue: false,
    });
    expect(verdictAfter(signals, end + 31 * SECOND)?.overdue).toBe(true);
    expect(verdictAfter(signals.slice(0, 5), 10_000)?.pace).toBe("growing");
    expect(verdictAfter(signals, end)?.pace).toBe("constant");
  });

  it.each([
    ["no retry", [], 0, null],
    ["ten minutes without success", [retry(0), retry(9 * MINUTE)], 10 * MINUTE, "waiting"],
    ["more than ten minutes", [retry(0), retry(9 * MINUTE)], 10 * MINUTE + 1, "storm"],
    ["a long announced wait", [retry(0, { attempt: 1, nextAt: 120 * MINUTE })], 119 * MINUTE, "waiting"],
    ["a long wait that has passed", [retry(0, { attempt: 1, nextAt: 120 * MINUTE })], 121 * MINUTE, "storm"],
    [
      "a second long wait",
      [retry(0, { attempt: 1, nextAt: 120 * MINUTE }), retry(120 * MINUTE, { attempt: 2, nextAt: 240 * MINUTE })],
      121 * MINUTE,
      "storm",
    ],
    ["a refused connection at first", [retry(0, { infra: "refused", attempt: 1 })], 19 * SECOND, "waiting"],
    ["a connection refused for 20 s", [retry(0, { infra: "refused", attempt: 1 })], 20 * SECOND, "unreachable"],
    [
      "a connection refused three times in a moment",
      [1, 2, 3].map((attempt) => retry(attempt, { infra: "refused", attempt })),
      4,
      "waiting",
    ],
    ["a 401", [retry(0, { infra: "auth", attempt: 1, max: 10 })], 0, "auth"],
    ["a class that changes", [retry(0, { infra: "refused" }), retry(1, { infra: "rate" })], MINUTE, "waiting"],
    [
      "a connection that is refused again",
      ["refused", "rate", "refused"].map((infra, i) => retry(i * 15 * SECOND, { infra, attempt: 1 })),
      49 * SECOND,
      "waiting",
    ],
    [
      "a sleep in between",
      [retry(0), s(60 * MINUTE, { kind: "gap", source: "observer", from: MINUTE, to: 60 * MINUTE })],
      61 * MINUTE,
      "waiting",
    ],
  ] as [string, Signal[], number, string | null][])("have the expected phase after %s", (_, signals, now, phase) => {
    expect(phaseAfter(signals, now)).toBe(phase);
  });

  it.each([
    ["text", { kind: "delta", channel: "content", chars: 3 }],
    ["a message", { kind: "message", role: "assistant", digest: "d" }],
    ["a tool", { kind: "tool_start", id: "1", tool: "Bash", class: "shell", call: "c" }],
    ["a tool's result", { kind: "tool_end", id: "1", ok: true, outcome: "o", raw: "r" }],
    ["a new turn", { kind: "turn", phase: "start" }],
    ["the end of the turn", { kind: "turn", phase: "end" }],
    ["output tokens", { kind: "tokens", input: 0, output: 5 }],
    ["a final error", { kind: "error", cause: "api", final: true, digest: "d" }],
    ["the exit", { kind: "exit", code: 1, signal: null }],
  ])("end with %s", (_, fields) => {
    expect(phaseAfter([retry(0), s(1, fields)], 20 * MINUTE)).toBeNull();
  });

  it.each([
    ["bytes", { kind: "output", bytes: 9 }],
    ["a busy flag", { kind: "status", status: "working" }],
    ["a request", { kind: "request" }],
    ["one more failure", { kind: "error", cause: "api", final: false, digest: "d" }],
  ])("continue through %s", (_, fields) => {
    expect(phaseAfter([retry(0), s(1, fields)], 20 * MINUTE)).toBe("storm");
  });

  it("count one countdown on the screen as one attempt, and a new number as the next", () => {
    const shown = (at: number, attempt: number | undefined, delayMs: number) =>
      screen(at, { retry: { ...(attempt && { attempt }), delayMs, text: "Retrying" } });
    const countdown = [9, 8, 7].map((seconds, i) => shown(i * SECOND, 1, seconds * SECOND));
    expect(verdictAfter(countdown, 3 * SECOND)).toMatchObject({ attempt: 1, nextAt: 9 * SECOND });
    expect(verdictAfter([...countdown, shown(9_500, 2, 18_000)], 10_000)).toMatchObject({ attempt: 2, nextAt: 27_500 });
    const nameless = [0, 1, 2, 3].map((i) => screen(i, { retry: { infra: "network", text: "waiting for network" } }));
    expect(verdictAfter(nameless, 5)).toMatchObject({ attempt: 1, nextAt: null, infra: "network" });
  });

  it("end when the retry line has been gone from the screen for a minute", () => {
    const signals = [screen(0, { retry: { text: "Retrying" } }), screen(SECOND, {})];
    expect(phaseAfter(signals, 30 * SECOND)).toBe("waiting");
    expect(phaseAfter(signals, 62 * SECOND)).toBeNull();
    expect(phaseAfter([signals[0] as Signal, screen(SECOND, { busy: false })], 2 * SECOND)).toBeNull();
  });

  it("use the thresholds of the caller", () => {
    expect(verdictAfter([retry(0)], 2 * MINUTE, { retry_ceiling_minutes: 1 })?.phase).toBe("storm");
  });
});
