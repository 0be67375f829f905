/**
 * The journal: every signal of this machine's agents, stored before it is judged (unless the disk is full), so that the state after a crash is
 * the fold of the journal.
 *
 * - **Order.** Signals are read in the order in which they were stored, which is the order they were judged in.
 * - **Numbers.** A host process numbers its signals from 1. A signal that is already stored is ignored; missing numbers
 *   are accepted and counted as lost (the host's ring overflowed), never waited for. Signals of the daemon's own
 *   sensors have no number (`from` is null).
 * - **Group commit.** `append` only adds to memory; one transaction stores everything that arrived within the window.
 *   Its promise settles after that transaction: acknowledge and judge then. A failed commit (disk full) rejects, and
 *   leaves the journal unchanged: the host sends again, and the daemon judges what it could not store from memory.
 * - **Growth.** `pack` compresses older batches; nothing is lost by it. A snapshot holds what the signals up to a batch
 *   amount to, so that a restart does not read them.
 * - **Limits.** `prune` removes by age, then by size, from the largest session: a flood costs its own agent.
 */
import type { AgentSession } from "../core/agent.js";
import type { Signal } from "../core/signal.js";
import { AuditTable, auditHeadPath, FOUND, rouse } from "./audit-table.js";
import { type IncidentStore, IncidentTable } from "./incident-table.js";
import { JournalError } from "./journal-error.js";
import { type JournalFile, type JournalFileOptions, openJournalFile } from "./journal-file.js";
import { batchSum, JournalReader, type ReadOptions, type StoredSignal } from "./journal-reader.js";
import { MessageTable } from "./messages.js";
import { JOURNAL_SCHEMA } from "./migrations.js";
import { OutboxTable } from "./outbox.js";
import { packOldest } from "./packing.js";
import { type PruneLimits, pruneJournal, usedBytes } from "./prune.js";
import { type Amount, type KnownSession, SessionTable } from "./session-table.js";
import { outdateSnapshots, type Snapshot, SnapshotTable } from "./snapshots.js";
import { inTransaction, rollBack } from "./sqlite.js";

export interface AppendResult {
  /** The highest stored number: the host may forget everything up to it. */
  acked: number;
  /** The new signals, in order: judge these, and only these. */
  fresh: { seq: number | null; signal: Signal }[];
  /** How many numbers were skipped before these. */
  lost: number;
}

export interface JournalStats {
  engine: string;
  schema: number;
  sessions: number;
  signals: number;
  /** Pages in use; the file may be larger until free pages are released. */
  bytes: number;
  lost: number;
  /** Stored signals that could not be read since opening: kinds of a newer rouse, or damage. */
  skipped: number;
  /** Signals that wait for the next commit. */
  pending: number;
  commits: number;
  failures: number;
  lastError: string | null;
  lastCommitMs: number;
  damage: JournalDamage | null;
}

/** What is wrong with the file: it cannot be written; or it was found deleted, replaced, changed or cut off. */
export interface JournalDamage {
  at: number;
  text: string;
}

export interface Journal {
  /** Incidents and actions, in the same file. */
  readonly incidentState: IncidentStore;
  /** The last write succeeded. */
  readonly isWriting: boolean;
  /** Notices to orchestrators, in the same file too. */
  readonly messages: MessageTable;
  /** Alerts to users, and their results. */
  readonly outbox: OutboxTable;
  /** Orders and actions, with their authors. */
  readonly audit: AuditTable;
  /** Registers or updates a session; stored when this returns. */
  putSession(session: AgentSession): void;
  sessions(): AgentSession[];
  /** The highest stored number of a session; 0 for an unknown one. */
  acked(session: string): number;
  append(session: string, from: number | null, signals: readonly Signal[], receivedAt: number): Promise<AppendResult>;
  /** Commits waiting signals now. */
  flush(): void;
  /** Committed signals of one session, in order. */
  read(session: string, options?: ReadOptions): Iterable<StoredSignal>;
  /** The batch after which a session has about this many signals; 0 if it has fewer. */
  startOfNewest(session: string, signals: number): number;
  /** What a restart has to read of each session, and what can be packed. */
  sizes(): { session: string; tail: Amount; loose: Amount }[];
  /** Null if there is none that can be read. */
  snapshot(session: string): Snapshot | null;
  putSnapshot(session: string, snapshot: Snapshot): void;
  /** It no longer describes a state, only what was learned until then. */
  outdateSnapshot(session: string): void;
  /** Compresses the oldest batches of a session that are not compressed yet: about 256 kB. Returns their number. */
  pack(session: string): number;
  /** Bounded in time: if `more` is true, call it again soon. */
  prune(bounds: PruneLimits): { removed: number; more: boolean };
  /**
   * To be called every minute. If another program deleted or changed the file, the journal continues in a new one, with
   * what could be read, and this returns what happened: save again what is known.
   */
  checkFile(): string | null;
  /** The file was damaged before it was opened: stored signals may be missing or wrong. */
  readonly isDamaged: boolean;
  stats(): JournalStats;
  close(): void;
}

