/** Stop and start again: the same command, name and directory, with a new conversation. Only for spawned agents. */

import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import type { EffectContext } from "../context.js";
import { doneResult, type EffectResult, failedResult, refusedResult } from "../keys/terminal-session.js";
import { stopAgent } from "../process/stop.js";
import { spawnAgain } from "./spawn-again.js";

/** A command that exits within this time has not started. */
const STAYS_MS = 2000;

export async function restartAgent(action: Action, agent: AgentSession, context: EffectContext): Promise<EffectResult> {
  if (agent.origin !== "spawn") return refusedResult("rouse did not start it, so it does not restart it");
  const stopped = await stopAgent(action, agent, context);
  if (stopped.result !== "done") return stopped;
  const again = await spawnAgain(agent, agent.command, context);
  if (!again.started) return failedResult(`${stopped.reason}; not restarted: ${again.reason}`);
  await context.sleep(STAYS_MS);
  const { pid, pidStart, id: session } = again.agent;
  const isThere = pid !== null && identityOf(pid) === pidStart;
  return isThere
    ? doneResult(`${stopped.reason}; started as session ${session}${again.note}`, true)
    : failedResult(`${stopped.reason}; started as session ${session}, which exited immediately`);
}
