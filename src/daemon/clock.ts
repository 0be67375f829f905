/**
 * The daemon's time. It follows the wall clock forward and never goes back: a clock set back lets it run on at its own
 * pace. A tick that comes much later than it was asked for, on either clock, means that the machine slept, the process
 * was stopped or the loop was blocked. Nobody looked then, and nothing may be read out of that time.
 *
 * Both clocks are asked because they differ: on Linux the monotonic one stands still in a suspend, on macOS it runs on.
 *
 * It runs on through the time between two lives of the daemon too, by a third clock that all processes share: nobody sets
 * the machine's uptime, and it counts a suspend. So what nobody saw is as long as it was, wherever the wall clock stands.
 */
import { uptime } from "node:os";
import { bootId } from "../sensors/process/proc.js";

export interface ClockReading {
  wall: number;
  monotonic: number;
}

/** How long the machine has been up, and which start of it is meant, where that is known. */
export interface Uptime {
  ms: number;
  boot: string | null;
}

/** A moment on the daemon's clock, for the daemon after it; the uptime is null where nobody kept it. */
export interface Moment {
  now: number;
  uptime: Uptime | null;
}

/** A tick may be late by so much before it is a gap. */
const LATE_MS = 15_000;

export class Clock {
  readonly #read: () => ClockReading;
  readonly #uptime: () => Uptime;
  #last: ClockReading;
  #now: number;
  /** How far it was moved on over time of which nobody knows how long it was. */
  #leapt = 0;

  constructor(read: () => ClockReading = readSystem, uptime: () => Uptime = readUptime) {
    this.#read = read;
    this.#uptime = uptime;
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

  get moment(): Moment {
    return { now: this.now(), uptime: this.#uptime() };
  }

  /** Goes on from a moment of the daemon before this one, with the time that passed since. After a reboot nobody knows it. */
  resume({ now, uptime }: Moment): void {
    const { ms, boot } = this.#uptime();
    if (uptime === null || uptime.boot !== boot || uptime.ms > ms) return;
    this.#now = Math.max(this.now(), now + ms - uptime.ms);
  }

  /** A daemon before this one was already there: what it stored must not lie in the future. */
  reach(at: number): void {
    const now = this.now();
    this.#leapt += Math.max(0, at - now);
    this.#now = Math.max(now, at);
  }

  get leapt(): number {
    return this.#leapt;
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

function readUptime(): Uptime {
  return { ms: Math.round(uptime() * 1000), boot: bootId() };
}
