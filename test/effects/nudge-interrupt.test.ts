/** `nudge` and `interrupt` on a real program, in every terminal that rouse can control. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ActionOutcome } from "../../src/core/action.js";
import type { EffectContext } from "../../src/effects/index.js";
import { textFor } from "../../src/effects/keys/texts.js";
import { carriedOut } from "../support/actions.js";
import { closeHome, type Home, makeHome } from "../support/hosts.js";
import { hostRig, type Rig, type RigMaker, tmuxRig } from "../support/rigs.js";
import { NO_TMUX } from "../support/tmux.js";

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

const act = (
  { agent }: Rig,
  name: "nudge" | "interrupt",
  context: Partial<EffectContext> = {},
  deadlineMs = 60_000,
): Promise<ActionOutcome> => carriedOut(home, agent, name, context, { deadlineMs });

const TEXT = textFor("continue");
const tmux: [string, RigMaker][] = NO_TMUX ? [] : [["tmux", tmuxRig()]];
const RIGS: [string, RigMaker][] = [["a host", hostRig], ...tmux];

describe.each(RIGS)("in %s", (_, make) => {
  it("a nudge types its text and one Enter, and sees the turn start", async () => {
    const rig = await start(make, { do: "idle" }, { do: "think", ms: 60_000 });
    await rig.sees(({ composer }) => composer === "empty");
    expect(await act(rig, "nudge")).toMatchObject({ intent: "a1", result: "done", proven: true });
    expect(rig.received()).toBe(`${TEXT}\r`);
  });

  it("an interrupt ends the turn by the program's own key, and a nudge then starts another", async () => {
    const rig = await start(make, { do: "hang" }, { do: "idle" }, { do: "think", ms: 60_000 });
    await rig.sees(({ says }) => says === "working");
    expect(await act(rig, "interrupt")).toMatchObject({ result: "done", proven: true });
    expect(rig.received()).toBe("\u001b");
    expect(await act(rig, "nudge")).toMatchObject({ result: "done", proven: true });
    expect(rig.received()).toBe(`\u001b${TEXT}\r`);
  });

  it("a key that the program ignores is not pressed twice, and the turn is reported as running", async () => {
    const rig = await start(make, { do: "think", ms: 60_000 });
    await rig.sees(({ says }) => says === "working");
    expect(await act(rig, "interrupt", {}, 4000)).toMatchObject({ result: "failed", proven: false });
    expect(rig.received()).toBe("\u001b");
  });

  it("neither presses a key in a dialog", async () => {
    const rig = await start(make, { do: "ask" });
    await rig.sees(({ dialog }) => dialog === "permission");
    for (const name of ["nudge", "interrupt"] as const)
      expect(await act(rig, name)).toMatchObject({ result: "refused", reason: "a dialog is open (permission)" });
    expect(rig.received()).toBe("");
  });

  it("neither types over a draft, nor into an agent with recent user input", async () => {
    const rig = await start(make, { do: "idle" });
    await rig.sees(({ composer }) => composer === "empty");
    await rig.human("mine");
    await rig.sees(({ draft }) => draft === "mine");
    expect(await act(rig, "nudge")).toMatchObject({ reason: expect.stringMatching(/^a user typed \d+ s ago$/) });
    for (const name of ["nudge", "interrupt"] as const)
      expect(await act(rig, name, { quietMs: 0 })).toMatchObject({
        result: "refused",
        reason: "the composer contains a draft",
      });
    expect(rig.received()).toBe("mine");
  });

  it("a nudge does not type into a running turn, and an interrupt presses nothing in an idle composer", async () => {
    const busy = await start(make, { do: "think", ms: 60_000 });
    await busy.sees(({ says }) => says === "working");
    expect(await act(busy, "nudge")).toMatchObject({ result: "refused", reason: "a turn is running" });
    const idle = await start(make, { do: "idle" });
    await idle.sees(({ composer }) => composer === "empty");
    expect(await act(idle, "interrupt")).toMatchObject({ result: "refused", reason: "no turn is running" });
    expect([busy.received(), idle.received()]).toEqual(["", ""]);
  });
});
