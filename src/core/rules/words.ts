import { spell } from "../evidence/verdict.js";

/** "just now", "45 s ago", "3 min ago". */
export function ago(ms: number): string {
  return ms < 1000 ? "just now" : `${spell(ms)} ago`;
}

/** How long it has lasted, as the end of a statement: "", " for 45 s". */
export function lasting(ms: number): string {
  return ms < 1000 ? "" : ` for ${spell(ms)}`;
}
