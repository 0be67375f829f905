/**
 * Changed agents that are not on the hub yet. A later change replaces an earlier one, so however long the hub is away, there is at
 * most one row per agent.
 */
import type { AgentRow } from "../hub/fleet.js";

/** Rows of one write. */
const BATCH_MAX = 500;

export class AgentBacklog {
  readonly #waiting = new Map<string, AgentRow>();
  /** Ids on the hub, as far as this run knows. */
  readonly #written = new Set<string>();
  /** A row waits that is written at once; others wait up to a second for more. */
  isUrgent = false;

  get size(): number {
    return this.#waiting.size;
  }

  put(row: AgentRow, isUrgent: boolean): void {
    this.#waiting.set(row.id, row);
    this.isUrgent ||= isUrgent;
  }

  /** The agent is not watched any more. */
  remove(id: string, at: number): void {
    if (!this.#waiting.has(id) && !this.#written.has(id)) return;
    this.#waiting.set(id, { id, name: "", state: "gone", since: at, body: null });
  }

  /** The rows of the next write; those that are not written have to be restored. */
  take(): AgentRow[] {
    const rows = [...this.#waiting.values()].slice(0, BATCH_MAX);
    for (const { id } of rows) this.#waiting.delete(id);
    this.isUrgent = false;
    return rows;
  }

  /** They wait again, unless a later change has replaced them, and are late already. */
  restore(rows: readonly AgentRow[]): void {
    this.isUrgent = true;
    for (const row of rows) if (!this.#waiting.has(row.id)) this.#waiting.set(row.id, row);
  }

  written(rows: readonly AgentRow[]): void {
    for (const { id, body } of rows)
      if (body === null) this.#written.delete(id);
      else this.#written.add(id);
  }

  /** Ids of agents that are on the hub or wait for it. */
  known(): string[] {
    const waiting = [...this.#waiting.values()].flatMap(({ id, body }) => (body === null ? [] : [id]));
    return [...new Set([...this.#written, ...waiting])];
  }
}
