/**
 * Agent names, unique among the running agents of this machine. A name is claimed by a small file that only one process
 * can create (a hard link fails if another was faster); the claim of an ended process may be taken over.
 */
import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { makePrivateFolder, type RousePaths } from "../config/paths.js";
import { isReservedName } from "../core/reserved.js";
import { identityOf } from "../sensors/process/process-sensor.js";
import { readSessionFile } from "./registry.js";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const TRIES = 1000;

type Sessions = Pick<RousePaths, "sessions">;

export const isName = (text: string): boolean => NAME.test(text);

/** `claude` for `/usr/bin/claude --resume`; characters that are not allowed in a name become a dash. Never a reserved name. */
export function nameOfCommand(command: readonly string[]): string {
  const base = basename(command[0] ?? "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 40);
  return base === "" || isReservedName(base) ? "agent" : base;
}

/** Claims exactly this name; false if it is in use. */
export function takeName(paths: Sessions, name: string): boolean {
  makePrivateFolder(paths.sessions);
  const path = fileOf(paths, name);
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, start: identityOf(process.pid) }), { mode: 0o600 });
  try {
    for (let tries = 0; tries < 3; tries++) {
      try {
        linkSync(own, path);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        if (isHeld(path)) return false;
        putAside(path);
      }
    }
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** The holder of one name gets another one too; false if that is in use. */
export function shareName(paths: Sessions, held: string, name: string): boolean {
  const [own, path] = [fileOf(paths, held), fileOf(paths, name)];
  const claim = contentOf(own);
  // An agent of a program with the library claims no name.
  if (claim === null || contentOf(path) === claim) return true;
  if (isHeld(path)) return false;
  rmSync(path, { force: true });
  try {
    linkSync(own, path);
    return true;
  } catch {
    return false;
  }
}

/** `base`, else `base-2`, `base-3` and so on. */
export function takeFreeName(paths: Sessions, base: string): string {
  for (let number = 1; number <= TRIES; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (takeName(paths, name)) return name;
  }
  throw new Error(`${TRIES} agents are already named ${base}`);
}

export function releaseName(paths: Sessions, name: string): void {
  try {
    rmSync(fileOf(paths, name), { force: true });
  } catch {
    // It was never written, or becomes stale when its holder ends.
  }
}

const fileOf = (paths: Sessions, name: string): string => join(paths.sessions, `${name}.name`);

function contentOf(path: string): string | null {
  try {
    return readSessionFile(path, 1000).toString("utf8");
  } catch {
    return null;
  }
}

function isHeld(path: string): boolean {
  try {
    const { pid, start } = JSON.parse(readSessionFile(path, 1000).toString("utf8")) as { pid: number; start: string };
    return Number.isSafeInteger(pid) && pid > 1 && identityOf(pid) === start;
  } catch {
    return false;
  }
}

/** Moves a dead claim away. If another process renewed it between the check and the move, it is put back. */
function putAside(path: string): void {
  const aside = `${path}.${process.pid}.old`;
  try {
    renameSync(path, aside);
    if (isHeld(aside)) linkSync(aside, path);
  } catch {
    // Another process was faster.
  }
  rmSync(aside, { force: true });
}
