/**
 * rouse's own log files: rotated by size, with a bounded number of old ones, while several processes append. Each line is
 * written by the name of the file, so it is in the file or, at the moment of a rotation, in the newest old one.
 */
import { closeSync, constants, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";

export interface LogLimits {
  /** A larger file is rotated before the next line. */
  maxBytes: number;
  /** Old files, as `daemon.log.1`, the newest. */
  kept: number;
}

const LIMITS: LogLimits = { maxBytes: 1024 * 1024, kept: 3 };
/** A rotation takes a millisecond: the lock of a longer one was left by a killed process. */
const LOCK_MS = 10_000;

/** Throws if it cannot be written. */
export function appendLine(path: string, line: string, limits: LogLimits = LIMITS): void {
  rotateLog(path, limits);
  const file = openSync(
    path,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    writeSync(file, line);
  } finally {
    closeSync(file);
  }
}

/** Lines for a process whose standard error may be the log file: only then can it be rotated. */
export function logTo(path: string, fd: number): (line: string) => void {
  const isFile = namesOf(path, LIMITS.kept).some((name) => isSameFile(name, fd));
  return (line) => (isFile ? appendLine(path, line) : void writeSync(fd, line));
}

/** Before a process gets the file as its standard error: what it prints besides lines stays in one file. */
export function rotateLog(path: string, { maxBytes, kept }: LogLimits = LIMITS): void {
  if (sizeOf(path) <= maxBytes || !takeLock(`${path}.lock`)) return;
  try {
    // Another process may have rotated it meanwhile.
    if (sizeOf(path) <= maxBytes) return;
    const names = namesOf(path, kept);
    for (let n = kept; n > 0; n--) rename(names[n - 1] ?? "", names[n] ?? "");
  } finally {
    rmSync(`${path}.lock`, { force: true });
  }
}

/** False if another process rotates: this one appends meanwhile. */
function takeLock(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
    return true;
  } catch {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && Math.abs(Date.now() - found.mtimeMs) > LOCK_MS) rmSync(path, { force: true });
    return false;
  }
}

/** The file, and the old ones from the newest on. */
const namesOf = (path: string, kept: number): string[] => [
  path,
  ...Array.from({ length: kept }, (_, n) => `${path}.${n + 1}`),
];

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // It does not exist yet.
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function isSameFile(path: string, fd: number): boolean {
  try {
    const [open, named] = [fstatSync(fd), statSync(path)];
    return open.ino === named.ino && open.dev === named.dev;
  } catch {
    return false;
  }
}
