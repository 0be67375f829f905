/**
 * The screen of the fake agent, drawn as Claude Code draws its own: the reply above, a spinner row with elapsed time and
 * a counter of tokens, a composer between two rules or a dialog in its place, a foot; and the title with its glyph.
 * Only rows that changed are written.
 */
const RED = "\u001b[38;2;255;107;128m";
const GREY = "\u001b[38;2;153;153;153m";
const GREEN = "\u001b[48;2;34;92;43m";
const PLAIN = "\u001b[0m";
const GLYPHS = ["·", "✢", "✳", "✶", "✻", "✽"];

export const red = (text) => `${RED}${text}${PLAIN}`;
export const grey = (text) => `${GREY}${text}${PLAIN}`;
export const green = (text) => `${GREEN}${text}${PLAIN}`;

export class Screen {
  /** Rows of the conversation. */
  reply = [];
  /** The row above the composer while a turn runs, from the tick: null draws none. */
  status = null;
  /** Rows in the composer's place. */
  dialog = null;
  /** When it was drawn first. */
  dialogAt = 0;
  draft = "";
  /** Rows below the composer, above the last. */
  notes = [];
  /** Before the program is up there is no composer. */
  isUp = false;
  isFrozen = false;
  #shown = [];
  #title = "";
  #tick = 0;

  draw() {
    if (this.isFrozen) return;
    const tick = this.#tick++;
    const rows = process.stdout.rows || 40;
    const bottom = this.#bottom(GLYPHS[tick % GLYPHS.length]);
    const room = rows - bottom.length;
    const reply = this.reply.slice(-room);
    const all = [...reply, ...Array(room - reply.length).fill(""), ...bottom];
    let bytes = this.#titleBytes(tick);
    all.forEach((row, y) => {
      if (this.#shown[y] !== row) bytes += `\u001b[${y + 1};1H${row}${PLAIN}\u001b[K`;
    });
    this.#shown = all;
    if (bytes !== "") process.stdout.write(bytes);
  }

  #bottom(glyph) {
    if (this.dialog) return [...this.dialog];
    if (!this.isUp) return [];
    const rule = "─".repeat(process.stdout.columns || 120);
    const hint = this.status ? " · esc to interrupt" : "";
    return [
      this.status ? `${glyph} ${this.status()}` : "",
      "",
      rule,
      `❯ ${this.draft}`,
      rule,
      ...this.notes,
      `  ⏵⏵ accept edits on (shift+tab to cycle)${hint}`,
    ];
  }

  #titleBytes(tick) {
    const glyph = this.status && !this.dialog ? "◐◑"[Math.floor(tick / 10) % 2] : "✳";
    const title = this.isUp ? `${glyph} Claude Code` : "";
    if (title === this.#title) return "";
    this.#title = title;
    return `\u001b]0;${title}\u0007`;
  }
}
