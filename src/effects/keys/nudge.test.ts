import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../../../test/support/fake-terminal.js";
import type { Keys, Precondition } from "../../core/policy/typing-checks.js";
import { Keyboard } from "./keyboard.js";
import { typeNudge } from "./nudge.js";
import type { TerminalSession } from "./terminal-session.js";

/** When each key was pressed. */
class TimedTerminal extends FakeTerminal {
  readonly pressed: { kind: Keys["kind"]; at: number }[] = [];

  override press(ticket: number, keys: Keys, precondition: Precondition): ReturnType<FakeTerminal["press"]> {
    this.pressed.push({ kind: keys.kind, at: this.now });
    return super.press(ticket, keys, precondition);
  }
}

type Turn = ReturnType<TerminalSession["turn"]>;

/** `later`: what other sources say after the text was typed. */
async function nudged(
  turn: Turn,
  later: Turn = turn,
  terminal = new TimedTerminal({ happenings: [], begins: "idle" }),
) {
  const result = await typeNudge(
    {
      keyboard: new Keyboard(terminal, () => terminal.now) as Keyboard,
      now: () => terminal.now,
      sleep: (ms) => terminal.sleep(ms),
      turn: () => (terminal.pressed.length === 0 ? turn : later),
      quietMs: 30_000,
      deadline: terminal.now + 45_000,
    },
    "Please continue. [rouse]",
  );
  return { result, pressed: terminal.pressed };
}

describe("a nudge", () => {
  it("presses Enter at least 300 ms after its text, so that the program does not read both as one paste", async () => {
    const { result, pressed } = await nudged(null);
    expect(result.result).toBe("done");
    expect(pressed.map(({ kind }) => kind)).toEqual(["text", "submit"]);
    const [text, submit] = pressed;
    expect((submit?.at ?? 0) - (text?.at ?? 0)).toBeGreaterThanOrEqual(300);
  });

  it.each([
    ["asking", "the program is waiting for an answer"],
    ["running", "a turn is running"],
  ] as const)("presses no key if another source says that the program is %s", async (turn, reason) => {
    const { result, pressed } = await nudged(turn);
    expect(result).toMatchObject({ result: "refused", reason });
    expect(pressed).toEqual([]);
  });

  it.each(["asking", "running"] as const)("takes its text back if the program is %s before Enter", async (later) => {
    const { result, pressed } = await nudged(null, later);
    expect(result.result).toBe("refused");
    expect(result.reason).toContain("the agent became busy");
    expect(pressed.map(({ kind }) => kind)).toEqual(["text", "erase"]);
  });
});

it("a nudge whose text an earlier attempt left in the composer only presses Enter", async () => {
  const terminal = new TimedTerminal({ happenings: [], begins: "idle" });
  terminal.draft = "Please continue. [rouse]";
  const { result, pressed } = await nudged(null, null, terminal);
  expect(result.result).toBe("done");
  expect(pressed.map(({ kind }) => kind)).toEqual(["submit"]);
  const drafted = new TimedTerminal({ happenings: [], begins: "idle" });
  drafted.draft = "Please continue. [rouse] and then";
  expect(await nudged(null, null, drafted)).toMatchObject({ result: { result: "refused" }, pressed: [] });
});

/** Enter starts no turn. `keeps`: the text stays in the composer. */
class DeafTerminal extends TimedTerminal {
  keeps = true;

  override async press(ticket: number, keys: Keys, precondition: Precondition): ReturnType<FakeTerminal["press"]> {
    if (keys.kind !== "submit") return super.press(ticket, keys, precondition);
    if (!this.keeps) this.draft = "";
    return { result: "pressed" };
  }
}

it("a nudge without a new turn has failed only if its text is still in the composer", async () => {
  const sent = async (keeps: boolean) => {
    const terminal = new DeafTerminal({ happenings: [], begins: "idle" });
    terminal.keeps = keeps;
    return (await nudged(null, null, terminal)).result;
  };
  expect(await sent(true)).toMatchObject({
    result: "failed",
    reason: "Enter had no effect; the typed text was erased",
  });
  expect(await sent(false)).toEqual({
    result: "done",
    reason: "typed and sent; no turn has started yet",
    proven: null,
  });
});
