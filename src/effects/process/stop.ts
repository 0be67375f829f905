/**
 * Stops an agent: writes a checkpoint, sends SIGTERM, then SIGKILL, and verifies the end. Only sessions that rouse started,
 * or in a tmux pane if the policy permits it; a session in the user's own terminal only if a user or client orders it.
 */

import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import { askHostProcess } from "../../terminal/ask.js";
import { type StopResult, stopTree } from "../../terminal/stop-tree.js";
import type { EffectContext } from "../context.js";
import { doneResult, type EffectResult, failedResult, refusedResult, unknownResult } from "../keys/terminal-session.js";
import { checkStop } from "./check-stop.js";
import { keepCheckpoint } from "./checkpoint.js";
import { leftoversOf } from "./leftovers.js";

const GRACE_MS = 10_000;
/** Killing takes up to 5 s after the grace. */
const ANSWER_MS = 20_000;

export async function stopAgent(action: Action, agent: AgentSession, context: EffectContext): Promise<EffectResult> {
  const isOrder = context.isOrder === true;
  if (agent.origin === "transcript" || (agent.origin === "run" && !isOrder))
    return refusedResult("it runs in a terminal that rouse does not own");
  const { pid, pidStart } = agent;
  if (pid === null || pidStart === null) return refusedResult("the agent's process could not be identified");
  if (identityOf(pid) !== pidStart) return doneResult("already exited; no signal was sent", true);
  // An order stops an agent in any state, as `rouse stop` does.
  const objection = isOrder ? null : await checkStop(agent, context);
  if (objection !== null) return refusedResult(objection);

  context.starting?.environments.remember(agent);
  const transcript = context.transcript(agent.id);
  const checkpoint = await keepCheckpoint(agent, {
    at: context.now(),
    reason: `${action.do}: ${action.problem}`,
    evidence: context.evidence(agent.id),
    transcript,
    paths: context.paths,
  }).catch((error: Error) => error);
  if (checkpoint instanceof Error)
    return refusedResult(`cannot write a checkpoint: ${checkpoint.message}`.slice(0, 300));

  // Git may have taken seconds: check again for a user who started typing.
  const late = isOrder ? null : await checkStop(agent, context);
  if (late !== null) return refusedResult(`${late}; checkpoint: ${checkpoint}`);
  const stopped = await end(agent, { pid, start: pidStart }, isOrder ? "client" : "rouse");
  if (typeof stopped === "string") return unknownResult(`${stopped}; checkpoint: ${checkpoint}`);
  if (!stopped.isGone)
    return failedResult(`${stopped.left.length} processes are still running: ${stopped.left.join(" ")}`);
  const { working, idle } = await leftoversOf(agent.id, transcript, context.paths, context);
  if (working !== null) return failedResult(`its ${stopped.processes} processes exited, but ${working}`);
  const how = stopped.isKilled ? "killed" : "ended";
  const also = idle === null ? "" : `; idle in the background: ${idle}`;
  return doneResult(`${how}, ${stopped.processes} processes${also}; checkpoint: ${checkpoint}`, true);
}

/** Through its host, which holds the terminal; directly if the host does not respond. */
async function end(
  agent: AgentSession,
  target: { pid: number; start: string },
  by: "client" | "rouse",
): Promise<StopResult | string> {
  if (agent.hostSocket === null) return stopTree({ ...target, ownsGroup: false }, GRACE_MS);
  const asked = await askHostProcess(agent.hostSocket, { op: "stop", graceMs: GRACE_MS, by }, "stopped", ANSWER_MS);
  if (asked.kind === "answer") return asked.event as unknown as StopResult;
  if (asked.kind === "unreachable" || asked.kind === "ended") return stopTree({ ...target, ownsGroup: true }, GRACE_MS);
  return `stop not confirmed: ${asked.reason}`;
}
