/** Repeatable randomness: one small generator (mulberry32), with a separate stream for each consumer. */
import { digest } from "../../src/core/digest.js";

export class Random {
  #state: number;
  readonly #seed: string;

  constructor(seed: string | number) {
    this.#seed = String(seed);
    this.#state = Number.parseInt(digest(this.#seed), 36) >>> 0;
  }

  /** A consumer with its own stream does not change the draws of others. */
  stream(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  /** From 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }
}
