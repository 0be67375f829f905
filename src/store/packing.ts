/**
 * Older batches of a session, many in one compressed row, under the number of the last: a twentieth of the space. Each
 * keeps its text and its checksum as they were, so a damaged batch stays recognisable, and costs no other.
 */
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Cell, Database, SqlRow } from "./sqlite.js";

/** One compressed row is made of about this much text: its compression takes 3 ms. */
const PACK_BYTES = 256 * 1024;
const BATCHES_MAX = 2000;
/** Nothing that was packed here is larger; a damaged row may claim to be. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

const HEAD = ["id", "first_seq", "count", "received_at", "crc"] as const;

/**
 * Packs the oldest batches of a session, in one transaction that the caller opens. Those after its snapshot wait for the
 * next one, so that what a restart reads is counted exactly. Returns their number.
 */
export function packOldest(database: Database, no: number): number {
  const batches = oldest(database, no);
  const last = batches.at(-1);
  if (!last) return 0;
  const text = batches
    .map((batch) => `${JSON.stringify(HEAD.map((name) => batch[name]))}\n${lineOf(batch)}`)
    .join("\n");
  const data = deflateRawSync(text);
  const times = batches.map(({ received_at }) => Number(received_at));
  const row = {
    id: last.id ?? null,
    session_no: no,
    count: batches.length,
    signals: batches.reduce((sum, { count }) => sum + Number(count), 0),
    received_from: times.reduce((a, b) => Math.min(a, b)),
    received_to: times.reduce((a, b) => Math.max(a, b)),
  };
  const values: Cell[] = [...Object.values(row), packedSum(row, data), data];
  database
    .prepare(
      `insert into packed (id, session_no, count, signals, received_from, received_to, crc, data)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(...values);
  database.prepare("delete from batches where session_no = ? and id <= ?").run(no, Number(last.id));
  const saved = batches.reduce((sum, { signals }) => sum + Buffer.byteLength(String(signals)), 0) - data.length;
  database.prepare("update sessions set bytes = max(0, bytes - ?) where no = ?").run(saved, no);
  return batches.length;
}

/** The batches of a packed row as they were; null if it is damaged. */
export function unpacked(row: SqlRow): SqlRow[] | null {
  try {
    if (!(row.data instanceof Uint8Array) || row.crc !== packedSum(row, row.data)) return null;
    const lines = inflateRawSync(row.data, { maxOutputLength: UNPACKED_BYTES_MAX }).toString().split("\n");
    return Array.from({ length: lines.length / 2 }, (_, n) => {
      const head = JSON.parse(lines[2 * n] ?? "") as Cell[];
      const batch = Object.fromEntries(HEAD.map((name, index) => [name, head[index] ?? null]));
      return { ...batch, session_no: row.session_no ?? null, signals: lines[2 * n + 1] ?? "" };
    });
  } catch {
    return null;
  }
}

function oldest(database: Database, no: number): SqlRow[] {
  const found: SqlRow[] = [];
  let bytes = 0;
  const covered = database.prepare("select batch from snapshots where session_no = ? and fits <> ''").get(no)?.batch;
  const last = typeof covered === "number" ? covered : Number.MAX_SAFE_INTEGER;
  for (let after = 0; found.length < BATCHES_MAX; ) {
    const page = database
      .prepare("select * from batches where session_no = ? and id > ? and id <= ? order by id limit 64")
      .all(no, after, last);
    for (const batch of page) {
      bytes += Buffer.byteLength(String(batch.signals));
      if (bytes > PACK_BYTES && found.length > 0) return found;
      found.push(batch);
    }
    if (page.length < 64) return found;
    after = Number(page.at(-1)?.id);
  }
  return found;
}

/** JSON has no line break of its own; in a damaged text it would hide the batches that follow. */
const lineOf = ({ signals }: SqlRow): string => String(signals).replaceAll("\n", " ");

const packedSum = ({ id, session_no, count, signals, received_from, received_to }: SqlRow, data: Uint8Array): number =>
  crc32(data, crc32([id, session_no, count, signals, received_from, received_to].join(" ")));
