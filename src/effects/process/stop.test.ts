import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeHost, IDLE_SCREEN } from "../../../test/support/fake-host.js";
import { sessionOf } from "../../../test/support/sessions.js";
import { rousePaths } from "../../config/paths.js";
import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { profileFor } from "../../programs/registry.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import type { FromHost, ToHost } from "../../terminal/frames.js";
import type { EffectContext } from "../context.js";
import { stopAgent } from "./stop.js";

let folder: string;
const children: ChildProcess[] = [];
let agent: AgentSession;
let host: FakeHost | null = null;

async function startSleep(): Promise<Pick<AgentSession, "pid" | "pidStart">> {
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  children.push(child);
  await new Promise((resolve) => child.once("spawn", resolve));
  const pid = child.pid ?? 0;
  return { pid, pidStart: identityOf(pid) };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rouse-stop-"));
  const started = await startSleep();
  agent = sessionOf({ ...started, id: `stop-${started.pid}`, hostSocket: join(folder, "h.sock") });
});
afterEach(() => {
  vi.useRealTimers();
  host?.close();
  host = null;
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const isAlive = ({ pid, pidStart } = agent as Pick<AgentSession, "pid" | "pidStart">): boolean =>
  identityOf(pid ?? 0) === pidStart;
const stopped: FromHost = { ev: "stopped", isGone: true, isKilled: false, processes: 1, left: [] };
const checked = (more: Partial<typeof IDLE_SCREEN> = {}, quietMs: number | null = null): FromHost => ({
  ev: "check",
  terminalState: { screenState: { ...IDLE_SCREEN, ...more }, quietMs },
});

async function answering(answer: (request: ToHost) => FromHost | null): Promise<void> {
  host = new FakeHost(answer);
  await host.listen(join(folder, "h.sock"));
}

async function stop(more: Partial<EffectContext> = {}, given: Partial<AgentSession> = {}) {
  const context = {
    now: Date.now,
    sleep: async () => {},
    evidence: () => null,
    assessment: () => null,
    transcript: () => null,
    others: () => [],
    paths: rousePaths({ HOME: folder }),
    profileOf: profileFor,
    ...more,
  } as EffectContext;
  const action = { do: "stop", problem: "loop" } as Action;
  const { result, reason } = await stopAgent(action, { ...agent, ...given }, context);
  return `${result}: ${reason}`;
}

describe("a stop", () => {
  it("is refused if the agent has recovered since the decision", async () => {
    const assessment = (() => ({ state: "working", reasons: [] })) as unknown as EffectContext["assessment"];
    expect(await stop({ assessment })).toBe("refused: it is working now");
    expect(isAlive()).toBe(true);
  });

  it("sends no signal if the number of the process belongs to another one now", async () => {
    const recycled = { pidStart: "an earlier boot:1", hostSocket: null };
    expect(await stop({ isOrder: true }, recycled)).toMatch(/^done: already exited; no signal was sent/);
    expect(isAlive()).toBe(true);
  });

  it("is refused if a dialog is open, if a user has just typed, or if the screen cannot be read", async () => {
    let answer: FromHost = checked({ dialog: "permission" });
    await answering(() => answer);
    expect(await stop()).toBe("refused: it is waiting for an answer");
    answer = checked({}, 5000);
    expect(await stop()).toBe("refused: a user typed 5 s ago");
    answer = { ev: "check", terminalState: null, reason: "no screen yet" };
    expect(await stop()).toBe("refused: its terminal cannot be read: no screen yet");
    expect(isAlive()).toBe(true);
  });

  it("goes through the host of the agent, also if the agent has pipes and no screen", async () => {
    const piped: FromHost = { ev: "check", terminalState: null, reason: "it has pipes", isPiped: true };
    await answering((request) => (request.op === "check" ? piped : stopped));
    expect(await stop()).toMatch(/^done: ended, 1 processes; checkpoint: \//);
    expect(host?.requests.map(({ op }) => op)).toEqual(["check", "check", "stop"]);
    expect(readdirSync(join(rousePaths({ HOME: folder }).state, "checkpoints"))).toHaveLength(1);
  });

  it("ends the process directly if the host cannot be reached or has already ended the agent", async () => {
    expect(await stop({ isOrder: true })).toMatch(/^done: ended, 1 processes/);
    expect(isAlive()).toBe(false);
    await answering(() => ({ ev: "exit", code: 0, signal: null }));
    const other = await startSleep();
    expect(await stop({ isOrder: true }, other)).toMatch(/^done: ended, 1 processes/);
    expect(isAlive(other)).toBe(false);
  });

  it("has an unknown result if the host does not answer within 20 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await answering(() => null);
    const result = stop({ isOrder: true });
    await vi.waitUntil(() => host?.requests.length === 1, { timeout: 10_000 });
    vi.advanceTimersByTime(20_000);
    expect(await result).toMatch(/^unknown: stop not confirmed: no answer within 20000 ms; checkpoint: \//);
  });

  it("fails if the transcript keeps growing after the process exited", async () => {
    const transcript = join(folder, "t.jsonl");
    writeFileSync(transcript, "{}\n");
    await answering(() => stopped);
    const sleep = async (): Promise<void> => appendFileSync(transcript, "{}\n");
    expect(await stop({ isOrder: true, transcript: () => transcript, sleep })).toBe(
      "failed: its 1 processes exited, but its transcript is still growing",
    );
  });

  it("names an idle process that the agent left in the background", async () => {
    await answering(() => stopped);
    const env = { ...process.env, ROUSE_SESSION: agent.id };
    const shell = spawn("sh", ["-c", "sleep 20 >/dev/null 2>&1 & echo $!"], { env });
    const pid = Number(await new Promise((resolve) => shell.stdout.once("data", (text) => resolve(String(text)))));
    await new Promise((resolve) => shell.once("close", resolve));
    try {
      expect(await stop({ isOrder: true })).toContain(`; idle in the background: process ${pid} (`);
    } finally {
      process.kill(pid);
    }
  });
});
