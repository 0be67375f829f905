/**
 * Checksums of the journal's pages, in a file beside it. SQLite itself notices neither a changed byte nor an older copy.
 *
 * In WAL mode the main file changes only at checkpoints, and the journal's own process makes all of them: after each, the
 * sums of the pages that it moved are written. Until then these pages are in the write-ahead log, whose frames SQLite
 * checks itself, so a crash in between leaves no page without a valid sum. Besides, the file holds the number of the last
 * committed batch: a log that was removed shows by it.
 *
 *   0  "ROUSESUM"   8  page size   12  pages   16  last batch (8 bytes)   32  one CRC-32 per page
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { crc32 } from "node:zlib";

/** What the files of a journal show before SQLite opens it. */
export type FileFinding =
  | { kind: "new" | "intact" | "missing" }
  /** Nothing to compare with. */
  | { kind: "unverified" }
  /** Pages that differ or are missing, of all. */
  | { kind: "changed"; pages: number; of: number };

const MAGIC = "ROUSESUM";
const HEADER_BYTES = 32;
const BATCH_AT = 16;
const PIECE_BYTES = 1024 * 1024;
/** The sums are written in pieces of this many. */
const BLOCK = 1024;
/** Of a write-ahead log and of one frame in it. */
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_BYTES_MIN = 512;

export class PageSums {
  readonly #path: string;
  /**
   * Open as long as the database is: closing any descriptor of a file drops the locks that SQLite holds on it in this
   * process.
   */
  readonly #main: number;
  readonly #file: number;
  #sums = new Uint32Array(BLOCK);
  #pages = 0;
  #pageBytes = 0;
  /** The file beside the journal is complete. */
  #isWritten = false;
  #cursor = 0;
  readonly lastBatch: number | null;

  constructor(path: string) {
    this.#path = path;
    this.#main = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    this.#file = openSync(`${path}-sums`, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    this.lastBatch = this.#readSums();
  }

