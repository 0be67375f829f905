/**
 * Reads the end of a limit from the text of a usage-limit banner.
 *
 * The text is cut at words that announce a time ("resets", "try again", `resets_at`); the value must follow such a word
 * directly. The lowest value counts, because older banners stay on the screen above it. Nothing is invented:
 * - a zone that is printed and unknown, or a date that does not parse, gives null and never falls back to the clock
 *   part or to an older banner;
 * - a clock time up to an hour in the past means that the limit has just ended, so that past instant is returned; going
 *   to the next day instead made other watchdogs sleep 24 hours too long;
 * - a full date, an epoch or an ISO time in the past is returned as it is: the limit has ended;
 * - further ahead than any weekly limit (8 days), or than a month for a full date, gives null.
 * A date without a clock time means the start of that day.
 */
import { Temporal } from "temporal-polyfill";
import { MONTHLY_CAP, resolveParts, WEEKLY_CAP } from "./instant.js";
import { readParts } from "./parts.js";
import { canonicalZone, readZone } from "./zones.js";

export interface ResetTime {
  until: number;
  how: "epoch" | "iso" | "clock" | "date" | "duration";
  /** The zone in which a clock time or date was read; "UTC" for the other kinds, which need none. */
  zone: string;
  /** The text that it was read from. */
  text: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TEXT_MAX = 4096;
const PHRASE_MAX = 120;
/** More announcements than this on one screen are not a banner; only the lowest are read. */
const PHRASES_MAX = 8;

/**
 * Words that announce a time; the second group is the rest of a field name such as `resets_in_seconds`. Some providers
 * whose models are used behind Claude Code announce it in Chinese.
 */
const ANCHOR =
  /(?:\b(?:anthropic-ratelimit-[a-z-]{0,24}|x-ratelimit-|quota)?(resets?|resetting|retry|retrying|try(?:ing)? again|regain access|continu(?:e|es|ing) automatically|available|renews?|refresh(?:es)?|cycle ends|wait|unlocks?|resumes?|restored|come back|expires?|lifted|until|again(?= (?:at|in|after|on)\b)|reached(?= ?\|))|将在|将于|请在|请于)([\w-]{0,24})/gi;

const FILLER =
  /[ :=·∙•|"'~,<]{1,4}|(?:again|at|in|on|after|for|from|by|until|around|about|approximately|approx\.?|access|automatically|another|less than|time|date|is)(?![\w-])/giy;

/** Names of fields whose bare number counts seconds or milliseconds from now. */
const MILLIS_FIELD = /ms$|millis/i;
const SECONDS_FIELD = /sec|after|delay|-in|_in/i;

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };
const AMOUNT =
  /(\d{1,9}(?:\.\d{1,6})?|an?(?= ))\s?(milliseconds?|millis|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|wks?|w)(?![a-z_])[\s,]{0,2}(?:and )?/giy;

const EPOCH = /^(?:\d{13}|\d{10})(?![\d:/-])/;
const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)? ?(?:Z|[+-]\d{2}:?\d{2})(?![\w:])/i;

/** Text without a digit or a word for a time is not parsed: ten languages take long. */
const MAY_HOLD_TIME = /^(?:.{0,24}\d|(?:noon|midnight|today|tomorrow|mon|tue|wed|thu|fri|sat|sun))/i;

/** Every written time contains one of these. */
const ANY_TIME = /\d|\b(?:an?|noon|midnight|today|tomorrow|mon|tue|wed|thu|fri|sat|sun)/i;

/** The start of an intended date or time: if it cannot be read, the banner's time is unknown. */
const VALUE_LIKE = /^(?:\d|\p{L}{2,12}\.?,? \d{1,2}\b)/u;

interface Found {
  until: number;
  how: ResetTime["how"];
  zone: string;
  end: number;
  cap: number;
}
/** `none`: no time is printed here, continue further up. `refused`: a time is printed and cannot be trusted. */
type Outcome = Found | "none" | "refused";

