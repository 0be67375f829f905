import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentSession } from "../../core/agent.js";
import { createEvidence } from "../../core/judgement/evidence/evidence.js";
import type { OpenTool } from "../../core/judgement/evidence/tools.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import type { EffectContext } from "../context.js";
import { endChild } from "./end-child.js";

let shell: ChildProcess | null = null;
afterEach(() => {
  if (shell?.pid !== undefined) process.kill(-shell.pid, "SIGKILL");
  shell = null;
});

/** A shell in the place of an agent, with so many commands below it; the tool began `toolAgoMs` ago. */
async function ended(commands: number, toolAgoMs: number) {
  const script = `${"sleep 60 & ".repeat(commands)} echo started; while :; do read line; done`;
  const made = spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  shell = made;
  await new Promise((resolve) => made.stdout.once("data", resolve));
  const pid = made.pid ?? 0;
  const agent = { id: "s1", pid, pidStart: identityOf(pid), hostSocket: null, pane: null } as AgentSession;
  const evidence = createEvidence();
  const tool = { tool: "Bash", subject: "make", at: Date.now() - toolAgoMs } as OpenTool;
  evidence.tools.open.set("call", tool);
  const context = { evidence: () => evidence, assessment: () => null } as unknown as EffectContext;
  return { result: await endChild(agent, context), isAgentAlive: identityOf(pid) === agent.pidStart };
}

describe("ending a hung command", () => {
  it("ends the one process that started with the tool, and not the agent", async () => {
    const { result, isAgentAlive } = await ended(1, 0);
    expect(result).toMatchObject({ result: "done", proven: true });
    expect(result.reason).toMatch(/^ended process \d+ \(.+\): Bash \(make\)$/);
    expect(isAgentAlive).toBe(true);
  });

  it("does nothing if several processes started with the tool", async () => {
    const { result } = await ended(2, 0);
    expect(result).toMatchObject({
      result: "refused",
      reason: "cannot tell which of 2 processes is Bash (make)",
    });
  });

  it("does nothing if every process started long after the tool", async () => {
    const { result } = await ended(1, 60_000);
    expect(result).toMatchObject({ result: "refused", reason: "no process of the agent started with Bash (make)" });
  });
});
