/**
 * The screen of the scripted agent, drawn like Claude Code's: the reply above, a spinner row with elapsed time and a
 * counter of tokens, a composer between two rules or a dialog in its place, a foot; and the title with its glyph. Only
 * changed rows are written.
 */
const RED = "\u001b[38;2;255;107;128m";
const PLAIN = "\u001b[0m";
const GLYPHS = ["·", "✢", "✳", "✶", "✻", "✽"];

export const redText = (text: string): string => `${RED}${text}${PLAIN}`;

export class DemoScreen {
  /** Rows of the conversation. */
  reply: string[] = [];
  /** The row above the composer while a turn runs; null draws none. */
  status: (() => string) | null = null;
  /** Rows in the composer's place. */
  dialog: string[] | null = null;
  /** Time of its first drawing. */
  dialogAt = 0;
  draft = "";
  /** The visible draft, and since when. */
  shownDraft = { text: "", at: 0 };
  /** Rows below the composer, above the last. */
  notes: string[] = [];
  /** There is no composer before the program is up. */
  isUp = false;
  isFrozen = false;
  #shown: string[] = [];
  #title = "";
  #tick = 0;

  draw(): void {
    if (this.isFrozen) return;
    const tick = this.#tick++;
    const rows = process.stdout.rows || 40;
    const bottom = this.#bottom(GLYPHS[tick % GLYPHS.length] as string);
    const room = rows - bottom.length;
    const reply = this.reply.slice(-room);
    const all = [...reply, ...Array<string>(room - reply.length).fill(""), ...bottom];
    let bytes = this.#titleBytes(tick);
    all.forEach((row, y) => {
      if (this.#shown[y] !== row) bytes += `\u001b[${y + 1};1H${row}${PLAIN}\u001b[K`;
    });
    this.#shown = all;
    if (bytes !== "") process.stdout.write(bytes);
    if (this.shownDraft.text !== this.draft) this.shownDraft = { text: this.draft, at: performance.now() };
  }

  #bottom(glyph: string): string[] {
    if (this.dialog) return [...this.dialog];
    if (!this.isUp) return [];
    const columns = process.stdout.columns || 120;
    const rule = "─".repeat(columns);
    const hint = this.status ? " · esc to interrupt" : "";
    return [
      this.status ? `${glyph} ${this.status()}` : "",
      "",
      rule,
      ...wrapped(this.draft, columns - 4).map((row, i) => `${i === 0 ? "❯" : " "} ${row}`),
      rule,
      ...this.notes,
      `  ⏵⏵ accept edits on (shift+tab to cycle)${hint}`,
    ];
  }

  #titleBytes(tick: number): string {
    const glyph = this.status && !this.dialog ? "◐◑"[Math.floor(tick / 10) % 2] : "✳";
    const title = this.isUp ? `${glyph} Claude Code` : "";
    if (title === this.#title) return "";
    this.#title = title;
    return `\u001b]0;${title}\u0007`;
  }
}

/** A draft that is longer than a row continues below it, indented. */
function wrapped(draft: string, width: number): string[] {
  const rows = [draft.slice(0, width)];
  for (let at = width; at < draft.length; at += width) rows.push(draft.slice(at, at + width));
  return rows;
}
