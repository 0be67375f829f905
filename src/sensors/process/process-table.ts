/** All processes at one moment, with their parents. Plain data: `/proc` and `ps` both fill it. */
export interface ProcessRow {
  pid: number;
  ppid: number;
  /** Session of the terminal: an orphaned child keeps it. */
  sid: number;
  /** Device of the controlling terminal, as the system names it; null without one. */
  tty: string | null;
  /** One letter: R, S, D, T (stopped), Z (dead, not yet collected) and others. */
  state: string;
  /** Start of the process as reported by the system. Pid and start identify one process: see `identityOf`. */
  start: string;
  /** The same in wall-clock milliseconds. */
  startedAt: number;
  /** CPU time of the process and of its ended children, in milliseconds. */
  cpuMs: number;
  comm: string;
}

const TREE_MAX = 4096;
/** The helper of `rouse run` that lets an agent stop itself; it is not work of the agent. */
export const KEEPER = "rouse-job";

export class ProcessTable {
  readonly #children = new Map<number, ProcessRow[]>();
  readonly #sessions = new Map<number, ProcessRow[]>();

  constructor(readonly rows: ReadonlyMap<number, ProcessRow>) {
    for (const row of rows.values()) {
      add(this.#children, row.ppid, row);
      add(this.#sessions, row.sid, row);
    }
  }

  /**
   * All descendants of this process, without itself. If it leads a terminal session, orphans of its children count too:
   * an orphan has init as its parent, but keeps the session.
   */
  descendants(pid: number): ProcessRow[] {
    const found = new Map<number, ProcessRow>();
    const pending = [pid];
    for (let at = pending.pop(); at !== undefined && found.size < TREE_MAX; at = pending.pop()) {
      for (const row of this.#children.get(at) ?? []) {
        if (row.pid === pid || found.has(row.pid)) continue;
        found.set(row.pid, row);
        pending.push(row.pid);
      }
    }
    for (const row of this.#sessions.get(pid) ?? []) {
      if (row.pid !== pid && found.size < TREE_MAX) found.set(row.pid, row);
    }
    return [...found.values()].filter((row) => !isDead(row));
  }

  /** The parents of a process, nearest first. */
  ancestors(pid: number): ProcessRow[] {
    const found: ProcessRow[] = [];
    let row = this.rows.get(pid);
    while (row && found.length < 64) {
      row = this.rows.get(row.ppid);
      if (row === undefined || row.pid === pid) break;
      found.push(row);
    }
    return found;
  }
}

/** Ended, and not yet collected by its parent. */
export function isDead(row: ProcessRow): boolean {
  return row.state === "Z" || row.state === "X" || row.state === "x";
}

function add(index: Map<number, ProcessRow[]>, key: number, row: ProcessRow): void {
  const rows = index.get(key);
  if (rows) rows.push(row);
  else index.set(key, [row]);
}
