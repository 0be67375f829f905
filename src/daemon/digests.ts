/** Puts the scheduled digest into the outbox like an alert, once per scheduled time. */
import { Cron } from "croner";
import type { IncidentState } from "../core/incidents/incident.js";
import type { Delivery } from "../core/notices/alert.js";
import { digestOf } from "../core/notices/digest.js";
import type { WorkTotals } from "../core/notices/pipeline-text.js";
import type { State } from "../core/states.js";
import type { OutboxTable } from "../store/outbox.js";

export interface DigestOptions {
  pattern: string;
  outbox: OutboxTable;
  channels: readonly string[];
  incidentState: () => IncidentState;
  states: () => readonly State[];
  /** The queue of work since a time; null: there is none. */
  work: (since: number) => Promise<WorkTotals> | null;
  now: () => number;
}

/** Period of the first digest. */
const FIRST_MS = 24 * 3_600_000;
/** A hub that does not answer by then is left out. */
const WORK_MS = 30_000;

interface Asked {
  totals: WorkTotals | null | undefined;
}

export class Digests {
  readonly #options: DigestOptions;
  readonly #cron: Cron;
  #last: number | null;
  #next: number | null;
  /** The answer of the hub for the digest that is due; undefined until it arrives. */
  #work: Asked | null = null;

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
    const since = this.#last ?? now - FIRST_MS;
    const work = this.#workSince(since, now - this.#next);
    if (work === undefined) return;
    const notice = digestOf({ incidentState: incidentState(), states: states(), work }, since, this.#next);
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
    this.#work = null;
  }

  #workSince(since: number, waitedMs: number): WorkTotals | null | undefined {
    if (this.#work === null) {
      const answer = this.#options.work(since);
      const asked: Asked = { totals: answer === null ? null : undefined };
      this.#work = asked;
      answer?.then(
        (totals) => (asked.totals = totals),
        () => (asked.totals = null),
      );
    }
    return this.#work.totals === undefined && waitedMs >= WORK_MS ? null : this.#work.totals;
  }

  #after(at: number): number | null {
    return this.#cron.nextRun(new Date(at))?.getTime() ?? null;
  }
}