  /** Compares all pages that are not in the write-ahead log. To be called before SQLite opens the file. */
  check(): FileFinding {
    const { size } = fstatSync(this.#main);
    if (size === 0) return { kind: this.#isWritten || hasBytes(`${this.#path}-wal`) ? "missing" : "new" };
    if (!this.#isWritten) return { kind: "unverified" };
    const inLog = this.#readLog(Number.POSITIVE_INFINITY);
    const expected = inLog.pages === null ? this.#pages : Math.min(this.#pages, inLog.pages);
    let wrong = 0;
    for (const { page, sum } of this.#pagesFrom(0, expected))
      if (sum !== this.#sums[page - 1] && !inLog.sums.has(page)) wrong++;
    for (let page = Math.floor(size / this.#pageBytes) + 1; page <= expected; page++)
      if (!inLog.sums.has(page)) wrong++;
    return wrong === 0 ? { kind: "intact" } : { kind: "changed", pages: wrong, of: this.#pages };
  }

  /** Reads the whole file again. Nothing of the write-ahead log may be missing in it. */
  rebuild(pageBytes: number): void {
    this.#isWritten = false;
    this.#pageBytes = pageBytes;
    this.#pages = Math.floor(fstatSync(this.#main).size / pageBytes);
    this.#grow();
    for (const { page, sum } of this.#pagesFrom(0, this.#pages)) this.#sums[page - 1] = sum;
    this.#write(null);
  }

  /** After a checkpoint that moved all `frames` of the log into the file, and before anything else is written. */
  take(frames: number): void {
    if (frames === 0) return;
    const { sums, pages } = this.#readLog(frames);
    if (pages === null) return;
    this.#pages = pages;
    this.#grow();
    const blocks = new Set<number>();
    for (const [page, sum] of sums) {
      this.#sums[page - 1] = sum;
      blocks.add(Math.floor((page - 1) / BLOCK));
    }
    this.#write(this.#isWritten ? blocks : null);
  }

  /** Not synced: after a power cut it may be older than the journal, never newer. */
  mark(batch: number): void {
    if (!this.#isWritten) return;
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(batch));
    try {
      writeSync(this.#file, bytes, 0, 8, BATCH_AT);
    } catch {
      this.#invalidate();
    }
  }

  /** Compares the next pages; returns how many differ. Nothing may have been moved into the file since the last sums. */
  checkSome(count: number): number {
    if (this.#cursor >= this.#pages) this.#cursor = 0;
    const from = this.#cursor;
    this.#cursor = Math.min(this.#pages, from + count);
    let wrong = this.#cursor - from;
    for (const { page, sum } of this.#pagesFrom(from, this.#cursor)) if (sum === this.#sums[page - 1]) wrong--;
    return wrong;
  }

  close(): void {
    closeSync(this.#main);
    closeSync(this.#file);
  }

  *#pagesFrom(from: number, to: number): Generator<{ page: number; sum: number }> {
    const bytes = this.#pageBytes;
    const perPiece = Math.max(1, Math.floor(PIECE_BYTES / bytes));
    const piece = Buffer.alloc(perPiece * bytes);
    for (let first = from; first < to; first += perPiece) {
      const wanted = Math.min(perPiece, to - first) * bytes;
      const got = readSync(this.#main, piece, 0, wanted, first * bytes);
      for (let at = 0; at + bytes <= got; at += bytes)
        yield { page: first + at / bytes + 1, sum: crc32(piece.subarray(at, at + bytes)) };
      if (got < wanted) return;
    }
  }

  /** The last version of each page in the first frames of the log, and the number of pages after its last commit. */
  #readLog(frames: number): { sums: Map<number, number>; pages: number | null } {
    const sums = new Map<number, number>();
    let pages: number | null = null;
    const path = `${this.#path}-wal`;
    if (!hasBytes(path)) return { sums, pages };
    const log = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const header = Buffer.alloc(WAL_HEADER_BYTES);
      if (readSync(log, header, 0, WAL_HEADER_BYTES, 0) < WAL_HEADER_BYTES) return { sums, pages };
      const pageBytes = header.readUInt32BE(8);
      if (pageBytes < PAGE_BYTES_MIN || pageBytes > 65_536) return { sums, pages };
      const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
      for (let n = 0; n < frames; n++) {
        const got = readSync(log, frame, 0, frame.length, WAL_HEADER_BYTES + n * frame.length);
        // Behind the last frame may be those of an earlier round, with another salt.
        if (got < frame.length || header.compare(frame, 8, 16, 16, 24) !== 0) break;
        sums.set(frame.readUInt32BE(0), crc32(frame.subarray(FRAME_HEADER_BYTES)));
        const size = frame.readUInt32BE(4);
        if (size > 0) pages = size;
      }
      return { sums, pages };
    } finally {
      closeSync(log);
    }
  }

  #readSums(): number | null {
    const { size } = fstatSync(this.#file);
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(this.#file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return null;
    if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return null;
    const pageBytes = header.readUInt32LE(8);
    const pages = header.readUInt32LE(12);
    if (pageBytes < PAGE_BYTES_MIN || size < HEADER_BYTES + 4 * pages) return null;
    this.#pageBytes = pageBytes;
    this.#pages = pages;
    this.#grow();
    const sums = new Uint8Array(this.#sums.buffer, 0, 4 * pages);
    readSync(this.#file, sums, 0, sums.length, HEADER_BYTES);
    this.#isWritten = true;
    return Number(header.readBigUInt64LE(BATCH_AT));
  }

  #grow(): void {
    if (this.#pages <= this.#sums.length) return;
    const larger = new Uint32Array(Math.ceil((this.#pages * 1.25) / BLOCK) * BLOCK);
    larger.set(this.#sums);
    this.#sums = larger;
  }

  /** Only these blocks, or everything. Without its sums, the next start has nothing to compare with. */
  #write(blocks: ReadonlySet<number> | null): void {
    try {
      const header = Buffer.alloc(BATCH_AT);
      header.write(MAGIC, "latin1");
      header.writeUInt32LE(this.#pageBytes, 8);
      header.writeUInt32LE(this.#pages, 12);
      writeSync(this.#file, header, 0, BATCH_AT, 0);
      const count = Math.ceil(this.#pages / BLOCK);
      for (const block of blocks ?? Array(count).keys()) if (block < count) this.#writeBlock(block);
      fsyncSync(this.#file);
      this.#isWritten = true;
    } catch {
      this.#invalidate();
    }
  }

  #writeBlock(block: number): void {
    const from = block * BLOCK;
    const sums = this.#sums.subarray(from, Math.min(from + BLOCK, this.#pages));
    const bytes = new Uint8Array(sums.buffer, sums.byteOffset, sums.byteLength);
    writeSync(this.#file, bytes, 0, bytes.length, HEADER_BYTES + 4 * from);
  }

  /** Old sums would report damage where there is none. Cutting a file needs no space. */
  #invalidate(): void {
    this.#isWritten = false;
    try {
      ftruncateSync(this.#file, 0);
    } catch {
      // Nothing can be written at all: the next start reports what it finds.
    }
  }
}

const hasBytes = (path: string): boolean => existsSync(path) && statSync(path).size > 0;
