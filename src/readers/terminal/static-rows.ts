/**
 * A row that a program keeps right above its composer: where it is, which branch, what it would like to be asked. It is no
 * reply, and no word tells it from one. But it stands where it stood while everything above it becomes another.
 */
import { oncePerRow, type ScreenRow } from "./row.js";
import { isBlank, maskRow } from "./screen-text.js";

/** A last line may stay while the one above it is drawn anew, once. */
const OTHERS_WANTED = 3;

/** Nothing, or the bar of a composer that is drawn with one. */
export const isBare: (row: ScreenRow) => boolean = oncePerRow((row) => row.trim() === "" || /^\s{0,2}┃$/.test(row));

export class StaticRows {
  #row = "";
  #others = new Set<string>();

  /** Is this a row that the program keeps there? */
  isStatic(row: ScreenRow): boolean {
    return this.#others.size >= OTHERS_WANTED && maskRow(row) === this.#row;
  }

  /** Takes in what stands above row `top` of the composer. True where it becomes known by that, or is no longer. */
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
    // Without an empty row between them, both may be of one text.
    if (above >= 0 && above < y - 1 && !wasKnown) this.#others.add(maskRow(rows[above] as ScreenRow));
    return wasKnown !== this.#others.size >= OTHERS_WANTED;
  }
}