export interface JournalOptions extends JournalFileOptions {
  /** How long an append may wait for others. */
  commitWithinMs?: number;
}

interface Waiting {
  known: KnownSession;
  from: number | null;
  texts: string[];
  receivedAt: number;
  appended: AppendResult;
  resolve: (appended: AppendResult) => void;
  reject: (error: JournalError) => void;
}

const COMMIT_WITHIN_MS = 50;
/** More than this is not held in memory: a flood commits at once. */
const PENDING_MAX = 5_000;
/** The write-ahead log is moved into the file after about this many bytes, and every minute. */
const CHECKPOINT_BYTES = 2 * 1024 * 1024;
/** Damage is reported for this long. */
const DAMAGE_SHOWN_MS = 24 * 3_600_000;
/** A larger append becomes several rows, so that `prune` and `read` never handle a huge one. */
const BATCH_MAX = 500;

/** Throws a JournalError that says what to do. `notes` are for the user, such as a damaged file that was set aside. */
export function openJournal(path: string, options: JournalOptions = {}): { journal: Journal; notes: string[] } {
  const file = openJournalFile(path, options);
  const journal = new SqliteJournal(file, path, options);
  return { journal, notes: [...file.notes, ...journal.unreadableRows(), ...journal.checkAudit()] };
}

class SqliteJournal implements Journal {
  readonly incidentState: IncidentStore;
  readonly messages: MessageTable;
  readonly outbox: OutboxTable;
  readonly audit: AuditTable;
  readonly #file: JournalFile;
  readonly #commitWithinMs: number;
  readonly #now: () => number;
  readonly #table: SessionTable;
  readonly #reader: JournalReader;
  readonly #snapshots: SnapshotTable;
  readonly #incidents: IncidentTable;
  readonly #insert;
  #damage: JournalDamage | null = null;
  #uncheckedBytes = 0;
  #waiting: Waiting[] = [];
  #pending = 0;
  #timer: NodeJS.Timeout | undefined;
  #open = true;
  #commits = 0;
  #failures = 0;
  #lastError: string | null = null;
  isWriting = true;
  #failingSince = 0;
  #lastCommitMs = 0;

