/** Recognises lines that were written twice: a copied line has the id and time of the first one, and counts once. */
import { digest } from "../../core/digest.js";
import { RecentMap } from "./recent.js";

const LINES = 512;
const TEXT_MAX = 4096;

export class Copies {
  readonly #seen = new RecentMap<true>(LINES);

  /** Whether a line with this key was seen before. A line without a key is never a copy. */
  isCopy(key: string | undefined): boolean {
    if (key === undefined) return false;
    if (this.#seen.get(key)) return true;
    this.#seen.set(key, true);
    return false;
  }
}

/** The identity of a line: its time, with its id or else its content; undefined without a time. */
export function lineKey(record: { timestamp?: unknown }, id?: string): string | undefined {
  if (typeof record.timestamp !== "string") return undefined;
  return id === undefined ? digest(JSON.stringify(record).slice(0, TEXT_MAX)) : `${id} ${record.timestamp}`;
}
