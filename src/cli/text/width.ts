/** How many columns of a terminal a text takes, and a text cut, filled or broken to so many. */

/** Ranges that Unicode calls wide or fullwidth, but for emoji, which have a property of their own. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const EMPTY = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[\u0020-\u007e]*$/;

/** Made when a text first needs it: it takes 10 ms and 3 MB, which most commands have no use for. */
let segmenter: Intl.Segmenter | null = null;
function lettersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of lettersOf(text)) width += letterWidth(segment);
  return width;
}

/** Exactly so wide: with blanks behind it, or cut between two letters with an ellipsis. */
export function fitTo(text: string, width: number): string {
  const wide = textWidth(text);
  if (wide <= width) return text + " ".repeat(width - wide);
  let kept = "";
  let left = Math.max(0, width - 1);
  for (const { segment } of lettersOf(text)) {
    const needed = letterWidth(segment);
    if (needed > left) break;
    kept += segment;
    left -= needed;
  }
  return width === 0 ? "" : `${kept}…${" ".repeat(left)}`;
}

/** Broken between words; one that is wider than all has a line of its own. The first line may have more room. */
export function wrapText(text: string, width: number, firstWidth: number = width): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > (lines.length === 0 ? firstWidth : width)) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}

/** So wide is what it is written to; into a file or a pipe, nothing is cut or broken. */
export const columnsOf = ({ columns }: { columns?: number | undefined }): number => columns ?? Number.POSITIVE_INFINITY;

/** A line broken between words, whose further lines begin below its first word, `deeper` columns farther in. */
export function foldLine(line: string, columns: number, deeper = 0): string[] {
  if (textWidth(line) <= columns) return [line];
  const indent = line.length - line.trimStart().length;
  const room = columns - indent;
  const [first = "", ...rest] = wrapText(line.trimStart(), Math.max(LEAST, room - deeper), Math.max(LEAST, room));
  return [" ".repeat(indent) + first, ...rest.map((text) => " ".repeat(indent + deeper) + text)];
}

/** A column narrower than this is not read any more; lines run over instead. */
const LEAST = 20;

const letterWidth = (letter: string): number => (WIDE.test(letter) ? 2 : EMPTY.test(letter) ? 0 : 1);
