import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../../../test/support/fake-terminal.js";
import type { Keys, Precondition } from "../../core/policy/typing-checks.js";
import { giveText, giveUnseen } from "./give-text.js";
import { Keyboard } from "./keyboard.js";
import type { TerminalCheck } from "./terminal.js";
import type { TerminalSession } from "./terminal-session.js";

/** A program that loads until `readyAt`, and loses the first texts or Enters. */
class LoadingTerminal extends FakeTerminal {
  readyAt = 0;
  losesTexts = 0;
  swallows = 0;
  #sent = 0;

  override async check(): Promise<TerminalCheck<number>> {
    const check = await super.check();
    if (check.terminalState === null || this.now >= this.readyAt) return check;
    return {
      ...check,
      terminalState: {
        ...check.terminalState,
        screenState: { ...check.terminalState.screenState, composer: "hidden" },
      },
    };
  }

  override async press(ticket: number, keys: Keys, precondition: Precondition): ReturnType<FakeTerminal["press"]> {
    if (keys.kind === "text" && this.losesTexts-- > 0) return { result: "pressed" };
    if (keys.kind === "submit" && ++this.#sent <= this.swallows) return { result: "pressed" };
    return super.press(ticket, keys, precondition);
  }
}

const TEXT = "fix the failing test";

async function given(prepare: (terminal: LoadingTerminal) => void, waitMs = 45_000, text = TEXT) {
  const terminal = new LoadingTerminal({ happenings: [], begins: "idle" });
  prepare(terminal);
  const startedAt = terminal.now;
  const terminalSession: TerminalSession = {
    keyboard: new Keyboard(terminal, () => terminal.now) as Keyboard,
    now: () => terminal.now,
    sleep: (ms) => terminal.sleep(ms),
    turn: () => null,
    quietMs: 30_000,
    deadline: startedAt + waitMs + 60_000,
  };
  const result = await giveText(terminalSession, text, { readyBy: startedAt + waitMs });
  return { result, terminal, tookMs: terminal.now - startedAt };
}

describe("a text for a program", () => {
  it("waits until a loading program shows its composer, and is then submitted once", async () => {
    const { result, terminal, tookMs } = await given((one) => (one.readyAt = one.now + 20_000));
    expect(result).toEqual({ result: "done", reason: "typed and sent; a turn started", proven: true });
    expect(terminal.submitted).toEqual([TEXT]);
    expect(tookMs).toBeGreaterThanOrEqual(20_000);
    expect(terminal.harm).toEqual([]);
  });

  it("is refused with the reason if the program does not become ready in time", async () => {
    const { result, terminal } = await given((one) => (one.readyAt = one.now + 60_000));
    expect(result.result).toBe("refused");
    expect(result.reason).toMatch(/^not ready for input within 45 s: no composer is visible; /);
    expect(terminal.keys).toEqual([]);
  });

  it.each([1, 2])("is typed again if the program lost it %i times", async (times) => {
    const { result, terminal } = await given((one) => (one.losesTexts = times));
    expect(result).toMatchObject({ result: "done", proven: true });
    expect(terminal.submitted).toEqual([TEXT]);
  });

  it("fails if the program loses it every time, and nothing is submitted", async () => {
    const { result, terminal } = await given((one) => (one.losesTexts = 99));
    expect(result).toMatchObject({ result: "failed", proven: false });
    expect(result.reason).toBe("the typed text did not appear in the composer; Enter was not pressed");
    expect(terminal.keys).toEqual([]);
  });

  it("is erased and typed again if Enter had no effect, so that Enter is never pressed twice on one text", async () => {
    const { result, terminal } = await given((one) => (one.swallows = 1));
    expect(result).toMatchObject({ result: "done", proven: true });
    expect(terminal.keys.map(({ kind }) => kind)).toEqual(["text", "erase", "text", "submit"]);
    expect(terminal.submitted).toEqual([TEXT]);
  });

  it("fails if Enter never has an effect, and leaves an empty composer", async () => {
    const { result, terminal } = await given((one) => (one.swallows = 99));
    expect(result).toEqual({
      result: "failed",
      reason: "Enter had no effect; the typed text was erased",
      proven: false,
    });
    expect(terminal.draft).toBe("");
  });

  it.each([
    ["a dialog", (one: LoadingTerminal) => one.open(), /^a dialog is open \(permission\); a user has to answer it/],
    ["a user's draft", (one: LoadingTerminal) => (one.draft = "mine"), /^the composer contains a draft; send or clear/],
  ])("is refused within seconds because of %s, and no key is pressed", async (_, prepare, reason) => {
    const { result, terminal, tookMs } = await given(prepare);
    expect(result.result).toBe("refused");
    expect(result.reason).toMatch(reason);
    expect(terminal.keys).toEqual([]);
    expect(tookMs).toBeGreaterThanOrEqual(2000);
    expect(tookMs).toBeLessThan(3500);
  });

  it("waits for a draft that is gone within two seconds: a screen that loads may look like anything", async () => {
    const { result, terminal } = await given((one) => {
      const press = one.sleep.bind(one);
      one.draft = "loading";
      one.sleep = async (ms) => {
        one.draft = one.draft === "loading" ? "" : one.draft;
        await press(ms);
      };
    });
    expect(result).toMatchObject({ result: "done", proven: true });
    expect(terminal.submitted).toEqual([TEXT]);
  });

  it("of many characters is typed in pieces that no program takes for a paste", async () => {
    const text = Array.from({ length: 150 }, (_, n) => `word${n}`).join(" ");
    const { result, terminal } = await given(() => {}, 45_000, text);
    expect(result).toMatchObject({ result: "done", proven: true });
    expect(terminal.submitted).toEqual([text]);
    for (const keys of terminal.keys) if (keys.kind === "text") expect(keys.text.length).toBeLessThanOrEqual(200);
  });
});

it("a text for a program without a profile is sent, and rouse says that it cannot confirm it", async () => {
  const sent = async (prepare: (terminal: FakeTerminal) => void) => {
    const terminal = new FakeTerminal({ happenings: [], begins: "idle" });
    prepare(terminal);
    const keyboard = new Keyboard(terminal, () => terminal.now) as Keyboard;
    const { now, sleep } = { now: () => terminal.now, sleep: (ms: number) => terminal.sleep(ms) };
    const terminalSession = { keyboard, now, sleep, turn: () => null, quietMs: 0, deadline: terminal.now + 60_000 };
    const { result, reason, proven } = await giveUnseen(terminalSession, TEXT, {});
    return { result, reason, proven, keys: terminal.keys.length };
  };
  expect(await sent(() => {})).toEqual({
    result: "done",
    reason: "sent; rouse has no profile for this program and cannot confirm that it was accepted",
    proven: null,
    keys: 2,
  });
  expect(await sent((terminal) => terminal.open())).toMatchObject({ result: "refused", keys: 0 });
});
