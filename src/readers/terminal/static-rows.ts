/**
 * A row that a program keeps right above its composer: the folder, the branch, a suggested prompt. It is not reply, and
 * its words do not show that. But it stays in place while everything above it changes.
 */
import { oncePerRow, type ScreenRow } from "./row.js";
import { isBlank, maskRow } from "./screen-text.js";

/** A last line may stay while the one above it is redrawn, once. */
const OTHERS_WANTED = 3;

/** Empty, or only the bar of a composer that is drawn with one. */
export const isBare: (row: ScreenRow) => boolean = oncePerRow((row) => row.trim() === "" || /^\s{0,2}┃$/.test(row));

export class StaticRows {
  #row = "";
  #others = new Set<string>();

  /** Is this a row that the program keeps there? */
  isStatic(row: ScreenRow): boolean {
    return this.#others.size >= OTHERS_WANTED && maskRow(row) === this.#row;
  }

  /** Adds the rows above row `top` of the composer. True if that makes the row known, or no longer known. */
  see(rows: readonly ScreenRow[], top: number): boolean {
    const wasKnown = this.#others.size >= OTHERS_WANTED;
    let y = top - 1;
    while (y >= 0 && isBare(rows[y] as ScreenRow)) y--;
    if (y < 0) return false;
    const row = maskRow(rows[y] as ScreenRow);
    if (row !== this.#row) {
      this.#row = row;
      this.#others.clear();
    }
    let above = y - 1;
    while (above >= 0 && isBlank(rows[above])) above--;
    // Without an empty row between them, both may belong to one text.
    if (above >= 0 && above < y - 1 && !wasKnown) this.#others.add(maskRow(rows[above] as ScreenRow));
    return wasKnown !== this.#others.size >= OTHERS_WANTED;
  }
}
