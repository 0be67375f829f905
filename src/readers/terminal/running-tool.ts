/** Finds a running tool by the clock beside it, and its name without the changing text beside it. */

import type { Range } from "./regions.js";
import type { ScreenRow } from "./row.js";
import { showsClock } from "./row-clocks.js";
import type { ScreenCheck, ScreenFacts } from "./screen-check.js";
import { bareText, isBlank } from "./screen-text.js";

/**
 * `node test.mjs 41s`, `1 command · 41s…`, `node test.mjs (ctrl+f to focus)`: the text beside a running tool's name
 * changes.
 */
const BESIDE_NAME =
  /\s(?:[·•] )?(?:\(?\d[\d.]{0,5}[hms](?: \d{1,2}[hms]){0,2}\)?(?:…|\.\.\.)?|\((?:ctrl|esc|tab|shift)\b[^()]{0,40}\))$/i;
const BESIDE_MAX = 4;

/** Its name alone. Removed one by one from the end: a pattern with a repetition could backtrack without end. */
export function nameIn(text: string): string {
  let name = text.trimEnd();
  for (let n = 0; n < BESIDE_MAX && BESIDE_NAME.test(name.slice(-80)); n++) {
    name = (name.slice(0, -80) + name.slice(-80).replace(BESIDE_NAME, "")).trimEnd();
  }
  return name;
}

/** The output of a command may be below its clock. */
const CLOCK_ABOVE_MAX = 12;
/** A thinking model may have a clock of its own, too. */
const THINKS = /\b(?:think|thought|reason)/i;

/**
 * Above the status line, in a block of its own, another clock runs: the clock of a tool, whose name is beside or above
 * it. If the status line is below the composer, any clock above it is one. A row that turns by itself is a status line.
 */
export function clockedTool(
  rows: readonly ScreenRow[],
  [from, to]: Range,
  { ticking, turning, ran }: ScreenCheck,
  isBelow: boolean,
): Pick<ScreenFacts, "tool"> {
  let y = to - 1;
  if (isBelow && ran) {
    const top = Math.max(0, from - CLOCK_ABOVE_MAX);
    while (y >= top && !ran(rows[y] as ScreenRow)) y--;
    if (y < top) return {};
  } else {
    while (y >= from && !ticking(rows[y] as ScreenRow)) y--;
    while (y >= from && !isBlank(rows[y])) y--;
    while (y >= from && !ticking(rows[y] as ScreenRow)) y--;
    if (y < from) return {};
  }
  const row = rows[y] as ScreenRow;
  if (THINKS.test(row.text) || (turning?.(row) && !showsClock(row))) return {};
  const beside = nameIn(row.text);
  const above = rows.slice(Math.max(0, y - 3), y).findLast((row) => !row.isBlank)?.text ?? "";
  const subject = bareText(/\S\s+\S/.test(beside) ? beside : above).slice(0, 120);
  return { tool: { class: "shell", ...(subject ? { subject } : {}) } };
}
