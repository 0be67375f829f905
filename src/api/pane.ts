/** The screen of an agent as rows of text: from its host, from tmux, or from the output kept after its end. */
import type { RousePaths } from "../config/paths.js";
import type { AgentSession } from "../core/agent.js";
import { paintScreen } from "../readers/terminal/paint-screen.js";
import { PollLink } from "../sensors/tmux/link.js";
import { askHostProcess } from "../terminal/ask.js";
import { findSession, readSessionFile, sessionFile } from "../terminal/registry.js";
import { ApiError } from "./error.js";

const ANSWER_MS = 5000;
/** Kept output is rendered again; more than this would block the daemon for a tenth of a second. */
const BYTES_MAX = 512 * 1024;
const KEPT_BYTES_MAX = 1024 * 1024;
const PANE_ID = /^%\d{1,10}$/;

export async function readPane(session: AgentSession, lines: number, paths: RousePaths): Promise<string[]> {
  if (session.endedAt !== null) return lastRows(await keptRows(session, paths), lines);
  if (session.hostSocket !== null) return lastRows(await hostRows(session.hostSocket, session), lines);
  if (session.pane) return lastRows(await tmuxRows(session.pane, lines), lines);
  throw new ApiError(
    "refused",
    `${session.name} has no terminal that rouse can read; see \`rouse why\`, or start agents with \`rouse run\` or \`rouse spawn\``,
  );
}

/** Only the last output of a spawned agent is kept. */
async function keptRows({ id: session, name }: AgentSession, paths: RousePaths): Promise<string[]> {
  const record = findSession(paths, session);
  try {
    const bytes = readSessionFile(sessionFile(paths, session, "out"), KEPT_BYTES_MAX);
    return await paintScreen(bytes, { cols: record?.cols ?? 80, rows: record?.rows ?? 24 });
  } catch {
    throw new ApiError("refused", `${name} ended, and its output was not kept`);
  }
}

function lastRows(rows: readonly string[], lines: number): string[] {
  let end = rows.length;
  while (end > 0 && rows[end - 1]?.trim() === "") end--;
  return rows.slice(Math.max(0, end - lines), end);
}

async function hostRows(socket: string, session: AgentSession): Promise<string[]> {
  const asked = await askHostProcess(socket, { op: "logs", follow: false }, "snapshot", ANSWER_MS);
  if (asked.kind !== "answer") throw new ApiError("refused", `${session.name} does not answer: ${asked.reason}`);
  const { data, cols, rows } = asked.event;
  const bytes = Buffer.from(typeof data === "string" ? data : "", "base64");
  const size = (value: unknown, usual: number): number => (typeof value === "number" && value > 0 ? value : usual);
  return paintScreen(bytes.subarray(-BYTES_MAX), { cols: size(cols, 80), rows: size(rows, 24) });
}

async function tmuxRows(pane: { socket: string; id: string }, lines: number): Promise<string[]> {
  if (!PANE_ID.test(pane.id)) throw new ApiError("refused", "the agent's tmux pane is not known");
  const outcome = await new PollLink(pane.socket).run([["capture-pane", "-p", "-J", "-t", pane.id, "-S", `-${lines}`]]);
  const reply = outcome.kind === "answer" ? outcome.replies[0] : null;
  if (reply == null) throw new ApiError("refused", "the agent's tmux pane is gone, or tmux does not answer");
  return reply.split("\n");
}
