/** Writes files completely or not at all: on a full disk the old content stays. */
import { linkSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";

export function writeWhole(path: string, text: string, mode = 0o600): void {
  withFresh(path, text, mode, (fresh) => renameSync(fresh, path));
}

/** False if the file already exists, and leaves it unchanged. An empty file was left by a full disk, and is replaced. */
export function writeNew(path: string, text: string, mode = 0o600): boolean {
  if (hasContent(path)) return false;
  return withFresh(path, text, mode, (fresh) => {
    try {
      // Of two concurrent writers only one can create the link.
      linkSync(fresh, path);
      return true;
    } catch (error) {
      if (hasContent(path)) return false;
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EEXIST" && !NO_LINKS.has(code)) throw error;
      renameSync(fresh, path);
      return true;
    }
  });
}

/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Something exists at the path, other than an empty regular file. */
export function hasContent(path: string): boolean {
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
