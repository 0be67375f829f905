/** Width of a text in terminal columns; cutting, padding and wrapping to a width. */

/** Ranges that Unicode calls wide or fullwidth, except emoji, which have their own property. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const EMPTY = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[\u0020-\u007e]*$/;

/** Created on first use: it takes 10 ms and 3 MB, and most commands do not need it. */
let segmenter: Intl.Segmenter | null = null;
function lettersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Colour codes have no width. */
const COLOUR_CODE = /\u001b\[[0-9;]*m/g;

export function textWidth(given: string): number {
  const text = given.includes("\u001b") ? given.replace(COLOUR_CODE, "") : given;
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of lettersOf(text)) width += letterWidth(segment);
  return width;
}

/** Padded with spaces, or cut between two characters with an ellipsis, to exactly this width. */
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

/** Wrapped between words; a word wider than the line gets its own line. The first line may be wider. */
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

/** Nothing is cut or wrapped in a file or pipe, nor on a terminal that reports a width of 0 (`script`, expect, CI). */
export const columnsOf = ({ columns }: { columns?: number | undefined }): number => columns || Number.POSITIVE_INFINITY;

/** A line wrapped between words; continuation lines are indented by `deeper` more columns. */
export function foldLine(line: string, columns: number, deeper = 0): string[] {
  if (textWidth(line) <= columns) return [line];
  const indent = line.length - line.trimStart().length;
  const room = columns - indent;
  const [first = "", ...rest] = wrapText(line.trimStart(), Math.max(LEAST, room - deeper), Math.max(LEAST, room));
  return [" ".repeat(indent) + first, ...rest.map((text) => " ".repeat(indent + deeper) + text)];
}

/** Every line of a text, folded at the width of a terminal; unchanged for a file or pipe. */
export const foldText = (text: string, screen: { columns?: number | undefined }, deeper = 2): string =>
  text
    .split("\n")
    .flatMap((line) => foldLine(line, columnsOf(screen), deeper))
    .join("\n");

/** Below this width lines overflow instead: narrower columns are unreadable. */
const LEAST = 20;

const letterWidth = (letter: string): number => (WIDE.test(letter) ? 2 : EMPTY.test(letter) ? 0 : 1);
