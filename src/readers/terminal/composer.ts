import type { CompiledProfile } from "./compiled.js";
import { oncePerRow, type ScreenRow } from "./row.js";
import { footOf, indentOf, isBlank, joinRows } from "./screen-text.js";

export interface Composer {
  /** First row that belongs to it, its frame included. */
  top: number;
  /** Last row that belongs to it. */
  bottom: number;
  draft: string;
  /** Identified by its frame and the cursor in it: no sign marks the input. */
  isUnsigned?: true;
}

/** Is the cursor in row `y`, or before placeholder text there? Null if unknown, as in a plain capture. */
type AsksOfRow = (y: number, what: "cursor" | "ghost") => boolean | null;

const HEIGHT_MAX = 16;

/**
 * Finds the input line, or null. The lowest match counts, and only a few rows of chrome may be below it: a copy of a
 * composer in the reply has the real one, or a dialog, beneath it.
 */
export function findComposer(
  profile: CompiledProfile,
  rows: readonly ScreenRow[],
  isSo: AsksOfRow = () => null,
  signs: Set<string> = new Set(),
): Composer | null {
  const { composer } = profile.profile;
  const foot = footOf(rows);
  let below = 0;
  for (let y = foot; y >= 0 && below <= composer.belowMax; y--) {
    const found = composer.bottom === null ? bare(profile, rows, y, foot, isSo, signs) : framed(profile, rows, y);
    if (found) return found;
    if (!isBlank(rows[y])) below++;
  }
  if (composer.bottom !== null) return null;
  return (
    tall(profile, rows, foot, isSo, signs) ??
    barred(profile, rows, foot) ??
    enclosed(profile, rows, foot, isSo) ??
    cornered(profile, rows, foot, isSo) ??
    prompted(profile, rows, foot, isSo, signs)
  );
}

/** A sign of the program's own at the start of the lowest row, and after it a grey suggestion of what to type. */
const SIGNS_MAX = 4;
const OWN_SIGN = /^ {0,2}([^\p{L}\p{N}\s]{1,4}) {1,2}(?=\p{L})/u;

/**
 * A composer of one line with a sign that no other program uses: no word before the cursor, grey words after it. Once
 * seen, the sign also marks the composer with a draft while the cursor is there.
 */
function prompted(
  { isPlaceholder }: CompiledProfile,
  rows: readonly ScreenRow[],
  foot: number,
  isSo: AsksOfRow,
  signs: Set<string>,
): Composer | null {
  const row = rows[foot]?.text ?? "";
  const [head, sign] = OWN_SIGN.exec(row) ?? [];
  if (head === undefined || sign === undefined) return null;
  const isGhost = isSo(foot, "ghost");
  if (isGhost && signs.size < SIGNS_MAX) signs.add(sign);
  if (!isGhost && !(signs.has(sign) && isSo(foot, "cursor"))) return null;
  const draft = row.slice(head.length).trim();
  const isEmpty = isGhost && isPlaceholder(draft);
  return { top: foot, bottom: foot, draft: isEmpty ? "" : draft, isUnsigned: true };
}

const EDGE = /^ {0,4}([╭╰┌└]?)[─━═]{9,}[╮╯┐┘]?$/;
/** The corner that starts an edge, "" without one; null if the row is not an edge. */
const cornerOf = oncePerRow((row) => EDGE.exec(row)?.[1] ?? null);
const SIGN = /^[\s│┃|]*(?:[^\p{L}\p{N}\s│┃|] )?[\s▏▎▍▌▋▊▉█]*/u;

