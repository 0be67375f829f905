/** Shaping of texts that is common to channels. What an agent wrote must not become a link, a mention or markup. */
import type { Notice } from "../core/alert/alert.js";

/** Addresses that a reader's program would make into links are broken, and stay readable. */
export function unlinked(text: string): string {
  return text
    .replace(/:\/\//g, ": //")
    .replace(/\b(www|mailto|tel|xmpp|tg|slack|discord)([.:])/gi, "$1 $2")
    .replace(/@(?=\S)/g, "@ ");
}

/** At most so many characters, cut between whole ones. */
export function clipped(text: string, max: number): string {
  return text.length <= max ? text : `${wholeStart(text, max - 1)}…`;
}

/** At most so many bytes of UTF-8. */
export function clippedBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  let end = Math.min(text.length, max);
  while (end > 0 && Buffer.byteLength(text.slice(0, end)) > max - 3) end--;
  return `${wholeStart(text, end)}…`;
}

/** Without half of a pair at its end. */
const wholeStart = (text: string, end: number): string => text.slice(0, end).replace(/[\ud800-\udbff]$/, "");

export const bodyOf = ({ lines }: Notice): string => lines.join("\n");
