/**
 * The daemon's time. It follows the wall clock forward and never goes back: while the wall clock is behind, it advances at
 * its own pace. A tick that is much later than requested, on either clock, means that the machine slept, the process was
 * stopped or the loop was blocked. That time is unobserved and counts for no verdict.
 *
 * Both clocks are read because they differ: on Linux the monotonic clock stops during a suspend, on macOS it continues.
 *
 * It also covers the time between two runs of the daemon, by a third clock that all processes share: the machine's uptime
 * cannot be set, and it includes a suspend. So the length of unobserved time is right whatever the wall clock shows.
 */
import { uptime } from "node:os";
import { bootId } from "../../sensors/process/proc.js";

/** Longest interval between two ticks of the loop. */
export const TICK_MS = 1000;

export interface ClockReading {
  wall: number;
  monotonic: number;
}

/** Uptime of the machine, and the id of its boot if known. */
export interface Uptime {
  ms: number;
  boot: string | null;
}

/** The daemon's clock and the wall clock at one moment. */
export interface ClockSample {
  now: number;
  wall: number;
}

/** A moment for the next run of the daemon; the uptime is null if it was not stored. */
export interface Moment extends ClockSample {
  uptime: Uptime | null;
}

/** The system reports its uptime in whole seconds. */
const UPTIME_STEP_MS = 1000;
/** Shortest interval between two readings: on Linux it is read from a file, 30 µs each time. */
const UPTIME_EVERY_MS = 100;
/** A tick that is later than this is a gap. */
const LATE_MS = 15_000;

export class DaemonClock {
  readonly #read: () => ClockReading;
  readonly #uptime: () => Uptime;
  #last: ClockReading;
  #now: number;
  /** All clocks at the last reading of the uptime. */
  #uptimeAt: { now: number; ms: number; reading: ClockReading };
  /** How far it was advanced over time of unknown length. */
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

  /** A wall clock that was set back in unobserved time hides a suspend from both clocks; the uptime shows it. */
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

  /** Continues from a moment of the previous daemon, with the time that passed since. After a reboot that time is unknown. */
  resume({ now, uptime }: Moment): void {
    const { ms, boot } = this.#uptime();
    if (uptime === null || uptime.boot !== boot || uptime.ms > ms) return;
    this.#now = Math.max(this.now(), now + ms - uptime.ms);
  }

  /** Signals stored by the previous daemon must not be in the future. */
  reach(at: number): void {
    const now = this.now();
    this.#leapt += Math.max(0, at - now);
    this.#now = Math.max(now, at);
  }

  /**
   * Start of the unobserved time, for a previous run that observed until `seen` and last checked at `checked`. If the clock had to
   * leap, its length is unknown: later signals were stamped behind the leap.
   */
  unwatchedFrom(seen: number, checked: ClockSample | null): number {
    const { check } = this;
    return Math.min(seen - (checked ? clockCatchUp(checked, check) : 0), check.now - this.#leapt);
  }

  /** Converts a wall-clock time. After the wall clock was set back, this clock is ahead of it. */
  timed(wall: number): number {
    return Math.min(this.now(), wall + this.ahead);
  }

  /** By how much it is ahead of the wall clock, which was set back then. */
  get ahead(): number {
    return Math.max(0, this.now() - this.#last.wall);
  }
}

/**
 * How much of its lag the wall clock has caught up, because it was set forward or the machine slept. A signal stamped
 * before and received after that moment seems this much older than it is.
 */
export function clockCatchUp(before: ClockSample, after: ClockSample): number {
  return Math.max(0, after.wall - before.wall - (after.now - before.now));
}

/** Unobserved time between two ticks of the same clock; null if there is none. */
export function gapBetween(
  before: ClockSample,
  after: ClockSample,
  expectedMs: number,
): { from: number; to: number } | null {
  const span = { from: before.now - clockCatchUp(before, after), to: after.now };
  return span.to - span.from > expectedMs + LATE_MS ? span : null;
}

/** Reads a clock, and finds the unobserved time between two readings. */
export class GapDetector {
  readonly #clock: Pick<DaemonClock, "check">;
  #last: ClockSample;

  constructor(clock: Pick<DaemonClock, "check">) {
    this.#clock = clock;
    this.#last = clock.check;
  }

  /** The time before now counts as observed. */
  restart(): void {
    this.#last = this.#clock.check;
  }

  read(): { now: number; gap: { from: number; to: number } | null } {
    const { check } = this.#clock;
    const gap = gapBetween(this.#last, check, TICK_MS);
    this.#last = check;
    return { now: check.now, gap };
  }
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
