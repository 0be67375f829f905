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
import { bootId } from "../../sensors/process/proc.js";

/** The loop looks up at least so often. */
export const TICK_MS = 1000;

export interface ClockReading {
  wall: number;
  monotonic: number;
}

/** How long the machine has been up, and which start of it is meant, where that is known. */
export interface Uptime {
  ms: number;
  boot: string | null;
}

/** What the daemon's clock and the wall clock showed at one moment. */
export interface ClockSample {
  now: number;
  wall: number;
}

/** A moment for the daemon after this one; the uptime is null where nobody kept it. */
export interface Moment extends ClockSample {
  uptime: Uptime | null;
}

/** The system tells its uptime in whole seconds. */
const UPTIME_STEP_MS = 1000;
/** It is asked at most so often: on Linux it is read from a file, 30 µs each time. */
const UPTIME_EVERY_MS = 100;
/** A tick may be late by so much before it is a gap. */
const LATE_MS = 15_000;

export class DaemonClock {
  readonly #read: () => ClockReading;
  readonly #uptime: () => Uptime;
  #last: ClockReading;
  #now: number;
  /** What it and the other clocks showed when the uptime was last asked for. */
  #uptimeAt: { now: number; ms: number; reading: ClockReading };
  /** How far it was moved on over time of which nobody knows how long it was. */
  #leapt = 0;

  constructor(read: () => ClockReading = readSystem, uptime: () => Uptime = readUptime) {
    this.#read = read;
    this.#uptime = uptime;
    this.#last = read();
    this.#now = this.#last.wall;
    this.#uptimeAt = { now: this.#now, ms: uptime().ms, reading: this.#last };
  }

  now(): number {
    const reading = this.#read();
    const passed = Math.max(0, reading.monotonic - this.#last.monotonic);
    this.#now = Math.max(reading.wall, this.#now + passed);
    this.#last = reading;
    return Math.floor(this.#now);
  }

  get check(): ClockSample {
    this.#keepUp();
    return { now: this.now(), wall: this.#last.wall };
  }

  /** A wall clock that was set back while nobody looked hides a suspend from both clocks; the uptime shows it. */
  #keepUp(): void {
    const now = this.now();
    const before = this.#uptimeAt;
    if (isSameMoment(before.reading, this.#last)) return;
    const { ms } = this.#uptime();
    this.#now = Math.max(now, before.now + ms - before.ms - UPTIME_STEP_MS);
    this.#uptimeAt = { now: this.#now, ms, reading: this.#last };
  }

  get moment(): Moment {
    return { ...this.check, uptime: this.#uptime() };
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

  /**
   * From when on nobody watched, where the life before this one watched until `seen` and last looked at `looked`. Where the
   * clock had to leap, nobody knows how long that was: what comes was stamped behind the leap.
   */
  unwatchedFrom(seen: number, checked: ClockSample | null): number {
    const { check } = this;
    return Math.min(seen - (checked ? caughtUp(checked, check) : 0), check.now - this.#leapt);
  }

  /** A time that somebody read from the wall clock. Once that was set back, this one runs ahead of it. */
  timed(wall: number): number {
    return Math.min(this.now(), wall + this.ahead);
  }

  /** By how much it is ahead of the wall clock, which was set back then. */
  get ahead(): number {
    return Math.max(0, this.now() - this.#last.wall);
  }
}

/**
 * By how much the wall clock came nearer to this one, which runs ahead of it once it was set back: it was set forward, or
 * the machine slept. What was stamped before that and comes after it looks older than it is by so much.
 */
export function caughtUp(before: ClockSample, after: ClockSample): number {
  return Math.max(0, after.wall - before.wall - (after.now - before.now));
}

/** The span in which nobody looked, between two ticks of the same clock; null when there is none. */
export function gapBetween(
  before: ClockSample,
  after: ClockSample,
  expectedMs: number,
): { from: number; to: number } | null {
  const span = { from: before.now - caughtUp(before, after), to: after.now };
  return span.to - span.from > expectedMs + LATE_MS ? span : null;
}

function isSameMoment(before: ClockReading, after: ClockReading): boolean {
  const passed = after.monotonic - before.monotonic;
  return passed < UPTIME_EVERY_MS && Math.abs(after.wall - before.wall) < UPTIME_EVERY_MS;
}

function readSystem(): ClockReading {
  return { wall: Date.now(), monotonic: performance.now() };
}

function readUptime(): Uptime {
  return { ms: Math.round(uptime() * 1000), boot: bootId() };
}
