/** The transcripts of a recording: each line as written, with secrets masked, and its arrival time. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentSession } from "../../../core/agent.js";
import { redact } from "../../../core/text/redact.js";
import { partOf } from "../../../programs/part.js";
import { programFor } from "../../../programs/registry.js";
import type { RowSource } from "../../../programs/transcript.js";
import { parseRecord } from "../../../readers/records/json.js";
import { AgentFinder, type FoundAgent } from "../../../sensors/process/find-agents.js";
import type { ProcessTable } from "../../../sensors/process/process-table.js";
import { programFiles } from "../../../sensors/process/program-files.js";
import { databaseAccess } from "../../../sensors/transcript/database-sensor.js";
import { realRoot } from "../../../sensors/transcript/safe-open.js";
import { Tail } from "../../../sensors/transcript/tail.js";
import { loadSqlite } from "../../../store/sqlite.js";

/** The end of an existing transcript is enough to know the current state of the agent. */
const WINDOW_BYTES = 128 * 1024;
const FILES_MAX = 20;

interface Followed {
  path: string;
  /** File name in the case. */
  copy: string;
  tail: Tail;
}

export class TranscriptCopies {
  readonly #folder: string;
  readonly #finder = new AgentFinder();
  #files: Followed[] = [];
  #session = "";
  #database: RowSource | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get count(): number {
    return this.#files.length + (this.#database ? 1 : 0);
  }

  /** Finds the transcript and copies the lines added since the last call. */
  async tick(session: AgentSession, table: ProcessTable, t: number): Promise<void> {
    const found = (await this.#finder.find(table)).find((agent) => isOf(agent, session));
    if (found?.located) await this.#notice(found, t);
    for (const file of this.#files) await this.#copy(file, t);
    await this.#copyRows();
  }

  /** Copies the last lines. */
  async close(t: number): Promise<void> {
    for (const file of this.#files) {
      await this.#copy(file, t);
      await file.tail.close();
    }
    await this.#copyRows();
    this.#database?.close();
  }

  async #notice({ located, pid, innerPids, startedAt, kind }: FoundAgent, t: number): Promise<void> {
    if (!located) return;
    const { transcript, root, configFolder } = located;
    const isNew = transcript !== null && !this.#files.some(({ path }) => path === transcript);
    if (isNew && this.#files.length < FILES_MAX) {
      const tail = new Tail(transcript, { root: realRoot(root) ?? root, windowBytes: WINDOW_BYTES });
      this.#files = [...this.#files, { path: transcript, copy: `transcript-${this.#files.length + 1}.jsonl`, tail }];
    }
    const program = programFor(kind);
    const transcripts = partOf(program.transcript);
    const load = transcripts && partOf(transcripts.database);
    if (load && located.database)
      this.#database ??= (await load()).open(
        located.database,
        databaseAccess((path) => loadSqlite().openReadOnly(path)),
      );
    const sessionFile = partOf(program.sessionFile);
    if (sessionFile === null) return;
    for (const process of [pid, ...innerPids]) {
      const file = await sessionFile.read(programFiles, { configFolder, pid: process, startedAt });
      const text = file ? redact(JSON.stringify(file.record)) : "";
      if (text === "" || text === this.#session) continue;
      this.#session = text;
      this.#append("transcript-times.jsonl", [
        JSON.stringify({ t, file: sessionFile.nameOf(process), session: JSON.parse(text) }),
      ]);
    }
  }

  async #copy({ tail, copy, path }: Followed, t: number): Promise<void> {
    for (;;) {
      const { lines, more } = await tail.read();
      if (lines.length > 0) {
        this.#append(copy, lines.map(redact));
        this.#append("transcript-times.jsonl", [JSON.stringify({ t, file: path, lines: lines.map(headOf) })]);
      }
      if (!more) return;
    }
  }

  /** Rows carry their own times; a changed row is written again. */
  async #copyRows(): Promise<void> {
    for (let more = this.#database !== null; more; ) {
      const changed = await this.#database?.read();
      const rows = changed?.rows ?? [];
      if (rows.length > 0)
        this.#append(
          "transcript-db.jsonl",
          rows.map((row) => redact(JSON.stringify(row))),
        );
      more = changed?.more ?? false;
    }
  }

  #append(name: string, lines: readonly string[]): void {
    appendFileSync(join(this.#folder, name), `${lines.join("\n")}\n`, { mode: 0o600 });
  }
}

function isOf({ session, pid, innerPids }: FoundAgent, wanted: AgentSession): boolean {
  return session === wanted.id || pid === wanted.pid || innerPids.includes(wanted.pid ?? -1);
}

/** Lets replay find the copy that contains the lines. */
function headOf(line: string): { type: unknown; ts: unknown } {
  const record = parseRecord(line);
  return { type: record?.type, ts: record?.timestamp };
}
