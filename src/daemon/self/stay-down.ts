/**
 * A note in the state folder that a user stopped the daemon, so that hosts do not restart it until a user's command needs it
 * again. A daemon that was killed or crashed leaves no note.
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
    // If the folder is not writable, no daemon starts either.
  }
}

export function clearStopped(paths: State): void {
  try {
    rmSync(noteOf(paths), { force: true });
  } catch {
    // As above.
  }
}
