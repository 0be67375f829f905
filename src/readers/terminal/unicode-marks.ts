/** Limits the combining marks of one character: the emulator would collect any number of them in one cell. */
import type { IUnicodeHandling } from "@xterm/headless";

/** Written languages use at most five on one character; the flags of regions are one character and seven marks. */
export const MARKS_MAX = 8;

/** The emulator's own table of widths. A value has the width in bits 1 and 2, and bit 0 if the character joins the one before. */
export interface CharacterWidths {
  wcwidth(code: number): 0 | 1 | 2;
  charProperties(code: number, before: number): number;
}

/** Of a character with these properties. */
export const widthOf = (properties: number): number => (properties >> 1) & 3;

const JOINS = 1;
const WIDTH_1 = 2;
/** The higher bits are free: they count the marks. */
const MARKS_SHIFT = 3;
const VERSION = "rouse";

export function limitMarks(unicode: IUnicodeHandling, widths: CharacterWidths): void {
  unicode.register({
    version: VERSION,
    wcwidth: (code) => widths.wcwidth(code),
    charProperties: (code, before) => {
      if (code >= 0x20 && code < 0x7f) return WIDTH_1;
      const properties = widths.charProperties(code, before);
      if ((properties & JOINS) === 0) return properties;
      const marks = (before >> MARKS_SHIFT) + 1;
      // A further mark gets a cell of its own, like one that follows no character.
      return marks > MARKS_MAX ? 0 : properties | (marks << MARKS_SHIFT);
    },
  });
  unicode.activeVersion = VERSION;
}
