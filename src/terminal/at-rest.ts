/** Detects whether a program's output rests between two escape sequences, so that rouse can insert bytes of its own. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Ring } from "./ring.js";

/** Silence that counts as rest, and how often it is awaited. */
const REST_MS = 100;
const TRIES = 50;
const TAIL_BYTES = 4096;
const ESC = 0x1b;
const BEL = 0x07;

/** Waits for the output to rest; false if it does not. */
export async function waitForRest(ring: Ring): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = ring.total;
    await sleep(REST_MS);
    if (ring.total === before && isAtRest(ring.tail(TAIL_BYTES))) return true;
  }
  return false;
}

/** Judges by the last bytes. False in doubt: callers try again. */
export function isAtRest(tail: Buffer): boolean {
  if (isCutCharacter(tail)) return false;
  const begun = tail.lastIndexOf(ESC);
  if (begun < 0) return true;
  const rest = tail.subarray(begun + 1);
  const [kind] = rest;
  if (kind === undefined) return false;
  const char = String.fromCharCode(kind);
  // ESC \ may end a string that began earlier.
  if (char === "\\") return true;
  if (char === "[") return rest.subarray(1).some((byte) => byte >= 0x40 && byte <= 0x7e);
  if ("]P_^X".includes(char)) return char === "]" && rest.includes(BEL);
  return kind < 0x20 || kind > 0x2f || rest.length > 1;
}

/** The output ends within a multi-byte character. */
function isCutCharacter(tail: Buffer): boolean {
  for (let back = 1; back <= Math.min(4, tail.length); back++) {
    const byte = tail[tail.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back;
  }
  return false;
}
