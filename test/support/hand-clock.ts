/** A clock that a test moves: the wall clock and the monotonic one, as two systems show them. */
import { type ClockReading, DaemonClock, type Uptime } from "../../src/daemon/self/clock.js";

/** On Linux the monotonic clock stops while the machine sleeps; on macOS it continues. */
export const MODELS = ["linux", "macos"] as const;
export type ClockModel = (typeof MODELS)[number];

export class HandClock {
  clock: DaemonClock;
  readonly #model: ClockModel;
  readonly #reading: ClockReading;
  readonly #uptime: Uptime = { ms: 90_000, boot: "first" };

  constructor(start: number, model: ClockModel = "linux") {
    this.#model = model;
    this.#reading = { wall: start, monotonic: 5000 };
    this.clock = this.again();
  }

  /** As a starting process sees it. */
  again(): DaemonClock {
    this.clock = new DaemonClock(
      () => ({ ...this.#reading }),
      () => ({ ...this.#uptime }),
    );
    return this.clock;
  }

  get wall(): number {
    return this.#reading.wall;
  }

  /** Time passes, and the machine is awake. */
  pass(ms: number): void {
    this.#reading.wall += ms;
    this.#reading.monotonic += ms;
    this.#uptime.ms += ms;
  }

  /** Time passes while the machine sleeps. */
  sleep(ms: number): void {
    this.#reading.wall += ms;
    if (this.#model === "macos") this.#reading.monotonic += ms;
    this.#uptime.ms += ms;
  }

  /** The machine reboots in no time. */
  reboot(): void {
    this.#uptime.ms = 0;
    this.#uptime.boot += "+";
  }

  /** The wall clock is set. */
  set(byMs: number): void {
    this.#reading.wall += byMs;
  }
}
