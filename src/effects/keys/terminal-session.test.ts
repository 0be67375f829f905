import { describe, expect, it } from "vitest";
import { IDLE_SCREEN } from "../../../test/support/fake-host.js";
import { FakeTerminal } from "../../../test/support/fake-terminal.js";
import { Keyboard } from "./keyboard.js";
import { settledScreen, type TerminalSession, watchScreen } from "./terminal-session.js";

it("a screen is settled after two equal checks with one pause between them", async () => {
  const terminal = new FakeTerminal({ happenings: [], begins: "idle" });
  const pauses: number[] = [];
  const session = {
    keyboard: new Keyboard(terminal, () => terminal.now) as Keyboard,
    now: () => terminal.now,
    sleep: async (ms: number) => void pauses.push(ms),
    turn: () => null,
    quietMs: 0,
    deadline: terminal.now + 45_000,
  };
  expect(await settledScreen(session, { draft: "", turn: "idle", quietMs: 0 })).toMatchObject({
    terminalState: { screenState: { composer: "empty" } },
  });
  expect(pauses).toEqual([250]);
});

describe("a screen", () => {
  /** The composers that the checks show, the last one from then on; null cannot be read. */
  function session(...shown: (string | null)[]) {
    let checks = 0;
    const keyboard = {
      check: async () => {
        const composerDigest = shown[Math.min(checks++, shown.length - 1)] ?? null;
        if (composerDigest === null) return { terminalState: null, reason: "no answer" };
        return { terminalState: { screenState: { ...IDLE_SCREEN, composerDigest }, quietMs: null } };
      },
    } as unknown as Keyboard;
    let now = 0;
    const sleep = async (ms: number): Promise<void> => {
      now += ms;
    };
    const made = { keyboard, now: () => now, sleep, turn: () => null, quietMs: 0, deadline: 60_000 };
    return { made: made as TerminalSession, checks: () => checks, now: () => now };
  }
  const idle = { draft: "", turn: "idle", quietMs: 0 } as const;

  it("that keeps changing is given up after twelve checks", async () => {
    const moving = session(...Array.from({ length: 40 }, (_, n) => `c${n}`));
    expect(await settledScreen(moving.made, idle)).toBe("the screen keeps changing");
    expect(moving.checks()).toBe(12);
  });

  it("that changes at first is used as soon as two checks agree", async () => {
    const calm = session("a", "b", "b");
    expect(await settledScreen(calm.made, idle)).toMatchObject({ terminalState: expect.anything() });
    expect(calm.checks()).toBe(3);
  });

  it("is watched until the condition holds, until time is up, or until it cannot be read", async () => {
    const isB = ({ composerDigest }: { composerDigest: string }): boolean => composerDigest === "b";
    const soon = session("a", "a", "b");
    expect(await watchScreen(soon.made, 1000, isB)).toMatchObject({ isSo: true });
    expect(soon.checks()).toBe(3);
    const never = session("a");
    expect(await watchScreen(never.made, 1000, isB)).toMatchObject({ isSo: false, check: expect.anything() });
    expect(never.now()).toBeGreaterThanOrEqual(1000);
    expect(never.now()).toBeLessThan(1500);
    expect(await watchScreen(session("a", null).made, 1000, isB)).toEqual({
      isSo: false,
      check: null,
      reason: "no answer",
    });
  });
});
