/**
 * What of a row decides where things stand on a screen: its words and what the profile's patterns say of it, but neither
 * its numbers nor which of a spinner's marks it begins with. A status line that counts has one form for many texts.
 */

import { Memo } from "../memo.js";
import type { Row } from "./row.js";
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
  readonly #forms = new Memo<RowForm>(FORMS_MAX, (key) => ({ clock: key.startsWith("true") }));

  /** Of a masked row and what is said of it: the same object for the same form, as long as it is asked for now and then. */
  of(row: Row, { status, isTool, isMessage, isNoise }: Omit<RowSays, "form">): RowForm {
    const rules = status.map(({ rule }) => rule.when.source);
    // A longer number moves what stands at the right edge.
    const words = row.text.replace(SPINNER, "$1").replace(BAR, "■").replace(/0+/g, "0").replace(/ {2,}/g, "  ");
    return this.#forms.of([mayMove(row), isTool, isMessage, isNoise, ...rules, words].join("\n"));
  }
}
