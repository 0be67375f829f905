/**
 * Repetition at the end of a model's text, independent of how the text is split into chunks.
 *
 * A terminal and a stream split text anywhere, so nothing here depends on a chunk: the tail is checked at fixed absolute
 * positions (every 64 characters from the start), and once more at the end of the text. Markdown is not interpreted,
 * with two exceptions: inside a code fence and in a table, rows legitimately repeat, so many more repeats are needed.
 *
 * The match is exact: the tail must be one repeated block. A list with a shared prefix, a table with changing numbers
 * and code that differs by a name have no period. Rulers, blanks and drawings have one, but a block without letters or
 * digits never counts, and a block of a single letter or digit (a matrix of zeros) counts late.
 */

export interface TextRepeat {
  /** Length of the repeating block in characters. */
  period: number;
  repeats: number;
  preview: string;
}

/** A changed verdict: the tail repeats, or null if it no longer does. */
export type TextChange = TextRepeat | null;

export interface TextTail {
  /** The last `TAIL_MAX` characters. */
  text: string;
  /** Characters since the start of the text. */
  length: number;
  reported: boolean;
  /** Consecutive checks without a repetition, after one was reported. */
  quiet: number;
  fenced: boolean;
  /** Position on the current line: blanks and fence marks since its start, or -1 past them. */
  mark: number;
}

const STEP = 64;
const TAIL_MAX = 6144;
/** A period is found by an earlier occurrence of the last characters; fewer would match by chance. */
const PROBE = 24;
const PROBES_MAX = 16;
const PERIOD_MAX = 1024;
/** A reported repetition is withdrawn after this many checks without one: 256 characters of other text. */
const QUIET_CHECKS = 4;
const PREVIEW_MAX = 120;

interface Proof {
  chars: number;
  repeats: number;
}
/**
 * Other detectors require 10 times 50 characters. Less than that already has no legitimate explanation in prose, nor
 * has ten times the same short sentence.
 */
const PROSE: readonly Proof[] = [
  { chars: 360, repeats: 5 },
  { chars: 120, repeats: 10 },
];
/** At the end of the text, nothing can follow that would explain the repetition. */
const PROSE_AT_END: readonly Proof[] = [{ chars: 120, repeats: 5 }];
/** Twenty equal statements in a fence are legitimate (1,000 characters); a block that fills the window is not. */
const STRUCTURE: Proof = { chars: 4096, repeats: 5 };

/** An empty text. Readers keep one per channel and create a new one for each message. */
export function createTextTail(): TextTail {
  return { text: "", length: 0, reported: false, quiet: 0, fenced: false, mark: 0 };
}

/** Adds text, split anywhere. Returns the resulting changes of verdict, in order. */
export function feedText(tail: TextTail, text: string): TextChange[] {
  const changes: TextChange[] = [];
  for (let from = 0; from < text.length; ) {
    const to = Math.min(text.length, from + STEP - (tail.length % STEP));
    const piece = text.slice(from, to);
    tail.text =
      (tail.text.length + piece.length > TAIL_MAX ? tail.text.slice(piece.length - TAIL_MAX) : tail.text) + piece;
    tail.length += piece.length;
    followFences(tail, piece);
    from = to;
    if (tail.length % STEP === 0) check(tail, PROSE, changes);
  }
  return changes;
}

/** The text ends here: one last check, with a lower threshold. */
export function endText(tail: TextTail): TextChange[] {
  const changes: TextChange[] = [];
  if (!tail.reported) check(tail, PROSE_AT_END, changes);
  return changes;
}

function check(tail: TextTail, prose: readonly Proof[], changes: TextChange[]): void {
  const found = tailRepeat(tail, prose);
  tail.quiet = found ? 0 : tail.quiet + 1;
  if (found && !tail.reported) {
    tail.reported = true;
    changes.push(found);
  } else if (tail.reported && tail.quiet >= QUIET_CHECKS) {
    tail.reported = false;
    changes.push(null);
  }
}

function tailRepeat(tail: TextTail, prose: readonly Proof[]): TextRepeat | undefined {
  const text = tail.text.trimEnd();
  const near = text.slice(-PERIOD_MAX - PROBE);
  const probe = near.slice(-PROBE);
  const last = near.length - PROBE;
  let at = last;
  for (let tries = 0; tries < PROBES_MAX && at > 0; tries++) {
    at = near.lastIndexOf(probe, at - 1);
    if (at < 0) return undefined;
    const period = last - at;
    const chars = periodicLength(text, period);
    const repeats = Math.floor(chars / period);
    if (!prose.some((proof) => proves(proof, chars, repeats))) continue;
    const block = text.slice(-period);
    if (/[\p{L}\p{N}]/u.test(block) && (!isStructure(tail, block) || proves(STRUCTURE, chars, repeats))) {
      return { period, repeats, preview: block.trim().slice(0, PREVIEW_MAX) };
    }
  }
  return undefined;
}

function proves(proof: Proof, chars: number, repeats: number): boolean {
  return chars >= proof.chars && repeats >= proof.repeats;
}

/** How many characters at the end repeat with this period. */
function periodicLength(text: string, period: number): number {
  let i = text.length - 1;
  while (i >= period && text.charCodeAt(i) === text.charCodeAt(i - period)) i--;
  return text.length - 1 - i + period;
}

function isStructure(tail: TextTail, block: string): boolean {
  if (tail.fenced || /^\s{0,8}\||\n\s{0,8}\|/.test(block)) return true;
  return new Set(block.toLowerCase().match(/[\p{L}\p{N}]/gu)).size < 2;
}

const FENCE = 3;

/**
 * A fence opens or closes on a line that starts with three marks, after blanks at most. A closing fence directly
 * followed by text counts too: models write that, and an unclosed fence would hide the rest.
 */
function followFences(tail: TextTail, piece: string): void {
  for (const char of piece) {
    if (char === "\n") tail.mark = 0;
    else if (tail.mark < 0) continue;
    else if (char === "`" || char === "~") {
      tail.mark++;
      if (tail.mark === FENCE) tail.fenced = !tail.fenced;
    } else if (tail.mark > 0 || (char !== " " && char !== "\t")) tail.mark = -1;
  }
}
