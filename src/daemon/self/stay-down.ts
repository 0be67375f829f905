/**
 * A person stopped the daemon: a note in the state folder, so that hosts, which start a daemon that they miss, keep
 * quiet until a person's own command wants one again. A daemon that was killed or crashed leaves no such note.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, type RousePaths } from "../../config/paths.js";

type State = Pick<RousePaths, "state">;

const noteOf = ({ state }: State): string => join(state, "down");

export const isMarkedStopped = (paths: State): boolean => existsSync(noteOf(paths));

export function markStopped(paths: State): void {
  try {
    makePrivateFolder(paths.state);
    writeFileSync(noteOf(paths), "rouse down: hosts start no daemon until rouse up, run, spawn or watch\n", {
      mode: 0o600,
    });
  } catch {
    // Where nothing can be written no daemon comes up either.
  }
}

export function clearStopped(paths: State): void {
  try {
    rmSync(noteOf(paths), { force: true });
  } catch {
    // As above.
  }
}
