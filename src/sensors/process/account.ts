/**
 * Which provider account a running agent uses, so that agents with the same account share its limits. Only a digest
 * under a key of this machine leaves this file: no mail address, id or secret can be read or guessed from it.
 *
 * A login takes precedence over a key in the environment if the program does so. Without either, the account is
 * unknown.
 */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { ReadFileValue } from "../../programs/account.js";
import { partOf } from "../../programs/part.js";
import { programFor } from "../../programs/registry.js";
import { parseRecord } from "../../readers/records/json.js";
import { readHeadInside, realRoot } from "../transcript/safe-open.js";

export interface AccountLocation {
  kind: string;
  /** Of the process, if readable. */
  env: ReadonlyMap<string, string>;
  home: string;
}

/** The file that names the account may hold much else: Claude Code keeps the history of all projects in it. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** A login changes rarely, but the file is written often. */
const KEPT_MS = 60_000;
const FILES_MAX = 200;
const DIGEST_CHARS = 8;

export class Accounts {
  readonly #key: string;
  readonly #now: () => number;
  readonly #words = new Map<string, { readAt: number; word: string | null }>();

  constructor(key: string, now: () => number = () => performance.now()) {
    this.#key = key;
    this.#now = now;
  }

  /** Null if unknown. */
  async of(place: AccountLocation): Promise<string | null> {
    const identify = partOf(programFor(place.kind).account);
    const identity = await identify?.(place, (...asked) => this.#read(...asked));
    if (!identity) return null;
    const digest = createHmac("sha256", this.#key).update(`${place.kind}\0${identity}`).digest("hex");
    return `${place.kind} #${digest.slice(0, DIGEST_CHARS)}`;
  }

  async #read(...[folder, file, pick]: Parameters<ReadFileValue>): Promise<string | null> {
    const path = join(folder, file);
    const known = this.#words.get(path);
    if (known && this.#now() - known.readAt < KEPT_MS) return known.word;
    const root = realRoot(folder);
    const text = root && (await readHeadInside(join(root, file), root, FILE_BYTES_MAX));
    const record = text ? parseRecord(text) : null;
    // The file may be half written at this moment: keep the previous value.
    const word = text && !record ? (known?.word ?? null) : ((record && pick(record)) ?? null);
    if (this.#words.size >= FILES_MAX) this.#words.clear();
    this.#words.set(path, { readAt: this.#now(), word: word || null });
    return word || null;
  }
}
