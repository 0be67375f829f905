/**
 * Redacts secrets in text that is stored or leaves this machine: recordings, messages, reports. Every character of a
 * secret becomes an asterisk, so that columns, lines and screens keep their layout and JSON stays valid.
 *
 * Secrets are found in three ways, each in linear time: by prefix (`SECRET_FORMATS`), by name (a header, an assignment, a
 * flag), and by context (an armoured key, a password in a URL).
 */
import { SECRET_FORMATS } from "./secret-formats.js";

/** Start and end (exclusive). */
export type TextSpan = readonly [from: number, to: number];

const MASK = "*";

export function redact(text: string): string {
  return mask(text, secretSpans(text));
}

/**
 * Cheap tests that every secret passes: most lines pass none of them, which saves the full search (8 µs instead of 50 for
 * a line of 100 characters). The shortest format has 15 characters.
 */
const LONG_WORD = /\S{15}/;
const NAMING =
  /(?:token|secret|pass|pwd|auth|key|cookie|credential|_pat|_dsn)\w{0,80}\\?["']?[ \t]{0,4}[:=]|(?:bearer|basic|token)[ \t]{1,4}\S{16}|-(?:api|token|auth|access|pass|secret)|password /i;

/** Positions of secrets, in order, without overlaps. */
export function secretSpans(text: string): TextSpan[] {
  const hasLongWord = LONG_WORD.test(text);
  const found: TextSpan[] = [
    ...(hasLongWord ? byBeginning(text) : []),
    ...(NAMING.test(text) ? byName(text) : []),
    ...(hasLongWord ? byShape(text) : []),
    ...(text.includes("://") ? urlPasswords(text) : []),
    ...(text.includes("-----BEGIN ") ? armoured(text) : []),
  ].sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of found) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function mask(text: string, spans: readonly TextSpan[]): string {
  let masked = "";
  let at = 0;
  for (const [from, to] of spans) {
    masked += text.slice(at, from) + MASK.repeat(to - from);
    at = to;
  }
  return masked + text.slice(at);
}

const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** One pass finds all prefixes; the rest of a format is tried only there, the longest prefix first. */
const BEGINNINGS = SECRET_FORMATS.flatMap(({ begins, rest }) =>
  begins.map((begin) => ({ begin, rest: new RegExp(rest, "y") })),
).sort((a, b) => b.begin.length - a.begin.length);
const BEGINNING = new RegExp(BEGINNINGS.map(({ begin }) => escaped(begin)).join("|"), "g");

function byBeginning(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  BEGINNING.lastIndex = 0;
  for (let hit = BEGINNING.exec(text); hit; hit = BEGINNING.exec(text)) {
    const from = hit.index;
    const end = isWordBefore(text, from) ? null : endOfMatch(text, from);
    // A prefix inside another one also counts: "sk-sk-ant-…".
    BEGINNING.lastIndex = end ?? from + 1;
    if (end !== null) found.push([from, end]);
  }
  return found;
}

function endOfMatch(text: string, from: number): number | null {
  for (const { begin, rest } of BEGINNINGS) {
    if (!text.startsWith(begin, from)) continue;
    rest.lastIndex = from + begin.length;
    if (rest.test(text)) return rest.lastIndex;
  }
  return null;
}

/** A letter or digit in front makes it another word, unless it ends an escape of JSON or of a URL. */
function isWordBefore(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 3), at);
  return /[A-Za-z0-9]$/.test(before) && !/\\[nrtbf]$|%[0-9A-Fa-f]{2}$|\\u[0-9a-f]{1}$/.test(before);
}

/*
 * Names of secrets: headers, variables, fields, flags. The value is quoted or ends with the word. Token counts and
 * references to a secret ($VARIABLE, <your key>) do not count.
 */
/** Not inside a word; the letter of an escape (`\n`) is not part of one. */
const START = String.raw`(?<!(?<!\\)[A-Za-z0-9_])`;
const IS = String.raw`\\?["']?[ \t]{0,4}[:=]>?[ \t]{0,4}`;
const QUOTED = String.raw`\\?["'](?![$<*{])([^"'\\\u0000-\u001f]{6,4000})`;
const BARE = String.raw`(?![$<*{"'])([^\s"'\\\x60,;\u0000-\u001f]{6,4000})`;
/** A value in code is often another name: only a value with a digit counts. */
const BARE_WITH_DIGIT = "(?=[A-Za-z_./+~-]{0,400}[0-9])([A-Za-z0-9_./+~=-]{8,4000})";
const VARIABLE =
  "[A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|APIKEY|PASS|PWD|AUTH|_KEY|_PAT|_DSN)(?:_[A-Z0-9]{1,30}){0,2}";
