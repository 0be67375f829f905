/** Puts the scheduled digest into the outbox like an alert, once per scheduled time. */
import { Cron } from "croner";
import type { IncidentState } from "../core/incidents/incident.js";
import type { Delivery } from "../core/notices/alert.js";
import { digestOf } from "../core/notices/digest.js";
import type { State } from "../core/states.js";
import type { OutboxTable } from "../store/outbox.js";

export interface DigestOptions {
  pattern: string;
  outbox: OutboxTable;
  channels: readonly string[];
  incidentState: () => IncidentState;
  states: () => readonly State[];
  now: () => number;
}

/** Period of the first digest. */
const FIRST_MS = 24 * 3_600_000;

export class Digests {
  readonly #options: DigestOptions;
  readonly #cron: Cron;
  #last: number | null;
  #next: number | null;

  /** Throws on an invalid pattern. */
  constructor(options: DigestOptions) {
    this.#options = options;
    this.#cron = new Cron(options.pattern, { paused: true });
    this.#last = options.outbox.lastDigest();
    // Digests missed while no daemon was running are skipped.
    this.#next = this.#after(options.now());
  }

  tick(now: number): void {
    if (this.#next === null || now < this.#next) return;
    const { outbox, channels, incidentState, states } = this.#options;
    const notice = digestOf(incidentState(), states(), this.#last ?? now - FIRST_MS, this.#next);
    const deliveries: Delivery[] = channels.map((channel) => ({ channel, dueAt: now }));
    const { key, subject, edge, severity, at } = notice;
    const planned = { key, subject, edge, kind: "digest", severity, at, members: [], deliveries };
    try {
      outbox.inOne(() => outbox.put([{ planned, notice }]));
    } catch {
      // The journal cannot be written: retried at the next tick.
      return;
    }
    this.#last = this.#next;
    this.#next = this.#after(now);
  }

  #after(at: number): number | null {
    return this.#cron.nextRun(new Date(at))?.getTime() ?? null;
  }
}
