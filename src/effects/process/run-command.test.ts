import { describe, expect, it } from "vitest";
import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { runCommand } from "./run-command.js";

const agent = { id: "s1", name: "a", kind: "codex", pid: null, workspace: null, task: null } as AgentSession;

function ran(script: string | null, deadlineMs = 30_000) {
  const command = script === null ? {} : { command: ["sh", "-c", script] };
  const action = { incident: "i1", problem: "loop", attempt: 2, deadlineMs, ...command } as unknown as Action;
  return runCommand(action, agent);
}

describe("a command of the user", () => {
  it("is refused if there is none, or if it cannot be started", async () => {
    expect(await ran(null)).toMatchObject({ result: "refused", reason: "the action has no command" });
    const action = { incident: "i1", problem: "loop", attempt: 1, deadlineMs: 1000, command: ["/none/x"] };
    expect(await runCommand(action as unknown as Action, agent)).toMatchObject({ result: "refused" });
  });

  it("is reported with its output and its exit code", async () => {
    expect(await ran("echo fine; echo and >&2")).toMatchObject({ result: "done", reason: "sh succeeded: fine and" });
    expect(await ran("exit 3")).toMatchObject({ result: "failed", reason: "sh exited with 3" });
  });

  it("knows the incident and the agent from its environment; what is unknown is empty", async () => {
    const { reason } = await ran(
      'echo "$ROUSE_INCIDENT $ROUSE_ATTEMPT $ROUSE_AGENT [$ROUSE_AGENT_PID] [$ROUSE_SESSION]"',
    );
    expect(reason).toBe("sh succeeded: i1 2 a [] []");
  });

  it("is killed with everything that it started when its time is over", async () => {
    const { result, reason } = await ran("echo started; sleep 60 & wait", 1500);
    expect([result, reason]).toEqual(["failed", "sh exceeded its time limit and was killed: started"]);
  });
});
