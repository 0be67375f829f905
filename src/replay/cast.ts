/** asciinema v2: a header line, then `[seconds, kind, text]` lines. */
import { BadInput, readLines } from "./files.js";
import type { RecordedInput } from "./inputs.js";

export interface CastHeader {
  cols: number;
  rows: number;
  /** Wall clock at the start, in milliseconds; 0 where the recording does not say. */
  startAt: number;
}

const encoder = new TextEncoder();

/** Opens a cast: its header, and its inputs as they are read. A bad line costs that line only and is counted. */
export async function openCast(
  path: string,
  headless: boolean,
): Promise<{ header: CastHeader; inputs: AsyncGenerator<RecordedInput>; skipped: () => number }> {
  const lines = readLines(path)[Symbol.asyncIterator]();
  const first = await lines.next();
  const header = first.done ? null : parseHeader(first.value);
  if (!header)
    throw new BadInput(
      `${path} is not an asciinema v2 recording: its first line must be a JSON header with "version": 2`,
    );
  let skipped = 0;
  const inputs = (async function* (): AsyncGenerator<RecordedInput> {
    let last = 0;
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      if (line.value.trim() === "") continue;
      const event = parseEvent(line.value);
      if (!event) {
        skipped++;
        continue;
      }
      // Time never runs backwards, whatever a damaged line says.
      const t = Math.max(last, event.t);
      last = t;
      const input = inputOf(event.code, event.data, t, headless);
      if (input) yield input;
    }
  })();
  return { header, inputs, skipped: () => skipped };
}

function parseHeader(line: string): CastHeader | null {
  try {
    const header: unknown = JSON.parse(line);
    if (typeof header !== "object" || header === null) return null;
    const { version, width, height, timestamp } = header as Record<string, unknown>;
    if (version !== 2 || typeof width !== "number" || typeof height !== "number") return null;
    return { cols: width, rows: height, startAt: typeof timestamp === "number" ? timestamp * 1000 : 0 };
  } catch {
    return null;
  }
}

function parseEvent(line: string): { t: number; code: string; data: string } | null {
  try {
    const event: unknown = JSON.parse(line);
    if (!Array.isArray(event)) return null;
    const [t, code, data] = event as unknown[];
    if (typeof t !== "number" || !Number.isFinite(t) || t < 0 || typeof code !== "string" || typeof data !== "string")
      return null;
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
    case "i":
      return { t, kind: "keys", text: data };
    case "r": {
      const size = /^(\d{1,4})x(\d{1,4})$/.exec(data);
      return size ? { t, kind: "size", cols: Number(size[1]), rows: Number(size[2]) } : null;
    }
    default:
      return { t, kind: "end" };
  }
}
