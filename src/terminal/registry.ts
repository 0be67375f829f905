/**
 * The agents held by this machine's hosts, without the daemon: each host keeps one small file, written atomically. The
 * file of an ended host describes the past; pid and start time together identify the host.
 *
 *   <state>/sessions/<session>.json  the record    <session>.out  the last output of a spawned agent, after its end
 */
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, type RousePaths } from "../config/paths.js";
import { writeWhole } from "../config/whole-file.js";
import type { AgentSession } from "../core/agent.js";
import { identityOf } from "../sensors/process/process-sensor.js";
import { readGivenNames } from "./given-names.js";
import type { LeftBy } from "./leave.js";
import type { PtyExit } from "./pty.js";

export interface HostRecord extends AgentSession {
  hostPid: number;
  hostStart: string | null;
  cols: number;
  rows: number;
  exit: PtyExit | null;
  /** Who ended it on purpose; null if it ended by itself or by a policy. */
  leftBy?: LeftBy | null;
}

/** How a session ended, as recorded by its host. */
export interface RecordedEnd extends PtyExit {
  leftBy: LeftBy | null;
}

export interface FoundSession extends HostRecord {
  /** Its host is running. A record without an end whose host is gone was cut off. */
  isAlive: boolean;
}

/** Sorts by time; valid in file names, socket names and URLs. */
export function newSessionId(): string {
  return `${Date.now().toString(36)}-${randomBytes(6).toString("hex")}`;
}

/** An older host has registered with the daemon, or cannot. */
const YOUNG_MS = 20_000;

const isYoung = (startedAt: number): boolean => Math.abs(Date.now() - startedAt) < YOUNG_MS;

/** By its id alone: a host writes its record some moments after its agent has started. */
export const isYoungSession = (session: string): boolean => isYoung(Number.parseInt(session, 36));

/** Running agents that the daemon may not know yet. */
export const youngSessions = (paths: Sessions): FoundSession[] =>
  listSessions(paths).filter(({ isAlive, startedAt }) => isAlive && isYoung(startedAt));

export function agentSession(record: HostRecord): AgentSession {
  const { hostPid: _p, hostStart: _s, cols: _c, rows: _r, exit: _e, leftBy: _l, ...session } = record;
  return session;
}

const RECORD_BYTES_MAX = 1024 * 1024;
const RECORDS_MAX = 2000;
const KEPT_MAX = 200;
const KEPT_MS = 7 * 24 * 3600_000;

type Sessions = Pick<RousePaths, "sessions">;

export const sessionFile = (paths: Sessions, session: string, kind: "json" | "out"): string =>
  join(paths.sessions, `${session}.${kind}`);

export function writeRecord(paths: Sessions, record: HostRecord): void {
  makePrivateFolder(paths.sessions);
  writeWhole(sessionFile(paths, record.id, "json"), `${JSON.stringify(record)}\n`);
}

/** Every session that left a record, newest first. */
export function listSessions(paths: Sessions): FoundSession[] {
  const given = readGivenNames(paths);
  return recordNames(paths)
    .flatMap((name) => {
      const record = readRecord(join(paths.sessions, name));
      if (!record || `${record.id}.json` !== name) return [];
      return [{ ...record, name: given.get(record.id) ?? record.name, isAlive: isAlive(record) }];
    })
    .sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
}

/** Null if its host recorded no end. */
export function recordedEnd(paths: Sessions, session: string): RecordedEnd | null {
  const record = readRecord(sessionFile(paths, session, "json"));
  if (!record?.exit) return null;
  const { code, signal } = record.exit;
  return { code, signal, leftBy: record.leftBy === "human" || record.leftBy === "client" ? record.leftBy : null };
}

/** Agents that ended since then, except those with a skipped id. Their hosts may not have reached the daemon. */
export function endedSince(paths: Sessions, since: number, isSkipped: (session: string) => boolean): HostRecord[] {
  return recordNames(paths).flatMap((name) => {
    const id = name.slice(0, -".json".length);
    const record = isSkipped(id) ? null : readRecord(join(paths.sessions, name));
    return record?.id === id && record.exit !== null && (record.endedAt ?? 0) >= since ? [record] : [];
  });
}

/** By its id, without reading the other records; null if there is none. */
export function findRecord(paths: Sessions, session: string): FoundSession | null {
  const record = readRecord(sessionFile(paths, session, "json"));
  return record?.id === session ? { ...record, isAlive: isAlive(record) } : null;
}

/** By name or id: the running one, else the most recent. */
export function findSession(paths: Sessions, nameOrId: string): FoundSession | null {
  const found = listSessions(paths).filter((s) => s.name === nameOrId || s.id === nameOrId);
  return found.find((s) => s.isAlive) ?? found[0] ?? null;
}

/** Removes the files of sessions that ended long ago. */
export function pruneSessions(paths: Sessions, now: number): void {
  const ended = listSessions(paths).filter((s) => !s.isAlive);
  const old = ended.filter((s, place) => place >= KEPT_MAX || now - (s.endedAt ?? s.startedAt) > KEPT_MS);
  for (const { id: session } of old) {
    for (const kind of ["out", "json"] as const) rmSync(sessionFile(paths, session, kind), { force: true });
  }
}

function recordNames(paths: Sessions): string[] {
  try {
    return readdirSync(paths.sessions)
      .filter((name) => name.endsWith(".json"))
      .slice(-RECORDS_MAX);
  } catch {
    return [];
  }
}

function isAlive(record: HostRecord): boolean {
  return record.endedAt === null && record.hostStart !== null && identityOf(record.hostPid) === record.hostStart;
}

/** Null for any file that was not written by a host of this user. */
function readRecord(path: string): HostRecord | null {
  try {
    const value = JSON.parse(readSessionFile(path, RECORD_BYTES_MAX).toString("utf8")) as HostRecord;
    const isRecord =
      typeof value.id === "string" &&
      typeof value.name === "string" &&
      typeof value.kind === "string" &&
      Array.isArray(value.command) &&
      Number.isSafeInteger(value.hostPid) &&
      value.hostPid > 1 &&
      Number.isFinite(value.startedAt);
    return isRecord ? value : null;
  } catch {
    return null;
  }
}

/** A regular file of this user, no link in its place, up to a size. Throws otherwise. */
export function readSessionFile(path: string, bytesMax: number): Buffer {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile() || (process.getuid && stat.uid !== process.getuid()) || stat.size > bytesMax)
      throw new Error(`${path} is not a file that rouse wrote`);
    const bytes = Buffer.alloc(stat.size);
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(handle);
  }
}

/** A socket that its host left behind when it was killed. */
export function removeDeadSocket(path: string): void {
  try {
    if (statSync(path).isSocket()) rmSync(path);
  } catch {
    // It does not exist.
  }
}
