/** Finds the cases in the given paths. */
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isCaseFolder } from "../replay/case-folder.js";
import { BadInput } from "../replay/files.js";
import { isFolder } from "../replay/replay-case.js";

const DEPTH_MAX = 4;

/** A folder that is not a case means the cases in it, in the order of their names. */
export async function findCases(paths: readonly string[], skip: (error: BadInput) => void): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const holds = path !== "-" && (await isFolder(path).catch(() => false)) && !(await isCaseFolder(path));
    const cases = holds ? await casesIn(path, DEPTH_MAX, new Set()) : [path];
    if (cases.length === 0)
      skip(
        new BadInput(
          `no case found in ${path}: a case is a folder with session.cast[.gz], transcript-1.jsonl or process.jsonl`,
        ),
      );
    found.push(...cases);
  }
  return found;
}

/** Follows links; `seen` holds the resolved folders, each of which counts once. */
async function casesIn(path: string, depth: number, seen: Set<string>): Promise<string[]> {
  const real = await realpath(path).catch(() => path);
  if (seen.has(real)) return [];
  seen.add(real);
  if (await isCaseFolder(path)) return [path];
  if (depth === 0) return [];
  const names = await readdir(path).catch(() => null);
  // Opening it as a case reports why it cannot be read.
  if (names === null) return [path];
  const found: string[] = [];
  for (const name of names.sort((a, b) => (a < b ? -1 : 1))) {
    const inner = join(path, name);
    if (await isFolder(inner).catch(() => false)) found.push(...(await casesIn(inner, depth - 1, seen)));
  }
  return found;
}
