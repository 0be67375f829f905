/** The screen of an agent as rows of text: from its host, from tmux, or from the output kept after its end. */
import type { RousePaths } from "../config/paths.js";
import type { AgentSession } from "../core/agent.js";
import { PollLink } from "../sensors/tmux/link.js";
import { askHostProcess } from "../terminal/ask.js";
import { findRecord, findSession, readSessionFile, sessionFile } from "../terminal/registry.js";
import { ApiError } from "./error.js";
import { lastRows, paintApart } from "./painter.js";

const ANSWER_MS = 5000;
/** Of a running agent; enough for the last 500 rows of a wide terminal. */
const BYTES_MAX = 512 * 1024;
const KEPT_BYTES_MAX = 1024 * 1024;
const PANE_ID = /^%\d{1,10}$/;

export async function readPane(session: AgentSession, lines: number, paths: RousePaths): Promise<string[]> {
  if (session.endedAt !== null) return keptRows(session, lines, paths);
  if (session.hostSocket !== null) return hostRows(session.hostSocket, session, lines, paths);
  if (session.pane) return lastRows(await tmuxRows(session.pane, lines), lines);
  throw new ApiError(
    "refused",
    `${session.name} has no terminal that rouse can read; see \`rouse why\`, or start agents with \`rouse run\` or \`rouse spawn\``,
  );
}

/** Only the last output of a spawned agent is kept. */
function keptRows({ id: session, name }: AgentSession, lines: number, paths: RousePaths): Promise<string[]> {
  const record = findSession(paths, session);
  const bytes = keptBytes(paths, session);
  if (bytes === null) throw new ApiError("refused", `${name} ended, and its output was not kept`);
  return paintApart({ bytes, size: { cols: record?.cols ?? 80, rows: record?.rows ?? 24 }, lines });
}

export function keptBytes(paths: RousePaths, session: string): Buffer | null {
  try {
    return readSessionFile(sessionFile(paths, session, "out"), KEPT_BYTES_MAX);
  } catch {
    return null;
  }
}

async function hostRows(socket: string, session: AgentSession, lines: number, paths: RousePaths): Promise<string[]> {
  const asked = await askHostProcess(socket, { op: "logs", follow: false }, "snapshot", ANSWER_MS);
  // The host records the end and leaves before the daemon learns of it.
  if (asked.kind !== "answer" && findRecord(paths, session.id)?.exit) return keptRows(session, lines, paths);
  if (asked.kind !== "answer") throw new ApiError("refused", `${session.name} does not answer: ${asked.reason}`);
  const { data, cols, rows } = asked.event;
  const bytes = Buffer.from(typeof data === "string" ? data : "", "base64");
  const side = (value: unknown, usual: number): number => (typeof value === "number" && value > 0 ? value : usual);
  return paintApart({ bytes: bytes.subarray(-BYTES_MAX), size: { cols: side(cols, 80), rows: side(rows, 24) }, lines });
}

async function tmuxRows(pane: { socket: string; id: string }, lines: number): Promise<string[]> {
  if (!PANE_ID.test(pane.id)) throw new ApiError("refused", "the agent's tmux pane is not known");
  const outcome = await new PollLink(pane.socket).run([["capture-pane", "-p", "-J", "-t", pane.id, "-S", `-${lines}`]]);
  const reply = outcome.kind === "answer" ? outcome.replies[0] : null;
  if (reply == null) throw new ApiError("refused", "the agent's tmux pane is gone, or tmux does not answer");
  return reply.split("\n");
}
