import type { CompiledProfile } from "./compiled.js";
import { footOf, isBlank, joinRows } from "./screen-text.js";

export interface Composer {
  /** First row that belongs to it, its frame included. */
  top: number;
  /** Last row that belongs to it. */
  bottom: number;
  draft: string;
  /** Known by its frame and the cursor in it: no sign says where a human types. */
  isUnsigned?: true;
}

/** Does the cursor stand in row `y`, or is one drawn there? */
type HoldsCursor = (y: number) => boolean;

const HEIGHT_MAX = 16;

/**
 * The place where a human types, or null. The lowest place that fits counts, and only a few rows of chrome may stand
 * below it: a copy of a composer in the reply has the real one, or a dialog, beneath it.
 */
export function findComposer(
  profile: CompiledProfile,
  rows: readonly string[],
  holdsCursor: HoldsCursor = () => false,
): Composer | null {
  const { composer } = profile;
  const foot = footOf(rows);
  let below = 0;
  for (let y = foot; y >= 0 && below <= composer.belowMax; y--) {
    const row = rows[y] as string;
    const found = composer.bottom ? framed(profile, rows, y) : bare(profile, rows, y, foot);
    if (found) return found;
    if (!isBlank(row)) below++;
  }
  if (composer.bottom) return null;
  return tall(profile, rows, foot) ?? barred(profile, rows, foot) ?? enclosed(profile, rows, foot, holdsCursor);
}

const EDGE = /^ {0,4}([╭╰┌└]?)[─━═]{9,}[╮╯┐┘]?$/;
const SIGN = /^[\s│┃|]*(?:[^\p{L}\p{N}\s│┃|] )?[\s▏▎▍▌▋▊▉█]*/u;

/** A composer by its frame alone, a box or two rules of one width: the cursor stands between them. */
function enclosed(
  { composer: { belowMax, placeholders } }: CompiledProfile,
  rows: readonly string[],
  foot: number,
  holdsCursor: HoldsCursor,
): Composer | null {
  let below = 0;
  for (let bottom = foot; bottom > 1 && below <= belowMax; bottom--) {
    const end = rows[bottom] as string;
    const [, corner] = EDGE.exec(end) ?? [];
    if (corner === undefined || corner === "╭" || corner === "┌") {
      if (!isBlank(end)) below++;
      continue;
    }
    let top = bottom - 1;
    while (top > 0 && bottom - top <= HEIGHT_MAX && !EDGE.test(rows[top] as string)) top--;
    const inside = rows.slice(top + 1, bottom);
    if (!isFrame(rows[top] as string, end) || !inside.some((_, n) => holdsCursor(top + 1 + n))) return null;
    const draft = inside
      .map((row) => row.replace(SIGN, "").replace(/[\s│┃|]+$/, ""))
      .join(" ")
      .trim();
    return { top, bottom, draft: placeholders.some((p) => p.test(draft)) ? "" : draft, isUnsigned: true };
  }
  return null;
}

/** Both edges begin and end in the same columns, and if one is of a box, the other is too. */
function isFrame(top: string, bottom: string): boolean {
  const [opens, closes] = [EDGE.exec(top)?.[1], EDGE.exec(bottom)?.[1]];
  if (opens === undefined || closes === undefined || top.length !== bottom.length) return false;
  return top.search(/\S/) === bottom.search(/\S/) && (opens === "") === (closes === "") && !/[╰└]/.test(opens);
}

const BAR = /^\s*┃/;
const BAR_END = /^\s*[╹┗][▀━]{9,}\s*$/;

/** A composer without a prompt sign: a bar to the left of its rows, closed by a rule. The last row names the model. */
function barred(profile: CompiledProfile, rows: readonly string[], foot: number): Composer | null {
  const { belowMax, placeholders } = profile.composer;
  for (let bottom = foot; bottom > 0 && foot - bottom <= belowMax; bottom--) {
    if (!BAR_END.test(rows[bottom] as string)) continue;
    let top = bottom;
    while (top > 0 && bottom - top < HEIGHT_MAX && BAR.test(rows[top - 1] as string)) top--;
    if (bottom - top < 2) return null;
    const draft = joinRows(rows.slice(top, bottom - 1), " ");
    return { top, bottom, draft: placeholders.some((p) => p.test(draft)) ? "" : draft };
  }
  return null;
}

function bare(profile: CompiledProfile, rows: readonly string[], y: number, foot: number): Composer | null {
  const draft = draftOf(profile, rows[y] as string);
  return draft === null ? null : { ...extentOf(profile, rows, y, foot), draft };
}

/**
 * A composer without a frame of its own that holds a draft of many rows. Either the program indents them, so that
 * nothing else stands between its first row and the foot, or rules enclose them.
 */
function tall(profile: CompiledProfile, rows: readonly string[], foot: number): Composer | null {
  const { belowMax } = profile.composer;
  for (let y = foot - belowMax; y > 0 && foot - y < HEIGHT_MAX + belowMax; y--) {
    const found = bare(profile, rows, y, foot);
    if (!found) continue;
    const below = rows.slice(found.bottom + 1, foot + 1).filter((row) => !isBlank(row));
    return below.length <= belowMax ? found : null;
  }
  return null;
}

const indentOf = (row: string): number => row.search(/\S/);
const RULE = /^\s{0,4}[╭╰┌└]?[─━═▄▀▔▁]{9,}/;

/** How far the composer whose first row is `y` reaches: between rules, or over the rows of its draft. */
function extentOf(profile: CompiledProfile, rows: readonly string[], y: number, foot: number): Omit<Composer, "draft"> {
  const { more } = profile.composer;
  const above = rows[y - 1] ?? "";
  if (RULE.test(above)) {
    for (let r = y + 1; r <= Math.min(foot, y + HEIGHT_MAX); r++) {
      const row = rows[r] as string;
      // A rule that somebody typed or pasted has the draft's indent.
      if (RULE.test(row) && indentOf(row) === indentOf(above)) return { top: y - 1, bottom: r };
    }
  }
  // The foot stands apart, so the draft ends above the last empty row.
  let end = foot;
  while (end > y && !isBlank(rows[end])) end--;
  while (end > y && isBlank(rows[end])) end--;
  const isDraft = more !== null && rows.slice(y + 1, end + 1).every((row) => isBlank(row) || more.test(row));
  return { top: y, bottom: isDraft ? end : y };
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
  const draft = (groups.draft ?? "").trim();
  return placeholders.some((p) => p.test(draft)) ? "" : draft;
}
