/** Ages and times as text. `now` ticks, so that every age on the page stays true. */
import { signal } from "@preact/signals";

const TICK_MS = 1000;
export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, TICK_MS);
}

const UNITS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
] as const;

export function duration(seconds: number): string {
  const secs = Math.max(0, Math.round(seconds));
  for (const [length, unit] of UNITS) {
    if (secs < length) continue;
    const rest = UNITS[UNITS.findIndex(([, name]) => name === unit) + 1];
    const more = rest && secs < length * 10 ? Math.floor((secs % length) / rest[0]) : 0;
    return more > 0 && rest
      ? `${Math.floor(secs / length)} ${unit} ${more} ${rest[1]}`
      : `${Math.floor(secs / length)} ${unit}`;
  }
  return `${secs} s`;
}

/** Reads the ticking time: the text follows it. */
export const age = (at: string): string => duration((now.value - Date.parse(at)) / 1000);

const DAY_MS = 86_400_000;

/** Local time; with the date if it is not of the last 18 hours. */
export function clock(at: string | number): string {
  const time = new Date(at);
  const hour = time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  if (Math.abs(Date.now() - time.getTime()) < DAY_MS * 0.75) return hour;
  return `${time.toLocaleDateString([], { month: "short", day: "numeric" })} ${hour}`;
}

/** Local date and time. */
export const fullTime = (at: string): string =>
  new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short", hour12: false });

/** The form of an input of type datetime-local. */
export function localInput(at: number): string {
  const time = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return time.toISOString().slice(0, 16);
}
