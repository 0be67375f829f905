/**
 * asciinema recordings: a header line, then `[seconds, kind, text]` lines. Version 2 counts from the start, version 3
 * from the previous event, with comments and the exit status of the program.
 */
import { asRecord, parseRecord } from "../readers/records/json.js";
import { BadInput, readLines } from "./files.js";
import { isOnClock, type RecordedInput } from "./inputs.js";

export interface CastHeader {
  cols: number;
  rows: number;
  version: 2 | 3;
  /** Wall clock at the start, in milliseconds; 0 if unknown. */
  startAt: number;
  /** The recorded program; null if unknown. */
  program: string | null;
}

const encoder = new TextEncoder();

/** Whether a file is a recording of a terminal, good or bad, and not one of records. */
export async function isCast(path: string): Promise<boolean> {
  const lines = readLines(path);
  const first = await lines.next();
  await lines.return(undefined);
  const record = first.done ? null : parseRecord(first.value);
  return record ? typeof record.version === "number" : !/^\s{0,16}\{\s{0,16}$/.test(first.value ?? "");
}

/** Opens a cast: its header, and its inputs on demand. An invalid line is skipped and counted. */
export async function openCast(
  path: string,
  headless: boolean,
): Promise<{ header: CastHeader; inputs: AsyncGenerator<RecordedInput>; skipped: () => number }> {
  const lost = { lines: 0 };
  const lines = readLines(path, lost)[Symbol.asyncIterator]();
  const first = await lines.next();
  const header = first.done ? "it is empty" : parseHeader(first.value);
  if (typeof header === "string") throw new BadInput(`${path} is not an asciinema recording: ${header}`);
  let skipped = 0;
  const inputs = (async function* (): AsyncGenerator<RecordedInput> {
    let last = 0;
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      if (line.value.trim() === "" || line.value.startsWith("#")) continue;
      const event = parseEvent(line.value);
      if (!event) {
        skipped++;
        continue;
      }
      // Time never runs backwards, even in a damaged recording.
      const t = header.version === 3 ? last + event.t : Math.max(last, event.t);
      last = t;
      const input = inputOf(event.code, event.data, t, headless);
      if (input) yield input;
    }
  })();
  return { header, inputs, skipped: () => skipped + lost.lines };
}

/** The header, or a description of what is wrong with it. */
function parseHeader(line: string): CastHeader | string {
  const header = parseRecord(line);
  const expected = 'its first line must be a JSON header with "version": 2 or 3';
  if (!header) return expected;
  const { version, width, height, timestamp, term, command } = header;
  if (typeof version !== "number") return `${expected}; pass a transcript with --transcript FILE`;
  if (version !== 2 && version !== 3) return expected;
  const program = typeof command === "string" ? (/^\s*(\S{1,400})/.exec(command)?.[1] ?? null) : null;
  const startAt = typeof timestamp === "number" && isOnClock(timestamp) ? timestamp * 1000 : 0;
  const size = version === 2 ? { cols: width, rows: height } : asRecord(term);
  const { cols, rows } = size ?? {};
  if (typeof cols === "number" && typeof rows === "number") return { version, cols, rows, startAt, program };
  const names = version === 2 ? '"width" and "height"' : '"cols" and "rows" in "term"';
  return `its header, of version ${version}, must have ${names} as numbers`;
}

function parseEvent(line: string): { t: number; code: string; data: string } | null {
  try {
    const event: unknown = JSON.parse(line);
    if (!Array.isArray(event)) return null;
    const [t, code, data] = event as unknown[];
    if (typeof t !== "number" || !isOnClock(t) || typeof code !== "string" || typeof data !== "string") return null;
    return { t, code, data };
  } catch {
    return null;
  }
}

function inputOf(code: string, data: string, t: number, headless: boolean): RecordedInput | null {
  switch (code) {
    case "o":
      return headless
        ? { t, kind: "stdout", bytes: encoder.encode(data) }
        : { t, kind: "bytes", bytes: encoder.encode(data) };
    case "e":
      return { t, kind: "stderr", text: data };
    case "i":
      return { t, kind: "keys", text: data };
    case "r": {
      const size = /^(\d{1,4})x(\d{1,4})$/.exec(data);
      return size ? { t, kind: "size", cols: Number(size[1]), rows: Number(size[2]) } : null;
    }
    case "x":
      return { t, kind: "exit", code: Number.parseInt(data, 10) || 0, signal: null };
    default:
      return { t, kind: "end" };
  }
}