interface Phrase {
  start: number;
  /** The rest of a field name, or "". */
  field: string;
  /** The last word before the value is "at": the value is not a duration, even if it reads "21h". */
  isAt: boolean;
  /** From the value to the end of the banner. */
  value: string;
  valueStart: number;
}

/**
 * Reads when the limit announced in `text` ends. `zone` is the zone of the machine that printed it.
 *
 * `readResetTime("You've hit your limit · resets 7pm (Europe/London)", now, "UTC")?.until`
 */
export function readResetTime(text: string, at: number, zone: string): ResetTime | null {
  if (!Number.isFinite(at) || Math.abs(at) > 8e15) return null;
  // A calendar takes whole milliseconds only, and a recording counts in seconds with fractions.
  const now = Math.floor(at);
  if (!ANY_TIME.test(text)) return null;
  const clean = unwrap(text);
  const phrases = phrasesOf(clean);
  const isMonthly = /\bmonth/i.test(clean);
  for (let i = phrases.length - 1; i >= 0; i--) {
    const phrase = phrases[i] as Phrase;
    // The same banner may print its zone once and its time twice ("continuing automatically at 7pm" below it).
    const outcome = readPhrase(phrase, now, () => zoneAbove(phrases.slice(0, i), now, zone) ?? zone, isMonthly);
    if (outcome === "refused") return null;
    if (outcome === "none") continue;
    if (!(outcome.until - now <= outcome.cap)) return null;
    const end = phrase.valueStart + outcome.end;
    return { until: outcome.until, how: outcome.how, zone: outcome.zone, text: clean.slice(phrase.start, end) };
  }
  return null;
}

/** Rows joined by spaces; a line break remains only if a row starts a new item. */
function unwrap(text: string): string {
  const rows = text
    .slice(-TEXT_MAX)
    .replace(/[\u00a0\u2000-\u200a\u202f\u3000]/g, " ")
    .replaceAll("\u2212", "-")
    .replaceAll("\\n", "\n")
    .split("\n");
  let joined = "";
  for (const row of rows) {
    const bare = row.replace(/[│┃║▌▐\r\t]/g, " ").trim();
    const isOwn = bare === "" || /^(?:[❯›>✻✽✶✢●⏺•◦*✗✓-]\s|[❯›>]?\s{0,2}\d{1,2}[.)]\s|[╭╰┌└─━])/.test(bare);
    joined += `${isOwn ? "\n" : " "}${bare}`;
  }
  return joined.replace(/ {2,}/g, " ");
}

function phrasesOf(text: string): Phrase[] {
  const phrases: Phrase[] = [];
  for (const match of text.matchAll(ANCHOR)) {
    const start = match.index;
    let valueStart = start + match[0].length;
    let isAt = false;
    for (let n = 0; n < 8; n++) {
      FILLER.lastIndex = valueStart;
      const filler = FILLER.exec(text);
      if (!filler) break;
      valueStart = FILLER.lastIndex;
      if (/\w/.test(filler[0])) isAt = /^at$/i.test(filler[0]);
    }
    const value = text.slice(valueStart, valueStart + PHRASE_MAX).split("\n", 1)[0] as string;
    phrases.push({ start, field: match[2] ?? "", isAt, value, valueStart });
  }
  // If a record has both, the absolute time counts; the seconds count from the time of sending.
  const hasAbsolute = phrases.some((p) => p.field !== "" && (EPOCH.test(p.value) || ISO.test(p.value)));
  const kept = hasAbsolute ? phrases.filter((p) => !(p.field !== "" && SECONDS_FIELD.test(p.field))) : phrases;
  return kept.slice(-PHRASES_MAX);
}

function readPhrase(phrase: Phrase, now: number, local: () => string, isMonthly: boolean): Outcome {
  const { value, field, isAt } = phrase;
  const epoch = EPOCH.exec(value)?.[0];
  if (epoch !== undefined) {
    const until = epoch.length === 13 ? Number(epoch) : Number(epoch) * 1000;
    return { until, how: "epoch", zone: "UTC", end: epoch.length, cap: MONTHLY_CAP };
  }
  const iso = ISO.exec(value)?.[0];
  if (iso !== undefined) return readIso(iso);
  const duration = isAt ? null : readDuration(value, field, now, isMonthly ? MONTHLY_CAP : WEEKLY_CAP);
  return duration ?? readWritten(value, now, local(), isMonthly);
}

