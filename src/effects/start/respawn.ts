/**
 * A program once more in its tmux pane, where that holds its dead (`remain-on-exit`). A pane whose shell waits gets
 * nothing: a command typed there could end up in whatever the shell, or a person, is doing.
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
  if (!pane || !PANE_ID.test(pane.id)) return no("its pane is not known");
  // tmux takes an argument that ends so for the end of the command.
  if (command.some((word) => word.endsWith(";"))) return no("its command cannot be given to tmux as it is");
  const link = new PollLink(pane.socket);
  const before = await paneOf(link, pane.id);
  if (!before) return no("its pane is gone");
  if (!before.dead) return no("its pane goes on with another program; rouse types no command into a shell");
  if (before.pid !== agent.pid) return no("the pane has had another program since");
  // Without -k the server itself refuses where the pane is alive.
  const folder = agent.workspace === null ? [] : ["-c", agent.workspace];
  const outcome = await link.run([["respawn-pane", "-t", pane.id, ...folder, ...command]]);
  const after = await paneOf(link, pane.id);
  const pidStart = after ? identityOf(after.pid) : null;
  if (!after || after.dead || after.pid === before.pid || pidStart === null)
    return { started: false, acted: outcome.kind === "answer", reason: "the pane did not come back to life" };
  return { started: true, agent: { ...agent, pid: after.pid, pidStart, command: [...command] }, note: " in its pane" };
}

const no = (reason: string): StartResult => ({ started: false, acted: false, reason });

async function paneOf(link: PollLink, id: string): Promise<Pane | null> {
  const mark = randomBytes(12).toString("hex");
  const outcome = await link.run([listPanes(mark)]);
  const listing = outcome.kind === "answer" ? outcome.replies[0] : null;
  return listing ? (parsePanes(listing, mark).find((pane) => pane.id === id) ?? null) : null;
}
