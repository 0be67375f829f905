/** Text formatting shared by channels. Agent text must not become a link, a mention or markup. */
import type { Notice } from "../core/notices/alert.js";

/**
 * Top-level domains that mail programs and phones turn into links without a scheme. Common file extensions (md, rs, py, sh,
 * pl, in, so) are left out: they count only if a path follows.
 */
const HOST_ENDS =
  "com|net|org|edu|gov|mil|info|biz|name|pro|io|co|ai|app|dev|me|tv|xyz|top|site|online|store|shop|tech|club|link|click|live|zone|space|cloud|page|work|world|website|icu|ru|cn|de|uk|fr|eu|us|jp|kr|br|nl|ca|au|tk|gq|ly|gg|gl";
const BARE_HOST = new RegExp(`(?<=[\\p{L}\\p{N}])[.\u3002\uff0e\uff61](?=(?:${HOST_ENDS})(?![\\p{L}\\p{N}_]))`, "giu");
const HOST_WITH_PATH = /(?<![\p{L}\p{N}/._~-])((?:[\p{L}\p{N}-]{1,63}\.){1,8})(?=\p{L}{2,24}(?:\/|:\d))/gu;

/** Breaks addresses that a client would turn into links; they stay readable. */
export function withoutLinks(text: string): string {
  return text
    .replace(/:\/\//g, ": //")
    .replace(/\b(www|mailto|tel|sms|xmpp|tg|slack|discord)([.:])/gi, "$1 $2")
    .replace(/@(?=[^\s…])/g, "@ ")
    .replace(BARE_HOST, "$& ")
    .replace(HOST_WITH_PATH, "$1 ");
}

/** The same, cut to fit: a cut can turn a name into a host name, so the result is checked again. */
export function clipWithoutLinks(text: string, cut: (text: string) => string): string {
  const short = cut(withoutLinks(text));
  return withoutLinks(short) === short ? short : clipWithoutLinks(short, cut);
}

/** At most `max` characters; never cuts a surrogate pair. */
export function clipText(text: string, max: number): string {
  return text.length <= max ? text : `${wholeStart(text, max - 1)}…`;
}

/** At most `max` bytes of UTF-8. */
export function clipBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  let end = Math.min(text.length, max);
  while (end > 0 && Buffer.byteLength(text.slice(0, end)) > max - 3) end--;
  return `${wholeStart(text, end)}…`;
}

/** Without half of a surrogate pair at the end. */
const wholeStart = (text: string, end: number): string => text.slice(0, end).replace(/[\ud800-\udbff]$/, "");

export const bodyOf = ({ lines }: Notice): string => lines.join("\n");
