import { describe, expect, it } from "vitest";
import { FakeTerminal, type Happening } from "../../../test/support/fake-terminal.js";
import { interruptTurn } from "./interrupt.js";
import { Keyboard } from "./keyboard.js";
import type { TerminalCheck } from "./terminal.js";
import type { TerminalSession } from "./terminal-session.js";

/** A message is queued behind the turn. */
class WithQueue extends FakeTerminal {
  override async check(): Promise<TerminalCheck<number>> {
    const check = await super.check();
    if (check.terminalState !== null) check.terminalState.screenState.queued = true;
    return check;
  }
}

async function interrupted(
  keysToEnd: number,
  happenings: readonly Happening[] = [],
  turn: ReturnType<TerminalSession["turn"]> = null,
  make: typeof FakeTerminal = FakeTerminal,
) {
  const terminal = new make({ happenings, begins: "running", keysToEnd });
  const result = await interruptTurn(
    {
      keyboard: new Keyboard(terminal, () => terminal.now) as Keyboard,
      now: () => terminal.now,
      sleep: (ms) => terminal.sleep(ms),
      turn: () => turn,
      quietMs: 30_000,
      deadline: terminal.now + 45_000,
    },
    2,
  );
  return { ...result, keys: terminal.keys.length, harm: terminal.harm };
}

describe("an interrupt by two keys", () => {
  it("presses both when the turn needs both", async () => {
    expect(await interrupted(2)).toMatchObject({ result: "done", proven: true, keys: 2, harm: [] });
  });

  it("is done after the first key when that ended the turn", async () => {
    expect(await interrupted(1)).toMatchObject({ result: "done", proven: true, keys: 1, harm: [] });
  });

  it("does not answer a dialog that opens between them", async () => {
    expect(await interrupted(2, [{ event: "dialog", at: 2 }])).toMatchObject({ keys: 1, harm: [] });
  });

  it("fails without the second key when a user types between them", async () => {
    const { reason, ...rest } = await interrupted(2, [{ event: "human", at: 2 }]);
    expect(rest).toMatchObject({ result: "failed", keys: 1, harm: [] });
    expect(reason).toContain("after 1 of 2 keys");
  });

  it("presses no key if another source says that the program is waiting for an answer", async () => {
    expect(await interrupted(1, [], "asking")).toMatchObject({
      result: "refused",
      reason: "the program is waiting for an answer",
      keys: 0,
    });
  });

  it("does not press the second key into a turn that starts after the first key ended the old one", async () => {
    const again = [{ event: "turn", at: 5 }] as const;
    expect(await interrupted(1, again)).toMatchObject({ result: "failed", keys: 1, harm: [] });
  });

  it("is proven if a queued message starts the next turn at once", async () => {
    const queued = [{ event: "turn", at: 6 }] as const;
    expect(await interrupted(1, queued, null, WithQueue)).toMatchObject({
      result: "done",
      reason: "interrupted; the turn ended; a queued message was sent",
      proven: true,
    });
  });
});
