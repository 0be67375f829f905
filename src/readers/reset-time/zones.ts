/**
 * The time zone that a limit banner prints after its time: "(Asia/Tokyo)", "PST", "GMT+2", "UTC".
 *
 * chrono-node ignores IANA names in brackets, so "7am (America/New_York)" would become 07:00 UTC; hence this reader. A
 * printed but unknown zone is reported as such, because the reset time must then stay unknown.
 */
import { Temporal } from "temporal-polyfill";
import { BoundedMemo } from "../memo.js";

/** `none`: no zone is printed here; `unknown`: one is printed and cannot be read; `local`: "local time". */
type ZoneReading =
  | { kind: "zone"; zone: string; end: number }
  | { kind: "local"; end: number }
  | { kind: "none" | "unknown" };

/**
 * Abbreviations with one meaning in the output of these programs (JavaScript's `en-US` names, C's `%Z`). Several
 * entries mean several zones: then the local offset decides, and without a match the zone stays unknown.
 */
const ABBREVIATIONS: Record<string, readonly string[]> = {
  UTC: ["UTC"],
  GMT: ["UTC"],
  Z: ["UTC"],
  PST: ["-08:00"],
  PDT: ["-07:00"],
  PT: ["America/Los_Angeles"],
  MST: ["-07:00"],
  MDT: ["-06:00"],
  MT: ["America/Denver"],
  CST: ["-06:00"],
  CDT: ["-05:00"],
  CT: ["America/Chicago"],
  EST: ["-05:00"],
  EDT: ["-04:00"],
  ET: ["America/New_York"],
  AKST: ["-09:00"],
  AKDT: ["-08:00"],
  HST: ["-10:00"],
  AST: ["-04:00", "+03:00"],
  ADT: ["-03:00"],
  NST: ["-03:30"],
  NDT: ["-02:30"],
  WET: ["+00:00"],
  WEST: ["+01:00"],
  BST: ["+01:00"],
  CET: ["+01:00"],
  CEST: ["+02:00"],
  EET: ["+02:00"],
  EEST: ["+03:00"],
  MSK: ["+03:00"],
  IST: ["+05:30", "+02:00", "+01:00"],
  PKT: ["+05:00"],
  WIB: ["+07:00"],
  SGT: ["+08:00"],
  HKT: ["+08:00"],
  AWST: ["+08:00"],
  JST: ["+09:00"],
  KST: ["+09:00"],
  ACST: ["+09:30"],
  ACDT: ["+10:30"],
  AEST: ["+10:00"],
  AEDT: ["+11:00"],
  NZST: ["+12:00"],
  NZDT: ["+13:00"],
  SAST: ["+02:00"],
  BRT: ["-03:00"],
  ART: ["-03:00"],
};

/** CST is also used in China and Cuba: there, the machine's own zone decides. */
const LOCAL_ABBREVIATIONS: Record<string, readonly string[]> = { CST: ["+08:00", "-05:00"] };

const LONG_NAMES: Record<string, string> = {
  pacific: "America/Los_Angeles",
  mountain: "America/Denver",
  central: "America/Chicago",
  eastern: "America/New_York",
};

/** Capitals that may follow a time without being a zone. */
const NOT_ZONES: ReadonlySet<string> = new Set([
  "AM",
  "PM",
  "OR",
  "AND",
  "TO",
  "IF",
  "ON",
  "IN",
  "AT",
  "BY",
  "YOU",
  "ESC",
  "API",
]);

const BRACKET = /^[\s,·∙•]{0,3}[([]([^()[\]]{1,48})[)\]]/;
const BARE =
  /^[\s,]{0,2}((?:UTC|GMT|utc|gmt) ?[+-]\d{1,2}(?::?\d{2})?|[+-]\d{2}:?\d{2}|[A-Z][A-Za-z_]{2,20}\/[A-Z][A-Za-z_/+-]{1,30}|(?:Pacific|Mountain|Central|Eastern)(?: Standard| Daylight)? Time|(?:your )?local time|utc|gmt|[A-Z]{1,5})(?![\w/])/;

/** Reads the zone at the start of `tail`, the text directly after a time. */
export function readZone(tail: string, local: string, now: number): ZoneReading {
  const bracket = BRACKET.exec(tail);
  const printed = bracket ?? BARE.exec(tail);
  if (!printed?.[1]) return { kind: "none" };
  const end = printed[0].length;
  // A name wrapped at the edge of the screen contains a space: "(America/Los_ Angeles)".
  const name = printed[1].includes("/") ? printed[1].replaceAll(" ", "") : printed[1].trim();
  if (/^(?:your )?local(?: time)?$/i.test(name)) return { kind: "local", end };
  const zone = findZone(name, local, now);
  if (zone !== null) return { kind: "zone", zone, end };
  const checksLikeZone = /^[A-Za-z_]+\/[\w/+-]+$/.test(name) || /^[A-Z]{2,5}$/.test(name) || /^(?:utc|gmt)/i.test(name);
  return { kind: checksLikeZone && !NOT_ZONES.has(name) ? "unknown" : "none" };
}

function findZone(name: string, local: string, now: number): string | null {
  const own = LOCAL_ABBREVIATIONS[name]?.find((offset) => sameOffset(offset, local, now));
  if (own !== undefined) return own;
  const known = ABBREVIATIONS[name.length <= 3 ? name.toUpperCase() : name];
  if (known?.length === 1) return known[0] ?? null;
  if (known) return known.find((offset) => sameOffset(offset, local, now)) ?? null;
  const long = /^(pacific|mountain|central|eastern)(?: standard| daylight)? time$/i.exec(name);
  if (long?.[1]) return LONG_NAMES[long[1].toLowerCase()] ?? null;
  const offset = /^(?:utc|gmt)? ?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(name);
  if (offset) return offsetZone(offset[1] ?? "+", Number(offset[2]), Number(offset[3] ?? 0));
  return name.includes("/") || name.length > 3 ? canonicalZone(name) : null;
}

function offsetZone(sign: string, hours: number, minutes: number): string | null {
  if (hours > 14 || minutes > 59) return null;
  return `${sign}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

const canonical = new BoundedMemo<{ zone: string | null }>(32, (name) => {
  if (!/^[\w/+:-]{1,48}$/.test(name)) return { zone: null };
  try {
    return { zone: Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId };
  } catch {
    return { zone: null };
  }
});

/** The zone as given if this runtime knows it, else null. */
export const canonicalZone = (name: string): string | null => canonical.of(name).zone;

function sameOffset(zone: string, other: string, now: number): boolean {
  const here = canonicalZone(other);
  if (here === null) return false;
  const instant = Temporal.Instant.fromEpochMilliseconds(now);
  return instant.toZonedDateTimeISO(zone).offsetNanoseconds === instant.toZonedDateTimeISO(here).offsetNanoseconds;
}
