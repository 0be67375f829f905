/**
 * Dates and clock times as people write them, by chrono-node: "Jul 27 at 4:30am", "Mon 9:00 AM", "20. November um
 * 14:30".
 *
 * Only printed parts are returned; parts that chrono would guess (a year, an hour) are left to the caller. chrono is
 * loaded at the first use: it takes about 140 ms, and most runs never see a limit.
 */
import { createRequire } from "node:module";
import type * as ChronoModule from "chrono-node";

export interface TimeParts {
  year?: number;
  month?: number;
  day?: number;
  /** 1 is Monday, 7 Sunday. */
  weekday?: number;
  hour?: number;
  minute?: number;
  second?: number;
  /** Characters of the text that were used, from its start. */
  end: number;
}

const FIELDS = ["year", "month", "day", "hour", "minute", "second"] as const;
const LOCALES = ["de", "fr", "es", "pt", "it", "nl", "ru", "ja", "zh"] as const;

/** A clock time after the parsed part: then the parsed part is not the whole time. */
const LEFT_OVER_CLOCK = /^[^·∙•([;|+-]{0,12}?\d{1,2}(?::\d{2}|h\d{2}| ?[ap]\.?m\b| Uhr)/i;

/** "7pm", "5:16am", followed by the end or a zone in brackets: most banners, read without chrono. */
const BARE_CLOCK = /^(1[0-2]|0?[1-9])(?::([0-5]\d))? ?([ap])m(?= \([\w/+-]{2,40}\)(?:[.\s]|$)|\.?$| [·∙•] )/i;

/** "(3/10)", an attempt count: no date starts with a bracket before a digit, and a search in ten languages is slow. */
const BRACKETED = /^\(\d/;

let parsers: ChronoModule.Chrono[] | undefined;

/** The date or time at the very start of `text`, or null. `reference` and `offsetMinutes` resolve "tomorrow". */
export function readParts(text: string, reference: number, offsetMinutes: () => number): TimeParts | null {
  const head = text.slice(0, 64);
  const clock = BARE_CLOCK.exec(head);
  if (clock) {
    const hour = (Number(clock[1]) % 12) + (clock[3]?.toLowerCase() === "p" ? 12 : 0);
    return { hour, ...(clock[2] === undefined ? {} : { minute: Number(clock[2]) }), end: clock[0].length };
  }
  if (BRACKETED.test(head)) return null;
  const at = { instant: new Date(reference), timezone: offsetMinutes() };
  let best: TimeParts | null = null;
  for (const parser of loadParsers()) {
    const parts = partsOf(parser.parse(head, at)[0]);
    if (parts !== null && parts.end > (best?.end ?? 0)) best = parts;
    // English is first, and enough unless it left a clock time behind.
    if (best !== null && !LEFT_OVER_CLOCK.test(head.slice(best.end))) return best;
  }
  return null;
}

function partsOf(result: ChronoModule.ParsedResult | undefined): TimeParts | null {
  if (result === undefined || result.index !== 0 || result.end) return null;
  const parts: TimeParts = { end: result.text.length };
  for (const field of FIELDS) {
    const value = result.start.isCertain(field) ? result.start.get(field) : null;
    if (value !== null) parts[field] = value;
  }
  if (result.start.isCertain("weekday")) parts.weekday = result.start.get("weekday") || 7;
  return parts;
}

function loadParsers(): ChronoModule.Chrono[] {
  if (parsers) return parsers;
  const chrono = createRequire(import.meta.url)("chrono-node") as typeof ChronoModule;
  const others = LOCALES.map((name) => (name === "zh" ? chrono.zh.hans : chrono[name]).casual);
  parsers = [chrono.en.casual, ...others].map((parser) => {
    const own = parser.clone();
    // Zones are read by `reset-time-zones.ts`; chrono would swallow an abbreviation together with the time.
    own.refiners = own.refiners.filter((refiner) => !refiner.constructor.name.includes("Timezone"));
    return own;
  });
  return parsers;
}