  constructor(file: JournalFile, path: string, options: JournalOptions) {
    this.#file = file;
    this.#commitWithinMs = options.commitWithinMs ?? COMMIT_WITHIN_MS;
    this.#now = options.now ?? Date.now;
    this.#table = new SessionTable(file.database);
    this.#incidents = new IncidentTable(file.database);
    this.incidentState = {
      load: () => this.#incidents.load(),
      save: (incidentState, alongside) => this.#trying(() => this.#incidents.save(incidentState, alongside)),
    };
    this.messages = new MessageTable(file.database, (write) => this.#trying(write));
    this.outbox = new OutboxTable(file.database, (write) => this.#trying(write));
    this.audit = new AuditTable(file.database, auditHeadPath(path), (write) => this.#trying(write));
    this.#reader = new JournalReader(file.database);
    this.#snapshots = new SnapshotTable(file.database);
    this.#insert = file.database.prepare(
      "insert into batches (session_no, first_seq, count, received_at, signals, crc) values (?, ?, ?, ?, ?, ?)",
    );
    const [found] = file.notes;
    if (found !== undefined) this.#damage = { at: this.#now(), text: found };
  }

  /** For the user; also counts the rows, which are left out from here on. */
  unreadableRows(): string[] {
    this.#incidents.load();
    const counts = {
      sessions: this.#table.countUnreadable(),
      "incidents, actions and silences": this.#incidents.unreadable,
      alerts: this.outbox.removeUnreadable(),
    };
    const found = Object.entries(counts).filter(([, count]) => count > 0);
    if (found.length === 0) return [];
    const text = `Rows of the journal cannot be read and are ignored: ${found.map(([of, count]) => `${count} of ${of}`).join(", ")}`;
    this.#damage ??= { at: this.#now(), text };
    return [text];
  }

  /** Compares the audit trail with the copy of its newest hash; what is missing becomes a line of the trail. */
  checkAudit(): string[] {
    const text = this.audit.checkHead();
    if (text === null) return [];
    try {
      this.audit.intend({ ...rouse(this.#now()), action: FOUND, text });
    } catch {
      // Found again at the next check.
    }
    return [`The audit trail was changed by another program: ${text}. See \`rouse audit\` and \`rouse doctor\`.`];
  }

  get isDamaged(): boolean {
    return this.#file.isDamaged;
  }

  putSession(session: AgentSession): void {
    this.#trying(() => this.#table.put(session, this.#now()));
  }

  sessions(): AgentSession[] {
    return this.#table.all();
  }

  acked(session: string): number {
    return this.#table.known(session)?.acked ?? 0;
  }

  append(session: string, from: number | null, signals: readonly Signal[], receivedAt: number): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.#mustBeOpen();
      const known = this.#table.known(session);
      if (!known) throw new JournalError("unknown_session", `the session ${session} was never registered`);
      if (from !== null && !(Number.isSafeInteger(from) && from >= 1))
        throw new RangeError("sequence numbers start at 1");
      const next = known.reserved + 1;
      const skip = from === null ? 0 : Math.min(Math.max(0, next - from), signals.length);
      const first = from === null ? null : from + skip;
      const fresh = signals
        .slice(skip)
        .map((signal, index) => ({ seq: first === null ? null : first + index, signal }));
      const lost = first === null || fresh.length === 0 ? 0 : first - next;
      if (first !== null && fresh.length > 0) known.reserved = first + fresh.length - 1;
      const appended: AppendResult = { acked: known.acked, fresh, lost };
      const texts = fresh.map((entry) => JSON.stringify(entry.signal));
      this.#waiting.push({ known, from: first, texts, receivedAt, appended, resolve, reject });
      this.#pending += texts.length;
      if (this.#pending > PENDING_MAX) this.flush();
      // After a slow commit, the loop gets a pause of the same length: a slow disk halves its speed at most.
      else this.#timer ??= setTimeout(() => this.flush(), Math.max(this.#commitWithinMs, this.#lastCommitMs));
    });
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#pending = 0;
    const began = performance.now();
    try {
      this.#store(waiting);
    } catch (error) {
      const failure = this.#failed(error);
      this.#table.forgetReserved();
      for (const { reject } of waiting) reject(failure);
      return;
    }
    this.#lastCommitMs = performance.now() - began;
    this.#commits++;
    this.isWriting = true;
    for (const { known, appended, resolve } of waiting) resolve({ ...appended, acked: known.acked });
  }

  #store(waiting: readonly Waiting[]): void {
    const written = waiting.filter((entry) => entry.texts.length > 0);
    if (written.length === 0) return;
    let newest = 0;
    inTransaction(this.#file.database, () => {
      for (const { known, from, texts, receivedAt, appended } of written) {
        let bytes = 0;
        for (let start = 0; start < texts.length; start += BATCH_MAX) {
          const part = texts.slice(start, start + BATCH_MAX);
          const text = `[${part.join(",")}]`;
          bytes += Buffer.byteLength(text);
          const first_seq = from === null ? null : from + start;
          const sum = batchSum({ session_no: known.no, first_seq, received_at: receivedAt }, text);
          const row = this.#insert.run(known.no, first_seq, part.length, receivedAt, text, sum);
          newest = Number(row.lastInsertRowid);
        }
        this.#uncheckedBytes += bytes;
        this.#table.count(
          known,
          from === null ? 0 : from + texts.length - 1,
          appended.lost,
          texts.length,
          bytes,
          receivedAt,
        );
      }
    });
    for (const { known, texts, receivedAt } of written) {
      known.acked = known.reserved;
      const bytes = texts.reduce((sum, text) => sum + text.length + 1, 1);
      this.#table.grow(known, texts.length, bytes, receivedAt);
    }
    this.#file.mark(newest);
    if (this.#uncheckedBytes > CHECKPOINT_BYTES) this.#checkpoint();
  }

  #checkpoint(): void {
    this.#uncheckedBytes = 0;
    this.#file.checkpoint();
  }

