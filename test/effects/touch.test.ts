/** `nudge` and `interrupt` on a real program, in every terminal that rouse can touch. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Outcome } from "../../src/core/action.js";
import type { EffectWorld } from "../../src/effects/index.js";
import { textFor } from "../../src/effects/texts.js";
import { carriedOut } from "../support/deeds.js";
import { closeHome, type Home, makeHome, until } from "../support/hosts.js";
import { hostRig, type Rig, type RigMaker, tmuxRig } from "../support/rigs.js";
import { NO_TMUX } from "../support/tmux.js";

const RACES = process.env.ROUSE_FULL === "1" ? 20 : 3;

let home: Home;
let rigs: Rig[] = [];
let started = 0;

beforeEach(() => {
  home = makeHome();
});

afterEach(async () => {
  for (const rig of rigs) await rig.close();
  rigs = [];
  expect((await closeHome(home)).processes).toEqual([]);
});

const start = async (make: RigMaker, ...steps: ({ do: string } & Record<string, unknown>)[]): Promise<Rig> => {
  const rig = await make(home, `agent-${started++}`, { steps });
  rigs.push(rig);
  return rig;
};

const touch = (
  { agent }: Rig,
  name: "nudge" | "interrupt",
  world: Partial<EffectWorld> = {},
  deadlineMs = 60_000,
): Promise<Outcome> => carriedOut(home, agent, name, world, { deadlineMs });

const TEXT = textFor("continue");
/**
 * A key that was written in the moment in which the program drew its dialog is on its way: nobody outside of the program
 * can call it back. Aimed at that moment, on two busy cores, 8 of 150 came so within 6 ms in a host, 10 of 150 within
 * 20 ms in tmux: a window of about 0.3 and 1.3 ms.
 */
const ON_ITS_WAY_MS = 100;
const tmux: [string, RigMaker][] = NO_TMUX ? [] : [["tmux", tmuxRig()]];
const RIGS: [string, RigMaker][] = [["a host", hostRig], ...tmux];

describe.each(RIGS)("in %s", (_, make) => {
  it("a nudge types its text and one Enter, and sees the turn start", async () => {
    const rig = await start(make, { do: "idle" }, { do: "think", ms: 60_000 });
    await rig.sees(({ composer }) => composer === "empty");
    expect(await touch(rig, "nudge")).toMatchObject({ intent: "a1", result: "done", proven: true });
    expect(rig.received()).toBe(`${TEXT}\r`);
  });

  it("an interrupt ends the turn by the program's own key, and a nudge then begins another", async () => {
    const rig = await start(make, { do: "hang" }, { do: "idle" }, { do: "think", ms: 60_000 });
    await rig.sees(({ says }) => says === "working");
    expect(await touch(rig, "interrupt")).toMatchObject({ result: "done", proven: true });
    expect(rig.received()).toBe("\u001b");
    expect(await touch(rig, "nudge")).toMatchObject({ result: "done", proven: true });
    expect(rig.received()).toBe(`\u001b${TEXT}\r`);
  });

  it("a key that the program does not heed is no second one: the turn is said to go on", async () => {
    const rig = await start(make, { do: "think", ms: 60_000 });
    await rig.sees(({ says }) => says === "working");
    expect(await touch(rig, "interrupt", {}, 4000)).toMatchObject({ result: "failed", proven: false });
    expect(rig.received()).toBe("\u001b");
  });

  it("neither touches a dialog", async () => {
    const rig = await start(make, { do: "ask" });
    await rig.sees(({ dialog }) => dialog === "permission");
    for (const name of ["nudge", "interrupt"] as const)
      expect(await touch(rig, name)).toMatchObject({ result: "refused", reason: "a dialog is open (permission)" });
    expect(rig.received()).toBe("");
  });

  it("neither touches a draft, nor an agent whose human typed just now", async () => {
    const rig = await start(make, { do: "idle" });
    await rig.sees(({ composer }) => composer === "empty");
    await rig.human("mine");
    await rig.sees(({ draft }) => draft === "mine");
    expect(await touch(rig, "nudge")).toMatchObject({ reason: expect.stringMatching(/^somebody typed \d+ s ago$/) });
    for (const name of ["nudge", "interrupt"] as const)
      expect(await touch(rig, name, { quietMs: 0 })).toMatchObject({
        result: "refused",
        reason: "a draft stands in the composer",
      });
    expect(rig.received()).toBe("mine");
  });

  it("a nudge is no word into a running turn, an interrupt none into an idle composer", async () => {
    const busy = await start(make, { do: "think", ms: 60_000 });
    await busy.sees(({ says }) => says === "working");
    expect(await touch(busy, "nudge")).toMatchObject({ result: "refused", reason: "a turn is running" });
    const idle = await start(make, { do: "idle" });
    await idle.sees(({ composer }) => composer === "empty");
    expect(await touch(idle, "interrupt")).toMatchObject({ result: "refused", reason: "no turn is running" });
    expect([busy.received(), idle.received()]).toEqual(["", ""]);
  });

  it(`a dialog that opens at any moment of a nudge gets no key (${RACES} races)`, { timeout: 600_000 }, async () => {
    for (let number = 0; number < RACES; number++) {
      const rig = await start(make, { do: "idle" }, { do: "ask" }, { do: "hang" });
      await rig.sees(({ composer }) => composer === "empty");
      const nudged = touch(rig, "nudge");
      // The agent goes on to its dialog by a signal: no key, so that every key in its log is rouse's.
      await sleep(Math.random() * 1200);
      process.kill(rig.agent.pid as number, "SIGUSR2");
      const outcome = await nudged;
      expect(outcome.reason).not.toBe("");
      expect(rig.arrivals().filter(({ dialogMs }) => (dialogMs ?? 0) > ON_ITS_WAY_MS)).toEqual([]);
      const erased = "\u007f".repeat(TEXT.length);
      const allowed = { refused: ["", TEXT + erased], failed: [TEXT], unknown: [], done: [`${TEXT}\r`] };
      expect(allowed[outcome.result]).toContain(rig.received());
      await rigs.pop()?.close();
    }
  });
});

describe("a human", () => {
  it("who types at any moment of a nudge has the keyboard: nothing of theirs is sent or erased", async () => {
    for (let number = 0; number < RACES; number++) {
      const rig = await start(hostRig, { do: "idle" }, { do: "hang" });
      await rig.sees(({ composer }) => composer === "empty");
      const nudged = touch(rig, "nudge");
      await sleep(Math.random() * 700);
      await rig.human("mine");
      await nudged;
      await until("it to arrive", () => rig.received().includes("mine"));
      expect(rig.received().split("mine")[1]).toBe("");
      await rigs.pop()?.close();
    }
  });
});
