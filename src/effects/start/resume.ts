/**
 * Resumes a session: same conversation, directory, name and, if possible, terminal. Only after the old process is proven
 * gone, since two programs in one conversation corrupt it. The resumed session is at its prompt, so it is nudged once.
 */

import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { resumeCommand } from "../../programs/shared/resume.js";
import { AgentFinder } from "../../sensors/process/find-agents.js";
import { readArgv } from "../../sensors/process/proc.js";
import { identityOf, readProcesses } from "../../sensors/process/process-sensor.js";
import type { ProcessTable } from "../../sensors/process/process-table.js";
import type { EffectContext, OpenSession } from "../context.js";
import { doneResult, type EffectResult, failedResult, refusedResult } from "../keys/terminal-session.js";
import { textFor } from "../keys/texts.js";
import { leftoversOf } from "../process/leftovers.js";
import { promptAgain } from "./prompt-again.js";
import { respawnPane } from "./respawn.js";
import { spawnAgain } from "./spawn-again.js";

export async function resumeAgent(action: Action, agent: AgentSession, context: EffectContext): Promise<EffectResult> {
  if (agent.origin !== "spawn" && agent.origin !== "tmux") return refusedResult("rouse does not own its terminal");
  const deadline = context.now() + action.deadlineMs;
  const conversation = context.evidence(agent.id)?.session.id ?? null;
  const text = textFor(action.say ?? "continue");
  const wanted = resumeCommand(context.profileOf(agent.kind), agent.command, conversation, text);
  if (wanted.command === null) return refusedResult(wanted.reason);
  const objection = await stillThere(agent, conversation, context);
  if (objection !== null) return refusedResult(objection);
  const start = agent.origin === "spawn" ? spawnAgain : respawnPane;
  const again = await start(agent, wanted.command, context);
  if (!again.started) return again.acted ? failedResult(again.reason) : refusedResult(again.reason);
  const where = `resumed as session ${again.agent.id}`;
  if (wanted.isHeadless) return doneResult(`${where}${again.note}`, true);
  const going = await promptAgain(again.agent, context, text, deadline);
  const reason = `${where}${again.note}; ${going.reason}`;
  // A session that was started and not told to continue stays at its prompt.
  return going.result === "done" ? { ...going, reason } : failedResult(reason);
}

/** Why the conversation may still be in use; null if it is not. */
async function stillThere(
  agent: AgentSession,
  conversation: string | null,
  context: EffectContext,
): Promise<string | null> {
  const { pid, pidStart, id: session } = agent;
  if (pid === null || pidStart === null) return "cannot tell whether the old process has exited";
  if (identityOf(pid) === pidStart) return "the old process is still running";
  const transcript = context.transcript(session);
  const holder = context.others(session).find((other) => isLiving(other) && shares(other, conversation, transcript));
  if (holder) return `${holder.name} has this conversation open`;
  const table = await readProcesses();
  if (!table) return "cannot list the processes of this machine";
  const twin = [...table.rows.keys()].find((one) => conversation && readArgv(one)?.includes(conversation));
  if (twin !== undefined) return `process ${twin} has this conversation open`;
  if (conversation && (await supervisorHas(conversation, table)))
    return "the program's own supervisor has this conversation open";
  const { working } = await leftoversOf(session, transcript, context.paths, context);
  return working;
}

/** It starts processes ahead of their sessions, so no argument names the conversation. */
async function supervisorHas(conversation: string, table: ProcessTable): Promise<boolean> {
  const found = await new AgentFinder().find(table);
  return found.some(({ located }) => located?.supervisedAs !== undefined && located.sessionId === conversation);
}

/** A session may have exited before its end is recorded; one with an unknown process counts as running. */
const isLiving = ({ pid, pidStart }: OpenSession): boolean =>
  pid === null || pidStart === null || identityOf(pid) === pidStart;

const shares = (other: OpenSession, conversation: string | null, transcript: string | null): boolean =>
  (conversation !== null && other.conversation === conversation) ||
  (transcript !== null && other.transcript === transcript);
