/**
 * The audit trail: every change of permissions, silences, policies and tokens, every typed text and every ended process,
 * with author, interface and time. One line before an order is carried out, and one with its outcome. Lines are only
 * added; they are outside the limits of age and size of signals. See `audit-chain.ts`.
 */
import { dirname, join } from "node:path";
import {
  breakText,
  ChainCheck,
  type ChainedLine,
  type ChainHead,
  hashOf,
  readHead,
  START,
  writeHead,
} from "./audit-chain.js";
import { type AuditEntry, type AuditOutcome, entryText, outcomeText, readEntry, readOutcome } from "./audit-entry.js";
import { type Database, inTransaction, type SqlRow } from "./sqlite.js";

export interface AuditLine extends AuditEntry {
  id: number;
  /** Null while it is under way, or if none was stored. */
  outcome: AuditOutcome | null;
}

export interface AuditCheck {
  lines: number;
  oldest: number | null;
  newest: number | null;
  /** What is missing or was altered, and was not accepted by a user since. */
  problems: string[];
}

export interface AuditQuery {
  since: number;
  agent: string | null;
  limit: number;
}

const PAGE = 500;
/** About 40 MB. Above it the oldest tenth is removed, which is a line of the trail too. */
const AUDIT_LINES_MAX = 100_000;
const KEPT = 0.9;
/** Actions about the trail itself. */
const TRIMMED = "audit_trimmed";
export const FOUND = "audit_damaged";
export const ACCEPTED = "audit_accepted";

const NO_COPY = "the copy of the newest hash is missing or damaged";

export const auditHeadPath = (journal: string): string => join(dirname(journal), "audit-head.json");

export class AuditTable {
  readonly #database: Database;
  readonly #headPath: string;
  readonly #trying: <T>(write: () => T) => T;
  readonly #max: number;
  /** The newest line that is known, also if the journal has lost it. */
  #known: ChainHead;
  #written: number;

  constructor(
    database: Database,
    headPath: string,
    trying: <T>(write: () => T) => T = (write) => write(),
    max: number = AUDIT_LINES_MAX,
  ) {
    this.#database = database;
    this.#headPath = headPath;
    this.#trying = trying;
    this.#max = max;
    const copy = readHead(headPath);
    this.#written = copy?.id ?? 0;
    this.#known = copy ?? START;
  }

  /** Adds a line; throws if it cannot be stored: then the order is not carried out. Returns its number. */
  intend(entry: AuditEntry): number {
    return this.inOne(() => this.put(entry));
  }

  /** A line about rouse itself, if it can be stored. */
  note(entry: AuditEntry): void {
    try {
      this.inOne(() => this.put(entry, { at: entry.at, result: "done", reason: "" }));
    } catch {
      // The journal reports it.
    }
  }

  /** A failure is reported by the journal: the order has been carried out, and an intent without an outcome is correct. */
  outcome(ref: number, outcome: AuditOutcome): void {
    try {
      this.inOne(() => this.putOutcome(ref, outcome));
    } catch {
      // See above.
    }
  }

  inOne<T>(write: () => T): T {
    const result = this.#trying(() => inTransaction(this.#database, write));
    this.keepHead();
    return result;
  }

  /** Only inside a transaction; then `keepHead`. */
  put(entry: AuditEntry, outcome: AuditOutcome | null = null): number {
    const id = this.#append(null, entryText(entry));
    if (outcome !== null) this.putOutcome(id, outcome);
    return id;
  }

  /** Only inside a transaction. */
  putOutcome(ref: number, outcome: AuditOutcome): void {
    this.#append(ref, outcomeText(outcome));
  }

