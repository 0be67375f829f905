/** Which lines a call reads, from its arguments: readers of files page by offset and limit, or from line to line. */
import { arrayAt, numberAt, stringAt } from "./json.js";

const FROM = ["offset", "start_line", "startLine", "line_start", "start", "from_line"];
const TO = ["end_line", "endLine", "line_end", "end", "to_line"];
const COUNT = ["limit", "num_lines", "line_count", "count"];
/** The number of lines that a reader shows if only a first line is given. */
const PAGE_LINES = 2000;

/** The first line and the line after the last. The file is given if the subject of the call does not name it. */
export interface ReadSpan {
  from: number;
  to: number;
  file?: string;
}

/** Undefined if the call does not read part of a file. */
export function spanOf(args: unknown): ReadSpan | undefined {
  const ofShell = shellSpan(stringAt(args, "command") ?? stringAt(args, "cmd") ?? "");
  if (ofShell) return ofShell;
  const [first, last] = arrayAt(args, "view_range");
  const from = anyOf(args, FROM) ?? (typeof first === "number" ? first : undefined);
  if (from === undefined) return undefined;
  const end = anyOf(args, TO) ?? (typeof last === "number" && last > 0 ? last : undefined);
  const to = end === undefined ? from + (anyOf(args, COUNT) ?? PAGE_LINES) : end + 1;
  return to > from ? { from, to } : undefined;
}

/** `sed -n 10,50p file` alone, or at the head of a pipe. */
function shellSpan(command: string): ReadSpan | undefined {
  const match = /^\s{0,8}sed -n ['"]?(\d{1,9}),(\d{1,9})p['"]? ([^;&|]{1,300})$/.exec(command.slice(0, 400));
  return match ? { from: Number(match[1]), to: Number(match[2]) + 1, file: (match[3] ?? "").trim() } : undefined;
}

function anyOf(args: unknown, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = numberAt(args, name);
    if (value !== undefined) return value;
  }
  return undefined;
}
