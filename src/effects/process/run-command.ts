/**
 * A command from the user's configuration. It runs in the user's home directory, not in the agent's, whose contents the
 * agent controls. Its environment describes the incident. It has its own process group, so that a timeout ends everything
 * that it started.
 */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { redact } from "../../core/text/redact.js";
import { sanitize } from "../../core/text/sanitize.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import { doneResult, type EffectResult, failedResult, refusedResult } from "../keys/terminal-session.js";

const OUTPUT_MAX = 64 * 1024;
const REPORTED_MAX = 300;
const OUTPUT_GRACE_MS = 500;
/** Share of the action's time; the rest is for killing the command. */
const SHARE = 0.8;

export function runCommand(action: Action, agent: AgentSession): Promise<EffectResult> {
  const [file, ...args] = action.command ?? [];
  if (file === undefined) return Promise.resolve(refusedResult("the action has no command"));
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: homedir(),
      env: environmentOf(action, agent),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    let isLate = false;
    const start = child.pid === undefined ? null : identityOf(child.pid);
    const late = setTimeout(() => {
      isLate = true;
      endGroup(child.pid, start);
    }, action.deadlineMs * SHARE);
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-OUTPUT_MAX);
      });
    }
    const end = (result: EffectResult): void => {
      clearTimeout(late);
      // Processes that outlive the command may hold its output open.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(result);
    };
    child.once("error", (error) => end(refusedResult(`${file} could not be started: ${error.message}`)));
    const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
      const said = sanitize(redact(output)).replace(/\s+/g, " ").trim().slice(-REPORTED_MAX);
      const reported = said === "" ? "" : `: ${said}`;
      if (isLate) end(failedResult(`${file} exceeded its time limit and was killed${reported}`));
      else if (code === 0) end(doneResult(`${file} succeeded${reported}`, null));
      else end(failedResult(`${file} exited with ${signal ?? code}${reported}`));
    };
    child.once("exit", (code, signal) => {
      // The last output may be read after the exit, and `close` waits for every process that holds the pipes.
      const grace = setTimeout(() => finish(code, signal), OUTPUT_GRACE_MS);
      child.once("close", () => {
        clearTimeout(grace);
        finish(code, signal);
      });
    });
  });
}

/** Without ROUSE_SESSION, which marks the processes of an agent. */
function environmentOf(action: Action, agent: AgentSession): NodeJS.ProcessEnv {
  const { ROUSE_SESSION: _mark, ...env } = process.env;
  return {
    ...env,
    ROUSE_INCIDENT: action.incident,
    ROUSE_PROBLEM: action.problem,
    ROUSE_ATTEMPT: String(action.attempt),
    ROUSE_AGENT: agent.name,
    ROUSE_AGENT_SESSION: agent.id,
    ROUSE_AGENT_KIND: agent.kind,
    ROUSE_AGENT_PID: String(agent.pid ?? ""),
    ROUSE_AGENT_WORKSPACE: agent.workspace ?? "",
    ROUSE_AGENT_TASK: agent.task ?? "",
  };
}

function endGroup(pid: number | undefined, start: string | null): void {
  if (pid === undefined || start === null || identityOf(pid) !== start) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just exited.
  }
}
