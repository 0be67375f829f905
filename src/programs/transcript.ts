/** The place of a program's session records, and how to find those of a running agent. */
import type { Signal, Todos } from "../core/signal.js";
import type { JsonRecord } from "../readers/records/json.js";
import type { ReadContext, RecordReader } from "../readers/records/record-reader.js";
import type { ReadFileValue } from "./account.js";
import type { ProgramFiles, Refusal } from "./files.js";
import type { Absent, LazyLoad } from "./part.js";

export interface TranscriptPart {
  /** The todo list of the session of this transcript, if the program keeps it in files. */
  readonly todoFiles?: (transcript: string, files: ProgramFiles) => Promise<Todos | null>;
  /** The places of a running agent's records, most reliable first; null for a process without a session of its own. */
  readonly locate: (candidate: Candidate, files: ProgramFiles) => Promise<TranscriptLocation | null>;
  /** How long it lets a command run that states no limit, if its user has set that; null if not. */
  readonly commandLimitMs?: (
    process: Pick<Candidate, "env" | "home" | "cwd">,
    read: ReadFileValue,
  ) => Promise<number | null>;
  /** Whether only this program writes such records, in its session files or on standard output. */
  readonly isOwn: (records: readonly JsonRecord[]) => boolean;
  /** Whether they are its headless event stream. */
  readonly isStream: (records: readonly JsonRecord[]) => boolean;
  /** The records in one JSON document, if the program writes or exports whole sessions; null if it is not one. */
  readonly unfold: ((document: JsonRecord) => JsonRecord[] | null) | Absent;
  /** Further files that belong to a transcript. */
  readonly sideFiles: SideFilesPart | Absent;
  /** The code that reads a database, if the program keeps one instead of files of lines. */
  readonly database: LazyLoad<DatabaseCode> | Absent;
}

export interface Candidate {
  /** The process and those inside it that are the same program. */
  pids: readonly number[];
  startedAt: number;
  argv: readonly string[];
  cwd: string | null;
  /** Its environment, if readable. */
  env: ReadonlyMap<string, string>;
  home: string;
  openFiles: readonly string[];
}

export interface TranscriptLocation {
  /** Null while it is unknown. */
  transcript: string | null;
  /** The folder of all transcripts of the program. */
  root: string;
  sessionId: string | null;
  /** The program itself names the transcript now, in a file of its own or by having it open. */
  isNamed?: boolean;
  /** The program's database, if it keeps one instead of transcripts. */
  database?: DatabaseLocation;
  /** The program's own folder. */
  configFolder: string;
  /** Set if the program's own supervisor runs the session: its id, which outlives the process. */
  supervisedAs?: string;
  /** See `TranscriptPart`. */
  commandLimitMs?: number;
}

/** Files of subagents: they show the work for the session, and have its cost. */
export interface SideFilesPart {
  /** Their folder; null if it does not exist yet. */
  readonly folder: (transcript: string, files: ProgramFiles) => Promise<string | null>;
  readonly isSideFile: (name: string) => boolean;
  /** Whether the file with this first record belongs to the transcript, if its folder has files of other sessions. */
  readonly isOf?: (head: JsonRecord, transcript: string) => boolean;
}

/** The program's own state file of one process. */
export interface SessionFilePart {
  /** Its path below the program's folder. */
  readonly nameOf: (pid: number) => string;
  /** Null if it is missing, not such a file, or older than the process with this pid. */
  readonly read: (
    files: ProgramFiles,
    process: { configFolder: string; pid: number; startedAt: number; supervisedAs?: string | undefined },
  ) => Promise<SessionFile | null>;
}

export interface SessionFile {
  /** Null if only the supervisor's own file of the session is left. */
  sessionId: string | null;
  cwd: string | null;
  record: JsonRecord;
  /** When the file changed last; missing if the record has more than one file. */
  changedAt?: number;
  /** Set if the program's own supervisor runs the session: its id, which outlives the process. */
  supervisedAs?: string;
}

type Cell = string | number | null | Uint8Array;
export type DatabaseRow = Record<string, Cell>;

/** The required part of an open database: that of `node:sqlite`. */
export interface ReadDatabase {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: Cell[]): DatabaseRow[] };
  close(): void;
}

export interface DatabaseAccess {
  /** Opens it for reading only. */
  open(path: string): ReadDatabase;
  /** Identity of the file with this name: changes when another file replaces it. */
  fileId(path: string, root: string): Promise<{ ok: true; id: string } | { ok: false; reason: Refusal }>;
}

export interface DatabaseLocation {
  path: string;
  /** The folder that it is in. */
  root: string;
  /** The program's working folder. */
  directory: string;
  startedAt: number;
  /** Session in its arguments. */
  session: string | null;
}

export interface ChangedRows {
  /** Of the session and its subagents, for the reader, in the order of their last change. */
  rows: JsonRecord[];
  /** More can be read at once. */
  more: boolean;
  refusal: Refusal | null;
  /** The program has locked it at this moment, and nothing was read. */
  isBusy: boolean;
}

/** The rows that changed since the last call. */
export interface RowSource {
  readonly path: string;
  /** The current session, and the time of the last row that was read. */
  readonly position: { session: string; since: number } | null;
  read(): Promise<ChangedRows>;
  close(): void;
}

export interface DatabaseCode {
  readonly open: (context: DatabaseLocation, access: DatabaseAccess) => RowSource;
  /** A row is stamped before its transaction is written, so a newer one may appear this much earlier. */
  readonly overlapMs: number;
  /** The states that a poll would have found in these rows, each at its time. */
  readonly placeRows: (rows: readonly JsonRecord[]) => { at: number; row: JsonRecord }[];
  /** A reader of the rows of one session; of all sessions if none is given. */
  readonly makeReader: (context: Partial<ReadContext>, session: string | null) => RecordReader;
  /** The signals of all rows of a recording, in the order of time. */
  readonly readAll: (rows: readonly unknown[]) => { at: number; signals: Signal[] }[];
}

/** File times are slightly behind the clock. */
export const SLACK_MS = 2000;
export const ID = /^[\w-]{1,100}$/;
export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** The newest file of a folder that was written since the process started. */
export async function newestFile(
  files: ProgramFiles,
  folder: string,
  since: number,
  isWanted: (name: string) => boolean,
): Promise<string | null> {
  let newest: { path: string; at: number } | null = null;
  for (const name of (await files.names(folder)).filter(isWanted)) {
    const path = `${folder}/${name}`;
    const at = await files.changedAt(path);
    if (at !== null && at >= since - SLACK_MS && at > (newest?.at ?? 0)) newest = { path, at };
  }
  return newest?.path ?? null;
}

/** The value of an option on a command line. */
export function optionOf(argv: readonly string[], names: readonly string[]): string | null {
  for (const [at, word] of argv.entries()) {
    const equals = word.indexOf("=");
    if (names.includes(word)) return argv[at + 1] ?? null;
    if (equals > 0 && names.includes(word.slice(0, equals))) return word.slice(equals + 1);
  }
  return null;
}

/** Whether a record has all of these fields. */
export const hasFields = (records: readonly JsonRecord[], ...keys: string[]): boolean =>
  records.some((record) => keys.every((key) => key in record));
