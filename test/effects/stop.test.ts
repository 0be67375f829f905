/** `stop` and `end_child`: what is ended, what is left alone, and the checkpoint before. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import type { Assessment } from "../../src/core/judgement/assess.js";
import { createEvidence, takeSignal } from "../../src/core/judgement/evidence/evidence.js";
import type { Evidence } from "../../src/core/judgement/evidence/state.js";
import { PLAIN_TRAITS } from "../../src/core/traits.js";
import type { StopCheckpoint } from "../../src/effects/process/checkpoint.js";
import { identityOf, readProcesses } from "../../src/sensors/process/process-sensor.js";
import { carriedOut } from "../support/actions.js";
import { processesOf, until } from "../support/hosts.js";
import { hostRig, type Rig, tmuxRig, useRigs } from "../support/rigs.js";
import { NO_TMUX } from "../support/tmux.js";

const rigs = useRigs();
const { start } = rigs;

const isAlive = ({ agent }: Rig): boolean => identityOf(agent.pid as number) === agent.pidStart;
const checkpoints = (): StopCheckpoint[] => {
  const folder = join(rousePaths(rigs.home.env).state, "checkpoints");
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as StopCheckpoint);
};

/** A git that answers on command: events in the meantime happen between the check and the signal. */
function slowGit(): { asked: string; answer: string } {
  const folder = mkdtempSync(join(rigs.home.path, "git-"));
  const [asked, answer] = [join(folder, "asked"), join(folder, "answer")];
  const wait = `#!/bin/sh\n: >"${asked}"\nwhile [ ! -e "${answer}" ]; do sleep 0.05; done\nexit 1\n`;
  writeFileSync(join(folder, "git"), wait, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
  return { asked, answer };
}

describe("stop", () => {
  it("writes a checkpoint, then ends the agent and everything below it, and proves it", async () => {
    const held = await start(hostRig, { do: "fork", count: 4 }, { do: "hang" });
    const workspace = held.agent.workspace as string;
    execFileSync("git", ["init", "-q", "-b", "work"], { cwd: workspace });
    writeFileSync(join(workspace, "new.txt"), "x");
    const transcript = join(workspace, "t.jsonl");
    writeFileSync(transcript, "12345");
    await held.sees(({ says }) => says === "working");
    await until(
      "the children",
      async () => ((await readProcesses())?.descendants(held.agent.pid as number).length ?? 0) >= 4,
    );
    const outcome = await carriedOut(rigs.home, held.agent, "stop", { transcript: () => transcript });
    expect(outcome).toMatchObject({ result: "done", proven: true });
    expect(outcome.reason).toMatch(/^killed, \d+ processes; checkpoint: \//);
    const [checkpoint] = checkpoints();
    expect(checkpoint).toMatchObject({
      session: held.agent.id,
      name: "agent",
      workspace,
      reason: "stop: silent_stream",
      git: { head: null, branch: "work", untracked: expect.arrayContaining(["new.txt"]) },
      transcript: { path: transcript, bytes: 5 },
    });
    await until("all processes to end", () => processesOf(rigs.home).length === 0);
  });

  it("asks first: an agent that exits when asked is not killed", async () => {
    const held = await start(hostRig, { do: "idle" });
    await held.sees(({ composer }) => composer === "empty");
    expect(await carriedOut(rigs.home, held.agent, "stop")).toMatchObject({
      result: "done",
      reason: expect.stringMatching(/^ended, 1 processes/),
    });
  });

  it("reports a detached process that keeps working, and leaves it alone", async () => {
    const held = await start(hostRig, { do: "detach", seconds: 20 }, { do: "hang" });
    await held.sees(({ says }) => says === "working");
    const outcome = await carriedOut(rigs.home, held.agent, "stop");
    expect(outcome).toMatchObject({
      result: "failed",
      reason: expect.stringMatching(/process \d+ \(sh\) is still working/),
    });
    const left = processesOf(rigs.home).filter(({ argv }) => argv.includes("sleep 20"));
    expect(left).toHaveLength(2);
    for (const { pid } of left) process.kill(pid, "SIGKILL");
  });

  it("ignores an idle background process, and names it", async () => {
    const held = await start(hostRig, { do: "detach", works: false, seconds: 20 }, { do: "hang" });
    await held.sees(({ says }) => says === "working");
    const outcome = await carriedOut(rigs.home, held.agent, "stop");
    expect(outcome).toMatchObject({
      result: "done",
      reason: expect.stringMatching(/idle in the background: process \d+ \(sleep\)/),
    });
    for (const { pid, argv } of processesOf(rigs.home)) if (argv.includes("sleep")) process.kill(pid, "SIGKILL");
  });

  it("does not stop an agent with an open question, with recent user input, or that works again", async () => {
    const held = await start(hostRig, { do: "idle" }, { do: "ask" });
    await held.sees(({ composer }) => composer === "empty");
    const working = { state: "working", reasons: ["the reply grows"] } as unknown as Assessment;
    expect(await carriedOut(rigs.home, held.agent, "stop", { assessment: () => working })).toMatchObject({
      result: "refused",
      reason: "it is working now. The reply grows",
    });
    await held.human("x\r");
    await held.sees(({ dialog }) => dialog !== null);
    expect(await carriedOut(rigs.home, held.agent, "stop")).toMatchObject({ reason: "it is waiting for an answer" });
    await held.human("\r");
    await held.sees(({ dialog }) => dialog === null);
    expect(await carriedOut(rigs.home, held.agent, "stop")).toMatchObject({
      result: "refused",
      reason: expect.stringMatching(/^a user typed \d+ s ago$/),
    });
    expect(isAlive(held)).toBe(true);
  });

  it("requested by a client ends an agent with an open question while a user types, as rouse stop does", async () => {
    const held = await start(hostRig, { do: "ask" });
    await held.sees(({ dialog }) => dialog !== null);
    await held.human("x");
    expect(await carriedOut(rigs.home, held.agent, "stop", { isOrder: true })).toMatchObject({ result: "done" });
    expect(isAlive(held)).toBe(false);
  });

  it.each([
    ["types", "a user typed", (held: Rig) => held.human("mine")],
    [
      "is asked",
      "it is waiting for an answer",
      async ({ agent }: Rig) => void process.kill(agent.pid as number, "SIGUSR2"),
    ],
  ])("does not stop an agent whose user %s while the checkpoint is written", async (_, why, comes) => {
    const held = await start(hostRig, { do: "hang" }, { do: "ask" });
    await held.sees(({ says }) => says === "working");
    const git = slowGit();
    try {
      const stopping = carriedOut(rigs.home, held.agent, "stop");
      await until("the checkpoint to start", () => existsSync(git.asked));
      await comes(held);
      await held.sees(({ draft, dialog }) => draft === "mine" || dialog !== null);
      writeFileSync(git.answer, "");
      expect(await stopping).toMatchObject({ result: "refused", reason: expect.stringContaining(why) });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(isAlive(held)).toBe(true);
  });

  it("does not stop an agent without a checkpoint, in a user's own terminal, or with a reused process number", async () => {
    const held = await start(hostRig, { do: "hang" });
    await held.sees(({ says }) => says === "working");
    const file = join(rigs.home.path, "file");
    writeFileSync(file, "");
    const full = { ...rousePaths(rigs.home.env), state: file };
    expect(await carriedOut(rigs.home, held.agent, "stop", { paths: full })).toMatchObject({
      result: "refused",
      reason: expect.stringContaining("cannot write a checkpoint"),
    });
    expect(await carriedOut(rigs.home, { ...held.agent, origin: "run" }, "stop")).toMatchObject({ result: "refused" });
    const other = { ...held.agent, pidStart: `${held.agent.pidStart}0` };
    expect(await carriedOut(rigs.home, other, "stop")).toMatchObject({
      reason: "already exited; no signal was sent",
    });
    expect(isAlive(held)).toBe(true);
  });

  it.skipIf(NO_TMUX)("stops an agent in a pane and keeps the shell around it", async () => {
    const held = await start(tmuxRig("shell"), { do: "hang" });
    await held.sees(({ says }) => says === "working");
    expect(await carriedOut(rigs.home, held.agent, "stop")).toMatchObject({ result: "done", proven: true });
    expect(isAlive(held)).toBe(false);
    expect(processesOf(rigs.home).map(({ argv }) => argv.trim())).toContain("sh");
  });
});

describe("end_child", () => {
  const running = (at: number): Evidence => {
    const evidence = createEvidence(PLAIN_TRAITS);
    takeSignal(evidence, {
      kind: "tool_start",
      at,
      source: "hook",
      id: "t1",
      tool: "Bash",
      class: "shell",
      call: "c",
      subject: "sleep 600",
    });
    return evidence;
  };

  it("ends the command that started with the open tool, and the agent continues", async () => {
    const held = await start(
      hostRig,
      { do: "tool", command: ["sh", "-c", "trap '' TERM; sleep 600 & wait; wait"] },
      { do: "idle" },
    );
    const began = async () => (await readProcesses())?.descendants(held.agent.pid as number) ?? [];
    await until("the command", async () => (await began()).some((row) => row.comm === "sleep"));
    const [first] = await began();
    const at = first?.startedAt ?? 0;
    expect(await carriedOut(rigs.home, held.agent, "end_child")).toMatchObject({
      reason: "no running command is known",
    });
    expect(
      await carriedOut(rigs.home, held.agent, "end_child", { evidence: () => running(at - 60_000) }),
    ).toMatchObject({
      result: "refused",
      reason: "no process of the agent started with Bash (sleep 600)",
    });
    const outcome = await carriedOut(rigs.home, held.agent, "end_child", { evidence: () => running(at + 500) });
    expect(outcome).toMatchObject({
      result: "done",
      proven: true,
      reason: expect.stringMatching(/^killed process \d+ \(sh\)/),
    });
    await held.sees(({ composer }) => composer === "empty");
    expect([isAlive(held), await began()]).toEqual([true, []]);
  });

  it("ends nothing of an agent that has recovered, or whose user types", async () => {
    const held = await start(hostRig, { do: "tool", command: ["sleep", "600"] }, { do: "idle" });
    const began = async () => (await readProcesses())?.descendants(held.agent.pid as number) ?? [];
    await until("the command", async () => (await began()).some((row) => row.comm === "sleep"));
    const evidence = () => running(at);
    const at = (await began())[0]?.startedAt ?? 0;
    const working = { state: "working", reasons: ["the reply grows"] } as unknown as Assessment;
    expect(await carriedOut(rigs.home, held.agent, "end_child", { evidence, assessment: () => working })).toMatchObject(
      { result: "refused", reason: "it is working now. The reply grows" },
    );
    await held.human("x");
    expect(await carriedOut(rigs.home, held.agent, "end_child", { evidence })).toMatchObject({
      result: "refused",
      reason: expect.stringMatching(/^a user typed \d+ s ago$/),
    });
    expect((await began()).length).toBe(1);
  });

  it("ends the command that the verdict is about, not one that was called before it", async () => {
    const held = await start(hostRig, { do: "tool", command: ["sleep", "600"] }, { do: "idle" });
    const began = async () => (await readProcesses())?.descendants(held.agent.pid as number) ?? [];
    await until("the command", async () => (await began()).some((row) => row.comm === "sleep"));
    const at = (await began())[0]?.startedAt ?? 0;
    const evidence = createEvidence(PLAIN_TRAITS);
    const read = { kind: "tool_start", source: "hook", id: "t0", tool: "Read", class: "instant", call: "r" } as const;
    takeSignal(evidence, { ...read, at: at - 60_000 });
    for (const tool of running(at).tools.open.values()) evidence.tools.open.set(tool.id, tool);
    expect(await carriedOut(rigs.home, held.agent, "end_child", { evidence: () => evidence })).toMatchObject({
      result: "done",
      reason: expect.stringContaining("Bash (sleep 600)"),
    });
  });

  it("ends nothing if two commands started together", async () => {
    const held = await start(hostRig, { do: "fork", count: 2 }, { do: "hang" });
    const began = async () => (await readProcesses())?.descendants(held.agent.pid as number) ?? [];
    await until("the commands", async () => (await began()).length >= 4);
    const at = (await began())[0]?.startedAt ?? 0;
    expect(await carriedOut(rigs.home, held.agent, "end_child", { evidence: () => running(at) })).toMatchObject({
      result: "refused",
      reason: "cannot tell which of 2 processes is Bash (sleep 600)",
    });
    expect((await began()).length).toBeGreaterThanOrEqual(4);
  });
});