/** A composer identified by its frame alone, a box or two rules of one width, with the cursor between them. */
function enclosed(
  { isPlaceholder, profile: { composer } }: CompiledProfile,
  rows: readonly ScreenRow[],
  foot: number,
  isSo: AsksOfRow,
): Composer | null {
  let below = 0;
  for (let bottom = foot; bottom > 1 && below <= composer.belowMax; bottom--) {
    const end = rows[bottom] as ScreenRow;
    const corner = cornerOf(end);
    if (corner === null || corner === "╭" || corner === "┌") {
      if (!end.isBlank) below++;
      continue;
    }
    let top = bottom - 1;
    while (top > 0 && bottom - top <= HEIGHT_MAX && cornerOf(rows[top] as ScreenRow) === null) top--;
    const inside = rows.slice(top + 1, bottom);
    if (!isFrame(rows[top] as ScreenRow, end) || !inside.some((_, n) => isSo(top + 1 + n, "cursor"))) return null;
    const draft = inside
      .map(({ text }) => text.replace(SIGN, "").replace(/[\s│┃|]+$/, ""))
      .join(" ")
      .trim();
    return { top, bottom, draft: isPlaceholder(draft) ? "" : draft, isUnsigned: true };
  }
  return null;
}

const CORNER = /^ {0,2}[╰└][─━]{1,2}(?: {1,2}(\S.*))?$/;

/** A composer of one line attached by a corner below a status line, with the cursor behind it. */
function cornered(
  { isPlaceholder }: CompiledProfile,
  rows: readonly ScreenRow[],
  foot: number,
  isSo: AsksOfRow,
): Composer | null {
  const [head, draft = ""] = CORNER.exec(rows[foot]?.text ?? "") ?? [];
  if (head === undefined || !isSo(foot, "cursor")) return null;
  return { top: foot, bottom: foot, draft: isPlaceholder(draft) ? "" : draft.trim(), isUnsigned: true };
}

/** Both edges begin and end in the same columns, and if one is of a box, the other is too. */
function isFrame(top: ScreenRow, bottom: ScreenRow): boolean {
  const [opens, closes] = [cornerOf(top), cornerOf(bottom)];
  if (opens === null || closes === null || top.text.length !== bottom.text.length) return false;
  return indentOf(top) === indentOf(bottom) && (opens === "") === (closes === "") && !/[╰└]/.test(opens);
}

const BAR = /^\s*┃/;
const BAR_END = /^\s*[╹┗][▀━]{9,}\s*$/;
const endsBar = oncePerRow((row) => BAR_END.test(row));

/** A composer without a prompt sign: a bar to the left of its rows, closed by a rule. The last row names the model. */
function barred(
  { isPlaceholder, profile: { composer } }: CompiledProfile,
  rows: readonly ScreenRow[],
  foot: number,
): Composer | null {
  for (let bottom = foot; bottom > 0 && foot - bottom <= composer.belowMax; bottom--) {
    if (!endsBar(rows[bottom] as ScreenRow)) continue;
    let top = bottom;
    while (top > 0 && bottom - top < HEIGHT_MAX && BAR.test((rows[top - 1] as ScreenRow).text)) top--;
    if (bottom - top < 2) return null;
    const draft = joinRows(rows, " ", top, bottom - 1);
    return { top, bottom, draft: isPlaceholder(draft) ? "" : draft };
  }
  return null;
}

function bare(
  profile: CompiledProfile,
  rows: readonly ScreenRow[],
  y: number,
  foot: number,
  isSo: AsksOfRow,
  signs: Set<string>,
): Composer | null {
  const { draft } = profile.says(rows[y] as ScreenRow);
  if (draft === null) return null;
  const extent = extentOf(profile, rows, y, foot);
  const isFramed = extent.top < y;
  return !profile.profile.structural || isFramed || takesInput(rows, y, foot, draft, isSo, signs)
    ? { ...extent, draft }
    : null;
}

const SIGN_OF_ROW = /[^\s│┃|▌]/u;

/**
 * In an unknown program, a sign at the start of a row may be a quotation, an item of a list or the echo of a command.
 * It marks an input field if the cursor waits behind it. Once seen so, the same sign also marks one with a draft.
 */
