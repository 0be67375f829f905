/**
 * The lease of a node as the node itself sees it. The database judges the lease by its own clock; the node counts the time since
 * its last renewal on a clock that no other program sets, and stands down before the database can give its work away.
 */
import { STAND_DOWN_MS } from "../hub/fleet.js";

export interface Clocks {
  /** Milliseconds that only grow; stands still while the machine sleeps. */
  monotonic: () => number;
  /** The machine's clock: shows a sleep, and may be set. */
  wall: () => number;
}

export const CLOCKS: Clocks = { monotonic: () => performance.now(), wall: () => Date.now() };

export interface Reading {
  monotonic: number;
  wall: number;
}

export const read = ({ monotonic, wall }: Clocks): Reading => ({ monotonic: monotonic(), wall: wall() });

/** Both clocks count; a clock that was set back counts nothing. */
export const elapsed = (from: Reading, to: Reading): number =>
  Math.max(to.monotonic - from.monotonic, to.wall - from.wall, 0);

/** `renewedAt`: when the request of the last successful renewal was sent; null before the first. */
export const isActive = (renewedAt: Reading | null, now: Reading): boolean =>
  renewedAt !== null && elapsed(renewedAt, now) < STAND_DOWN_MS;
