/**
 * Turns the screen of one adopted pane into signals.
 *
 * tmux has drawn the screen already; this draws tmux's rows into the emulator that all readers share, so that screens
 * from all sources are read alike. A check sees the screen of its moment, as with a stream.
 */

import { hostname } from "node:os";
import type { ScreenSettings } from "../../config/screen-settings.js";
import type { Signal } from "../../core/signal.js";
import { generic } from "../../programs/generic/screens.js";
import type { AgentProfile } from "../../programs/shared/profile.js";
import { SIZE_MAX } from "../../readers/terminal/bounded-terminal.js";
import type { PlacedScreenState } from "../../readers/terminal/screen-state.js";
import { TerminalReader } from "../../readers/terminal/terminal.js";
import type { Pane } from "./panes.js";

/** A longer time without a capture of the pane is a gap in observation. */
const GAP_MS = 5000;
/** A detached pane can be shrunk until a program draws one character per row: such a screen is unreadable. */
const COLS_MIN = 20;
const ROWS_MIN = 4;

/** Fresh attributes, line-drawing characters for shift-out as tmux writes them, and no wrapping: rows are rows. */
const CLEAR = "\u001b[0m\u001b(B\u001b)0\u000f\u001b[?7l\u001b[2J";

export interface PaneContext {
  /** IANA zone for clock times that programs print without one. */
  zone: string;
  screen?: ScreenSettings;
}

export class PaneSensor {
  readonly #reader: TerminalReader;
  #cols: number;
  #rows: number;
  #shown = "";
  #title: string;
  #seenAt: number;

  constructor(profile: AgentProfile, pane: Pane, { zone, screen }: PaneContext, at: number) {
    this.#cols = pane.cols;
    this.#rows = pane.rows;
    this.#reader = new TerminalReader(profile, {
      cols: pane.cols,
      rows: pane.rows,
      zone,
      structure: generic,
      ...screen,
    });
    // tmux titles a pane with the host name until a program sets a title.
    this.#title = hostname();
    this.#seenAt = at;
  }

  /** Why the last capture of the pane cannot be read; null if it can. */
  get blind(): string | null {
    const isLarge = this.#cols > SIZE_MAX.cols || this.#rows > SIZE_MAX.rows;
    if (!isLarge && this.#cols >= COLS_MIN && this.#rows >= ROWS_MIN) return null;
    return `the pane is ${this.#cols} columns by ${this.#rows} rows, too ${isLarge ? "large" : "small"} to read`;
  }

  /** Takes a pane as listed, and its rows with their colours as captured right after. */
  check(pane: Pane, captured: string, at: number): Signal[] {
    this.#resize(pane);
    if (this.blind !== null) return [];
    const signals: Signal[] = [];
    if (at - this.#seenAt > GAP_MS) signals.push({ kind: "gap", at, source: "observer", from: this.#seenAt, to: at });
    this.#seenAt = at;
    this.#draw(pane, captured);
    signals.push(...this.#reader.check(at));
    return signals;
  }

  /** The screen of the pane now, without judging it; null if it cannot be read. */
  placedScreenState(pane: Pane, captured: string, at: number): PlacedScreenState | null {
    this.#resize(pane);
    if (this.blind !== null) return null;
    this.#draw(pane, captured);
    return this.#reader.placedScreenState(at);
  }

  dispose(): void {
    this.#reader.dispose();
  }

  #resize(pane: Pane): void {
    if (pane.cols === this.#cols && pane.rows === this.#rows) return;
    this.#cols = pane.cols;
    this.#rows = pane.rows;
    this.#shown = "";
    this.#reader.resize(pane.cols, pane.rows);
  }

  #draw(pane: Pane, captured: string): void {
    let bytes = "";
    if (pane.title !== this.#title) {
      this.#title = pane.title;
      bytes += `\u001b]0;${pane.title}\u0007`;
    }
    if (captured !== this.#shown) {
      this.#shown = captured;
      // Colours continue from one row into the next, so a change of one row redraws all of them.
      const rows = captured.split("\n").slice(0, this.#rows);
      bytes += CLEAR + rows.map((row, y) => `\u001b[${y + 1};1H${row}`).join("");
      bytes += `\u001b[${pane.cursorY + 1};${pane.cursorX + 1}H`;
    }
    if (bytes !== "") this.#reader.paint(Buffer.from(bytes));
  }
}
