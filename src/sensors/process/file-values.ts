/** Single values from files of programs. Such a file changes rarely and is asked for often, so a value is kept for a while. */
import { join } from "node:path";
import type { ReadFileValue } from "../../programs/account.js";
import { parseRecord } from "../../readers/records/json.js";
import { readHeadInside, realRoot } from "../transcript/safe-open.js";

/** The file may hold much else: Claude Code keeps the history of all projects beside the account. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** A login changes rarely, but the file is written often. */
const KEPT_MS = 60_000;
const FILES_MAX = 200;

export class FileValues {
  readonly #now: () => number;
  readonly #known = new Map<string, { readAt: number; value: string | null }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Of each file, one value is asked for. */
  readonly read: ReadFileValue = async (folder, file, pick) => {
    const path = join(folder, file);
    const known = this.#known.get(path);
    if (known && this.#now() - known.readAt < KEPT_MS) return known.value;
    const root = realRoot(folder);
    const text = root && (await readHeadInside(join(root, file), root, FILE_BYTES_MAX));
    const record = text ? parseRecord(text) : null;
    // The file may be half written at this moment: keep the previous value.
    const value = (text && !record ? known?.value : record && pick(record)) || null;
    if (this.#known.size >= FILES_MAX) this.#known.clear();
    this.#known.set(path, { readAt: this.#now(), value });
    return value;
  };
}
