/**
 * What of a row decides where things stand on a screen: its words and what the profile's patterns say of it, but neither
 * its numbers nor which of a spinner's marks it begins with. A status line that counts has one form for many texts.
 */

import { Memo } from "../memo.js";
import { withoutDigits } from "./countdown.js";
import { Row } from "./row.js";
import type { RowSays } from "./row-says.js";
import { mayMove } from "./ticks.js";

export interface RowForm {
  /** Does the row show a time that may run, or a sign that may turn? */
  readonly clock: boolean;
}

/** What a program draws to show that it moves: one mark of several before a row, or a bar that runs. */
const SPINNER = /^([\s│┃]*)[·∗*✢✳✶✻✽✦◐◑◒◓◴◵◶◷\u2800-\u28ff⊶⊷●•◦]/;
const BAR = /[■⬝]/g;
const FORMS_MAX = 512;

/** The forms that a profile tells apart. */
export class Forms {
  readonly #says: (row: Row) => RowSays;
  readonly #forms = new Memo<RowForm>(FORMS_MAX, (key) => ({ clock: key.startsWith("true") }));
  readonly #ofMasked = new Memo<RowForm>(FORMS_MAX, (text) => this.#make(new Row(text)));

  constructor(says: (row: Row) => RowSays) {
    this.#says = says;
  }

  /** The same object for texts of the same form, as long as they are asked for now and then. */
  of(text: string): RowForm {
    // As long as before, so that a pattern that counts digits still fits.
    return this.#ofMasked.of(withoutDigits(text));
  }

  #make(row: Row): RowForm {
    const { status, isTool, isMessage, isNoise } = this.#says(row);
    const rules = status.map(({ rule }) => rule.when.source);
    // A longer number moves what stands at the right edge.
    const words = row.text.replace(SPINNER, "$1").replace(BAR, "■").replace(/0+/g, "0").replace(/ {2,}/g, "  ");
    return this.#forms.of([mayMove(row), isTool, isMessage, isNoise, ...rules, words].join("\n"));
  }
}