  read(session: string, options: ReadOptions = {}): Iterable<StoredSignal> {
    const known = this.#table.known(session);
    return known ? this.#reader.ofSession(known, options) : [];
  }

  startOfNewest(session: string, signals: number): number {
    const known = this.#table.known(session);
    return known ? this.#reader.startOfNewest(known, signals) : 0;
  }

  sizes(): { session: string; tail: Amount; loose: Amount }[] {
    return this.#table.list();
  }

  snapshot(session: string): Snapshot | null {
    const known = this.#table.known(session);
    return known ? this.#snapshots.find(known.no) : null;
  }

  putSnapshot(session: string, snapshot: Snapshot): void {
    this.#change(session, ({ no }) => this.#snapshots.put(no, snapshot));
  }

  outdateSnapshot(session: string): void {
    this.#change(session, ({ no }) => outdateSnapshots(this.#file.database, "session_no = ?", no));
  }

  pack(session: string): number {
    return this.#change(session, ({ no }) => packOldest(this.#file.database, no)) ?? 0;
  }

  /** All of it or nothing. */
  #change<T>(session: string, write: (known: KnownSession) => T): T | undefined {
    const known = this.#table.known(session);
    if (!known) return undefined;
    const result = this.#trying(() => inTransaction(this.#file.database, () => write(known)));
    this.#table.measure(known);
    return result;
  }

  prune(bounds: PruneLimits): { removed: number; more: boolean } {
    this.#mustBeOpen();
    this.flush();
    try {
      const pruned = pruneJournal(this.#file.database, bounds);
      if (pruned.removed > 0 || pruned.sessions > 0) this.#table.reload();
      this.audit.trim(bounds.now);
      return { removed: pruned.removed, more: pruned.more };
    } catch (error) {
      rollBack(this.#file.database);
      throw this.#failed(error);
    }
  }

  checkFile(): string | null {
    this.#mustBeOpen();
    const found = this.#file.checkIntact();
    if (found === null) {
      this.#checkpoint();
      return this.checkAudit()[0] ?? null;
    }
    this.flush();
    this.#damage = { at: this.#now(), text: `${found}. It continues in a new one.` };
    try {
      this.#file.renew();
      this.#incidents.load();
      this.#table.takeOver(this.#now());
      this.checkAudit();
      return this.#damage.text;
    } catch (error) {
      this.#damage = { at: this.#now(), text: `${found}, and a new one cannot be created` };
      throw this.#failed(error);
    }
  }

  stats(): JournalStats {
    const { database, engine } = this.#file;
    const sum = database
      .prepare("select count(*) as sessions, total(signals) as signals, total(lost) as lost from sessions")
      .get();
    return {
      engine,
      schema: JOURNAL_SCHEMA,
      sessions: Number(sum?.sessions),
      signals: Number(sum?.signals),
      bytes: usedBytes(database),
      lost: Number(sum?.lost),
      skipped: this.#reader.skipped,
      pending: this.#pending,
      commits: this.#commits,
      failures: this.#failures,
      lastError: this.#lastError,
      lastCommitMs: this.#lastCommitMs,
      damage: this.#shownDamage(),
    };
  }

  #shownDamage(): JournalDamage | null {
    if (!this.isWriting) {
      const text = `it cannot be written (${this.#lastError}). Agents are judged from memory, and rouse does not act`;
      return { at: this.#failingSince, text };
    }
    return this.#damage && this.#now() - this.#damage.at < DAMAGE_SHOWN_MS ? this.#damage : null;
  }

  close(): void {
    if (!this.#open) return;
    this.flush();
    this.#open = false;
    this.#file.close();
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new JournalError("closed", "the journal is closed");
  }

  #trying<T>(write: () => T): T {
    this.#mustBeOpen();
    try {
      return write();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): JournalError {
    this.#failures++;
    if (this.isWriting) this.#failingSince = this.#now();
    this.isWriting = false;
    this.#lastError = String((error as Error).message).slice(0, 200);
    return new JournalError("commit", `the journal could not be written: ${this.#lastError}`, error);
  }
}
