/** Claude Code's own state file of one process, `sessions/<pid>.json`: its status, and which conversation it is in. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Signal } from "../../core/signal.js";
import { programFor } from "../../programs/registry.js";
import { parseRecord, str } from "../../readers/json.js";
import { NOWHERE, type RecordReader } from "../../readers/record-reader.js";
import { readHeadInside, realRoot } from "./safe-open.js";

/** What the file said of the session; null where it is missing, stale or no such file. */
export interface SessionFile {
  sessionId: string;
  cwd: string | null;
  record: Record<string, unknown>;
}

const FILE_BYTES = 64 * 1024;
/** A file may be written in the same second as the process starts; clocks of files are a little behind. */
const START_SLACK_MS = 2000;

/**
 * A process that was killed leaves its file behind, and its number is used again: a file older than the process that
 * carries the number now is somebody else's.
 */
export async function readSessionFile(
  configFolder: string,
  pid: number,
  startedAt: number,
): Promise<SessionFile | null> {
  const root = realRoot(join(configFolder, "sessions"));
  if (root === null) return null;
  const path = join(root, `${pid}.json`);
  const changedAt = await lstat(path).then(
    (stats) => stats.mtimeMs,
    () => Number.NEGATIVE_INFINITY,
  );
  if (changedAt < startedAt - START_SLACK_MS) return null;
  const record = parseRecord((await readHeadInside(path, root, FILE_BYTES)) ?? "");
  const sessionId = str(record, "sessionId");
  if (record === null || sessionId === undefined) return null;
  return { sessionId, cwd: str(record, "cwd") ?? null, record };
}

export class SessionFileSensor {
  private reader: RecordReader | null = null;
  private latest: SessionFile | null = null;

  constructor(
    private readonly configFolder: string,
    private readonly pid: number,
    private readonly startedAt: number,
  ) {}

  /** The conversation that the process is in: after `/clear` it is another, in another transcript. */
  get session(): SessionFile | null {
    return this.latest;
  }

  async read(at: number): Promise<Signal[]> {
    this.latest = await readSessionFile(this.configFolder, this.pid, this.startedAt);
    this.reader ??= (await programFor("claude-code").readers()).session_file?.(NOWHERE) ?? null;
    return this.latest && this.reader ? this.reader.read(this.latest.record, at) : [];
  }
}
