/**
 * What of a row decides where things stand on a screen: its words and what the profile's patterns say of it, but neither
 * its numbers nor which of a spinner's marks it begins with. A status line that counts has one form for many texts.
 */

import { Memo } from "../memo.js";
import { withoutDigits } from "./countdown.js";
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

/** As long as before, so that a pattern that counts digits still fits. */
const masked = new Memo<string>(FORMS_MAX, withoutDigits);

/** The same object for rows of the same form, as long as they are asked for now and then. */
export function formsOf(says: (row: string) => RowSays): (row: string) => RowForm {
  const forms = new Memo<RowForm>(FORMS_MAX, (key) => ({ clock: key.startsWith("true") }));
  const ofMasked = new Memo<RowForm>(FORMS_MAX, (row) => {
    const { status, isTool, isMessage, isNoise } = says(row);
    const rules = status.map(({ rule }) => rule.when.source);
    // A longer number moves what stands at the right edge.
    const words = row.replace(SPINNER, "$1").replace(BAR, "■").replace(/0+/g, "0").replace(/ {2,}/g, "  ");
    return forms.of([mayMove(row), isTool, isMessage, isNoise, ...rules, words].join("\n"));
  });
  return (row) => ofMasked.of(masked.of(row));
}
