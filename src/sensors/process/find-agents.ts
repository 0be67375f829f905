/**
 * Running agents, in any terminal. A program that starts itself again (a Node.js wrapper and the real program inside)
 * is one agent; a program that an agent started through a shell is another.
 */
import { homedir } from "node:os";
import { partOf } from "../../programs/part.js";
import { programOf } from "../../programs/process.js";
import { programFor } from "../../programs/registry.js";
import type { Candidate, TranscriptLocation } from "../../programs/transcript.js";
import type { Accounts } from "./account.js";
import { FileValues } from "./file-values.js";
import { isOwn, readArgv, readCwd, readEnviron, readExe, readOpenFiles } from "./proc.js";
import { isDead, type ProcessRow, type ProcessTable } from "./process-table.js";
import { programFiles } from "./program-files.js";

export interface FoundAgent {
  kind: string;
  pid: number;
  /** Start of the process: pid and start identify it. */
  start: string;
  startedAt: number;
  /** Processes of the same program inside it. */
  innerPids: number[];
  command: string[];
  cwd: string | null;
  tty: string | null;
  located: TranscriptLocation | null;
  /** Digest of its account; null if unknown. */
  account: string | null;
  /** Set if rouse started it: `rouse run` and `spawn` set it in the environment. */
  session: string | null;
}

interface Known {
  kind: string | null;
  argv: string[];
  /**
   * Seen more than once. Between fork and exec, a process has the name and arguments of its parent, and the same pid.
   */
  isSettled: boolean;
}

const AGENTS_MAX = 2000;
const COMMAND_WORDS_MAX = 100;
const WORD_MAX = 1000;

export class AgentFinder {
  /** Earlier result for each process. A process that becomes another program changes its name. */
  #known = new Map<string, Known>();
  readonly #accounts: Accounts | null;
  readonly #values = new FileValues();

  constructor(accounts: Accounts | null = null) {
    this.#accounts = accounts;
  }

  async find(table: ProcessTable): Promise<FoundAgent[]> {
    const kinds = this.#kindsOf(table);
    const found: FoundAgent[] = [];
    for (const row of table.rows.values()) {
      const kind = kinds.get(row.pid)?.kind;
      if (!kind || kinds.get(row.ppid)?.kind === kind || found.length >= AGENTS_MAX) continue;
      const agent = await this.#describe(row, kind, kinds, table);
      if (agent) found.push(agent);
    }
    return withoutInherited(withoutShared(found));
  }

  async #locate(kind: string, candidate: Candidate): Promise<TranscriptLocation | null> {
    const part = partOf(programFor(kind).transcript);
    if (!part) return null;
    const located = await part.locate(candidate, programFiles);
    if (!located) return null;
    const commandLimitMs = await part.commandLimitMs?.(candidate, this.#values.read);
    return { ...located, ...(commandLimitMs ? { commandLimitMs } : {}) };
  }

  #kindsOf(table: ProcessTable): Map<number, Known> {
    const known = new Map<string, Known>();
    const kinds = new Map<number, Known>();
    for (const row of table.rows.values()) {
      if (isDead(row)) continue;
      const key = `${row.pid} ${row.start} ${row.comm}`;
      const before = this.#known.get(key);
      const entry = before?.isSettled ? before : { ...classify(row), isSettled: before !== undefined };
      known.set(key, entry);
      if (entry.kind !== null) kinds.set(row.pid, entry);
    }
    this.#known = known;
    return kinds;
  }

  async #describe(
    row: ProcessRow,
    kind: string,
    kinds: ReadonlyMap<number, Known>,
    table: ProcessTable,
  ): Promise<FoundAgent | null> {
    const env = readEnviron(row.pid) ?? new Map<string, string>();
    // Sessions that rouse starts for itself are never watched: it would end up watching its own diagnosis.
    if (env.get("ROUSE_INTERNAL") === "1") return null;
    const innerPids = innerOf(row.pid, kind, kinds, table);
    const pids = [row.pid, ...innerPids];
    const argv = kinds.get(row.pid)?.argv ?? [];
    const cwd = readCwd(row.pid);
    const home = env.get("HOME") || homedir();
    const candidate = { pids, startedAt: row.startedAt, argv, cwd, env, home, openFiles: pids.flatMap(readOpenFiles) };
    const located = await this.#locate(kind, candidate);
    return {
      kind,
      pid: row.pid,
      start: row.start,
      startedAt: row.startedAt,
      innerPids,
      command: argv.slice(0, COMMAND_WORDS_MAX).map((word) => word.slice(0, WORD_MAX)),
      cwd,
      tty: row.tty,
      located,
      account: (await this.#accounts?.of({ kind, env, home })) ?? null,
      session: env.get("ROUSE_SESSION") ?? null,
    };
  }
}

function classify(row: ProcessRow): Pick<Known, "kind" | "argv"> {
  const argv = isOwn(row.pid) ? (readArgv(row.pid) ?? []) : [];
  return { kind: argv.length > 0 ? programOf(argv, readExe(row.pid)) : null, argv };
}

function innerOf(pid: number, kind: string, kinds: ReadonlyMap<number, Known>, table: ProcessTable): number[] {
  const group = new Set([pid]);
  // Parents come before their children in this list.
  for (const row of table.descendants(pid)) {
    if (group.has(row.ppid) && kinds.get(row.pid)?.kind === kind) group.add(row.pid);
  }
  group.delete(pid);
  return [...group];
}

/**
 * Two agents in one folder may both seem to write its newest file, or the newest session of a database. Then neither gets
 * it, because it is ambiguous.
 */
function withoutShared(agents: FoundAgent[]): FoundAgent[] {
  const owners = new Map<string, number>();
  const pathOf = ({ located, pid }: FoundAgent): string => {
    const { database } = located ?? {};
    return database ? `${database.path} ${database.directory}` : (located?.transcript ?? `none of ${pid}`);
  };
  for (const agent of agents) owners.set(pathOf(agent), (owners.get(pathOf(agent)) ?? 0) + 1);
  return agents.map((agent) => {
    if (!agent.located || (owners.get(pathOf(agent)) ?? 0) < 2) return agent;
    const { database: _, ...located } = agent.located;
    return { ...agent, located: { ...located, transcript: null, sessionId: null } };
  });
}

/** An agent started by another agent inherits its environment: the session belongs to the outer one, which is first. */
function withoutInherited(agents: FoundAgent[]): FoundAgent[] {
  const first = new Map<string, FoundAgent>();
  for (const agent of agents) {
    const other = agent.session === null ? undefined : first.get(agent.session);
    if (agent.session !== null && (!other || agent.startedAt < other.startedAt)) first.set(agent.session, agent);
  }
  return agents.map((agent) =>
    agent.session === null || first.get(agent.session) === agent ? agent : { ...agent, session: null },
  );
}
