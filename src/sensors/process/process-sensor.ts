/**
 * Reports whether an agent's process exists, is stopped, has children, and uses CPU or network. One reading of all
 * processes serves every agent: `refresh` reads, `sample` only looks up, so a fleet costs as much as one agent.
 */
import type { GapSignal, ProcessSignal } from "../../core/signal.js";
import { hasTerminal, readIoBytes, readProcRow, readProcTable, readsTerminal } from "./proc.js";
import { isDead, KEEPER, type ProcessRow, type ProcessTable } from "./process-table.js";
import { hasTerminalByPs, readPsRow, readPsTable } from "./ps.js";
import { outwardSockets, readSockets, type SocketBytes } from "./sockets.js";
import { countWaits, noCounts, PROC_WAIT_FILES, starvation, type WaitCounts, type WaitFiles } from "./starvation.js";

export interface ProcessTarget {
  pid: number;
  /** `identityOf` the process when it was first seen; null if it was not read. */
  start: string | null;
}

export interface ProcessSensorOptions {
  /** Shortest time between two runs of `ss` for received bytes; 0 for never. */
  socketsEveryMs?: number;
  readTable?: () => Promise<ProcessTable | null>;
  readSockets?: () => Promise<Map<number, SocketBytes[]> | null>;
  waitFiles?: WaitFiles;
  readsTerminal?: (pid: number) => boolean;
  readIo?: (pid: number) => number | null;
}

/** Counters of one process tree. They only grow, whatever its members do. */
interface ProcessSample {
  cpuMs: number;
  cpuLast: number | null;
  childCpuMs: number;
  childCpu: Map<number, number>;
  childIoBytes: number;
  childIo: Map<number, number>;
  received: number | undefined;
  sockets: Map<string, number>;
  socketsAt: number;
  connection: ProcessSignal["connection"];
  waits: WaitCounts | null;
}

const hasProc = process.platform === "linux";
/** All processes of this machine; null if the system shows none. */
export const readProcesses: () => Promise<ProcessTable | null> = hasProc ? readProcTable : readPsTable;
const SOCKETS_EVERY_MS = 5000;
const SEEN_MAX = 4096;
/** Only the youngest processes are checked for a read: a question comes from the last command. */
const READERS_MAX = 16;
const CHILDREN_MAX = 64;

/**
 * The start of a process as reported by the system: on Linux with the id of this boot. Pids are reused; pid and this
 * string together identify one process. Null if there is none.
 */
export function identityOf(pid: number): string | null {
  const row = hasProc ? readProcRow(pid) : readPsRow(pid);
  return row === null || isDead(row) ? null : row.start;
}

/** Keys typed into its terminal reach this process: its group is in the foreground and not stopped. */
export function isInFront(pid: number): boolean {
  return (hasProc ? hasTerminal(pid) : hasTerminalByPs(pid)) === true;
}

export class ProcessSensor {
  #latest: ProcessTable | null = null;
  #sockets: Map<number, SocketBytes[]> | null = null;
  #socketsAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;
  readonly #seen = new Map<string, ProcessSample>();

  readonly #options: ProcessSensorOptions;

  constructor(options: ProcessSensorOptions = {}) {
    this.#options = options;
  }

  /** The last table; null before the first reading and if the system shows none. */
  get table(): ProcessTable | null {
    return this.#latest;
  }

  /** Reads the table again. Overlapping calls share one reading. */
  refresh(at: number): Promise<void> {
    this.#running ??= this.#check(at).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  sample(target: ProcessTarget, at: number): ProcessSignal {
    const seen = this.#seenOf(target);
    if (this.#latest === null) {
      return { kind: "process", at, source: "process", alive: null, children: 0, cpuMs: seen.cpuMs };
    }
    const { root, below } = treeOf(this.#latest, target);
    const tree = root ? [root, ...below] : below;
    countCpu(seen, tree);
    this.#countChildren(seen, below);
    const sockets = this.#countSockets(seen, tree);
    const reader = this.#terminalReader(below);
    const newest = below.reduce((latest, row) => Math.max(latest, row.startedAt), 0);
    return {
      kind: "process",
      at,
      source: "process",
      alive: root !== null,
      children: below.length,
      cpuMs: seen.cpuMs,
      ...(below.length > 0 ? { childCpuMs: seen.childCpuMs, childIoBytes: seen.childIoBytes } : {}),
      ...(newest > 0 ? { newestChildAt: newest } : {}),
      ...(reader === null ? {} : { terminalReaderAt: reader.startedAt }),
      ...(seen.received === undefined ? {} : { receivedBytes: seen.received, sockets }),
      ...(seen.connection === undefined ? {} : { connection: seen.connection }),
      ...(root?.state === "T" || root?.state === "t" ? { stopped: true } : {}),
    };
  }

  /** The youngest sleeping child that reads from a terminal. */
  #terminalReader(below: readonly ProcessRow[]): ProcessRow | null {
    const reads = this.#options.readsTerminal ?? (hasProc ? readsTerminal : () => false);
    const sleeping = below.filter(({ state, tty }) => state === "S" && tty !== null);
    const youngest = sleeping.sort((a, b) => b.startedAt - a.startedAt).slice(0, READERS_MAX);
    return youngest.find(({ pid }) => reads(pid)) ?? null;
  }