function readIso(iso: string): Outcome {
  try {
    const instant = Temporal.Instant.from(iso.replace(/^(.{10}) /, "$1T").replace(" ", ""));
    return { until: instant.epochMilliseconds, how: "iso", zone: "UTC", end: iso.length, cap: MONTHLY_CAP };
  } catch {
    return "refused";
  }
}

function readDuration(value: string, field: string, now: number, cap: number): Outcome | null {
  const bare = /^\d{1,9}(?:\.\d{1,6})?(?=["'\s,;}\]]|$)/.exec(value)?.[0];
  const unit = MILLIS_FIELD.test(field) ? 1 : SECONDS_FIELD.test(field) ? 1000 : null;
  if (bare !== undefined && unit !== null) {
    return { until: now + Math.round(Number(bare) * unit), how: "duration", zone: "UTC", end: bare.length, cap };
  }
  let total = 0;
  let end = 0;
  for (let n = 0; n < 8; n++) {
    AMOUNT.lastIndex = end;
    const amount = AMOUNT.exec(value);
    if (!amount?.[1] || !amount[2]) break;
    const count = /^a/i.test(amount[1]) ? 1 : Number(amount[1]);
    const name = amount[2].toLowerCase();
    total += count * (UNIT_MS[name.startsWith("mil") ? "ms" : name === "ms" ? name : (name[0] as string)] as number);
    end = AMOUNT.lastIndex;
  }
  if (end === 0) return null;
  if (/^ago\b/i.test(value.slice(end))) return "none";
  return {
    until: now + Math.round(total),
    how: "duration",
    zone: "UTC",
    end: value.slice(0, end).trimEnd().length,
    cap,
  };
}

function readWritten(value: string, now: number, local: string, isMonthly: boolean): Outcome {
  if (!MAY_HOLD_TIME.test(value)) return "none";
  const failed = VALUE_LIKE.test(value) ? "refused" : "none";
  // A row's end may fall inside a clock time: "5: 10pm" was "5:" and "10pm" on two rows.
  const text = value.replace(/^(.{0,24}?\d{1,2}): (?=\d{2}(?!\d))/, "$1:");
  const here = canonicalZone(local);
  const offsetIn = (zone: string | null) => (): number => (zone === null ? 0 : offsetMinutes(zone, now));
  const draft = readParts(text, now, offsetIn(here));
  if (draft === null) return failed;
  const printed = readZone(text.slice(draft.end), local, now);
  if (printed.kind === "unknown") return "refused";
  const zone = printed.kind === "zone" ? printed.zone : here;
  if (zone === null) return "refused";
  // "Tomorrow" depends on the zone, which is only known now.
  const parts = zone === here ? draft : (readParts(text, now, offsetIn(zone)) ?? draft);
  const end = value.length - text.length + parts.end + ("end" in printed ? printed.end : 0);
  const until = resolveParts(parts, zone, now, isMonthly);
  if (until === null) return "refused";
  const isClock = parts.day === undefined && parts.weekday === undefined;
  const cap = parts.year !== undefined || isMonthly ? MONTHLY_CAP : WEEKLY_CAP;
  return { until, how: isClock ? "clock" : "date", zone, end, cap };
}

function offsetMinutes(zone: string, now: number): number {
  return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).offsetNanoseconds / 6e10;
}

/** The zone that the nearest banner above prints after its own time. */
function zoneAbove(above: readonly Phrase[], now: number, local: string): string | null {
  for (let i = above.length - 1; i >= 0; i--) {
    const value = above[i]?.value ?? "";
    const parts = MAY_HOLD_TIME.test(value) ? readParts(value, now, () => 0) : null;
    const printed = parts === null ? null : readZone(value.slice(parts.end), local, now);
    if (printed?.kind === "zone") return printed.zone;
    if (printed?.kind === "unknown") return null;
  }
  return null;
}
