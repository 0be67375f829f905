/**
 * The same session again: same conversation, folder, name and terminal where that can be. Only when the old one is proven
 * to be gone, since two programs in one conversation spoil it. Taken up, it is at its prompt: one nudge sets it going.
 */

import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { resumeCommand } from "../../programs/shared/resume.js";
import { readArgv } from "../../sensors/process/proc.js";
import { identityOf, readProcesses } from "../../sensors/process/process-sensor.js";
import type { EffectContext, OpenSession } from "../context.js";
import { doneResult, type EffectResult, failedResult, refusedResult } from "../keys/terminal-session.js";
import { textFor } from "../keys/texts.js";
import { leftoversOf } from "../process/leftovers.js";
import { promptAgain } from "./prompt-again.js";
import { respawnPane } from "./respawn.js";
import { spawnAgain } from "./spawn-again.js";

export async function resumeAgent(action: Action, agent: AgentSession, context: EffectContext): Promise<EffectResult> {
  if (agent.origin !== "spawn" && agent.origin !== "tmux")
    return refusedResult("its terminal is not rouse's to start it in");
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
  // Whatever became of the nudge, a session was begun: that counts.
  return { ...going, result: "done", reason: `${where}${again.note}; ${going.reason}` };
}

/** Why there may be two of it; null when the old one is gone. */
async function stillThere(
  agent: AgentSession,
  conversation: string | null,
  context: EffectContext,
): Promise<string | null> {
  const { pid, pidStart, id: session } = agent;
  if (pid === null || pidStart === null) return "whether the old process is gone cannot be told";
  if (identityOf(pid) === pidStart) return "the old process is still there";
  const transcript = context.transcript(session);
  const holder = context.others(session).find((other) => isLiving(other) && shares(other, conversation, transcript));
  if (holder) return `${holder.name} has this conversation open`;
  const table = await readProcesses();
  if (!table) return "the processes of this machine cannot be listed";
  const twin = [...table.rows.keys()].find((one) => conversation && readArgv(one)?.includes(conversation));
  if (twin !== undefined) return `process ${twin} has this conversation open`;
  const { working } = await leftoversOf(session, transcript, context.paths, context);
  return working;
}

/** Whose end was not told yet may be gone all the same; whose process nobody knows counts as living. */
const isLiving = ({ pid, pidStart }: OpenSession): boolean =>
  pid === null || pidStart === null || identityOf(pid) === pidStart;

const shares = (other: OpenSession, conversation: string | null, transcript: string | null): boolean =>
  (conversation !== null && other.conversation === conversation) ||
  (transcript !== null && other.transcript === transcript);
