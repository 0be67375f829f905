/**
 * The chain of the audit trail: each line holds the hash of the one before it, so a changed or missing line shows. A copy
 * of the newest hash in a file of its own shows a cut tail and a journal that was rolled back.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "zod";
import { writeWhole } from "../config/whole-file.js";

export interface ChainedLine {
  id: number;
  /** The line that an outcome belongs to. */
  ref: number | null;
  record: string;
  prev: string;
  hash: string;
}

export interface ChainHead {
  id: number;
  hash: string;
}

/** Lines that are missing or were altered, from one number to another. */
export interface ChainBreak {
  kind: "missing" | "altered";
  from: number;
  to: number;
}

/** Before the first line. */
export const START: ChainHead = { id: 0, hash: "" };

export const hashOf = ({ id, ref, record, prev }: Omit<ChainedLine, "hash">): string =>
  createHash("sha256")
    .update(JSON.stringify([prev, id, ref, record]))
    .digest("hex");

/** Takes the lines in order. */
export class ChainCheck {
  readonly breaks: ChainBreak[] = [];
  lines = 0;
  #last: ChainHead | null = null;
  /** The line of the copy, as found. */
  #atHead: string | null = null;
  readonly #start: number;
  readonly #head: ChainHead | null;

  /** `start`: the oldest line that must be there. `head`: the copy; null if it is missing. */
  constructor(start: number, head: ChainHead | null) {
    this.#start = start;
    this.#head = head;
  }

  take(line: ChainedLine): void {
    const expected = this.#last === null ? this.#start : this.#last.id + 1;
    if (line.id > expected) this.#add("missing", expected, line.id - 1);
    // A line with a fitting hash of its own after another one: that one was written again.
    else if (this.#last !== null && line.prev !== this.#last.hash) this.#add("altered", this.#last.id, this.#last.id);
    if (hashOf(line) !== line.hash) this.#add("altered", line.id, line.id);
    if (line.id === this.#head?.id) this.#atHead = line.hash;
    this.#last = { id: line.id, hash: line.hash };
    this.lines++;
  }

  finish(): ChainBreak[] {
    const last = this.#last?.id ?? this.#start - 1;
    const head = this.#head;
    if (head !== null && head.id > last) this.#add("missing", last + 1, head.id);
    else if (head !== null && this.#atHead !== null && this.#atHead !== head.hash)
      this.#add("altered", head.id, head.id);
    return this.breaks;
  }

  #add(kind: ChainBreak["kind"], from: number, to: number): void {
    const last = this.breaks.at(-1);
    if (last?.kind === kind && from <= last.to + 1) last.to = Math.max(last.to, to);
    else this.breaks.push({ kind, from, to });
  }
}

export const breakText = ({ kind, from, to }: ChainBreak): string =>
  from === to
    ? `line ${from} ${kind === "missing" ? "is missing" : "was altered"}`
    : `lines ${from} to ${to} ${kind === "missing" ? "are missing" : "were altered"}`;

const headSchema = z.object({ id: z.number().int().min(0), hash: z.string().regex(/^(?:[0-9a-f]{64})?$/) });

/** Null if it is missing or damaged. */
export function readHead(path: string): ChainHead | null {
  try {
    return headSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

/** After the commit of the line, so the copy is never newer than the journal. */
export function writeHead(path: string, head: ChainHead): void {
  try {
    writeWhole(path, `${JSON.stringify(head)}\n`);
  } catch {
    // A full disk: an older copy accuses nothing.
  }
}
