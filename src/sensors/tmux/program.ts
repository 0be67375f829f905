/** Which agent program runs in a pane, by the processes below the pane's own. */
import { basename } from "node:path";
import { programOf } from "../../programs/process.js";
import type { ProfileOverride } from "../../programs/shared/profile.js";

/** The part of a process row that is needed here. */
export interface ProcessFact {
  pid: number;
  ppid: number;
  start: string;
  startedAt: number;
  state: string;
  comm: string;
}

/** The processes of this machine, read on demand. Null if they could not be read. */
export interface Processes {
  table(): Promise<{ readonly rows: ReadonlyMap<number, ProcessFact> } | null>;
  argv(pid: number): readonly string[] | null;
  exe(pid: number): string | null;
}

export interface FoundProgram {
  kind: string;
  pid: number;
  start: string;
  startedAt: number;
  argv: readonly string[];
}

/** Programs below these have a terminal of their own, not the pane's. */
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

/** The id of the program's profile, a user's own profiles included; null for a program without one. */
export function kindOf(
  argv: readonly string[],
  exe: string | null = null,
  own: readonly ProfileOverride[] = [],
): string | null {
  const known = programOf(argv, exe);
  if (known) return known;
  const names = namesOf(argv);
  return own.find((profile) => profile.programs?.some((program) => names.includes(program)))?.id ?? null;
}

/** The name of a program is that of its file, or of its script after an interpreter. */
const namesOf = (argv: readonly string[]): string[] => argv.slice(0, 2).map((word) => basename(word.slice(0, 4096)));

/** The agent program nearest to the pane's own process, searched breadth first. */
export function programBelow(
  rows: ReadonlyMap<number, ProcessFact>,
  root: number,
  processes: Processes,
  own: readonly ProfileOverride[],
): FoundProgram | null {
  let level = [root];
  let seen = 0;
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const next: number[] = [];
    for (const pid of level) {
      const row = rows.get(pid);
      if (!row || isEnded(row) || seen++ > TREE_MAX) continue;
      const argv = processes.argv(pid) ?? [row.comm];
      const kind = kindOf(argv, processes.exe(pid), own);
      if (kind) return { kind, pid, start: row.start, startedAt: row.startedAt, argv };
      if (![row.comm, ...namesOf(argv)].some((name) => OWN_TERMINAL.has(name))) next.push(pid);
    }
    const parents = new Set(next);
    level = parents.size === 0 ? [] : [...rows.values()].filter((row) => parents.has(row.ppid)).map((row) => row.pid);
  }
  return null;
}

export const isEnded = (row: ProcessFact): boolean => row.state === "Z" || row.state === "X";
