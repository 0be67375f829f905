/** Reads recordings from disk: streamed, gunzipped if needed, one line at a time. */
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { type JsonRecord, parseRecord } from "../readers/records/json.js";
import { LineSplitter } from "../readers/records/lines.js";
import { BadInput, whyUnreadable } from "./bad-input.js";

export { BadInput };

/** Decompressed bytes of one file are read up to here: a bomb or an endless file costs that file only. */
const FILE_BYTES_MAX = 4 * 1024 ** 3;

/** Chunks of a file, gunzipped by its first bytes rather than by its name; `-` is standard input. */
async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const raw: AsyncIterable<Uint8Array> = path === "-" ? process.stdin : createReadStream(path);
  const iterator = raw[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array>;
  try {
    first = await iterator.next();
  } catch (error) {
    throw new BadInput(whyUnreadable(path, error));
  }
  if (first.done) return;
  const rest = (async function* (): AsyncGenerator<Uint8Array> {
    yield first.value as Uint8Array;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  })();
  try {
    yield* unpacked(path, first.value, rest);
  } finally {
    // A reader that stops early closes the file.
    await iterator.return?.();
  }
}

async function* unpacked(path: string, first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const zipped = first[0] === 0x1f && first[1] === 0x8b;
  let bytes = 0;
  try {
    for await (const chunk of zipped ? gunzip(rest) : rest) {
      bytes += chunk.length;
      if (bytes > FILE_BYTES_MAX) throw new BadInput(`${path} is larger than 4 GB when unpacked; cut it first`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof BadInput) throw error;
    // A recording that was cut in the middle of its last block is valid up to there.
    if (zipped && bytes > 0) return;
    throw new BadInput(whyUnreadable(path, error));
  }
}

async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unzip = createGunzip();
  const fed = (async () => {
    for await (const chunk of source) {
      if (!unzip.write(chunk)) await new Promise((resolve) => unzip.once("drain", resolve));
    }
    unzip.end();
  })();
  fed.catch((error: Error) => unzip.destroy(error));
  yield* unzip as AsyncIterable<Uint8Array>;
}

/** Lines of a file. A line that is too long is emitted empty and counted in `lost`. */
export async function* readLines(path: string, lost: { lines: number } = { lines: 0 }): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  let dropped = 0;
  const count = (): void => {
    lost.lines += splitter.dropped - dropped;
    dropped = splitter.dropped;
  };
  for await (const chunk of readChunks(path)) {
    yield* splitter.push(chunk);
    count();
  }
  yield* splitter.end();
  count();
}

/** Parses a line as a record. Other lines are counted in `lost`, unless blank. */
export function recordOfLine(line: string, lost: { lines: number }): JsonRecord | null {
  const record = parseRecord(line);
  if (!record && line.trim() !== "") lost.lines++;
  return record;
}

/** Limit of a file whose lines are kept in memory; real ones have a tenth of it. */
const PART_CHARS_MAX = 16 * 1024 * 1024;

/** The lines of such a file; lines beyond the limit are counted in `lost` and left out. */
export function readPart(path: string, lost: { lines: number }): AsyncGenerator<string> {
  return upToPart(readLines(path, lost), lost);
}

export async function* upToPart(lines: AsyncIterable<string>, lost: { lines: number }): AsyncGenerator<string> {
  let chars = 0;
  for await (const line of lines) {
    chars += line.length;
    if (chars <= PART_CHARS_MAX) yield line;
    else lost.lines++;
  }
}
