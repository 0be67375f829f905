/** Items of a help text, broken between words at any width of the terminal. */
import { wrapText } from "./width.js";

/** Beside a term there must be room for some words; where there is less, they stand below it. */
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

/** What to begin with, under a title of its own. */
export function helpList(title: string, items: readonly (readonly [string, string])[], width: number): string {
  const termWidth = Math.max(...items.map(([term]) => term.length));
  return `\n${title}\n${items.map(([term, text]) => helpItem(term, termWidth, text, width)).join("\n")}\n`;
}
