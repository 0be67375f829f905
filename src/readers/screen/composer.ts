import type { Pattern } from "../../agents/pattern.js";
import type { CompiledProfile } from "./compiled.js";
import { footOf, isBlank } from "./screen-text.js";

export interface Composer {
  /** First row that belongs to it, its frame included. */
  top: number;
  /** Last row that belongs to it. */
  bottom: number;
  draft: string;
}

const HEIGHT_MAX = 16;

/**
 * The place where a human types, or null. The lowest place that fits counts, and only a few rows of chrome may stand
 * below it: a copy of a composer in the reply has the real one, or a dialog, beneath it.
 */
export function findComposer(profile: CompiledProfile, rows: readonly string[]): Composer | null {
  const { composer } = profile;
  const foot = footOf(rows);
  let below = 0;
  for (let y = foot; y >= 0 && below <= composer.belowMax; y--) {
    const row = rows[y] as string;
    const found = composer.bottom ? framed(profile, rows, y) : bare(profile, row, y);
    if (found) return found;
    if (!isBlank(row)) below++;
  }
  return composer.bottom ? null : tall(profile, rows, foot);
}

/**
 * A composer without a frame of its own that holds a draft of many rows. Either the program indents them, so that
 * nothing else stands between its first row and the foot, or rules enclose them.
 */
function tall(profile: CompiledProfile, rows: readonly string[], foot: number): Composer | null {
  const { more, belowMax } = profile.composer;
  let below = 0;
  let isDraft = more !== null;
  let closing: number | null = null;
  for (let y = foot; y > 0 && foot - y < HEIGHT_MAX + belowMax; y--) {
    const row = rows[y] as string;
    const draft = draftOf(profile, row);
    if (draft !== null && isDraft) return { top: y, bottom: lowest(rows, y, foot, more), draft };
    if (draft !== null && closing !== null && RULE.test(rows[y - 1] as string)) return { top: y - 1, bottom: closing, draft };
    if (RULE.test(row)) closing = below <= belowMax ? y : null;
    if (isBlank(row)) continue;
    below++;
    isDraft &&= below <= belowMax || (more?.test(row) ?? false);
  }
  return null;
}

const RULE = /^\s?[╭╰┌└]?[─━═▄▀▔▁]{9,}/;

/** The last row of a draft that begins at `y`: its rows are of one piece, and the foot stands apart from them. */
function lowest(rows: readonly string[], y: number, foot: number, more: Pattern | null): number {
  let end = y;
  while (end < foot && !isBlank(rows[end + 1]) && more?.test(rows[end + 1] as string)) end++;
  return end;
}

function bare(profile: CompiledProfile, row: string, y: number): Composer | null {
  const draft = draftOf(profile, row);
  return draft === null ? null : { top: y, bottom: y, draft };
}

/** A composer with a closing row at `y`: looks upwards for its first row and, where it has one, its opening row. */
function framed(profile: CompiledProfile, rows: readonly string[], y: number): Composer | null {
  const { first, top, bottom } = profile.composer;
  if (!bottom?.test(rows[y] as string)) return null;
  if (top === null) {
    let start = y;
    while (start > 0 && y - start < HEIGHT_MAX && first.test(rows[start - 1] as string)) start--;
    if (start === y) return null;
    const drafts: string[] = [];
    for (let r = start; r < y - 1; r++) drafts.push(draftOf(profile, rows[r] as string) ?? "");
    return { top: start, bottom: y, draft: drafts.join(" ").trim() };
  }
  for (let r = y - 1; r > 0 && y - r <= HEIGHT_MAX; r--) {
    const draft = draftOf(profile, rows[r] as string);
    if (draft !== null && top.test(rows[r - 1] as string)) {
      const more = rows.slice(r + 1, y).map((row) => row.trim());
      return { top: r - 1, bottom: y, draft: [draft, ...more].join(" ").trim() };
    }
    if (top.test(rows[r] as string)) return null;
  }
  return null;
}

function draftOf(profile: CompiledProfile, row: string): string | null {
  const { first, not, placeholders } = profile.composer;
  const groups = first.groups(row);
  if (!groups || not?.test(row)) return null;
  const draft = (groups["draft"] ?? "").trim();
  return placeholders.some((p) => p.test(draft)) ? "" : draft;
}
