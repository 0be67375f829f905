/**
 * Follows a growing file line by line: each complete line once and in order, whatever happens to the file.
 *
 * - Growing: new bytes are read in bounded pieces; a partial line waits for its end.
 * - Renamed and replaced: the old file is kept open and read to its end, then the new one.
 * - Truncated, rewritten in place, or replaced by a longer copy: the ends of the last lines are kept as marks (the
 *   position of each end, and a digest of the bytes before it). Reading continues after the newest mark that matches
 *   the file, or at its start if none does. So a copy of known lines is not reported again.
 * - Large at first sight: read from a window before its end, starting at the first whole line.
 *
 * Lines that were truncated before they were read are lost.
 */
import type { Stats } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { digest } from "../../core/digest.js";
import type { Refusal } from "../../programs/files.js";
import { LineSplitter } from "../../readers/records/lines.js";
import { openInside } from "./safe-open.js";

/** End of a line, and a digest of the bytes before it. Contains no text, so it may be stored. */
export interface TailMark {
  offset: number;
  before: string;
}

export interface TailOptions {
  /** Real path of the folder that the file must be in. */
  root: string;
  /** Most bytes to read at a time. */
  chunkBytes?: number;
  /** Bytes to read before the end of a file that is seen for the first time. */
  windowBytes?: number;
  /** Marks of an earlier run. */
  marks?: readonly TailMark[];
}

export interface TailRead {
  lines: string[];
  /** More can be read at once. */
  more: boolean;
  refusal: Refusal | null;
}

interface Held {
  handle: FileHandle;
  device: number;
  inode: number;
  /** Size and times at the last check. */
  checked: string;
}

const CHUNK_BYTES = 1024 * 1024;
const WINDOW_BYTES = 2 * 1024 * 1024;
const MARKS_MAX = 64;
/**
 * Lines often end alike (`"gitBranch":"main"}`): the bytes before a mark must reach back to text that only that line
 * has.
 */
const MARK_BYTES = 512;
const NEWLINE = 0x0a;

export class Tail {
  #held: Held | null = null;
  #offset = 0;
  #splitter = new LineSplitter();
  #marks: TailMark[];
  /** The last bytes before `offset`, from which marks are made. */
  #before: Buffer = Buffer.alloc(0);
  #skipsFirst = false;

  readonly #options: TailOptions;

  constructor(
    readonly path: string,
    options: TailOptions,
  ) {
    this.#options = options;

    this.#marks = [...(options.marks ?? [])];
  }

  /** The state to store, so that a later run can continue here. */
  get position(): readonly TailMark[] {
    return this.#marks;
  }

  async read(): Promise<TailRead> {
    try {
      return await this.#step();
    } catch {
      await this.close();
      return { lines: [], more: false, refusal: "unreadable" };
    }
  }

