/** Quiet hours: alerts are held, not lost. */
import { MINUTE } from "../text/time.js";
import { atLeast, type QuietHours, type Severity } from "./alert.js";

const DAY = 24 * 60;

const isQuiet = ({ from, to, minuteOfDay }: QuietHours, at: number): boolean => {
  const minute = minuteOfDay(at);
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
};

/** When an alert of this severity may be sent. */
export function quietUntil(quiet: QuietHours | null, severity: Severity, now: number): number {
  if (!quiet || quiet.from === quiet.to || !isQuiet(quiet, now)) return now;
  if (quiet.passes !== null && atLeast(severity, quiet.passes)) return now;
  const left = (quiet.to - quiet.minuteOfDay(now) + DAY) % DAY;
  let until = Math.floor(now / MINUTE) * MINUTE + left * MINUTE;
  // A night with a change of the clock is longer or shorter than its minutes.
  for (let steps = 0; steps < DAY && isQuiet(quiet, until); steps++) until += MINUTE;
  for (let steps = 0; steps < DAY && until - MINUTE > now && !isQuiet(quiet, until - MINUTE); steps++) until -= MINUTE;
  return until;
}
