import { expect, it } from "vitest";
import { FakeTerminal } from "../../../test/support/fake-terminal.js";
import { Keyboard } from "./keyboard.js";
import { settledScreen } from "./terminal-session.js";

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
