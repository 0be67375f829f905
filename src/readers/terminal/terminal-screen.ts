/** The emulator's screen as text. Only changed rows are read again; colours only if a rule asks. */
import type { Terminal } from "@xterm/headless";
import { DrawnRows } from "./drawn-rows.js";
import { rowOf, type ScreenRow } from "./row.js";
import type { ScreenText } from "./screen-text.js";
import { WrittenRows } from "./written-rows.js";

/** Programs draw with other spaces too (Claude Code after its `⎿`); all are read as a plain space. */
const ODD_SPACES = /[\u00a0\u2000-\u200a\u202f\u3000]/g;
/** Whether a sign is drawn as text or as a picture (Qwen Code writes `◆\ufe0e`) does not change its meaning. */
const HOW_DRAWN = /[\ufe0e\ufe0f]/g;

export class TerminalScreen implements ScreenText {
  readonly #terminal: Terminal;
  readonly #touched: WrittenRows;
  readonly #rows: ScreenRow[] = [];
  readonly #drawn: DrawnRows;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#touched = new WrittenRows(terminal);
    this.#drawn = new DrawnRows(terminal, this.#rows);
  }

  get rows(): readonly ScreenRow[] {
    return this.#rows;
  }

  /** Any row may have changed. */
  touch(): void {
    this.#touched.touchAll();
  }

  /** Reads the changed rows. Returns those with a different text, from the top; none if nothing changed. */
  read(): readonly ScreenRow[] {
    const { rows: height } = this.#terminal;
    // A new height moves every region, so every row counts as changed.
    if (this.#rows.length !== height) this.#rows.length = 0;
    this.#touched.watch();
    const changed: ScreenRow[] = [];
    for (let y = 0; y < height; y++) {
      if (!this.#touched.has(y)) continue;
      this.#drawn.forget(y);
      const row = rowOf(this.#reported(y));
      if (this.#rows[y]?.text === row.text) continue;
      this.#rows[y] = row;
      changed.push(row);
    }
    this.#touched.forget();
    return changed;
  }

  /** The row's text from the emulator. */
  #reported(y: number): string {
    const buffer = this.#terminal.buffer.active;
    const text = buffer.getLine(buffer.baseY + y)?.translateToString(true) ?? "";
    return text.replace(ODD_SPACES, " ").replace(HOW_DRAWN, "").trimEnd();
  }

  tinted(y: number): boolean {
    return this.#drawn.tinted(y);
  }

  muted(y: number): boolean {
    return this.#drawn.muted(y);
  }

  redFrame(y: number): boolean {
    return this.#drawn.redFrame(y);
  }

  backed(y: number): boolean {
    return this.#drawn.backed(y);
  }

  ghost(y: number): boolean {
    return this.#drawn.ghost(y);
  }

  cursor(y: number): boolean {
    return this.#drawn.cursor(y);
  }

  isWrapped(y: number): boolean {
    const buffer = this.#terminal.buffer.active;
    return buffer.getLine(buffer.baseY + y)?.isWrapped === true;
  }

  isPlain(): boolean {
    return this.#drawn.isPlain();
  }
}
