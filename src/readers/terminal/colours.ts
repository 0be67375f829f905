/** What the colours of a cell mean for a reader. */
import type { IBufferCell } from "@xterm/headless";

/** Dim, or neither black nor white and without a hue. */
export function isGrey(cell: IBufferCell): boolean {
  if (cell.isDim()) return true;
  if (cell.isFgPalette() && (cell.getFgColor() === 8 || cell.getFgColor() >= 232)) return true;
  const [r, g, b] = rgb(cell) ?? [0, 0, 0];
  return Math.max(r, g, b) - Math.min(r, g, b) <= 40 && Math.max(r, g, b) >= 48 && Math.max(r, g, b) <= 208;
}

export function isWarm(cell: IBufferCell): boolean {
  const [r, g, b] = rgb(cell) ?? [0, 0, 0];
  return r >= g && r > b && r - Math.min(g, b) > 40;
}

export function isRed(cell: IBufferCell): boolean {
  const [r, g, b] = rgb(cell) ?? [0, 0, 0];
  return r - Math.max(g, b) > 40;
}

/** The background colour of a cell, as a unique number. */
export const groundOf = (cell: IBufferCell): number => cell.getBgColorMode() * 2 ** 24 + cell.getBgColor();

/** The sixteen colours that a theme may change, by their names. */
const NAMED: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
];

/** Foreground as red, green, blue; null for the default colour. */
function rgb(cell: IBufferCell): readonly [number, number, number] | null {
  if (cell.isFgDefault()) return null;
  const colour = cell.getFgColor();
  if (!cell.isFgPalette()) return [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
  if (colour < 16) return NAMED[colour % 8] ?? null;
  if (colour >= 232) return null;
  const cube = colour - 16;
  return [Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51];
}
