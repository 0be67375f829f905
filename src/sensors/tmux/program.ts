/** Which agent program a process is, by its name and its arguments. */
import { basename } from "node:path";
import { generic } from "../../agents/generic.js";
import type { ProfileOverride } from "../../agents/profile.js";
import { profileFor } from "../../agents/registry.js";

/** What a listing of processes must tell; the process sensor's table does. */
export interface ProcessFact {
  pid: number;
  ppid: number;
  start: string;
  startedAt: number;
  state: string;
  comm: string;
}

/** The processes of this machine, asked for when needed. A table of null means that it could not be read. */
export interface Processes {
  table(): Promise<{ readonly rows: ReadonlyMap<number, ProcessFact> } | null>;
  argv(pid: number): readonly string[] | null;
}

export interface FoundProgram {
  kind: string;
  pid: number;
  start: string;
  startedAt: number;
  argv: readonly string[];
}

const INTERPRETER = /^(?:node|nodejs|bun|deno|python[\d.]{0,6}|tsx)$/;
const SCRIPT_END = /\.(?:js|mjs|cjs|ts|py|exe)$/;
/** What runs below these has a terminal of its own, which is not the pane's. */
const OWN_TERMINAL: ReadonlySet<string> = new Set([
  "rouse",
  "tmux",
  "tmux: server",
  "tmux: client",
  "screen",
  "script",
]);
const TREE_MAX = 200;
const DEPTH_MAX = 8;

/** The id of the program's profile; null for a program without one. */
export function kindOf(names: readonly string[], own: readonly ProfileOverride[] = []): string | null {
  for (const name of names) {
    const { id } = profileFor(name, own);
    if (id !== generic.id) return id;
  }
  return null;
}

/**
 * The names that a process goes by: its own, its file's, and for an interpreter its script's. A package may hide
 * its program behind `dist/index.js`, so below `node_modules` every folder of the path is a name too.
 */
export function namesOf(comm: string, argv: readonly string[]): string[] {
  const file = stem(argv[0] ?? "");
  const names = [comm, file];
  if (INTERPRETER.test(file) || INTERPRETER.test(comm)) {
    const script = argv.slice(1, 20).find((word) => !word.startsWith("-")) ?? "";
    const inPackage = script.slice(0, 4096).split("/node_modules/").at(-1) as string;
    names.push(stem(script), ...(inPackage === script ? [] : inPackage.split("/").slice(0, 3)));
  }
  return names.filter((name) => name !== "");
}

const stem = (path: string): string => basename(path.slice(0, 4096)).replace(SCRIPT_END, "");

/** The agent program nearest to the pane's own process, searched breadth first. */
export function programBelow(
  rows: ReadonlyMap<number, ProcessFact>,
  root: number,
  argvOf: (pid: number) => readonly string[] | null,
  own: readonly ProfileOverride[],
): FoundProgram | null {
  let level = [root];
  let seen = 0;
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const next: number[] = [];
    for (const pid of level) {
      const row = rows.get(pid);
      if (!row || isEnded(row) || seen++ > TREE_MAX) continue;
      const argv = argvOf(pid) ?? [];
      const names = namesOf(row.comm, argv);
      const kind = kindOf(names, own);
      if (kind) return { kind, pid, start: row.start, startedAt: row.startedAt, argv };
      if (!names.some((name) => OWN_TERMINAL.has(name))) next.push(pid);
    }
    const parents = new Set(next);
    level = parents.size === 0 ? [] : [...rows.values()].filter((row) => parents.has(row.ppid)).map((row) => row.pid);
  }
  return null;
}

export const isEnded = (row: ProcessFact): boolean => row.state === "Z" || row.state === "X";
