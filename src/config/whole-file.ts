/** Files that are written whole or not at all: a full disk leaves what was there, and nothing half. */
import { linkSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";

export function writeWhole(path: string, text: string, mode = 0o600): void {
  withFresh(path, text, mode, (fresh) => renameSync(fresh, path));
}

/** False when there is one already, which stays as it is. An empty one was begun on a full disk, and is replaced. */
export function writeNew(path: string, text: string, mode = 0o600): boolean {
  if (isBegun(path)) return false;
  return withFresh(path, text, mode, (fresh) => {
    try {
      // Only one can make it, of two that begin at once.
      linkSync(fresh, path);
      return true;
    } catch (error) {
      if (isBegun(path)) return false;
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EEXIST" && !NO_LINKS.has(code)) throw error;
      renameSync(fresh, path);
      return true;
    }
  });
}

/** File systems that have no second names. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Something is there, other than a plain file without a byte in it. */
export function isBegun(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !(found.isFile() && found.size === 0);
}

function withFresh<T>(path: string, text: string, mode: number, put: (fresh: string) => T): T {
  const fresh = `${path}.${process.pid}.new`;
  rmSync(fresh, { force: true });
  try {
    writeFileSync(fresh, text, { flag: "wx", mode });
    return put(fresh);
  } finally {
    rmSync(fresh, { force: true });
  }
}
