/** A timeline as text: time, state and reasons, wrapped at the width of the terminal. */

import type { TimelineEntry } from "../../core/judgement/timeline.js";
import { sanitize } from "../../core/text/sanitize.js";
import { paintState, paintText } from "./paint.js";
import { wrapText } from "./width.js";

export interface TextStyle {
  colour: boolean;
  columns: number;
  /** How the end of a wait is printed; by default in UTC, which does not depend on the machine. */
  untilText?: (until: string) => string;
}

export function timelineText(name: string, timeline: readonly TimelineEntry[], style: TextStyle): string {
  const lines = [paintText(sanitize(name), "bold", style.colour)];
  for (const entry of timeline) {
    const cause = entry.cause ? `/${entry.cause}` : "";
    const until = entry.until ? ` until ${(style.untilText ?? utcText)(entry.until)}` : "";
    const what = `${paintState(entry.state, 0, style.colour)}${cause}${until}`;
    lines.push(`${clockText(entry.t).padStart(9)}  ${what}`);
    for (const reason of entry.reasons) {
      for (const part of wrapText(reason, Math.max(30, style.columns - 13)))
        lines.push(`${" ".repeat(11)}${paintText(part, "dim", style.colour)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** A recording without a date starts in 1970: its times are shown relative to the start. */
const utcText = (until: string): string =>
  until.startsWith("1970-") ? clockText(Date.parse(until) / 1000) : `${until.slice(0, 16).replace("T", " ")} UTC`;

/** "1:02:03.5": hours if there are any, and tenths of a second. */
export function clockText(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const h = Math.floor(tenths / 36_000);
  const m = Math.floor(tenths / 600) % 60;
  const s = (tenths % 600) / 10;
  const rest = `${String(m).padStart(h > 0 ? 2 : 1, "0")}:${s.toFixed(1).padStart(4, "0")}`;
  return h > 0 ? `${h}:${rest}` : rest;
}
