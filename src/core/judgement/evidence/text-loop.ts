/**
 * Repetition at the tail of a model's text, found without regard to how the text was cut.
 *
 * A terminal and a stream cut text anywhere, so nothing here depends on a chunk: the tail is judged at fixed
 * absolute positions only (every 64 characters since the text began), and once more where the text ends. Markdown
 * is not guessed at either, with two exceptions that decide how much proof is wanted: inside a code fence and in
 * a table, rows repeat honestly, so many more are needed.
 *
 * What is looked for is exact: the tail is one block again and again. A list with a shared prefix, a table whose
 * numbers change and code that differs by a name have no period. Rulers, blanks and drawings have one, but a block
 * without letters or digits never counts, and one made of a single letter or digit (a matrix of zeros) counts late.
 */

export interface TextRepeat {
  /** Length of the repeating block in characters. */
  period: number;
  repeats: number;
  preview: string;
}

/** A verdict that changed: the tail repeats, or (null) it does so no more. */
export type TextChange = TextRepeat | null;

export interface TextTail {
  /** The last `TAIL_MAX` characters. */
  text: string;
  /** Characters since the text began. */
  length: number;
  reported: boolean;
  /** Looks in a row without a repetition, once one was told. */
  quiet: number;
  fenced: boolean;
  /** Where on its line the text stands: blanks and fence marks seen since the line began, or -1 past them. */
  mark: number;
}

const STEP = 64;
const TAIL_MAX = 6144;
/** A block is looked for by where the last characters stood before; fewer would meet by chance. */
const PROBE = 24;
const PROBES_MAX = 16;
const PERIOD_MAX = 1024;
/** A told repetition is taken back after this many looks without one: 256 characters of something else. */
const QUIET_CHECKS = 4;
const PREVIEW_MAX = 120;

interface Proof {
  chars: number;
  repeats: number;
}
/**
 * Detectors in the field want 10 times 50 characters; less than that already has no honest explanation in prose, and for
 * ten times the same short sentence there is none either.
 */
const PROSE: readonly Proof[] = [
  { chars: 360, repeats: 5 },
  { chars: 120, repeats: 10 },
];
/** Where the text ends with the repetition, nothing can follow that would explain it. */
const PROSE_AT_END: readonly Proof[] = [{ chars: 120, repeats: 5 }];
/** Twenty equal statements in a fence are honest (1,000 characters); a block that fills the window is not. */
const STRUCTURE: Proof = { chars: 4096, repeats: 5 };

/** An empty text. Readers keep one per channel and make a new one where a message begins. */
export function createTextTail(): TextTail {
  return { text: "", length: 0, reported: false, quiet: 0, fenced: false, mark: 0 };
}

/** Takes more text in, cut anywhere; the changes of verdict that it brought, in order. */
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

/** The text ends here: one last look, which needs less. */
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
 * A fence opens or closes where a line begins with three marks, after blanks at most. A closing fence with text
 * right behind it counts too: models write that, and a fence left open would hide what follows.
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
