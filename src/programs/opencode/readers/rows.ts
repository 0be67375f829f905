/**
 * OpenCode: the rows of its database, its bus events and its `run --format json` lines. All of them contain the same
 * three things: a session, a message and the parts of a message.
 *
 * - Database rows: `{table: "session" | "message" | "part", …}` with the content in `data`, and in newer
 *   releases `{table: "event", type: "message.part.updated.1", data}`, every change in order.
 * - Bus events (`GET /event`, plugins): `{type: "message.part.updated", properties}`; among them `session.status`
 *   (idle, busy, retry with the time of the next attempt), which no table has.
 * - Headless lines: `{type: "tool_use", timestamp, sessionID, part}`.
 *
 * The same row may be read again and again: only changes are reported. The database contains all sessions of a user, so
 * a live reader gets the one to `follow`; for subagents of that session it reports their work only.
 */
import type { Signal } from "../../../core/signal.js";
import { asRecord, type JsonRecord, recordAt, stringAt } from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { signalsOfSubagent } from "../../../readers/records/subagent.js";
import { type OpenCodeEvent, OpenCodeSession } from "./session.js";

export interface OpenCodeOptions extends ReaderOptions {
  /** Id of the session to watch, if the source contains several. */
  follow?: string;
  /** Rows come from the database, events and lines from a stream. */
  source?: "transcript" | "stream";
}

/** The subject of each record: names of bus events (in the database followed by a version) and headless lines. */
const THINGS: ReadonlyMap<string, OpenCodeEvent> = new Map([
  ["session.created", "session"],
  ["session.updated", "session"],
  ["session.status", "status"],
  ["session.idle", "idle"],
  ["session.error", "error"],
  ["session.compacted", "compacted"],
  ["message.updated", "message"],
  ["message.part.updated", "part"],
  ["message.part.delta", "delta"],
  ["permission.asked", "permission"],
  ["permission.updated", "permission"],
  ["permission.replied", "answer"],
  ["question.asked", "question"],
  ["question.replied", "answer"],
  ["question.rejected", "answer"],
  ["text", "part"],
  ["reasoning", "part"],
  ["tool_use", "part"],
  ["step_start", "part"],
  ["step_finish", "part"],
  ["error", "error"],
]);
const TABLES: ReadonlyMap<string, OpenCodeEvent> = new Map([
  ["session", "session"],
  ["message", "message"],
  ["part", "part"],
]);
/** Events that the judgement does not use. */
const UNNEEDED =
  /^(?:server|file|lsp|tui|installation|project|vcs|todo|command|mcp|pty|ide)\.|\.(?:removed|deleted|diff)$/;
const ANCESTORS_MAX = 8;

export class OpenCodeReader implements RecordReader {
  readonly skipped: SkipCounter = new SkipCounter();
  readonly #follow: string | undefined;
  readonly #root: OpenCodeSession;
  readonly #subagents: OpenCodeSession;
  /** Parent of each session; "" for a root. */
  readonly #parents = new RecentMap<string>();

  constructor({ follow, source = "transcript", ...options }: OpenCodeOptions = {}) {
    this.#follow = follow;
    const skip = (name: string) => this.skipped.count(name);
    this.#root = new OpenCodeSession(source, options, skip);
    this.#subagents = new OpenCodeSession(source, options, skip);
  }

  read(record: unknown, at: number): Signal[] {
    const { thing, data } = open(asRecord(record) ?? {});
    if (thing === undefined) {
      const type = stringAt(record, "type") ?? stringAt(record, "table") ?? "";
      if (!UNNEEDED.test(type.replace(VERSION, ""))) this.skipped.count(`record ${type}`);
      return [];
    }
    const session = stringAt(data, thing === "session" ? "id" : "sessionID") ?? "";
    if (thing === "session")
      this.#parents.set(session, stringAt(data, "parentID") ?? stringAt(data, "parent_id") ?? "");
    if (!this.#isFollowed(session)) return [];
    const isRoot = session === this.#follow || (this.#parents.get(session) ?? "") === "";
    if (isRoot) return this.#root.read(thing, data, at);
    return signalsOfSubagent(this.#subagents.read(thing, data, at), session);
  }

  #isFollowed(session: string): boolean {
    if (this.#follow === undefined) return true;
    let id = session;
    for (let depth = 0; depth < ANCESTORS_MAX && id !== "" && id !== this.#follow; depth++) {
      id = this.#parents.get(id) ?? "";
    }
    return id === this.#follow;
  }
}

const VERSION = /\.\d{1,3}$/;

/** A record without its envelope, with the ids that only the envelope had. */
function open(row: JsonRecord): { thing?: OpenCodeEvent | undefined; data: JsonRecord } {
  const table = TABLES.get(stringAt(row, "table") ?? "");
  if (table === "session") return { thing: table, data: row };
  if (table !== undefined) {
    const ids = { id: row.id, messageID: row.message_id, sessionID: row.session_id };
    return { thing: table, data: { ...recordAt(row, "data"), ...ids } };
  }
  const thing = THINGS.get((stringAt(row, "type") ?? "").replace(VERSION, ""));
  const data = recordAt(row, "data") ?? recordAt(row, "properties") ?? row;
  const inner = recordAt(data, "info") ?? recordAt(data, "part") ?? data;
  return { thing, data: { sessionID: stringAt(data, "sessionID") ?? row.sessionID, ...inner } };
}