function takesInput(
  rows: readonly ScreenRow[],
  y: number,
  foot: number,
  draft: string,
  isSo: AsksOfRow,
  signs: Set<string>,
): boolean {
  const isHere = isSo(y, "cursor");
  if (isHere === null) return true;
  const sign = SIGN_OF_ROW.exec(rows[y]?.text ?? "")?.[0] ?? "";
  if (isHere && (draft === "" || isSo(y, "ghost"))) {
    if (signs.size < SIGNS_MAX) signs.add(sign);
    return true;
  }
  if (!signs.has(sign)) return false;
  // The rows of a draft are below each other, the cursor in one of them.
  for (let r = y; r <= foot && !isBlank(rows[r]); r++) if (isSo(r, "cursor")) return r === y || isDraft(rows, y, r);
  return false;
}

const isDraft = (rows: readonly ScreenRow[], y: number, to: number): boolean =>
  rows.slice(y + 1, to + 1).every((row) => indentOf(row) >= 2);

/**
 * A composer without a frame of its own that holds a draft of many rows. Either the program indents them, so that
 * nothing else is between its first row and the foot, or rules enclose them.
 */
function tall(
  profile: CompiledProfile,
  rows: readonly ScreenRow[],
  foot: number,
  isSo: AsksOfRow,
  signs: Set<string>,
): Composer | null {
  const { belowMax } = profile.profile.composer;
  for (let y = foot - belowMax; y > 0 && foot - y < HEIGHT_MAX + belowMax; y--) {
    const found = bare(profile, rows, y, foot, isSo, signs);
    if (!found) continue;
    const below = rows.slice(found.bottom + 1, foot + 1).filter((row) => !isBlank(row));
    return below.length <= belowMax ? found : null;
  }
  return null;
}

const RULE = /^\s{0,4}[╭╰┌└]?[─━═▄▀▔▁]{9,}/;
const isRule = oncePerRow((row) => RULE.test(row));

/** How far the composer whose first row is `y` reaches: between rules, or over the rows of its draft. */
function extentOf(
  { says, profile: { composer } }: CompiledProfile,
  rows: readonly ScreenRow[],
  y: number,
  foot: number,
): Omit<Composer, "draft"> {
  const above = rows[y - 1];
  if (above && isRule(above)) {
    for (let r = y + 1; r <= Math.min(foot, y + HEIGHT_MAX); r++) {
      const row = rows[r] as ScreenRow;
      // A typed or pasted rule has the draft's indent.
      if (isRule(row) && indentOf(row) === indentOf(above)) return { top: y - 1, bottom: r };
    }
  }
  // The foot is separate, so the draft ends above the last empty row.
  let end = foot;
  while (end > y && !isBlank(rows[end])) end--;
  while (end > y && isBlank(rows[end])) end--;
  const isDraft = composer.more !== null && rows.slice(y + 1, end + 1).every((row) => row.isBlank || says(row).isMore);
  return { top: y, bottom: isDraft ? end : y };
}

/** A composer with a closing row at `y`: searches upwards for its first row and its opening row, if it has one. */
function framed(
  { says, profile: { composer } }: CompiledProfile,
  rows: readonly ScreenRow[],
  y: number,
): Composer | null {
  if (!says(rows[y] as ScreenRow).isBottom) return null;
  if (composer.top === null) {
    let start = y;
    while (start > 0 && y - start < HEIGHT_MAX && says(rows[start - 1] as ScreenRow).isFirst) start--;
    if (start === y) return null;
    const drafts: string[] = [];
    for (let r = start; r < y - 1; r++) drafts.push(says(rows[r] as ScreenRow).draft ?? "");
    return { top: start, bottom: y, draft: drafts.join(" ").trim() };
  }
  for (let r = y - 1; r > 0 && y - r <= HEIGHT_MAX; r--) {
    const { draft, isTop } = says(rows[r] as ScreenRow);
    if (draft !== null && says(rows[r - 1] as ScreenRow).isTop) {
      const more = rows.slice(r + 1, y).map(({ text }) => text.trim());
      return { top: r - 1, bottom: y, draft: [draft, ...more].join(" ").trim() };
    }
    if (isTop) return null;
  }
  return null;
}