  /** To be called after the commit. */
  keepHead(): void {
    const last = this.#last();
    if (last === null || last.id <= this.#written) return;
    writeHead(this.#headPath, last);
    this.#known = last;
    this.#written = last.id;
  }

  /** What is missing since the copy of the newest hash was written; null if nothing. */
  checkHead(): string | null {
    const copy = readHead(this.#headPath);
    const last = this.#last();
    if (copy === null) return last === null ? null : NO_COPY;
    if (copy.id > (last?.id ?? 0)) return breakText({ kind: "missing", from: (last?.id ?? 0) + 1, to: copy.id });
    const there = this.#database.prepare("select hash from audit where id = ?").get(copy.id);
    return there && there.hash !== copy.hash ? breakText({ kind: "altered", from: copy.id, to: copy.id }) : null;
  }

  /** The newest first. A line that cannot be read is left out: `check` names it. */
  list({ since, agent, limit }: AuditQuery): AuditLine[] {
    const found: AuditLine[] = [];
    const page = this.#database.prepare(
      `select id, record from audit where ref is null and id < ? order by id desc limit ${PAGE}`,
    );
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = page.all(before);
      for (const row of rows) {
        const entry = readEntry(String(row.record));
        if (entry === null || (agent !== null && !isAbout(entry, agent))) continue;
        if (entry.at < since || found.length >= limit) return found;
        found.push({ ...entry, id: Number(row.id), outcome: this.#outcomeOf(Number(row.id)) });
      }
      if (rows.length < PAGE) return found;
      before = Number(rows.at(-1)?.id);
    }
  }

  /** A line by the key of its order, among the newest. */
  find(key: string): number | null {
    const rows = this.#database
      .prepare("select id, record from audit where ref is null order by id desc limit 1000")
      .all();
    const row = rows.find(({ record }) => readEntry(String(record))?.key === key);
    return row ? Number(row.id) : null;
  }

  get(id: number): AuditLine | null {
    const row = this.#database.prepare("select record from audit where id = ? and ref is null").get(id);
    const entry = row ? readEntry(String(row.record)) : null;
    return entry && { ...entry, id, outcome: this.#outcomeOf(id) };
  }

  /** Reads the whole trail, a page at each step. */
  *checking(): Generator<void, AuditCheck> {
    return yield* checkAudit(this.#database, readHead(this.#headPath));
  }

  /** Removes the oldest lines above the limit. */
  trim(now: number): void {
    const count = Number(this.#database.prepare("select count(*) as n from audit").get()?.n);
    if (count <= this.#max) return;
    this.inOne(() => {
      const first = this.#database
        .prepare("select id from audit order by id limit 1 offset ?")
        .get(count - Math.floor(this.#max * KEPT))?.id;
      this.put({ ...rouse(now), action: TRIMMED, text: `the oldest line is ${Number(first)} now` });
      this.#database.prepare("delete from audit where id < ?").run(Number(first));
    });
  }

  /** The digest that a file had last; null if it was never seen. */
  knownDigest(path: string): string | null {
    const row = this.#database.prepare("select digest from audited_files where path = ?").get(path);
    return row ? String(row.digest) : null;
  }

  /** Files with a known digest. */
  knownFiles(): string[] {
    return this.#database
      .prepare("select path from audited_files")
      .all()
      .map(({ path }) => String(path));
  }

  /** Only inside a transaction. */
  putDigest(path: string, digest: string): void {
    this.#database
      .prepare(
        "insert into audited_files (path, digest) values (?, ?) on conflict (path) do update set digest = excluded.digest",
      )
      .run(path, digest);
  }

  #append(ref: number | null, record: string): number {
    const last = this.#last();
    // After a cut tail the numbers continue behind it, so that the gap stays visible.
    const before = last !== null && last.id >= this.#known.id ? last : this.#known;
    const line = { id: before.id + 1, ref, record, prev: before.hash };
    this.#database
      .prepare("insert into audit (id, ref, record, prev, hash) values (?, ?, ?, ?, ?)")
      .run(line.id, ref, record, line.prev, hashOf(line));
    return line.id;
  }

  #outcomeOf(id: number): AuditOutcome | null {
    const row = this.#database.prepare("select record from audit where ref = ? order by id desc limit 1").get(id);
    return row ? readOutcome(String(row.record)) : null;
  }

  #last(): ChainHead | null {
    const row = this.#database.prepare("select id, hash from audit order by id desc limit 1").get();
    return row ? { id: Number(row.id), hash: String(row.hash) } : null;
  }
}

/** An order may name several agents. */
const isAbout = ({ agent }: AuditEntry, name: string): boolean =>
  agent === name || agent?.split(",").includes(name) === true;

/** The author of lines about rouse itself. */
export const rouse = (at: number): Omit<AuditEntry, "action" | "text"> => ({
  at,
  author: "rouse",
  origin: "daemon",
  agent: null,
  session: null,
});

/** Over any database with the table, such as the journal of a daemon that does not run. */
export function* checkAudit(database: Database, head: ChainHead | null): Generator<void, AuditCheck> {
  const oldest = database.prepare("select min(id) as id from audit").get()?.id;
  const trail = new ChainCheck(startOf(database, typeof oldest === "number" ? oldest : 1), head);
  const page = database.prepare(`select * from audit where id > ? order by id limit ${PAGE}`);
  let newest: number | null = null;
  for (;;) {
    const rows = page.all(newest ?? 0);
    for (const row of rows) trail.take(lineOf(row));
    newest = rows.length > 0 ? Number(rows.at(-1)?.id) : newest;
    if (rows.length < PAGE) break;
    yield;
  }
  const accepted = linesOf(database, ACCEPTED).at(-1)?.id ?? 0;
  const breaks = trail.finish().filter(({ to }) => to >= accepted);
  const found = linesOf(database, FOUND).filter(({ id }) => id > accepted);
  const isCopied = head !== null || newest === null;
  const problems = new Set([
    ...breaks.map(breakText),
    ...found.map(({ text }) => text),
    ...(isCopied ? [] : [NO_COPY]),
  ]);
  return { lines: trail.lines, oldest: typeof oldest === "number" ? oldest : null, newest, problems: [...problems] };
}

/** 1, or the line that the trail was last trimmed to. */
function startOf(database: Database, oldest: number): number {
  if (oldest === 1) return 1;
  const starts = linesOf(database, TRIMMED).map(({ text }) => Number(/ (\d{1,15}) now$/.exec(text)?.[1] ?? 1));
  return starts.includes(oldest) ? oldest : 1;
}

/** Lines with one of rouse's own actions, the oldest first. */
function linesOf(database: Database, action: string): { id: number; text: string }[] {
  const found = database.prepare("select id, record from audit where ref is null and instr(record, ?) > 0 order by id");
  return found.all(`"action":"${action}"`).flatMap(({ id, record }) => {
    const entry = readEntry(String(record));
    return entry?.action === action ? [{ id: Number(id), text: entry.text }] : [];
  });
}

const lineOf = ({ id, ref, record, prev, hash }: SqlRow): ChainedLine => ({
  id: Number(id),
  ref: ref === null || ref === undefined ? null : Number(ref),
  record: String(record),
  prev: String(prev),
  hash: String(hash),
});
