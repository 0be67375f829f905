/** Simulation: an event happens between the decision and the key, at every step. */
import { describe, expect, it } from "vitest";
import { interruptTurn } from "../../src/effects/keys/interrupt.js";
import { Keyboard } from "../../src/effects/keys/keyboard.js";
import { typeNudge } from "../../src/effects/keys/nudge.js";
import type { EffectResult, TerminalSession } from "../../src/effects/keys/terminal-session.js";
import { EVENTS, type Event, FakeTerminal, type Happening } from "../support/fake-terminal.js";

const TEXT = "Please continue where you stopped. [rouse]";

const EFFECTS = {
  nudge: { begins: "idle", keysToEnd: 1, run: (terminalSession: TerminalSession) => typeNudge(terminalSession, TEXT) },
  interrupt: {
    begins: "running",
    keysToEnd: 1,
    run: (terminalSession: TerminalSession) => interruptTurn(terminalSession, 1),
  },
  "interrupt by two keys": {
    begins: "running",
    keysToEnd: 2,
    run: (terminalSession: TerminalSession) => interruptTurn(terminalSession, 2),
  },
} as const;
type EffectName = keyof typeof EFFECTS;

async function race(name: EffectName, happenings: readonly Happening[], careless = false) {
  const { begins, keysToEnd, run } = EFFECTS[name];
  const terminal = new FakeTerminal({ happenings, begins, keysToEnd, careless });
  const terminalSession: TerminalSession = {
    keyboard: new Keyboard(terminal, () => terminal.now) as Keyboard,
    now: () => terminal.now,
    sleep: (ms) => terminal.sleep(ms),
    turn: () => null,
    quietMs: 30_000,
    deadline: terminal.now + 45_000,
  };
  return { terminal, result: await run(terminalSession) };
}

const STEPS_MAX = 400;

/** Every step at which something can happen before the effect ends. */
async function atEveryStep(
  name: EffectName,
  events: readonly Event[],
  from: number,
  each: (raced: Awaited<ReturnType<typeof race>>, happenings: readonly Happening[]) => void | Promise<void>,
  before: readonly Happening[] = [],
  careless = false,
): Promise<void> {
  const [event, ...rest] = events;
  if (event === undefined) return;
  for (let at = from; at < STEPS_MAX; at++) {
    const happenings = [...before, { event, at }];
    const raced = await race(name, happenings, careless);
    await each(raced, happenings);
    if (!raced.terminal.happened) return;
    await atEveryStep(name, rest, at, each, happenings, careless);
  }
  throw new Error("it never ends");
}

const names = Object.keys(EFFECTS) as EffectName[];
const pairs = EVENTS.flatMap((first) => EVENTS.map((second) => [first, second] as const));

describe.each(names)("%s", (name) => {
  it("succeeds if nothing else happens", async () => {
    const { terminal, result } = await race(name, []);
    expect(result).toMatchObject({ result: "done", proven: true });
    expect(terminal.harm).toEqual([]);
  });

  it("does no harm if any two events happen at any two steps, and reports the outcome", async () => {
    let races = 0;
    for (const pair of pairs) {
      await atEveryStep(name, pair, 0, ({ terminal, result }, happenings) => {
        races++;
        if (terminal.harm.length > 0) throw new Error(`${terminal.harm.join()} by ${JSON.stringify(happenings)}`);
        expect(result.reason).not.toBe("");
        expectHonest(result, terminal);
      });
    }
    expect(races).toBeGreaterThan(1000);
  });
});

/** The reported outcome matches what happened. */
function expectHonest({ result }: EffectResult, terminal: FakeTerminal): void {
  const hasActed =
    terminal.keys.some(({ kind }) => kind === "submit" || kind === "interrupt") || terminal.draft.includes(TEXT);
  if (result === "refused") expect(hasActed).toBe(false);
  if (result === "done") expect(hasActed).toBe(true);
  expect(terminal.submitted.length).toBeLessThanOrEqual(1);
}

describe("a machine so busy that screen checks expire", () => {
  it("does not leave a nudge unfinished: it was sent or nothing was typed", async () => {
    const results = new Set<string>();
    await atEveryStep("nudge", ["slow"], 0, ({ terminal, result }) => {
      results.add(result.result);
      expect({ draft: terminal.draft, sent: terminal.submitted.length }).toEqual({
        draft: "",
        sent: result.result === "done" ? 1 : 0,
      });
    });
    expect([...results].sort()).toEqual(["done", "refused"]);
  });
});

describe("the simulation", () => {
  it.each(names)("catches a terminal that skips its own check: %s", async (name) => {
    const harm = new Set<string>();
    for (const event of EVENTS)
      await atEveryStep(
        name,
        [event],
        0,
        ({ terminal }) => {
          for (const one of terminal.harm) harm.add(one.replace(/^\S+ /, ""));
        },
        [],
        true,
      );
    expect([...harm]).toEqual(
      expect.arrayContaining(["into a dialog", "into shell", "into gone", "into stranger", "beside a human"]),
    );
  });
});
