/**
 * What fails, and when. Each seed has its own mix, as in TigerBeetle's simulator: some have much of one fault and
 * none of another, so that no fault hides another. `NthFault` follows SQLite: one call fails, and another one in
 * the next run.
 */
import { HOUR, MINUTE, SECOND } from "../../src/core/text/time.js";
import type { LinkFaults } from "./link.js";
import type { Random } from "./random.js";

export type Call = "append" | "save" | "effect" | "report" | "channel";

export const CALL_FAULTS = {
  append: ["fail_before", "crash_before", "crash_after"],
  save: ["fail_before", "fail_after", "crash_before", "crash_after"],
  /**
   * The call fails; it is done and the answer is lost; it never answers, done or not, or is done long after; rouse
   * dies.
   */
  effect: ["fail_before", "fail_after", "hang_before", "hang_after", "done_late", "crash_before", "crash_after"],
  /** A due notice is written, or its outcome. */
  report: ["fail_before", "fail_after", "crash_before", "crash_after"],
  /** A receiver is down; accepts and the answer is lost; is slow; refuses; rouse dies. */
  channel: ["fail_before", "fail_after", "done_late", "refused", "crash_before", "crash_after"],
} as const satisfies Record<Call, readonly string[]>;
export type CallFault = (typeof CALL_FAULTS)[Call][number];

export interface CallFaults {
  at(call: Call): CallFault | null;
}

/** Events that affect the whole machine; a mute is an outage of every alert receiver. */
export type Blow =
  | { kind: "crash"; downMs: number }
  | { kind: "suspend"; ms: number }
  | { kind: "jump"; ms: number }
  | { kind: "store_down"; ms: number }
  | { kind: "silent_host"; ms: number }
  | { kind: "outage"; ms: number }
  | { kind: "silence"; ms: number }
  | { kind: "mute"; ms: number };

export interface Mix {
  link: LinkFaults;
  /** Probability of each call to fail in some way. */
  calls: Readonly<Record<Call, number>>;
  /** Number of each per day. */
  blows: Readonly<Record<Blow["kind"], number>>;
}

export const CALM: Mix = {
  link: { lost: 0, late: 0, doubled: 0, reordered: 0, lateMs: 0 },
  calls: { append: 0, save: 0, effect: 0, report: 0, channel: 0 },
  blows: { crash: 0, suspend: 0, jump: 0, store_down: 0, silent_host: 0, outage: 0, silence: 0, mute: 0 },
};

export function drawMix(random: Random): Mix {
  const some = (most: number): number => (random.chance(0.3) ? 0 : random.next() * most);
  const few = (most: number): number => (random.chance(0.3) ? 0 : random.between(1, most));
  const drawn = {
    link: { lost: some(0.02), late: some(0.02), doubled: some(0.05), reordered: some(0.05), lateMs: 5 * MINUTE },
    calls: { append: some(0.002), save: some(0.006), effect: some(0.5) },
    blows: {
      crash: few(3),
      suspend: few(4),
      jump: few(4),
      store_down: few(3),
      silent_host: few(4),
      outage: few(2),
      silence: few(3),
    },
  };
  // Drawn last, so that older seeds give the same agents as before.
  return {
    ...drawn,
    calls: { ...drawn.calls, report: some(0.03), channel: some(0.12) },
    blows: { ...drawn.blows, mute: few(3) },
  };
}

export class SeededFaults implements CallFaults {
  readonly counts = new Map<string, number>();
  isCalm = false;
  readonly #random: Random;
  readonly #notifier: Random;
  readonly #calls: Mix["calls"];

  constructor(random: Random, calls: Mix["calls"]) {
    this.#random = random;
    this.#notifier = random.stream("telling");
    this.#calls = calls;
  }

  at(call: Call): CallFault | null {
    const random = call === "report" || call === "channel" ? this.#notifier : this.#random;
    if (this.isCalm || this.#calls[call] === 0 || !random.chance(this.#calls[call])) return null;
    const drawn = random.pick<CallFault>(CALL_FAULTS[call]);
    // A new run replays the whole journal, the largest cost of a simulated day: other faults come more often.
    const fault = drawn.startsWith("crash") ? random.pick<CallFault>(CALL_FAULTS[call]) : drawn;
    this.counts.set(`${call} ${fault}`, (this.counts.get(`${call} ${fault}`) ?? 0) + 1);
    return fault;
  }
}

/** The nth call of one kind fails in one way, and no other does. */
export class NthFault implements CallFaults {
  reached = false;
  #left: number;
  readonly #call: Call;
  readonly #fault: CallFault;

  constructor(call: Call, n: number, fault: CallFault) {
    this.#call = call;
    this.#left = n;
    this.#fault = fault;
  }

  at(call: Call): CallFault | null {
    if (call !== this.#call || --this.#left !== 0) return null;
    this.reached = true;
    return this.#fault;
  }
}

export function drawBlows(random: Random, mix: Mix, from: number, to: number): { at: number; blow: Blow }[] {
  const times = Object.entries(mix.blows) as [Blow["kind"], number][];
  return times
    .flatMap(([kind, count]) =>
      Array.from({ length: count }, () => ({ at: random.between(from, to), blow: drawBlow(random, kind) })),
    )
    .sort((a, b) => a.at - b.at);
}

function drawBlow(random: Random, kind: Blow["kind"]): Blow {
  switch (kind) {
    case "crash":
      return { kind, downMs: random.between(1, 1200) * SECOND };
    case "suspend":
      return { kind, ms: random.chance(0.5) ? random.between(1, 20) * MINUTE : random.between(1, 3) * HOUR };
    case "jump":
      return { kind, ms: random.pick([-1, 1]) * random.pick([SECOND, MINUTE, 10 * MINUTE, HOUR]) };
    case "store_down":
      return { kind, ms: random.between(10, 600) * SECOND };
    case "silent_host":
      return { kind, ms: random.between(20, 900) * SECOND };
    case "outage":
      return { kind, ms: random.between(5, 90) * MINUTE };
    case "silence":
      return { kind, ms: random.between(10, 90) * MINUTE };
    case "mute":
      return { kind, ms: random.between(5, 150) * MINUTE };
  }
}
