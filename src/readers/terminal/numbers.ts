/** Numbers of a status line, found by shape. */
import { oncePerRow, type ScreenRow } from "./row.js";

const PART = /(\d{1,5}(?:\.\d{1,3})?)\s?(d|h|ms|m|s)(?:[a-z]*)\b/g;
const UNIT_MS: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** The first run of "1h 2m 3s"-like parts, in milliseconds. */
export function durationMs(text: string): number | null {
  PART.lastIndex = 0;
  let total: number | null = null;
  let end = -1;
  const head = text.slice(0, 400);
  for (let m = PART.exec(head); m; m = PART.exec(head)) {
    if (total !== null && m.index - end > 1) break;
    total = (total ?? 0) + Number(m[1]) * (UNIT_MS[m[2] as string] ?? 0);
    end = m.index + m[0].length;
  }
  return total;
}

/** "↓ 1.2k tokens" as a number. */
export function tokenCount(text: string): number | null {
  const m = /(\d{1,9}(?:\.\d{1,3})?)\s?([kKmM])?\s?tokens?\b/.exec(text.slice(0, 400));
  if (!m) return null;
  const scale = m[2] === undefined ? 1 : m[2].toLowerCase() === "k" ? 1000 : 1_000_000;
  return Math.round(Number(m[1]) * scale);
}

export interface Numbers {
  elapsedMs: number | null;
  tokens: number | null;
}

/** The time and the tokens that a text shows. */
export const numbersIn = (text: string): Numbers => ({ elapsedMs: durationMs(text), tokens: tokenCount(text) });

export const numbersOf: (row: ScreenRow) => Numbers = oncePerRow(numbersIn);
