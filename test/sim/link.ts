/**
 * The path of an agent's signals to the daemon. The host numbers its signals, keeps unacknowledged ones and sends
 * them again; sensors send without numbers, once. Faults: lost (the host's buffer was full, a sensor was skipped),
 * late, duplicated, out of order.
 */
import type { Signal, Source } from "../../src/core/signal.js";
import type { Random } from "./random.js";

export interface LinkFaults {
  lost: number;
  late: number;
  doubled: number;
  reordered: number;
  /** The maximum delay. */
  lateMs: number;
}

export const NO_FAULTS: LinkFaults = { lost: 0, late: 0, doubled: 0, reordered: 0, lateMs: 0 };

export interface Batch {
  from: number | null;
  signals: Signal[];
}

/** Signals from the terminal that the host holds. */
const BY_HOST: ReadonlySet<Source> = new Set<Source>(["screen", "title", "program_status", "human", "observer"]);

export class Link {
  faults: LinkFaults;
  readonly counts: Record<"lost" | "late" | "doubled" | "reordered", number>;
  readonly #random: Random;
  #sent = 0;
  #acked = 0;
  /** Numbered, not yet acknowledged. */
  #kept: { seq: number; signal: Signal }[] = [];
  /** Unnumbered, each once. */
  #waiting: Signal[] = [];
  #notBefore = 0;

  constructor(random: Random, faults: LinkFaults, counts: Link["counts"]) {
    this.#random = random;
    this.faults = faults;
    this.counts = counts;
  }

  put(signal: Signal, now: number): void {
    if (this.#happens("late")) this.#notBefore = now + this.#random.next() * this.faults.lateMs;
    const lost = this.#happens("lost");
    if (BY_HOST.has(signal.source) || signal.kind === "exit") {
      this.#sent++;
      if (!lost) this.#kept.push({ seq: this.#sent, signal });
      return;
    }
    if (lost) return;
    this.#waiting.push(signal);
    if (this.#happens("doubled")) this.#waiting.push(signal);
    // Signals of one source stay in order; two sources may overtake each other.
    if (this.#waiting.length > 1 && this.#happens("reordered"))
      this.#waiting.sort((a, b) => (a.source === b.source ? 0 : a.source < b.source ? 1 : -1));
  }

  /** The due signals. */
  take(now: number): Batch[] {
    if (now < this.#notBefore) return [];
    const batches: Batch[] = [];
    let from = 0;
    for (const { seq, signal } of this.#kept) {
      const last = batches.at(-1);
      if (last && seq === from + last.signals.length) last.signals.push(signal);
      else {
        from = seq;
        batches.push({ from: seq, signals: [signal] });
      }
    }
    if (batches.length > 0 && this.#happens("doubled")) batches.push(...batches);
    if (this.#waiting.length > 0) batches.push({ from: null, signals: this.#waiting });
    this.#waiting = [];
    return batches;
  }

  /** The daemon could not store a sensor's signal: the sensor reports it again. */
  back(signals: readonly Signal[]): void {
    this.#waiting.unshift(...signals);
  }

  ack(acked: number | null): void {
    this.#acked = Math.max(this.#acked, acked ?? 0);
    this.#kept = this.#kept.filter(({ seq }) => seq > this.#acked);
  }

  #happens(fault: keyof Link["counts"]): boolean {
    const happens = this.faults[fault] > 0 && this.#random.chance(this.faults[fault]);
    if (happens) this.counts[fault]++;
    return happens;
  }
}
