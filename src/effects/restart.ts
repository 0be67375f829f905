/** Stop and start anew: the same command, name and folder, and a new conversation. Only what rouse spawned. */
import type { Action } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { identityOf } from "../sensors/process/process-sensor.js";
import type { EffectContext } from "./context.js";
import { done, failed, type Result, refusedResult } from "./reach.js";
import { spawnAnew } from "./spawn-anew.js";
import { stop } from "./stop.js";

/** A command that fails at once has not started. */
const STAYS_MS = 2000;

export async function restart(action: Action, agent: AgentSession, context: EffectContext): Promise<Result> {
  if (agent.origin !== "spawn") return refusedResult("rouse did not start it, so it does not start it again");
  const stopped = await stop(action, agent, context);
  if (stopped.result !== "done") return stopped;
  const anew = await spawnAnew(agent, agent.command, context);
  if (!anew.started) return failed(`${stopped.reason}; not started again: ${anew.reason}`);
  await context.sleep(STAYS_MS);
  const { pid, pidStart, id: session } = anew.agent;
  const isThere = pid !== null && identityOf(pid) === pidStart;
  return isThere
    ? done(`${stopped.reason}; started as session ${session}${anew.note}`, true)
    : failed(`${stopped.reason}; started as session ${session}, which ended at once`);
}
