/**
 * The smallest changes that break each promise of docs/promises.md, and the test that has to fail then. `from` stands
 * once in the file.
 */
import { ACTING } from "./acting.mjs";
import { DURABILITY } from "./durability.mjs";
import { JUDGING } from "./judging.mjs";
import { SECURITY } from "./security.mjs";
import { WORK } from "./work.mjs";

export const BREAKS = Object.entries({ ...JUDGING, ...ACTING, ...DURABILITY, ...SECURITY, ...WORK }).flatMap(
  ([promise, breaks]) => breaks.map((one) => ({ promise, ...one })),
);

export function mutantOf({ file, from, to }, source) {
  const start = source.indexOf(from);
  if (start < 0 || source.indexOf(from, start + 1) >= 0) throw new Error(`${file} does not hold this once: ${from}`);
  return { file, start, end: start + from.length, text: to };
}
