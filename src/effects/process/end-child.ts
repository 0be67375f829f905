/**
 * Ends one hung command of an agent, never the agent. The process is the descendant of the agent that started with the open
 * tool. If this does not identify exactly one process, nothing is done.
 */
import type { AgentSession } from "../../core/agent.js";
import type { OpenTool } from "../../core/judgement/evidence/tools.js";
import { longestOpen } from "../../core/judgement/rules/by-tool.js";
import { identityOf, readProcesses } from "../../sensors/process/process-sensor.js";
import { isDead, type ProcessRow, type ProcessTable } from "../../sensors/process/process-table.js";
import { stopTree } from "../../terminal/stop-tree.js";
import type { EffectContext } from "../context.js";
import { doneResult, type EffectResult, failedResult, refusedResult } from "../keys/terminal-session.js";
import { checkNotRecovered, checkStop } from "./check-stop.js";

const GRACE_MS = 5000;
/** A transcript records a call up to two seconds late, and a shell takes a moment to start. */
const EARLY_MS = 3000;
const LATE_MS = 10_000;

export async function endChild(agent: AgentSession, context: EffectContext): Promise<EffectResult> {
  const { pid, pidStart } = agent;
  if (pid === null || pidStart === null) return refusedResult("the agent's process could not be identified");
  if (identityOf(pid) !== pidStart) return refusedResult("the agent's process is gone");
  // The tool that the assessment is about.
  const tool = longestOpen(context.evidence(agent.id)?.tools.open.values() ?? []);
  if (!tool) return refusedResult("no running command is known");
  const table = await readProcesses();
  if (!table) return refusedResult("cannot list the processes of this machine");
  const found = commandsOf(tool, pid, table);
  const [child] = found;
  if (!child) return refusedResult(`no process of the agent started with ${named(tool)}`);
  if (found.length > 1) return refusedResult(`cannot tell which of ${found.length} processes is ${named(tool)}`);
  const hasTerminal = agent.hostSocket !== null || agent.pane !== null;
  const objection = hasTerminal ? await checkStop(agent, context) : checkNotRecovered(agent, context);
  if (objection !== null) return refusedResult(objection);
  // Time has passed since the process table was read: the agent must still be the same process.
  if (identityOf(pid) !== pidStart) return refusedResult("the agent's process is gone");
  const stopped = await stopTree({ pid: child.pid, start: child.start, ownsGroup: false }, GRACE_MS);
  if (!stopped.isGone) return failedResult(`${named(tool)} is still running: ${stopped.left.join(" ")}`);
  const how = stopped.isKilled ? "killed" : "ended";
  return doneResult(`${how} process ${child.pid} (${child.comm}): ${named(tool)}`, true);
}

/** The topmost descendants of the agent that started with the tool. */
function commandsOf(tool: Pick<OpenTool, "at">, agent: number, table: ProcessTable): ProcessRow[] {
  const began = table
    .descendants(agent)
    .filter((row) => !isDead(row) && row.startedAt >= tool.at - EARLY_MS && row.startedAt <= tool.at + LATE_MS);
  const pids = new Set(began.map((row) => row.pid));
  return began.filter((row) => !table.ancestors(row.pid).some((above) => pids.has(above.pid)));
}

const named = ({ tool, subject }: OpenTool): string => (subject ? `${tool} (${subject.slice(0, 80)})` : tool);
