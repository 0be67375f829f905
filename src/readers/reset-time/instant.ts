/**
 * Combines the parts of a printed date or clock time with a zone and the current time; Temporal is used if a calendar
 * is needed.
 */
import { Temporal } from "temporal-polyfill";
import type { TimeParts } from "./parts.js";

const DAY = 86_400_000;
/** No weekly limit is further away; a later date is a past one that was read as next year's. */
export const WEEKLY_CAP: number = 8 * DAY;
export const MONTHLY_CAP: number = 32 * DAY;
/** A clock time this little in the past means now. */
const JUST_PAST = 3_600_000;

/** Parts, as read on a wall clock in `zone`, to an instant. */
export function resolveParts(parts: TimeParts, zone: string, now: number, isMonthly: boolean): number | null {
  if (isClock(parts)) return nextClock(zone === "UTC" ? clockInUtc(parts, now) : clockIn(parts, zone, now), now);
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
  const at = (date: Temporal.PlainDate): number => instantOf(date, parts, zone);
  const { year, month, day, weekday, hour } = parts;
  if (month !== undefined && day !== undefined) {
    const years = year === undefined ? [today.year - 1, today.year, today.year + 1] : [year];
    const times = years
      .map((y) => plainDate(y, month, day))
      .filter((date) => date !== null)
      .map(at);
    if (year !== undefined) return times[0] ?? null;
    const ahead = isMonthly ? MONTHLY_CAP : WEEKLY_CAP;
    return times.find((time) => time - now >= -WEEKLY_CAP && time - now <= ahead) ?? null;
  }
  if (month !== undefined || day !== undefined || year !== undefined) return null;
  if (weekday !== undefined) {
    const ahead = (weekday - today.dayOfWeek + 7) % 7;
    // On a Monday, "resets Monday" alone may mean either end of the week.
    if (ahead === 0 && hour === undefined) return null;
    // From last week only the recent past: late on Sunday, read right after midnight.
    const times = [ahead - 7, ahead, ahead + 7].map((days) => at(today.add({ days })));
    return times.find((time) => time >= now - JUST_PAST) ?? null;
  }
  return null;
}

/** The instant of a clock time, `days` after today. */
type ClockAt = (days: number) => number;

const isClock = ({ year, month, day, weekday, hour }: TimeParts): boolean =>
  hour !== undefined && year === undefined && month === undefined && day === undefined && weekday === undefined;

function clockIn(parts: TimeParts, zone: string, now: number): ClockAt {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
  return (days) => instantOf(today.add({ days }), parts, zone);
}

/** Most servers use UTC, where clocks never change and no calendar is needed. */
function clockInUtc({ hour = 0, minute = 0, second = 0 }: TimeParts, now: number): ClockAt {
  const today = Math.floor(now / DAY) * DAY;
  // Temporal reads an hour of 24 this way.
  const time = ((Math.min(hour, 23) * 60 + minute) * 60 + second) * 1000;
  return (days) => today + days * DAY + time;
}

/** The next instant of a clock time; a recent past one still counts. */
function nextClock(at: ClockAt, now: number): number | null {
  const time = at(0);
  // Just after midnight, a time just before midnight is yesterday's; at any other hour yesterday's is long past.
  if (time - now >= DAY - 2 * JUST_PAST) {
    const before = at(-1);
    if (before >= now - JUST_PAST) return before;
  }
  if (time >= now - JUST_PAST) return time;
  for (const days of [1, 2]) {
    const next = at(days);
    if (next >= now - JUST_PAST) return next;
  }
  return null;
}

/** A wall-clock time that a change of clocks skips or repeats: the later of the skipped, the first of the repeated. */
function instantOf(date: Temporal.PlainDate, parts: TimeParts, zone: string): number {
  const { hour = 0, minute = 0, second = 0 } = parts;
  return date.toPlainDateTime({ hour, minute, second }).toZonedDateTime(zone).epochMilliseconds;
}

function plainDate(year: number, month: number, day: number): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: "reject" });
  } catch {
    return null;
  }
}
