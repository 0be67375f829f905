/**
 * Reports of agents that could not reach the daemon: one small file each, delivered in order once it answers. Written by a
 * command that has to start fast, so this loads nothing else.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Of all waiting reports; an agent that reports in a loop must not fill the disk. */
const FILES_MAX = 10_000;
const BYTES_MAX = 16 * 1024;

interface SpooledProcess {
  pid: number;
  ppid: number;
  sid: number;
  start: string;
}

export interface SpooledReport {
  operation: "checkpoint" | "report";
  /** When it was reported. */
  at: number;
  /** The session of the agent that reported, as far as it knew; null outside of all agents. */
  session: string | null;
  /** Its process and the parents of that: the daemon also finds agents in them that have no record of a host. */
  parents: readonly SpooledProcess[];
  input: Readonly<Record<string, unknown>>;
}

const folderOf = (state: string): string => join(state, "spool");

/** Null if it was stored; otherwise why not. */
export function spool(state: string, report: SpooledReport): string | null {
  const folder = folderOf(state);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length >= FILES_MAX) return `${folder} holds ${FILES_MAX} reports already`;
    const name = `${String(report.at).padStart(14, "0")}-${randomBytes(6).toString("hex")}`;
    const path = join(folder, `${name}.json`);
    writeFileSync(`${path}.part`, JSON.stringify(report), { mode: 0o600, flush: true });
    renameSync(`${path}.part`, path);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

export interface WaitingReport {
  /** Identifies it, also for the receiver: delivered twice, it counts once. */
  id: string;
  /** Null: the file is no report. */
  report: SpooledReport | null;
}

/** Oldest first. */
export function spooled(state: string, limit = 100): WaitingReport[] {
  const folder = folderOf(state);
  return namesIn(folder)
    .slice(0, limit)
    .map((id) => ({ id, report: readReport(join(folder, id)) }));
}

export const unspool = (state: string, id: string): void => rmSync(join(folderOf(state), id), { force: true });

function isProcess(value: unknown): value is SpooledProcess {
  const { pid, ppid, sid, start } = (value ?? {}) as Partial<SpooledProcess>;
  return [pid, ppid, sid].every(Number.isSafeInteger) && typeof start === "string";
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{14}-[0-9a-f]{12}\.json$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

function readReport(path: string): SpooledReport | null {
  try {
    if (statSync(path).size > BYTES_MAX) return null;
    const { operation, at, session, parents, input } = JSON.parse(readFileSync(path, "utf8")) as SpooledReport;
    const isReport =
      (operation === "checkpoint" || operation === "report") &&
      Number.isSafeInteger(at) &&
      (session === null || typeof session === "string") &&
      Array.isArray(parents) &&
      parents.every(isProcess) &&
      typeof input === "object" &&
      input !== null;
    return isReport ? { operation, at, session, parents, input } : null;
  } catch {
    return null;
  }
}
