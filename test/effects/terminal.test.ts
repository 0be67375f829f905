/** One suite for every terminal that rouse can control: the pressed keys arrive, and nothing else ever does. */
import { describe, expect, it } from "vitest";
import type { Precondition, ScreenState } from "../../src/core/policy/typing-checks.js";
import { until } from "../support/hosts.js";
import { hostRig, type RigMaker, tmuxRig, useRigs } from "../support/rigs.js";
import { NO_TMUX } from "../support/tmux.js";

const rigs = useRigs();
const { start } = rigs;

const isIdle = ({ composer, busy }: ScreenState): boolean => composer === "empty" && busy === false;
const precondition = (screenState: ScreenState, more: Partial<Precondition> = {}): Precondition => ({
  draft: "",
  turn: "idle",
  quietMs: 0,
  composerDigest: screenState.composerDigest,
  ...more,
});

const CONTINUE = { kind: "text", text: "continue" } as const;

/** Time for sent keys to arrive; a forbidden key would have arrived by then. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 400));

const RIGS: [string, RigMaker][] = [
  ["a host's terminal", hostRig],
  ...(NO_TMUX ? [] : [["a tmux pane", tmuxRig()] as [string, RigMaker]]),
];

describe.each(RIGS)("%s", (_, make) => {
  it("distinguishes an empty composer, a draft, a running turn and a dialog", async () => {
    const { sees, human } = await start(make, { do: "idle" }, { do: "think", ms: 3000 }, { do: "ask" });
    const idle = await sees(isIdle);
    expect(idle.terminalState).toMatchObject({
      screenState: { dialog: null, structural: false, queued: false, says: "idle" },
    });
    await human("half a");
    await sees(({ draft }) => draft === "half a");
    await human(" thought\r");
    await sees(({ busy, says, draft }) => busy === true && says === "working" && draft === "");
    await sees(({ dialog, composer }) => dialog === "permission" && composer === "hidden");
  });

  it("types text exactly, and Enter as a separate key", async () => {
    const { terminal, sees, received } = await start(make, { do: "idle" }, { do: "hang" });
    const text = "go on: \"$(touch x)\" ; `y` 'z' #{pid} %d {a,b} é ✓ -- Enter C-c\u001b[31m\r\n\u0003";
    const check = await sees(isIdle);
    const pressed = await terminal.press(
      check.ticket,
      { kind: "text", text },
      precondition(check.terminalState.screenState),
    );
    expect(pressed).toEqual({ result: "pressed" });
    const clean = "go on: \"$(touch x)\" ; `y` 'z' #{pid} %d {a,b} é ✓ -- Enter C-c[31m ";
    await until("the text", () => received() === clean);
    const shown = await sees(({ draft }) => draft.startsWith("go on"));
    const entered = await terminal.press(
      shown.ticket,
      { kind: "submit" },
      precondition(shown.terminalState.screenState, { draft: shown.terminalState.screenState.draft }),
    );
    expect(entered).toEqual({ result: "pressed" });
    await until("Enter", () => received() === `${clean}\r`);
    await sees(({ busy }) => busy === true);
  });

  it("presses the program's own keys to end a turn and to delete text", async () => {
    const { terminal, sees, received } = await start(make, { do: "hang" }, { do: "idle" });
    // A screen that is still being drawn refuses an older check without any key: then the check is repeated.
    await until("the key to arrive", async () => {
      const busy = await sees(({ says }) => says === "working");
      const ended = precondition(busy.terminalState.screenState, { turn: "running" });
      return (await terminal.press(busy.ticket, { kind: "interrupt", press: 0 }, ended)).result === "pressed";
    });
    const idle = await sees(isIdle);
    expect(
      await terminal.press(idle.ticket, { kind: "interrupt", press: 1 }, precondition(idle.terminalState.screenState)),
    ).toMatchObject({
      result: "refused",
    });
    await terminal.press(idle.ticket, { kind: "text", text: "abc" }, precondition(idle.terminalState.screenState));
    const typed = await sees(({ draft }) => draft === "abc");
    await terminal.press(
      typed.ticket,
      { kind: "erase", chars: 3 },
      precondition(typed.terminalState.screenState, { draft: "abc" }),
    );
    await sees(isIdle);
    expect(received()).toBe("\u001babc\u007f\u007f\u007f");
  });

  it("types nothing if a dialog opened after the check", async () => {
    const { terminal, sees, human, received } = await start(make, { do: "idle" }, { do: "ask" }, { do: "hang" });
    const before = await sees(isIdle);
    await human("x\r");
    await sees(({ dialog }) => dialog !== null);
    const pressed = await terminal.press(before.ticket, CONTINUE, precondition(before.terminalState.screenState));
    expect(pressed).toMatchObject({ result: "refused" });
    expect(
      await terminal.press(before.ticket, { kind: "submit" }, precondition(before.terminalState.screenState)),
    ).toMatchObject({
      result: "refused",
    });
    await settle();
    expect(received()).toBe("x\r");
  });

  it("types nothing over a draft, into a running turn, or at another place of the composer", async () => {
    const { terminal, sees, human, received } = await start(make, { do: "idle" }, { do: "think", ms: 60_000 });
    const before = await sees(isIdle);
    await human("mine");
    await sees(({ draft }) => draft === "mine");
    expect(await terminal.press(before.ticket, CONTINUE, precondition(before.terminalState.screenState))).toMatchObject(
      {
        result: "refused",
      },
    );
    await human("\r");
    const busy = await sees(({ says }) => says === "working");
    expect(await terminal.press(busy.ticket, CONTINUE, precondition(busy.terminalState.screenState))).toEqual({
      result: "refused",
      reason: "a turn is running",
    });
    expect(
      await terminal.press(
        busy.ticket,
        CONTINUE,
        precondition(busy.terminalState.screenState, { turn: "running", composerDigest: "elsewhere" }),
      ),
    ).toEqual({ result: "refused", reason: "the composer has changed" });
    await settle();
    expect(received()).toBe("mine\r");
  });

  it("detects recent user input, and types nothing shortly after it", async () => {
    const { terminal, sees, human, received } = await start(make, { do: "idle" }, { do: "hang" });
    expect((await sees(isIdle)).terminalState.quietMs).toBe(Number.POSITIVE_INFINITY);
    await human("a");
    await sees(({ draft }) => draft === "a");
    await human("\u007f");
    await until("it to end", () => received().length >= 1 && received() !== "a").catch(() => {});
    const check = await terminal.check();
    if (check.terminalState === null) throw new Error(check.reason);
    expect(check.terminalState.quietMs).toBeLessThan(60_000);
    const { screenState } = check.terminalState;
    const pressed = await terminal.press(
      check.ticket,
      CONTINUE,
      precondition(screenState, { quietMs: 600_000, draft: screenState.draft }),
    );
    expect(pressed).toEqual({ result: "refused", reason: expect.stringMatching(/^a user typed \d+ s ago$/) });
    await settle();
    expect(received()).not.toContain("continue");
  });

  it("types nothing into an agent that is gone", async () => {
    const { agent, terminal, sees, received } = await start(make, { do: "idle" });
    const before = await sees(isIdle);
    process.kill(agent.pid as number, "SIGKILL");
    await until("it to be seen", async () => (await terminal.check()).terminalState === null);
    expect(await terminal.press(before.ticket, CONTINUE, precondition(before.terminalState.screenState))).toMatchObject(
      {
        result: "refused",
      },
    );
    expect(received()).toBe("");
  });
});

describe("a host's terminal", () => {
  // A tmux server resumes a stopped pane by itself.
  it("receives nothing while its agent is stopped", async () => {
    const { agent, terminal, sees, received } = await start(hostRig, { do: "idle" });
    const before = await sees(isIdle);
    process.kill(agent.pid as number, "SIGSTOP");
    await until("it to stop", async () => (await terminal.check()).terminalState === null);
    const stopped = await terminal.press(before.ticket, CONTINUE, precondition(before.terminalState.screenState));
    process.kill(agent.pid as number, "SIGCONT");
    expect(stopped).toEqual({ result: "refused", reason: expect.stringContaining("stopped") });
    await settle();
    expect(received()).toBe("");
  });
});

describe.skipIf(NO_TMUX)("a tmux pane", () => {
  it("that became a shell receives nothing, whatever the earlier check found", async () => {
    const { agent, terminal, sees } = await start(tmuxRig("shell"), { do: "idle" });
    const before = await sees(isIdle);
    process.kill(agent.pid as number, "SIGKILL");
    await until("the shell", async () => (await terminal.check()).terminalState === null);
    const command = { kind: "text", text: `touch ${rigs.home.path}/hit` } as const;
    expect(await terminal.press(before.ticket, command, precondition(before.terminalState.screenState))).toEqual({
      result: "refused",
      reason: "the agent's process is gone",
    });
  });
});
