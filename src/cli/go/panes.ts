/** The panes of this user's tmux servers, and how a client gets to one. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { findSockets } from "../../sensors/tmux/discover.js";
import { ANSWER_MS, PollLink } from "../../sensors/tmux/link.js";
import { listPanes, type Pane, parsePanes } from "../../sensors/tmux/panes.js";

export interface PanePlace {
  socket: string;
  id: string;
}

/** Empty if the server does not run or does not answer. */
export async function panesOf(socket: string): Promise<Pane[]> {
  const mark = randomBytes(12).toString("hex");
  const outcome = await new PollLink(socket).run([listPanes(mark)]);
  const listing = outcome.kind === "answer" ? outcome.replies[0] : null;
  return typeof listing === "string" ? parsePanes(listing, mark) : [];
}

/** The pane with this terminal, on any server of this user; null if there is none. */
export async function paneWithTerminal(tty: string): Promise<PanePlace | null> {
  for (const socket of await findSockets()) {
    const found = (await panesOf(socket)).find((pane) => pane.tty === tty);
    if (found) return { socket, id: found.id };
  }
  return null;
}

/** The server that this process runs in; null outside tmux. */
export const ownServer = (env: NodeJS.ProcessEnv = process.env): string | null => env.TMUX?.split(",")[0] || null;

const tmux = (socket: string, ...args: string[]) =>
  spawnSync("tmux", ["-N", "-S", socket, ...args], { encoding: "utf8", timeout: ANSWER_MS });

/** Null if it worked, else the reason. The pane is selected first, so that the client arrives where it should. */
export function switchTo({ socket, id }: PanePlace): string | null {
  const client = userClient(socket);
  if (client === null) return "no terminal is attached to this tmux server";
  for (const command of [
    ["select-window", "-t", id],
    ["select-pane", "-t", id],
    ["switch-client", "-c", client, "-t", id],
  ]) {
    const { status, stderr, error } = tmux(socket, ...command);
    if (status !== 0) return (stderr || error?.message || "tmux failed").trim().slice(0, 200);
  }
  return null;
}

const CLIENT = "#{client_activity} #{client_control_mode}#{client_readonly} #{session_id} #{client_name}";

/**
 * The client that shows this pane, else the one used last. tmux itself could choose the daemon's own client, which is
 * attached read-only in control mode.
 */
function userClient(socket: string): string | null {
  const here = process.env.TMUX_PANE
    ? tmux(socket, "display-message", "-p", "-t", process.env.TMUX_PANE, "#{session_id}")
    : null;
  const session = here?.stdout.trim() ?? "";
  const clients = tmux(socket, "list-clients", "-F", CLIENT)
    .stdout.split("\n")
    .flatMap((line) => {
      const [, activity, mode, of, name] = /^(\d+) (\d\d) (\S+) (.+)$/.exec(line) ?? [];
      return name === undefined || mode === "11" ? [] : [{ name, isHere: of === session, activity: Number(activity) }];
    })
    .sort((a, b) => Number(b.isHere) - Number(a.isHere) || b.activity - a.activity);
  return clients[0]?.name ?? null;
}

/** Shows the pane in this terminal until the user detaches; the exit code of tmux. */
export function attachTo({ socket, id }: PanePlace): number {
  for (const command of ["select-window", "select-pane"]) tmux(socket, command, "-t", id);
  return spawnSync("tmux", ["-N", "-S", socket, "attach-session", "-t", id], { stdio: "inherit" }).status ?? 1;
}
