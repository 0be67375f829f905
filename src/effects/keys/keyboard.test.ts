import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../../../test/support/fake-terminal.js";
import { Keyboard, type ScreenTicket } from "./keyboard.js";

const IDLE = { draft: "", turn: "idle", quietMs: 0 } as const;
const TEXT = { kind: "text", text: "go on" } as const;

async function checked(): Promise<{ terminal: FakeTerminal; keyboard: Keyboard<number>; check: ScreenTicket<number> }> {
  const terminal = new FakeTerminal({ happenings: [], begins: "idle" });
  const keyboard = new Keyboard(terminal, () => terminal.now);
  const check = await keyboard.check();
  if (check.terminalState === null) throw new Error(check.reason);
  return { terminal, keyboard, check };
}

describe("a screen check", () => {
  it("allows only one press", async () => {
    const { terminal, keyboard, check } = await checked();
    expect(await keyboard.press(check, TEXT, IDLE)).toEqual({ result: "pressed" });
    expect(await keyboard.press(check, TEXT, IDLE)).toEqual({
      result: "refused",
      reason: "a screen check allows only one key press",
    });
    expect(terminal.keys).toEqual([TEXT]);
  });

  it("expires", async () => {
    const { terminal, keyboard, check } = await checked();
    terminal.now += 5000;
    expect(await keyboard.press(check, TEXT, IDLE)).toEqual({
      result: "refused",
      reason: "the screen check is too old",
    });
    expect(terminal.keys).toEqual([]);
  });

  it("is valid for one terminal only", async () => {
    const { check } = await checked();
    const other = await checked();
    expect(await other.keyboard.press(check, TEXT, IDLE)).toMatchObject({ result: "refused" });
    expect(other.terminal.keys).toEqual([]);
  });

  it("with an objection refuses the press without asking the terminal again", async () => {
    const { terminal, keyboard, check } = await checked();
    expect(await keyboard.press(check, TEXT, { ...IDLE, turn: "running" })).toEqual({
      result: "refused",
      reason: "no turn is running",
    });
    expect(terminal.keys).toEqual([]);
  });
});
