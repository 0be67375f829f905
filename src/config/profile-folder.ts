/**
 * The folder `profiles` beside the user's configuration. Apart from the reading of its files: what checks them takes as
 * long to load as a quick command or the process beside an agent altogether, and most people have none.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProfileOverride } from "../programs/shared/profile.js";
import type { ConfigIssue } from "./issue.js";

export interface ProfileFolder {
  /** By name: where two files say the same of a program, the first one holds. */
  files: string[];
  /** Why the folder cannot be read; null also where there is none. */
  issue: ConfigIssue | null;
}

export interface OwnProfiles {
  profiles: readonly ProfileOverride[];
  /** The file of each, in the same order. */
  paths: readonly string[];
  issues: readonly ConfigIssue[];
}

const FILES_MAX = 200;

/** The same as `loadOwnProfiles`, which is loaded only where there is a file. */
export async function ownProfiles(config: string): Promise<OwnProfiles> {
  const { files, issue } = profileFolder(config);
  if (files.length === 0) return { profiles: [], paths: [], issues: issue ? [issue] : [] };
  const { loadOwnProfiles } = await import("./own-profiles.js");
  return loadOwnProfiles(config);
}

/** `config` is the folder of `config.toml`. */
export function profileFolder(config: string): ProfileFolder {
  const folder = join(config, "profiles");
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.(?:toml|json)$/.test(name));
    const files = names.sort().slice(0, FILES_MAX);
    return { files: files.map((name) => join(folder, name)), issue: null };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const text = `${message}; no profile of your own is used`;
    // Where the folder above it cannot be reached either, whoever needs that one says so.
    const isNone = code === "ENOENT" || !existsSync(config);
    return { files: [], issue: isNone ? null : { level: "error", where: folder, text } };
  }
}

/** Another text when a file came, went or was changed. */
export function profileStamp(config: string): string {
  // Asked at every decision, and most users have no such folder: an error of the reading costs ten times as much.
  if (!existsSync(join(config, "profiles"))) return "";
  return profileFolder(config).files.map(stampOf).join("\n");
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${path} ${ino} ${size} ${mtimeMs}`;
  } catch {
    // Gone, or a link that leads nowhere: the reading says so.
    return path;
  }
}
