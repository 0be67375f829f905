/** Finds files by pattern, inside a folder and with limits: no link is followed, and no walk is endless. */
import { lstatSync, type Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface FoundFile {
  /** Relative to the folder. */
  path: string;
  changedAt: number;
  /** Time of its last change of any kind: for an unpacked or renamed file, later than its own time. */
  anyChangeAt: number;
  size: number;
  /** Differs when the file does, as far as the system shows it without reading the file. */
  key: string;
}

/** Shared by all patterns of one check. */
export interface GlobBudget {
  entries: number;
}

const DEPTH_MAX = 6;
const FILES_MAX = 500;
const SLICE = 500;
export const SKIPPED: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  ".venv",
  "venv",
  "target",
  "dist",
  ".next",
  "__pycache__",
]);

/** `*` matches any part of a name, `**` any folders in between. */
export async function findFiles(root: string, pattern: string, budget: GlobBudget): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return [];
  await walk(root, "", segments, 0, budget, found);
  return found;
}

/** Times of files, in the order of their paths. */
export interface FileTimes {
  /** Of the last change: NaN for a missing file, long ago for anything but a file. */
  anyChangeAt: Float64Array;
  /**
   * Of the last reading, as far as the system keeps it: usually the first one after a change or within a day, and none on
   * a file system without access times.
   */
  readAt: Float64Array;
}

/** Synchronous, in slices: 3 µs per file; a promise for each costs seven times that. */
export async function fileTimes(root: string, paths: readonly string[]): Promise<FileTimes> {
  const anyChangeAt = new Float64Array(paths.length);
  const readAt = new Float64Array(paths.length);
  for (const [index, path] of paths.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve));
    const stats = statsOf(join(root, path));
    const isFile = stats?.isFile() === true;
    anyChangeAt[index] = stats === null ? NaN : isFile ? Math.max(stats.mtimeMs, stats.ctimeMs) : -Infinity;
    readAt[index] = isFile ? stats.atimeMs : -Infinity;
  }
  return { anyChangeAt, readAt };
}

/** The current state of a file. */
export function fileAt(root: string, path: string): FoundFile {
  const stats = statsOf(join(root, path));
  return stats ? describe(path, stats) : { path, changedAt: 0, anyChangeAt: 0, size: 0, key: "gone" };
}

export function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function describe(path: string, stats: Stats): FoundFile {
  const { mtimeMs, ctimeMs, size, ino } = stats;
  return { path, changedAt: mtimeMs, anyChangeAt: Math.max(mtimeMs, ctimeMs), size, key: `${ino} ${mtimeMs} ${size}` };
}

async function walk(
  root: string,
  at: string,
  segments: readonly string[],
  depth: number,
  budget: GlobBudget,
  found: FoundFile[],
): Promise<void> {
  const [segment, ...rest] = segments;
  if (segment === undefined || depth > DEPTH_MAX || budget.entries <= 0 || found.length >= FILES_MAX) return;
  if (segment === "**") await walk(root, at, rest, depth, budget, found);
  const names = segment.includes("*") ? await namesIn(join(root, at), budget) : [segment];
  for (const name of names) {
    if (!(segment === "**" ? !SKIPPED.has(name) : matchesName(segment, name))) continue;
    if (budget.entries-- <= 0 || found.length >= FILES_MAX) return;
    const path = at === "" ? name : `${at}/${name}`;
    const stats = await lstat(join(root, path)).catch(() => null);
    if (stats?.isDirectory()) await walk(root, path, segment === "**" ? segments : rest, depth + 1, budget, found);
    else if (stats?.isFile() && segment !== "**" && rest.length === 0) found.push(describe(path, stats));
  }
}

async function namesIn(folder: string, budget: GlobBudget): Promise<string[]> {
  const stats = await lstat(folder).catch(() => null);
  if (!stats?.isDirectory()) return [];
  const names = await readdir(folder).catch(() => []);
  return names.slice(0, Math.max(0, budget.entries)).sort();
}

/** Folder by folder; `**` matches any number of them. */
export function matchesPath(pattern: string, path: string): boolean {
  const names = path.split("/");
  // All positions in the path that the pattern may have reached, so that the time is at most pattern length times path
  // length.
  let places = new Set([0]);
  for (const segment of pattern.split("/")) {
    const next = new Set<number>();
    for (const place of places) {
      if (segment === "**") for (let at = place; at <= names.length; at++) next.add(at);
      else if (place < names.length && matchesName(segment, names[place] as string)) next.add(place + 1);
    }
    places = next;
  }
  return places.has(names.length);
}

/** Each part between two stars must follow the one before. */
export function matchesName(pattern: string, name: string): boolean {
  const parts = pattern.split("*");
  const [first = ""] = parts;
  if (parts.length === 1) return name === pattern;
  const last = parts[parts.length - 1] ?? "";
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= name.length - last.length;
}
