import { spell } from "../evidence/verdict.js";

/** "just now", "45 s ago", "3 min ago". */
export function ago(ms: number): string {
  return ms < 1000 ? "just now" : `${spell(ms)} ago`;
}

/** How long it has lasted: "for less than a second", "for 45 s". */
export function lasting(ms: number): string {
  return ms < 1000 ? "for less than a second" : `for ${spell(ms)}`;
}
