/**
 * Places database rows of OpenCode in wall-clock time, for reading a session afterwards.
 *
 * Rows hold the last state of an item with the times of its earlier states, so each is unfolded into the states that a
 * poll would have found then: a text still empty, a tool still running, a message not completed. If the `event` table
 * has every change of a session, its rows are used instead, at the time in their ids.
 */
import type { Signal } from "../../../core/signal.js";
import { asRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { type OpenCodeOptions, OpenCodeReader } from "./rows.js";

export interface TimedRow {
  at: number;
  row: JsonRecord;
}

/** The states that polls would have found in these rows, in order of time. */
export function placedRows(rows: readonly JsonRecord[]): TimedRow[] {
  // Sorting is stable, so rows of the same millisecond stay in the order of the database.
  return rows.flatMap(unfold).sort((a, b) => a.at - b.at);
}

/** The signals of a session's rows, in the order of time, each at the time at which it was true. */
export function rowsToTimed(
  rows: readonly unknown[],
  options: OpenCodeOptions = {},
): { at: number; signals: Signal[] }[] {
  const reader = new OpenCodeReader(options);
  const known = rows.map(asRecord).filter((row) => row !== null);
  const inEvents = new Set(known.filter((row) => row.table === "event").map((row) => stringAt(row, "aggregate_id")));
  const timed: TimedRow[] = known.flatMap((row) => {
    if (row.table === "event") return [{ at: eventTime(row), row }];
    const session = row.table === "session" ? stringAt(row, "id") : stringAt(row, "session_id");
    return inEvents.has(session) ? [] : unfold(row);
  });
  // Sorting is stable, so rows of the same millisecond stay in the order of the database.
  timed.sort((a, b) => a.at - b.at);
  return timed
    .map(({ at, row }) => ({ at, signals: reader.read(row, at) }))
    .filter(({ signals }) => signals.length > 0);
}

const ID_TIME = /^[a-z]{2,4}_([0-9a-f]{12})/;
const COUNTER = 4096;
/** Ids keep 36 bits of the millisecond: they repeat every 795 days. */
const ID_PERIOD_MS = 2 ** 36;

/** Ids start with their creation time; the row's own times give the high bits. */
function eventTime(row: JsonRecord): number {
  const data = recordAt(row, "data");
  const near = numberAt(data, "time") ?? timesOf(recordAt(data, "info") ?? recordAt(data, "part")).at(-1) ?? 0;
  const hex = ID_TIME.exec(stringAt(row, "id") ?? "")?.[1];
  if (hex === undefined || near === 0) return near;
  const low = Math.floor(Number.parseInt(hex, 16) / COUNTER);
  return low + Math.round((near - low) / ID_PERIOD_MS) * ID_PERIOD_MS;
}

/** All times of an item, in order. */
function timesOf(thing: unknown): number[] {
  const times = [recordAt(thing, "time"), recordAt(thing, "state", "time")].flatMap((time) =>
    Object.values(time ?? {}),
  );
  return times
    .filter((time): time is number => typeof time === "number" && Number.isFinite(time))
    .sort((a, b) => a - b);
}

function unfold(row: JsonRecord): TimedRow[] {
  const created = numberAt(row, "time_created") ?? 0;
  const data = recordAt(row, "data") ?? {};
  const earlier = (at: number | undefined, was: JsonRecord): TimedRow => ({
    at: at ?? created,
    row: { ...row, data: was },
  });
  if (row.table === "message") {
    const completed = numberAt(data, "time", "completed");
    const { finish: _finish, error, summary, ...rest } = data;
    const open = {
      ...rest,
      ...(summary === true ? { summary } : {}),
      time: { created: numberAt(data, "time", "created") ?? created },
    };
    const end = completed ?? (error === undefined ? undefined : (numberAt(row, "time_updated") ?? created));
    return [earlier(numberAt(data, "time", "created"), open), ...(end === undefined ? [] : [{ at: end, row }])];
  }
  if (row.table === "part" && data.type === "tool") {
    const { input, time, status } = recordAt(data, "state") ?? {};
    const running = {
      status: status === "pending" ? status : "running",
      input,
      time: { start: numberAt(time, "start") },
    };
    const end = numberAt(time, "end");
    const start = earlier(numberAt(time, "start"), { ...data, state: running });
    return end === undefined ? [start] : [start, { at: end, row }];
  }
  if (row.table === "part" && numberAt(data, "time", "start") !== undefined) {
    const end = numberAt(data, "time", "end");
    const start = earlier(numberAt(data, "time", "start"), {
      ...data,
      text: "",
      time: { start: numberAt(data, "time", "start") },
    });
    return [start, { at: end ?? numberAt(row, "time_updated") ?? created, row }];
  }
  return [{ at: created, row }];
}
