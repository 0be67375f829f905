/** Times for users: the time of day in their zone, the day if it is not today, and the distance from now. */
import { HOUR, MINUTE, SECOND } from "./time.js";

/** "2 h 14 min", "3 min", "20 s", "2 d 4 h": two units at most. */
export function formatDistance(ms: number): string {
  const left = Math.max(0, ms);
  if (left < 90 * SECOND) return `${Math.round(left / SECOND)} s`;
  const minutes = Math.round(left / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** "03:10", "tomorrow 03:10", "Thu 03:10", "2026-11-25 03:10". The zone is an IANA name. */
export function clockTime(at: number, now: number, zone: string): string {
  const [day, time] = partsOf(at, zone);
  // By the calendar: a day on which the clock changes has 23 or 25 hours.
  const days = Math.round((Date.parse(day) - Date.parse(partsOf(now, zone)[0])) / DAY_MS);
  const name = NAMED[days] ?? (days > 1 && days < 7 ? weekday(at, zone) : day);
  return name === "" ? time : `${name} ${time}`;
}

/** When a limit ends: "limit resets at 03:10 (in 2 h 14 min)". */
export function resetText(until: number, now: number, zone: string): string {
  const at = clockTime(until, now, zone);
  const on = /^\d\d:/.test(at) ? `at ${at}` : at;
  return until > now
    ? `limit resets ${on} (in ${formatDistance(until - now)})`
    : `limit reset ${on} (${formatDistance(now - until)} ago)`;
}

/** For an order to an agent that has ended. */
export const endedText = (name: string, at: number, now: number, zone: string): string =>
  `${name} ended at ${clockTime(at, now, zone)}; see \`rouse why ${name}\``;

const DAY_MS: number = 24 * HOUR;
const NAMED: Readonly<Record<number, string>> = { [-1]: "yesterday", 0: "", 1: "tomorrow" };

function partsOf(at: number, zone: string): [day: string, time: string] {
  // The Swedish locale formats dates as ISO 8601.
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  }).format(at);
  const [day = "", time = ""] = text.split(" ");
  return [day, time];
}

const weekday = (at: number, zone: string): string =>
  new Intl.DateTimeFormat("en", { timeZone: zone, weekday: "short" }).format(at);
