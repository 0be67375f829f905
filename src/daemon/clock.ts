/**
 * The daemon's time. It follows the wall clock forward and never goes back: a clock set back lets it run on at its own
 * pace. A tick that comes much later than it was asked for, on either clock, means that the machine slept, the process
 * was stopped or the loop was blocked. Nobody looked then, and nothing may be read out of that time.
 *
 * Both clocks are asked because they differ: on Linux the monotonic one stands still in a suspend, on macOS it runs on.
 */
export interface ClockReading {
  wall: number;
  monotonic: number;
}

/** A tick may be late by so much before it is a gap. */
const LATE_MS = 15_000;

export class Clock {
  readonly #read: () => ClockReading;
  #last: ClockReading;
  #now: number;

  constructor(read: () => ClockReading = readSystem) {
    this.#read = read;
    this.#last = read();
    this.#now = this.#last.wall;
  }

  now(): number {
    const reading = this.#read();
    const passed = Math.max(0, reading.monotonic - this.#last.monotonic);
    this.#now = Math.max(reading.wall, this.#now + passed);
    this.#last = reading;
    return Math.floor(this.#now);
  }

  /** A daemon before this one was already there: what it stored must not lie in the future. */
  reach(at: number): void {
    this.#now = Math.max(this.now(), at);
  }

  /** What the wall clock showed when this one was last asked. */
  get wall(): number {
    return this.#last.wall;
  }

  /** By how much it is ahead of the wall clock, which was set back then. */
  get ahead(): number {
    return Math.max(0, this.now() - this.#last.wall);
  }
}

/** The span in which nobody looked, between two ticks of the same clock; null when there is none. */
export function gapBetween(before: number, after: number, expectedMs: number): { from: number; to: number } | null {
  return after - before > expectedMs + LATE_MS ? { from: before, to: after } : null;
}

function readSystem(): ClockReading {
  return { wall: Date.now(), monotonic: performance.now() };
}
