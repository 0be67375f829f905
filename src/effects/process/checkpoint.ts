/**
 * The state of an agent's work before rouse stops it, written before the first signal. A plain file, so that it outlives
 * the daemon and any tool can read it.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, type RousePaths } from "../../config/paths.js";
import { writeWhole } from "../../config/whole-file.js";
import type { AgentSession } from "../../core/agent.js";
import type { Evidence } from "../../core/judgement/evidence/state.js";
import { redact } from "../../core/text/redact.js";
import { type GitState, readPaths, readState } from "../../sensors/workspace/git.js";

export interface StopCheckpoint {
  at: number;
  reason: string;
  session: string;
  name: string;
  kind: string;
  command: readonly string[];
  workspace: string | null;
  task: string | null;
  /** The program's id of the conversation. */
  conversation: string | null;
  git: GitState | null;
  /** Known files that were written since the session started. */
  written: string[];
  /** The last lines on its screen. */
  tail: readonly string[];
  /** Size of its transcript: anything after that was written later. */
  transcript: { path: string; bytes: number } | null;
}

export interface CheckpointSources {
  at: number;
  reason: string;
  evidence: Evidence | null;
  transcript: string | null;
  paths: Pick<RousePaths, "state">;
}

const KEPT_MAX = 500;
const STATS_MAX = 5000;
const WRITTEN_MAX = 500;

/** Returns its path. Throws if it cannot be written: then nothing may be stopped. */
export async function keepCheckpoint(agent: AgentSession, sources: CheckpointSources): Promise<string> {
  const folder = join(sources.paths.state, "checkpoints");
  makePrivateFolder(folder);
  const { workspace, id: session, name, kind, command, task } = agent;
  const { at, reason, evidence } = sources;
  const checkpoint: StopCheckpoint = {
    at,
    reason,
    session,
    name,
    kind,
    command,
    workspace,
    task,
    conversation: evidence?.session.id ?? null,
    git: workspace === null ? null : await readState(workspace),
    written: workspace === null ? [] : await writtenSince(workspace, agent.startedAt),
    tail: (evidence?.progress.reading?.tail ?? []).map(redact),
    transcript: sizeOf(sources.transcript),
  };
  const path = join(folder, `${session.replace(/[^\w.-]/g, "-").slice(0, 100)}-${Math.floor(at)}.json`);
  writeWhole(path, `${JSON.stringify(checkpoint, null, 1)}\n`);
  forgetOld(folder);
  return path;
}

export function sizeOf(path: string | null): { path: string; bytes: number } | null {
  if (path === null) return null;
  try {
    return { path, bytes: statSync(path).size };
  } catch {
    return null;
  }
}

async function writtenSince(folder: string, since: number): Promise<string[]> {
  const paths = (await readPaths(folder)) ?? [];
  const written: string[] = [];
  for (const path of paths.slice(0, STATS_MAX)) {
    if (written.length >= WRITTEN_MAX) break;
    const stat = statSync(join(folder, path), { throwIfNoEntry: false });
    if (stat && stat.mtimeMs >= since) written.push(path);
  }
  return written;
}

/** File names start with a session id, so the oldest are found by modification time. */
function forgetOld(folder: string): void {
  const files = readdirSync(folder).flatMap((file) => {
    const at = statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs;
    return at === undefined ? [] : [{ file, at }];
  });
  for (const { file } of files.sort((a, b) => b.at - a.at).slice(KEPT_MAX)) rmSync(join(folder, file), { force: true });
}
