/** An agent inside an agent inherits its environment, and with it the session that rouse gave to the outer one. */

import { programOf } from "../../programs/process.js";
import { readArgv, readExe, readProcRow } from "./proc.js";

const STEPS_MAX = 64;

/** The facts needed about a process; null if it does not exist or is not readable. */
export interface ProcessParent {
  ppid: number;
  /** Kind of its agent program; null for any other program. */
  kind: string | null;
}

const kinOf = (pid: number): ProcessParent | null => {
  const row = readProcRow(pid);
  return row && { ppid: row.ppid, kind: programOf(readArgv(pid) ?? [], readExe(pid)) };
};

/**
 * Whether a process belongs to a second agent below the session's own: on the way up to `root`, the session's process,
 * there are two agent programs with something else between them. False if the ancestors cannot be read.
 */
export function isInnerAgent(root: number, pid: number, kin: (pid: number) => ProcessParent | null = kinOf): boolean {
  let agents = 0;
  let below: string | null = null;
  for (let at = pid, step = 0; at > 1 && step < STEPS_MAX; step++) {
    const found = kin(at);
    if (!found) return false;
    // A program that re-executes itself is one agent.
    if (found.kind !== null && found.kind !== below) agents++;
    if (at === root) return agents > 1;
    below = found.kind;
    at = found.ppid;
  }
  return false;
}
