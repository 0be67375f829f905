/** Has a program's output come to rest between two sequences, so that bytes of somebody else may stand there? */
import { setTimeout as sleep } from "node:timers/promises";
import type { Ring } from "./ring.js";

/** A text between two sequences of the program's own: only after so much silence, and only for so long. */
const REST_MS = 100;
const TRIES = 50;
const TAIL_BYTES = 4096;
const ESC = 0x1b;
const BEL = 0x07;

/** Waits for a rest; false where none came. */
export async function comesToRest(ring: Ring): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = ring.total;
    await sleep(REST_MS);
    if (ring.total === before && isAtRest(ring.tail(TAIL_BYTES))) return true;
  }
  return false;
}

/** By the last bytes that it wrote. In doubt it has not: whoever asks tries again. */
export function isAtRest(tail: Buffer): boolean {
  if (isCutCharacter(tail)) return false;
  const begun = tail.lastIndexOf(ESC);
  if (begun < 0) return true;
  const rest = tail.subarray(begun + 1);
  const [kind] = rest;
  if (kind === undefined) return false;
  const char = String.fromCharCode(kind);
  // A string that was begun before may be ended by this one: ESC \.
  if (char === "\\") return true;
  if (char === "[") return rest.subarray(1).some((byte) => byte >= 0x40 && byte <= 0x7e);
  if ("]P_^X".includes(char)) return char === "]" && rest.includes(BEL);
  return kind < 0x20 || kind > 0x2f || rest.length > 1;
}

/** The first bytes of a character whose others have not come. */
function isCutCharacter(tail: Buffer): boolean {
  for (let back = 1; back <= Math.min(4, tail.length); back++) {
    const byte = tail[tail.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back;
  }
  return false;
}
