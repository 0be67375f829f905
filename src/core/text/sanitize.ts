/**
 * Text from an agent, made safe to show anywhere: no control bytes (C0, DEL, C1), no bidirectional overrides, no
 * invisible characters that hide or reorder, no lone surrogates. Every quote of an agent passes through here.
 */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function sanitize(text: string, max: number = 500): string {
  const safe = text
    .slice(0, max * 2)
    .replace(UNSAFE, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  return (safe.length > max ? `${safe.slice(0, max - 1)}…` : safe).replace(LONE, "\ufffd");
}

/** JSON that is safe to show and complete: characters that `sanitize` removes are escaped. */
export function sanitizedJson(value: unknown, indent?: number): string {
  return sanitizedJsonText(JSON.stringify(value, null, indent));
}

/** The same for serialized JSON. */
function sanitizedJsonText(json: string): string {
  const escaped = (text: string): string =>
    Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
  return json.replace(UNSAFE, (text) => (text === "\n" ? text : escaped(text)));
}

/** One line of rouse that quotes user input: its columns stay as they are. */
export function sanitizeLine(line: string): string {
  return line.replace(UNSAFE, " ").replace(LONE, "\ufffd");
}
