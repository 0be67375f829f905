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

/** Limit of a document that is read as a whole. */
const DOCUMENT_CHARS_MAX = 64 * 1024 * 1024;

/** A record, and the length of its line; 0 for one of a document. */
export interface SizedRecord {
  record: JsonRecord;
  chars: number;
}

/** The records of a file: one per line, or those of one document, on one line or on many, that `unfold` knows. */
export async function* readRecords(
  path: string,
  lost: { lines: number },
  unfold: (document: JsonRecord) => JsonRecord[] | null,
): AsyncGenerator<SizedRecord> {
  const lines = readLines(path, lost);
  const head = await headOf(lines);
  const document = parseRecord(head.join("\n"));
  const unfolded = document && unfold(document);
  if (unfolded) for (const record of unfolded) yield { record, chars: 0 };
  else yield* recordsOf(head, lost);
  for await (const line of lines) yield* recordsOf([line], lost);
}

/** The first line; all lines, up to a limit, if it is the start of something longer. */
async function headOf(lines: AsyncGenerator<string>): Promise<string[]> {
  const head: string[] = [];
  let chars = 0;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    if (head.length === 0 && next.value.trim() === "") continue;
    head.push(next.value);
    chars += next.value.length + 1;
    const isWhole = head.length === 1 && (parseRecord(next.value) !== null || !/^\s{0,16}\{/.test(next.value));
    if (isWhole || chars > DOCUMENT_CHARS_MAX) break;
  }
  return head;
}

function* recordsOf(lines: readonly string[], lost: { lines: number }): Generator<SizedRecord> {
  for (const line of lines) {
    const record = recordOfLine(line, lost);
    if (record) yield { record, chars: line.length };
  }
}

/** Limit of a file whose lines are kept in memory; real ones have a tenth of it. */
const PART_CHARS_MAX = 16 * 1024 * 1024;

/** The lines of such a file; lines beyond the limit are counted in `lost` and left out. */
export function readPart(path: string, lost: { lines: number }): AsyncGenerator<string> {
  return upToPart(readLines(path, lost), (line) => line.length, lost);
}

export async function* upToPart<T>(
  items: AsyncIterable<T>,
  lengthOf: (item: T) => number,
  lost: { lines: number },
): AsyncGenerator<T> {
  let chars = 0;
  for await (const item of items) {
    chars += lengthOf(item);
    if (chars <= PART_CHARS_MAX) yield item;
    else lost.lines++;
  }
}
