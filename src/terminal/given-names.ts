/**
 * Names that a user gave to running agents with `rouse rename`, by session. Hosts and panes keep reporting the name of the
 * start; the daemon and the commands that read the hosts' records replace it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RousePaths } from "../config/paths.js";
import { writeWhole } from "../config/whole-file.js";

/** Sessions end, and their names are stored with them. */
const KEPT_MAX = 500;

const fileOf = ({ sessions }: Pick<RousePaths, "sessions">): string => join(sessions, "..", "names.json");

export type GivenNames = ReadonlyMap<string, string>;

export function readGivenNames(paths: Pick<RousePaths, "sessions">): GivenNames {
  try {
    const names: unknown = JSON.parse(readFileSync(fileOf(paths), "utf8"));
    return new Map(Object.entries(names ?? {}).filter(([, name]) => typeof name === "string" && name !== ""));
  } catch {
    return new Map();
  }
}

export function giveName(paths: Pick<RousePaths, "sessions">, session: string, name: string): GivenNames {
  const others = [...readGivenNames(paths)].filter(([id]) => id !== session);
  const all = new Map([...others, [session, name] as const].slice(-KEPT_MAX));
  writeWhole(fileOf(paths), JSON.stringify(Object.fromEntries(all)));
  return all;
}
