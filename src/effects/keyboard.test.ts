import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../../test/support/fake-terminal.js";
import { Keyboard, type ScreenTicket } from "./keyboard.js";

const IDLE = { draft: "", turn: "idle", quietMs: 0 } as const;
const TEXT = { kind: "text", text: "go on" } as const;

async function looked(): Promise<{ terminal: FakeTerminal; keyboard: Keyboard<number>; look: ScreenTicket<number> }> {
  const terminal = new FakeTerminal({ happenings: [], begins: "idle" });
  const keyboard = new Keyboard(terminal, () => terminal.now);
  const look = await keyboard.look();
  if (look.terminalState === null) throw new Error(look.reason);
  return { terminal, keyboard, look };
}

describe("a look", () => {
  it("is good for one press", async () => {
    const { terminal, keyboard, look } = await looked();
    expect(await keyboard.press(look, TEXT, IDLE)).toEqual({ result: "pressed" });
    expect(await keyboard.press(look, TEXT, IDLE)).toEqual({
      result: "refused",
      reason: "a look is good for one press",
    });
    expect(terminal.keys).toEqual([TEXT]);
  });

  it("grows stale", async () => {
    const { terminal, keyboard, look } = await looked();
    terminal.now += 5000;
    expect(await keyboard.press(look, TEXT, IDLE)).toEqual({ result: "refused", reason: "the look is too old" });
    expect(terminal.keys).toEqual([]);
  });

  it("is of one terminal", async () => {
    const { look } = await looked();
    const other = await looked();
    expect(await other.keyboard.press(look, TEXT, IDLE)).toMatchObject({ result: "refused" });
    expect(other.terminal.keys).toEqual([]);
  });

  it("that shows what must not be touched is no reason to ask the terminal again", async () => {
    const { terminal, keyboard, look } = await looked();
    expect(await keyboard.press(look, TEXT, { ...IDLE, turn: "running" })).toEqual({
      result: "refused",
      reason: "no turn is running",
    });
    expect(terminal.keys).toEqual([]);
  });
});
