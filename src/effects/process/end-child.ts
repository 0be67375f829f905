/**
 * Ends one hung command below an agent, never the agent. Which process it is follows from when the open tool began: the
 * one below the agent that started then. Where that does not name exactly one, nothing is done.
 */
import type { AgentSession } from "../../core/agent.js";
import type { OpenTool } from "../../core/judgement/evidence/tools.js";
import { longestOpen } from "../../core/judgement/rules/by-tool.js";
import { identityOf, readProcesses } from "../../sensors/process/process-sensor.js";
import { isDead, type ProcessRow, type ProcessTable } from "../../sensors/process/process-table.js";
import { stopTree } from "../../terminal/stop-tree.js";
import type { EffectContext } from "../context.js";
import { doneResult, type EffectResult, failedResult, refusedResult } from "../keys/terminal-session.js";
import { recoveredSince, stopRefusal } from "./stop-refusal.js";

const GRACE_MS = 5000;
/** A transcript tells of a call up to two seconds late, and a shell takes a moment to start. */
const EARLY_MS = 3000;
const LATE_MS = 10_000;

export async function endChild(agent: AgentSession, context: EffectContext): Promise<EffectResult> {
  const { pid, pidStart } = agent;
  if (pid === null || pidStart === null) return refusedResult("the agent's process could not be identified");
  if (identityOf(pid) !== pidStart) return refusedResult("the agent's process is gone");
  // The one that the verdict is about.
  const tool = longestOpen(context.evidence(agent.id)?.tools.open ?? new Map());
  if (!tool) return refusedResult("no command is known to run");
  const table = await readProcesses();
  if (!table) return refusedResult("the processes of this machine cannot be listed");
  const found = commandsOf(tool, pid, table);
  const [child] = found;
  if (!child) return refusedResult(`no process below the agent began with ${named(tool)}`);
  if (found.length > 1) return refusedResult(`which of ${found.length} processes is ${named(tool)} cannot be told`);
  const hasTerminal = agent.hostSocket !== null || agent.pane !== null;
  const objection = hasTerminal ? await stopRefusal(agent, context) : recoveredSince(agent, context);
  if (objection !== null) return refusedResult(objection);
  // The look and the signal are apart: this is still the agent that the child was found below.
  if (identityOf(pid) !== pidStart) return refusedResult("the agent's process is gone");
  const stopped = await stopTree({ pid: child.pid, start: child.start, ownsGroup: false }, GRACE_MS);
  if (!stopped.isGone) return failedResult(`${named(tool)} is still there: ${stopped.left.join(" ")}`);
  const how = stopped.isKilled ? "killed" : "ended";
  return doneResult(`${how} process ${child.pid} (${child.comm}): ${named(tool)}`, true);
}

/** The topmost processes below the agent that began when the tool did. */
function commandsOf(tool: Pick<OpenTool, "at">, agent: number, table: ProcessTable): ProcessRow[] {
  const began = table
    .descendants(agent)
    .filter((row) => !isDead(row) && row.startedAt >= tool.at - EARLY_MS && row.startedAt <= tool.at + LATE_MS);
  const pids = new Set(began.map((row) => row.pid));
  return began.filter((row) => !table.ancestors(row.pid).some((above) => pids.has(above.pid)));
}

const named = ({ tool, subject }: OpenTool): string => (subject ? `${tool} (${subject.slice(0, 80)})` : tool);