  /** The lines of the window before the position, for a reader that needs the context. Does not advance. */
  async readBefore(): Promise<string[]> {
    const refusal = await this.#hold();
    if (refusal !== null || this.#held === null || this.#marks.length === 0) return [];
    const from = Math.max(0, this.#offset - (this.#options.windowBytes ?? WINDOW_BYTES));
    const buffer = Buffer.allocUnsafe(this.#offset - from);
    const length = await readFully(this.#held.handle, buffer, from);
    const lines = new LineSplitter().push(buffer.subarray(0, length));
    return from > 0 ? lines.slice(1) : lines;
  }

  async close(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    await held?.handle.close().catch(() => {});
  }

  async #step(): Promise<TailRead> {
    const named = await lstat(this.path).catch(() => null);
    if (this.#held && !isSame(this.#held, named)) {
      const rest = await this.#grow(await this.#held.handle.stat());
      if (rest.more || rest.lines.length > 0) return { ...rest, more: true };
      await this.close();
    }
    const refusal = await this.#hold();
    if (this.#held === null) return { lines: [], more: false, refusal };
    const stats = await this.#held.handle.stat();
    const checked = `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
    if (checked === this.#held.checked && stats.size === this.#offset) return { lines: [], more: false, refusal: null };
    if (checked !== this.#held.checked && !(await this.#isBorneOut(stats.size))) await this.#place(stats.size, false);
    this.#held.checked = checked;
    return this.#grow(stats);
  }

  /** Opens the file now at the path, and finds the position in it. */
  async #hold(): Promise<Refusal | null> {
    if (this.#held) return null;
    const opened = await openInside(this.path, this.#options.root);
    if (!opened.ok) return opened.reason;
    const { handle, stats } = opened;
    this.#held = { handle, device: stats.dev, inode: stats.ino, checked: "" };
    await this.#place(stats.size, true);
    return null;
  }

  async #isBorneOut(size: number): Promise<boolean> {
    if (size < this.#offset) return false;
    return (await this.#digestBefore(this.#offset)) === markOf(this.#before);
  }

  /** After the newest mark that matches the file; else at its start, or in the window of a large file. */
  async #place(size: number, isNew: boolean): Promise<void> {
    this.#splitter = new LineSplitter();
    while (this.#marks.length > 0) {
      const mark = this.#marks[this.#marks.length - 1] as TailMark;
      if (mark.offset <= size && (await this.#digestBefore(mark.offset)) === mark.before) break;
      this.#marks.pop();
    }
    const window = this.#options.windowBytes ?? WINDOW_BYTES;
    const last = this.#marks[this.#marks.length - 1];
    this.#offset = last?.offset ?? (isNew && size > window ? size - window : 0);
    this.#before = await this.#bytesBefore(this.#offset);
    this.#skipsFirst = last === undefined && this.#offset > 0 && this.#before.at(-1) !== NEWLINE;
  }

  async #grow(stats: Stats): Promise<TailRead> {
    if (this.#held === null || stats.size <= this.#offset) return { lines: [], more: false, refusal: null };
    const chunk = Buffer.allocUnsafe(Math.min(this.#options.chunkBytes ?? CHUNK_BYTES, stats.size - this.#offset));
    const { bytesRead } = await this.#held.handle.read(chunk, 0, chunk.length, this.#offset);
    const bytes = chunk.subarray(0, bytesRead);
    this.#setMarks(bytes);
    this.#offset += bytesRead;
    let lines = this.#splitter.push(bytes);
    if (this.#skipsFirst && lines.length > 0) {
      lines = lines.slice(1);
      this.#skipsFirst = false;
    }
    const more = bytesRead > 0 && this.#offset < stats.size;
    return { lines: lines.filter((line) => line !== ""), more, refusal: null };
  }

  /** Marks the ends of the last lines in these bytes. */
  #setMarks(bytes: Buffer): void {
    const known = Buffer.concat([this.#before, bytes]);
    const start = this.#offset - this.#before.length;
    const ends: number[] = [];
    for (
      let at = bytes.lastIndexOf(NEWLINE);
      at >= 0 && ends.length < MARKS_MAX;
      at = bytes.lastIndexOf(NEWLINE, at - 1)
    ) {
      ends.push(this.#before.length + at + 1);
      if (at === 0) break;
    }
    for (const end of ends.reverse()) {
      this.#marks.push({ offset: start + end, before: markOf(known.subarray(Math.max(0, end - MARK_BYTES), end)) });
    }
    this.#marks.splice(0, this.#marks.length - MARKS_MAX);
    this.#before = Buffer.from(known.subarray(Math.max(0, known.length - MARK_BYTES)));
  }

  async #digestBefore(offset: number): Promise<string> {
    return markOf(await this.#bytesBefore(offset));
  }

  async #bytesBefore(offset: number): Promise<Buffer> {
    const from = Math.max(0, offset - MARK_BYTES);
    const buffer = Buffer.alloc(offset - from);
    const length = this.#held ? await readFully(this.#held.handle, buffer, from) : 0;
    return buffer.subarray(0, length);
  }
}

function isSame(held: Held, named: Stats | null): boolean {
  return named !== null && named.dev === held.device && named.ino === held.inode;
}

/** Always the same for the same bytes: at the start of a file, and after a window, fewer bytes are known. */
function markOf(bytes: Buffer): string {
  return `${bytes.length} ${digest(bytes.toString("latin1"))}`;
}

async function readFully(handle: FileHandle, buffer: Buffer, from: number): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
