/** Files with one case per line: event streams, single screens, labelled segments. */
import { sanitize } from "../core/text/sanitize.js";
import { parseRecord } from "../readers/records/json.js";
import { BadInput, readLines } from "../replay/files.js";

type OutputRow = Record<string, unknown>;

/** What the lines of a file are, and how to recognize one. */
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
export const LABELLED_SEGMENTS: RowShape = {
  what: "labelled segments",
  like: "{file, label, start, end}",
  fits: ({ file }) => typeof file === "string",
};

/** Lines that do not fit are counted and reported; a file without a fitting line is refused. */
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
    throw new BadInput(`${path} contains no ${shape.what}: each line must be a JSON object like ${shape.like}`);
  bad += lost.lines;
  if (bad > 0)
    process.stderr.write(
      `rouse: ${sanitize(path)}: skipped ${bad} ${bad === 1 ? "line" : "lines"} (not ${shape.what})\n`,
    );
}
