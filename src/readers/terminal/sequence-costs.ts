/**
 * What output costs the emulator, in nanoseconds: the largest values measured on screens of 120 × 40 and 1000 × 500 cells
 * full of combining marks and extended attributes, while the machine was busy. They need not be exact.
 */
export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}

export type Cost = (size: ScreenSize) => number;

const perCell =
  (ns: number): Cost =>
  ({ cols, rows }) =>
    ns * cols * rows;
const perColumn =
  (ns: number): Cost =>
  ({ cols }) =>
    ns * cols;

/** `ESC c`: both buffers are created again. */
export const RESET: Cost = perCell(14);
/** `ESC # 8` */
export const FILL: Cost = perCell(18);
/** `CSI J` */
export const ERASE: Cost = perCell(5);
/** The other buffer is created or cleared, or the size changes. */
export const SWITCH: Cost = perCell(6);
/** `CSI SP @`, `CSI ' }` and the like: every cell moves. */
export const SHIFT_COLUMNS: Cost = perCell(14);
export const ERASE_LINE: Cost = perColumn(5);
/** `CSI @`, `CSI P`, and each character in insert mode. */
export const SHIFT_LINE: Cost = perColumn(18);
/** To the next tab stop, if a program has removed them. */
export const TAB: Cost = perColumn(5);
/** A line scrolls out of the whole screen. */
export const SCROLL: Cost = ({ cols }) => 50 + cols / 4;
/** Each line of `CSI L`, `M`, `S` and `T`, and a scroll of a part of the screen: a new line, and all others move. */
export const SCROLL_LINE: Cost = ({ cols, rows }) => 500 + 8 * cols + 6 * rows;
/** Each character of `CSI b`. */
export const REPEAT = 45;
