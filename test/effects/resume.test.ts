/** `resume`, `restart` and `run`: a session continues as it was, and only when the old one is gone. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { createEvidence, takeSignal } from "../../src/core/judgement/evidence/evidence.js";
import type { Evidence } from "../../src/core/judgement/evidence/state.js";
import { PLAIN_TRAITS } from "../../src/core/traits.js";
import { type EffectContext, Environments } from "../../src/effects/index.js";
import { textFor } from "../../src/effects/keys/texts.js";
import { readArgv, readEnviron } from "../../src/sensors/process/proc.js";
import { identityOf } from "../../src/sensors/process/process-sensor.js";
import { findSession } from "../../src/terminal/registry.js";
import { carriedOut, HOST_SCRIPT } from "../support/actions.js";
import type { FakeScript } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { hostRig, type Rig, type RigMaker, tmuxRig } from "../support/rigs.js";
import { NO_TMUX } from "../support/tmux.js";

const CONVERSATION = "0199a213-81c0-7800-8aa1-bbab2a035a53";

let home: Home;
let rigs: Rig[] = [];

beforeEach(() => {
  home = makeHome();
  home.env.ONLY_OF_THE_AGENT = "yes";
});

afterEach(async () => {
  for (const rig of rigs) await rig.close();
  rigs = [];
  expect((await closeHome(home)).processes).toEqual([]);
});

const start = async (make: RigMaker, script: FakeScript, name = "agent"): Promise<Rig> => {
  const rig = await make(home, name, script);
  rigs.push(rig);
  return rig;
};

const knowing = (id: string): { evidence: () => Evidence } => {
  const evidence = createEvidence(PLAIN_TRAITS);
  takeSignal(evidence, { kind: "session", at: 1, source: "transcript", id });
  return { evidence: () => evidence };
};

const kill = async ({ agent }: Rig): Promise<void> => {
  process.kill(agent.pid as number, "SIGKILL");
  await until("it to end", () => identityOf(agent.pid as number) !== agent.pidStart);
};

const IDLE: FakeScript = { steps: [{ do: "idle" }], resumed: [{ do: "idle" }, { do: "think", ms: 60_000 }] };
const resumed = (held: Rig, context: Partial<EffectContext> = knowing(CONVERSATION)) =>
  carriedOut(home, held.agent, "resume", context);

describe("resume", () => {
  it("continues the conversation under the same name, in the same folder and environment, and nudges it", async () => {
    const held = await start(hostRig, IDLE);
    await held.sees(({ composer }) => composer === "empty");
    const environments = new Environments(rousePaths(home.env), { PATH: process.env.PATH, ROUSE_HOME: home.path });
    environments.remember(held.agent);
    await kill(held);
    const outcome = await resumed(held, {
      ...knowing(CONVERSATION),
      starting: { environments, hostScript: HOST_SCRIPT },
    });
    expect(outcome).toMatchObject({ result: "done", proven: true });
    const found = findSession(rousePaths(home.env), "agent");
    expect(outcome.reason).toMatch(new RegExp(`^resumed as session ${found?.id}; typed and sent`));
    expect(found).toMatchObject({ isAlive: true, kind: "claude-code", workspace: held.agent.workspace });
    expect(found?.id).not.toBe(held.agent.id);
    const pid = found?.pid as number;
    expect(readArgv(pid)?.slice(-2)).toEqual(["--resume", CONVERSATION]);
    expect(readEnviron(pid)?.get("ONLY_OF_THE_AGENT")).toBe("yes");
    expect(held.received()).toBe(`${textFor("continue")}\r`);
  });

  it("types nothing if the deadline of the action passed during the start", async () => {
    const held = await start(hostRig, IDLE);
    await held.sees(({ composer }) => composer === "empty");
    const environments = new Environments(rousePaths(home.env), { PATH: process.env.PATH, ROUSE_HOME: home.path });
    environments.remember(held.agent);
    await kill(held);
    let isUp = false;
    const outcome = await resumed(held, {
      ...knowing(CONVERSATION),
      starting: { environments, hostScript: HOST_SCRIPT },
      now: () => {
        const found = findSession(rousePaths(home.env), "agent");
        isUp ||= found !== null && found.id !== held.agent.id;
        return Date.now() + (isUp ? 170_000 : 0);
      },
    });
    expect(outcome).toMatchObject({
      result: "failed",
      proven: false,
      reason: expect.stringMatching(/^resumed as session /),
    });
    expect(held.received()).toBe("");
  });

  it("types nothing into an agent that starts with a question", async () => {
    const held = await start(hostRig, { ...IDLE, resumed: [{ do: "ask" }] });
    await held.sees(({ composer }) => composer === "empty");
    await kill(held);
    expect(await resumed(held)).toMatchObject({
      result: "failed",
      proven: false,
      reason: expect.stringContaining("a dialog is open (permission)"),
    });
    expect(held.received()).toBe("");
  });

  it("starts no second session while the old one runs, if another has the conversation, or if its id is unknown", async () => {
    const held = await start(hostRig, IDLE);
    await held.sees(({ composer }) => composer === "empty");
    expect(await resumed(held)).toMatchObject({ result: "refused", reason: "the old process is still running" });
    await kill(held);
    const other = await start(hostRig, IDLE, "agent-2");
    await rouse(home, ["spawn", "--name", "twin", "--", ...other.agent.command, CONVERSATION]);
    expect(await resumed(held)).toMatchObject({
      result: "refused",
      reason: expect.stringMatching(/^process \d+ has this conversation open$/),
    });
    await rouse(home, ["stop", "twin"]);
    expect(await resumed(held, {})).toMatchObject({ result: "refused" });
    expect(await resumed(held, knowing("--dangerously-skip-permissions"))).toMatchObject({ result: "refused" });
  });

  it("starts no second session of a conversation or transcript that another watched agent has open", async () => {
    const held = await start(hostRig, IDLE);
    await held.sees(({ composer }) => composer === "empty");
    await kill(held);
    const other = { name: "twin", pid: process.pid, pidStart: identityOf(process.pid) };
    const beside = (open: { conversation: string | null; transcript: string | null }) => ({
      ...knowing(CONVERSATION),
      transcript: () => "/t.jsonl",
      others: () => [{ ...other, ...open }],
    });
    const refusal = { result: "refused", reason: "twin has this conversation open" };
    expect(await resumed(held, beside({ conversation: CONVERSATION, transcript: null }))).toMatchObject(refusal);
    expect(await resumed(held, beside({ conversation: null, transcript: "/t.jsonl" }))).toMatchObject(refusal);
    const gone = () => [{ ...other, pidStart: "gone", conversation: CONVERSATION, transcript: null }];
    expect(await resumed(held, { ...knowing(CONVERSATION), others: gone })).toMatchObject({ result: "done" });
  });

  it("does nothing in a user's own terminal", async () => {
    const held = await start(hostRig, IDLE);
    await held.sees(({ composer }) => composer === "empty");
    await kill(held);
    const agent = { ...held.agent, origin: "run" as const };
    expect(await carriedOut(home, agent, "resume", knowing(CONVERSATION))).toMatchObject({ result: "refused" });
  });

  it.skipIf(NO_TMUX)("uses a pane that holds its dead program, and types into no shell", async () => {
    const held = await start(tmuxRig("dead"), IDLE);
    await held.sees(({ composer }) => composer === "empty");
    await kill(held);
    const outcome = await resumed(held);
    expect(outcome).toMatchObject({ result: "done", proven: true, reason: expect.stringContaining(" in its pane") });
    expect(held.received()).toBe(`${textFor("continue")}\r`);
    const below = await start(tmuxRig("shell"), IDLE, "agent-2");
    await below.sees(({ composer }) => composer === "empty");
    await kill(below);
    expect(await resumed(below, knowing("another-one"))).toMatchObject({
      result: "refused",
      reason: "its pane runs another program; rouse does not type commands into a shell",
    });
  });
});

describe("restart", () => {
  it("stops the agent and starts its command again, under its name and in its environment", async () => {
    const held = await start(hostRig, { steps: [{ do: "hang" }] });
    await held.sees(({ says }) => says === "working");
    const outcome = await carriedOut(home, held.agent, "restart");
    expect(outcome).toMatchObject({ result: "done", proven: true });
    const found = findSession(rousePaths(home.env), "agent");
    expect(found).toMatchObject({ isAlive: true, command: held.agent.command });
    expect(found?.id).not.toBe(held.agent.id);
    expect(readEnviron(found?.pid as number)?.get("ONLY_OF_THE_AGENT")).toBe("yes");
    expect(identityOf(held.agent.pid as number)).not.toBe(held.agent.pidStart);
  });

  it("is as careful as a stop: with an open question nothing is stopped", async () => {
    const held = await start(hostRig, { steps: [{ do: "ask" }] });
    await held.sees(({ dialog }) => dialog !== null);
    expect(await carriedOut(home, held.agent, "restart")).toMatchObject({ reason: "it is waiting for an answer" });
    expect(identityOf(held.agent.pid as number)).toBe(held.agent.pidStart);
  });
});

describe("run", () => {
  const agent = {
    id: "s1",
    name: "api",
    kind: "claude-code",
    tags: [],
    origin: "spawn",
    command: ["claude"],
    workspace: "/tmp/some place",
    task: "T1",
    policy: null,
    pid: 4242,
    pidStart: "x",
    startedAt: 0,
    hostSocket: null,
    pane: null,
    endedAt: null,
  } as const;
  const run = (command: readonly string[], deadlineMs = 20_000) =>
    carriedOut(home, { ...agent, command: [...agent.command], tags: [] }, "run", {}, { command, deadlineMs });

  it("gives the command its context, and no shell", async () => {
    const file = join(home.path, "reported");
    const script = 'printf "%s|" "$ROUSE_AGENT" "$ROUSE_PROBLEM" "$ROUSE_AGENT_WORKSPACE" "$ROUSE_SESSION" "$2" >"$1"';
    const outcome = await run(["sh", "-c", script, "sh", file, "$(touch x); `y`"]);
    expect(outcome).toMatchObject({ result: "done", proven: null, reason: "sh succeeded" });
    expect(readFileSync(file, "utf8")).toBe("api|silent_stream|/tmp/some place||$(touch x); `y`|");
  });

  it("reports how it failed, with the end of its output and no control byte", async () => {
    expect(await run(["sh", "-c", "printf 'no\\033[31m disk\\n'; exit 3"])).toMatchObject({
      result: "failed",
      reason: expect.stringMatching(/^sh exited with 3: no.*disk$/),
    });
    expect(await run([join(home.path, "missing")])).toMatchObject({ result: "refused" });
    expect(await run([])).toMatchObject({ result: "refused", reason: "the action has no command" });
  });

  it("ends a command that takes too long, with all its descendants", async () => {
    const folder = join(home.path, "late");
    mkdirSync(folder);
    const script = `export ROUSE_HOME=${home.path}; sleep 300 & echo $! >${folder}/pid; wait`;
    const outcome = await run(["sh", "-c", script], 1000);
    expect(outcome).toMatchObject({ result: "failed", reason: expect.stringContaining("exceeded its time limit") });
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await until("its child to end", () => identityOf(pid) === null);
  });
});
