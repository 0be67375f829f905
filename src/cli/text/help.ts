/** Items of a help text, wrapped at the width of the terminal. */
import { wrapText } from "./width.js";

/** Minimum width of a text beside its term; with less room, the text goes below it. */
const BESIDE_MIN = 22;

export function helpItem(term: string, termWidth: number, text: string, width: number): string {
  const isBeside = width - termWidth - 4 >= BESIDE_MIN;
  const indent = isBeside ? termWidth + 4 : 6;
  const [first = "", ...rest] = wrapText(text, Math.max(BESIDE_MIN, width - indent));
  const below = rest.map((line) => `\n${" ".repeat(indent)}${line}`).join("");
  if (first === "") return `  ${term}`;
  return isBeside
    ? `  ${term.padEnd(termWidth)}  ${first}${below}`
    : `  ${term}\n${" ".repeat(indent)}${first}${below}`;
}

/** A titled list of terms. */
export function helpList(title: string, items: readonly (readonly [string, string])[], width: number): string {
  const termWidth = Math.max(...items.map(([term]) => term.length));
  return `\n${title}\n${items.map(([term, text]) => helpItem(term, termWidth, text, width)).join("\n")}\n`;
}
