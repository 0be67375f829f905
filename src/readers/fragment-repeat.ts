/** Does a fragment end by saying the same again and again? */
import { createTextTail, endText, feedText } from "../core/evidence/text-loop.js";
import { isBlank, maskRow } from "./screen/screen-text.js";

const PERIOD_ROWS_MAX = 8;
const REPEATS_MIN = 4;
const CHARS_MIN = 40;
/** Rows that a patient program prints again and again. */
const POLLS =
  /\b(?:wait(?:ing|ed)?|pending|in progress|queued|still|polling|running|building|creating|progress|ok|pass(?:ed)?|ready|up[- ]to[- ]date|\d{1,3}%)\b/i;

/** Whole rows that repeat as a block at the end of the fragment, or text that has a period. */
export function repeatsItself(rows: readonly string[]): boolean {
  const said = rows.filter((row) => !isBlank(row)).map((row) => maskRow(row).trim());
  for (let period = 1; period <= PERIOD_ROWS_MAX && period * REPEATS_MIN <= said.length; period++) {
    const block = said.slice(-period);
    let repeats = 1;
    while (
      (repeats + 1) * period <= said.length &&
      block.every((row, i) => said[said.length - (repeats + 1) * period + i] === row)
    )
      repeats++;
    if (repeats < REPEATS_MIN || block.join("").length * repeats < CHARS_MIN) continue;
    return (
      block.some((row) => /\p{L}{2}/u.test(row)) &&
      !block.every((row) => POLLS.test(row)) &&
      !block.some((row) => /^[|+-]/.test(row))
    );
  }
  const tail = createTextTail();
  const changes = [...feedText(tail, said.join("\n")), ...endText(tail)];
  return changes.at(-1) != null;
}