  /** The time that it got no CPU since the last call; null if it got enough. */
  starvation(target: ProcessTarget, at: number): GapSignal | null {
    if (this.#latest === null) return null;
    const seen = this.#seenOf(target);
    const { root, below } = treeOf(this.#latest, target);
    if (root === null) return null;
    const before = seen.waits ?? noCounts(root.startedAt);
    const pids = [root, ...below].map(({ pid }) => pid);
    seen.waits = countWaits(pids, at, this.#options.waitFiles ?? PROC_WAIT_FILES);
    return starvation(before, seen.waits);
  }

  forget(target: ProcessTarget): void {
    this.#seen.delete(keyOf(target));
  }

  async #check(at: number): Promise<void> {
    const every = this.#options.socketsEveryMs ?? SOCKETS_EVERY_MS;
    const wantsSockets = every > 0 && at - this.#socketsAt >= every && this.#seen.size > 0;
    const [table, sockets] = await Promise.all([
      (this.#options.readTable ?? readProcesses)(),
      wantsSockets ? (this.#options.readSockets ?? readSockets)() : null,
    ]);
    this.#latest = table;
    if (!wantsSockets) return;
    this.#sockets = sockets;
    this.#socketsAt = at;
  }

  #seenOf(target: ProcessTarget): ProcessSample {
    const key = keyOf(target);
    const known = this.#seen.get(key);
    const seen = known ?? newSample();
    this.#seen.delete(key);
    this.#seen.set(key, seen);
    const oldest = this.#seen.keys().next();
    if (this.#seen.size > SEEN_MAX && !oldest.done) this.#seen.delete(oldest.value);
    return seen;
  }

  /** What the descendants have used since they were first seen, those that have ended included. */
  #countChildren(seen: ProcessSample, below: readonly ProcessRow[]): void {
    const counted = below.slice(0, CHILDREN_MAX);
    const readIo = this.#options.readIo ?? (hasProc ? readIoBytes : () => null);
    seen.childCpuMs += growth(seen.childCpu, counted, ({ cpuMs }) => cpuMs);
    seen.childIoBytes += growth(seen.childIo, counted, ({ pid }) => readIo(pid));
  }

  /**
   * Bytes of a closed connection stay counted, or its end would count as activity. Returns the number of open
   * connections.
   */
  #countSockets(seen: ProcessSample, tree: readonly ProcessRow[]): number {
    if (this.#sockets === null || seen.socketsAt === this.#socketsAt) return seen.sockets.size;
    seen.socketsAt = this.#socketsAt;
    const open = new Map<string, number>();
    let total = seen.received ?? 0;
    // Traffic inside the tree is left out: a program's own server may become active when a request has hung for minutes
    // (Codex: five).
    const outward = outwardSockets(tree.flatMap(({ pid }) => this.#sockets?.get(pid) ?? []));
    seen.connection = connectionOf(outward, youngestOf(tree));
    for (const { key, received } of outward) {
      open.set(key, received);
      const before = seen.sockets.get(key) ?? 0;
      total += received >= before ? received - before : received;
    }
    seen.sockets = open;
    seen.received = total;
    return open.size;
  }
}

/** Nothing was started since: if anything in the tree works, it is this process. */
const youngestOf = (tree: readonly ProcessRow[]): ProcessRow | null =>
  tree.reduce<ProcessRow | null>((young, row) => (young && young.startedAt > row.startedAt ? young : row), null);

/** Does this process wait for an answer of another program, or hold a connection that received something last? */
function connectionOf(outward: readonly SocketBytes[], process: ProcessRow | null): ProcessSignal["connection"] {
  const own = outward.filter(({ key, isServed }) => !isServed && process !== null && key.startsWith(`${process.pid} `));
  if (own.length === 0) return undefined;
  return own.some(({ asks }) => asks) ? "asks" : "open";
}

/** By how much the counts of processes have grown; the first count of each is its baseline. */
function growth(
  known: Map<number, number>,
  rows: readonly ProcessRow[],
  countOf: (row: ProcessRow) => number | null,
): number {
  let grown = 0;
  const counts = new Map<number, number>();
  for (const row of rows) {
    const count = countOf(row);
    if (count === null) continue;
    grown += Math.max(0, count - (known.get(row.pid) ?? count));
    counts.set(row.pid, count);
  }
  known.clear();
  for (const [pid, count] of counts) known.set(pid, count);
  return grown;
}

const newSample = (): ProcessSample => ({
  cpuMs: 0,
  cpuLast: null,
  childCpuMs: 0,
  childCpu: new Map(),
  childIoBytes: 0,
  childIo: new Map(),
  received: undefined,
  sockets: new Map(),
  socketsAt: 0,
  connection: undefined,
  waits: null,
});

function keyOf({ pid, start }: ProcessTarget): string {
  return `${pid} ${start ?? ""}`;
}

/** A process with another start has reused the pid: its children are its own. */
function treeOf(table: ProcessTable, target: ProcessTarget): { root: ProcessRow | null; below: ProcessRow[] } {
  const row = table.rows.get(target.pid);
  if (row && target.start !== null && row.start !== target.start) return { root: null, below: [] };
  const below = table.descendants(target.pid).filter((child) => child.comm !== KEEPER);
  return { root: row && !isDead(row) ? row : null, below };
}

/**
 * A child's time passes to its parent when it is collected. If it is not collected, the sum falls; the loss is ignored.
 */
function countCpu(seen: ProcessSample, tree: readonly ProcessRow[]): void {
  const total = tree.reduce((sum, row) => sum + row.cpuMs, 0);
  if (seen.cpuLast !== null && total > seen.cpuLast) seen.cpuMs += total - seen.cpuLast;
  seen.cpuLast = total;
}
