/**
 * Restarts a program in its dead tmux pane (`remain-on-exit`). A pane that is back at a shell is left alone: a typed
 * command could end up in whatever the shell or a user is doing.
 */
import { randomBytes } from "node:crypto";
import type { AgentSession } from "../../core/agent.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import { PollLink } from "../../sensors/tmux/link.js";
import { listPanes, type Pane, parsePanes } from "../../sensors/tmux/panes.js";
import type { StartResult } from "./spawn-again.js";

const PANE_ID = /^%\d{1,10}$/;

export async function respawnPane(agent: AgentSession, command: readonly string[]): Promise<StartResult> {
  const { pane } = agent;
  if (!pane || !PANE_ID.test(pane.id)) return no("its pane is unknown");
  // tmux treats an argument that ends in ";" as the end of the command.
  if (command.some((word) => word.endsWith(";"))) return no("tmux cannot run its command unchanged");
  const link = new PollLink(pane.socket);
  const before = await paneOf(link, pane.id);
  if (!before) return no("its pane is gone");
  if (!before.dead) return no("its pane runs another program; rouse does not type commands into a shell");
  if (before.pid !== agent.pid) return no("the pane has run another program since");
  // Without -k the server itself refuses if the pane is alive.
  const folder = agent.workspace === null ? [] : ["-c", agent.workspace];
  const outcome = await link.run([["respawn-pane", "-t", pane.id, ...folder, ...command]]);
  const after = await paneOf(link, pane.id);
  const pidStart = after ? identityOf(after.pid) : null;
  if (!after || after.dead || after.pid === before.pid || pidStart === null)
    return { started: false, acted: outcome.kind === "answer", reason: "the pane did not restart" };
  return { started: true, agent: { ...agent, pid: after.pid, pidStart, command: [...command] }, note: " in its pane" };
}

const no = (reason: string): StartResult => ({ started: false, acted: false, reason });

async function paneOf(link: PollLink, id: string): Promise<Pane | null> {
  const mark = randomBytes(12).toString("hex");
  const outcome = await link.run([listPanes(mark)]);
  const listing = outcome.kind === "answer" ? outcome.replies[0] : null;
  return listing ? (parsePanes(listing, mark).find((pane) => pane.id === id) ?? null) : null;
}
