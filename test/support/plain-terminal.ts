/** A terminal whose screen and modes a test can read. */
import { Terminal } from "@xterm/headless";

export class PlainTerminal {
  readonly #terminal: Terminal;
  readonly #privateModes = new Map<string, boolean>();

  constructor(cols: number, rows: number) {
    this.#terminal = new Terminal({ cols, rows, allowProposedApi: true });
  }

  write(data: string): void {
    for (const [, modes, set] of data.matchAll(/\u001b\[\?([\d;]+)([hl])/g))
      for (const mode of (modes ?? "").split(";")) this.#privateModes.set(mode, set === "h");
    this.#terminal.write(data);
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  lines(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
    );
  }

  modes(): { isAlternate: boolean; isWrapping: boolean; isCursorShown: boolean; isPasteMarked: boolean } {
    const is = (mode: string, before: boolean): boolean => this.#privateModes.get(mode) ?? before;
    return {
      isAlternate: is("1049", false),
      isWrapping: is("7", true),
      isCursorShown: is("25", true),
      isPasteMarked: is("2004", false),
    };
  }
}
