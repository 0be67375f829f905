/** Files with one case a line: event streams, single screens, labelled stretches. */
import { sanitize } from "../core/text/sanitize.js";
import { parseRecord } from "../readers/records/json.js";
import { BadInput, readLines } from "../replay/files.js";

type OutputRow = Record<string, unknown>;

/** What the lines of such a file are, and how one is told from a line of some other file. */
interface RowShape {
  what: string;
  like: string;
  fits: (row: OutputRow) => boolean;
}

export const EVENT_STREAMS: RowShape = {
  what: "event streams",
  like: "{id, events: [{t, kind, …}]}",
  fits: ({ events }) => Array.isArray(events),
};
export const SINGLE_SCREENS: RowShape = {
  what: "screens",
  like: "{id, text, now, tz, until}",
  fits: ({ text }) => typeof text === "string",
};
export const STRETCHES: RowShape = {
  what: "labelled stretches",
  like: "{file, label, start, end}",
  fits: ({ file }) => typeof file === "string",
};

/** A line that does not fit is counted and said; a file without one that does is no such file. */
export async function eachRow(path: string, shape: RowShape, each: (row: OutputRow) => unknown): Promise<void> {
  let good = 0;
  let bad = 0;
  const lost = { lines: 0 };
  for await (const line of readLines(path, lost)) {
    if (line.trim() === "") continue;
    const row = parseRecord(line);
    if (row && shape.fits(row)) {
      good++;
      await each(row);
    } else {
      bad++;
    }
  }
  if (good === 0)
    throw new BadInput(`${path} holds no ${shape.what}: each line must be a JSON object like ${shape.like}`);
  bad += lost.lines;
  if (bad > 0)
    process.stderr.write(`rouse: ${sanitize(path)}: lines that are no ${shape.what} and were left out: ${bad}\n`);
}