const FIELD =
  "(?:[a-z0-9]{1,30}[_-]){0,4}[a-z0-9]{0,30}?(?:(?:api|access|secret|private|auth|signing|encryption)[_-]?key|token|secret|password|passwd|passphrase)";
const HEADER =
  "(?:x-api-key|x-goog-api-key|api-key|x-auth-token|x-amz-security-token|private-token|cookie|set-cookie|proxy-authorization)";

const NAMED: readonly RegExp[] = [
  new RegExp(`${START}${VARIABLE}${IS}(?:${QUOTED}|${BARE})`, "g"),
  new RegExp(`${START}${FIELD}${IS}(?:${QUOTED}|${BARE_WITH_DIGIT})`, "gi"),
  new RegExp(`${START}${HEADER}${IS}(?:${QUOTED}|(?!["'])([^"'\\\\\\u0000-\\u001f]{6,4000}))`, "gi"),
  new RegExp(
    `${START}(?:bearer|basic|token)[ \\t]{1,4}(?=[A-Za-z+/._~=-]{0,400}[0-9])([A-Za-z0-9+/._~=-]{16,8000})`,
    "gi",
  ),
  new RegExp(
    `${START}--?(?:api-?key|token|auth-token|access-token|password|passwd|secret)[ =](?:${QUOTED}|(?!-)${BARE})`,
    "gi",
  ),
  new RegExp(`${START}(?:login [^\\s\\u0000-\\u001f]{1,100} password |_authToken=|_password=|_auth=)${BARE}`, "g"),
];

/** Numbers and keywords are not secrets; asterisks in their place would break JSON. */
const NO_SECRET = /^(?:[0-9.,]+|true|false|null|none|undefined|required|optional|string|process\.env.*)$/i;

function byName(text: string): TextSpan[] {
  return NAMED.flatMap((name) =>
    [...text.matchAll(name)].flatMap((hit): TextSpan[] => {
      const value = hit[1] ?? hit[2] ?? "";
      const to = hit.index + hit[0].length;
      return value === "" || NO_SECRET.test(value) ? [] : [[to - value.length, to]];
    }),
  );
}

const ARMOUR = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const ARMOUR_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const ARMOUR_MAX = 16 * 1024;
const URL_PASSWORD =
  /(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'\\/@:<>\u0000-\u001f]{0,100}:([^\s"'\\/@<>\u0000-\u001f]{1,200})@/gi;
/** Discord bot tokens and Azure client secrets, which have no fixed prefix. */
const SHAPED: readonly RegExp[] = [
  String.raw`[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`,
  "[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
  "[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,80}`,
  "[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])",
].map((shape) => new RegExp(START + shape, "g"));

function byShape(text: string): TextSpan[] {
  return SHAPED.flatMap((shape) =>
    [...text.matchAll(shape)].map((hit): TextSpan => [hit.index, hit.index + hit[0].length]),
  );
}

function urlPasswords(text: string): TextSpan[] {
  return [...text.matchAll(URL_PASSWORD)].map((hit): TextSpan => {
    const to = hit.index + hit[0].length - 1;
    return [to - (hit[1]?.length ?? 0), to];
  });
}

/** The key between its two lines; without the second line, to the end of the text or the maximum length of a key. */
function armoured(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  let behind = 0;
  for (const { index, 0: head } of text.matchAll(ARMOUR)) {
    if (index < behind) continue;
    const from = index + head.length;
    ARMOUR_END.lastIndex = from;
    // A quoted text that was cut before the key's last line ends with its quotes.
    const ends = [ARMOUR_END.exec(text)?.index ?? -1, text.indexOf('"', from)].filter((at) => at >= 0);
    behind = Math.min(...ends, text.length, from + ARMOUR_MAX);
    // Line ends stay, so the number of lines does not change.
    for (const line of text.slice(from, behind).matchAll(/[^\r\n]+/g))
      found.push([from + line.index, from + line.index + line[0].length]);
  }
  return found;
}
