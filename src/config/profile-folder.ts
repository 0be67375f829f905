/**
 * The folder `profiles` beside the user's configuration: lists its files without reading them. The module that reads
 * them takes as long to load as a whole quick command, and most users have no profiles of their own.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProfileOverride } from "../programs/shared/profile.js";
import type { ConfigIssue } from "./issue.js";

export interface ProfileFolder {
  /** Sorted by name: if two files have a profile with the same id, the first one is used. */
  files: string[];
  /** Why the folder cannot be read; null if it can, or if there is no such folder. */
  issue: ConfigIssue | null;
}

export interface OwnProfiles {
  profiles: readonly ProfileOverride[];
  /** The file of each profile, in the same order. */
  paths: readonly string[];
  issues: readonly ConfigIssue[];
}

const FILES_MAX = 200;

/** `config` is the folder of `config.toml`. */
export function profileFolder(config: string): ProfileFolder {
  const folder = join(config, "profiles");
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.(?:toml|json)$/.test(name));
    const files = names.sort().slice(0, FILES_MAX);
    return { files: files.map((name) => join(folder, name)), issue: null };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const text = `${message}; none of your own profiles is used`;
    // If the parent folder is unreachable too, the loading of the configuration reports that.
    const isNone = code === "ENOENT" || !existsSync(config);
    return { files: [], issue: isNone ? null : { level: "error", where: folder, text } };
  }
}

/** Changes when a file is added, removed or changed. */
export function profileStamp(config: string): string {
  // Called at every decision, and most users have no such folder: a failed readdir costs ten times as much.
  if (!existsSync(join(config, "profiles"))) return "";
  return profileFolder(config).files.map(stampOf).join("\n");
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${path} ${ino} ${size} ${mtimeMs}`;
  } catch {
    // Removed, or a broken link: reading the file reports it.
    return path;
  }
}
