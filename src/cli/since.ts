/** Times and durations on the command line. */
import { InvalidArgumentError } from "@commander-js/extra-typings";

const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };
const DURATION = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h|d)$/;
const CLOCK = /^(\d{1,2}):(\d{2})$/;

/** "90s", "10m", "8h", "2d" in milliseconds. */
export function parseDuration(value: string): number {
  const [, amount, unit] = DURATION.exec(value) ?? [];
  const ms = Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (!(ms > 0 && ms <= 365 * DAY_MS))
    throw new InvalidArgumentError("It must be a duration such as 90s, 10m, 8h or 2d, at most 365d.");
  return ms;
}

/** A duration before now, a time of day (its last occurrence), or an ISO 8601 date. Milliseconds since 1970. */
export function parseSince(value: string, now: number = Date.now()): number {
  if (DURATION.test(value)) return now - parseDuration(value);
  const [, hour, minute] = CLOCK.exec(value) ?? [];
  if (hour !== undefined && Number(hour) < 24 && Number(minute) < 60) {
    const at = new Date(now);
    at.setHours(Number(hour), Number(minute), 0, 0);
    // By the calendar, not by 24 hours: a day with a clock change is longer or shorter.
    if (at.getTime() > now) at.setDate(at.getDate() - 1);
    return at.getTime();
  }
  const at = /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError("It must be a duration such as 8h, a time such as 22:00, or an ISO 8601 date.");
  if (at > now) throw new InvalidArgumentError("It is in the future.");
  return at;
}
