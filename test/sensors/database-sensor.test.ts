/** OpenCode's database, written by another process while it is read. Needs the built store (`tsc -b`). */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Signal } from "../../src/core/signal.js";
import { NO_CONTEXT } from "../../src/readers/records/record-reader.js";
import { DatabaseSensor, type DatabaseSensorOptions } from "../../src/sensors/transcript/database-sensor.js";
import { loadSqlite } from "../../src/store/sqlite.js";

const LAYOUT = `
create table session (id text primary key, parent_id text, directory text not null, version text not null,
  time_created integer not null, time_updated integer not null, time_compacting integer);
create table message (id text primary key, session_id text not null, time_created integer not null,
  time_updated integer not null, data text not null);
create table part (id text primary key, message_id text not null, session_id text not null,
  time_created integer not null, time_updated integer not null, data text not null);`;

/** Executes one statement per line, and confirms each. */
const WRITER = `
import { createInterface } from "node:readline";
import { loadSqlite } from ${JSON.stringify(new URL("../../dist/store/sqlite.js", import.meta.url).href)};
let database;
for await (const line of createInterface({ input: process.stdin })) {
  const { open, sql, values } = JSON.parse(line);
  if (open) database = loadSqlite().open(open);
  if (sql && values) database.prepare(sql).run(...values);
  else if (sql) database.exec(sql);
  console.log("done");
}`;

const START = 1_000_000;
let root: string;
let path: string;
let writer: ChildProcess;
let answers: AsyncIterator<string>;
let sensors: DatabaseSensor[];

async function report(order: { open?: string; sql?: string; values?: (string | number | null)[] }): Promise<void> {
  writer.stdin?.write(`${JSON.stringify(order)}\n`);
  expect((await answers.next()).value).toBe("done");
}

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "rouse-opencode-")));
  path = join(root, "opencode.db");
  sensors = [];
  writer = spawn(process.execPath, ["--input-type=module", "-e", WRITER], { stdio: ["pipe", "pipe", "inherit"] });
  answers = createInterface({ input: writer.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  await report({ open: path });
  await report({ sql: `pragma journal_mode = wal; ${LAYOUT}` });
});

afterEach(async () => {
  for (const sensor of sensors) await sensor.close();
  writer.stdin?.end();
  await new Promise((resolve) => writer.once("close", resolve));
  rmSync(root, { recursive: true, force: true });
});

function sense(more: Partial<DatabaseSensorOptions["place"]> = {}, resume?: DatabaseSensor["state"]): DatabaseSensor {
  const sensor = new DatabaseSensor({
    load: async () => (await import("../../src/programs/opencode/database.js")).database,
    place: { path, root, directory: "/work", startedAt: START, session: null, ...more },
    open: (file) => loadSqlite().openReadOnly(file),
    ...NO_CONTEXT,
    ...(resume ? { resume } : {}),
  });
  sensors.push(sensor);
  return sensor;
}

const UPSERT = "on conflict (id) do update set time_updated = excluded.time_updated, data = excluded.data";

const session = (id: string, at: number, directory = "/work", parent: string | null = null) =>
  report({
    sql: "insert or replace into session values (?, ?, ?, '1.18.33', ?, ?, null)",
    values: [id, parent, directory, at, at],
  });
const message = (id: string, of: string, at: number, data: object) =>
  report({
    sql: `insert into message values (?, ?, ?, ?, ?) ${UPSERT}`,
    values: [id, of, at, at, JSON.stringify(data)],
  });
const part = (id: string, [of, within]: [string, string], at: number, data: object) =>
  report({
    sql: `insert into part values (?, ?, ?, ?, ?, ?) ${UPSERT}`,
    values: [id, within, of, at, at, JSON.stringify(data)],
  });
const bash = (status: string, start: number, end?: number) => ({
  type: "tool",
  tool: "bash",
  state: { status, input: { command: "npm test" }, output: "ok", time: { start, ...(end ? { end } : {}) } },
});

async function prompt(id: string, at: number): Promise<void> {
  await session(id, at);
  await message(`${id}-m1`, id, at, { role: "user", time: { created: at } });
  await part(`${id}-p1`, [id, `${id}-m1`], at, { type: "text", text: "Mend the parser." });
  await message(`${id}-m2`, id, at + 10, { role: "assistant", time: { created: at + 10 } });
}

const kinds = (signals: readonly Signal[]): string[] =>
  signals.map((signal) => (signal.kind === "turn" ? `turn ${signal.phase}` : signal.kind));

describe("OpenCode's database", () => {
  it("reports a turn with its tools as they are written, each fact once", async () => {
    const sensor = sense();
    expect(await sensor.read(START + 1000)).toEqual({ signals: [], more: false, refusal: null });
    await prompt("ses_1", START + 2000);
    const first = await sensor.read(START + 3000);
    expect(kinds(first.signals)).toEqual(expect.arrayContaining(["session", "turn start", "request"]));
    expect(new Set(first.signals.map(({ at }) => at))).toEqual(new Set([START + 3000]));
    await part("p2", ["ses_1", "ses_1-m2"], START + 3500, bash("running", START + 3500));
    expect(kinds((await sensor.read(START + 4000)).signals)).toEqual(["tool_start"]);
    expect((await sensor.read(START + 5000)).signals).toEqual([]);
    await part("p2", ["ses_1", "ses_1-m2"], START + 5500, bash("completed", START + 3500, START + 5500));
    expect(kinds((await sensor.read(START + 6000)).signals)).toEqual(["tool_end"]);
    await message("ses_1-m2", "ses_1", START + 6500, {
      role: "assistant",
      finish: "stop",
      time: { created: START + 2010, completed: START + 6500 },
    });
    expect(kinds((await sensor.read(START + 7000)).signals)).toEqual(["turn end"]);
  });

  it("reads existing rows as history: at their own time, before a gap", async () => {
    await prompt("ses_1", START + 2000);
    await part("p2", ["ses_1", "ses_1-m2"], START + 9000, bash("completed", START + 3500, START + 9000));
    const { signals } = await sense().read(START + 100_000);
    expect(signals[0]).toMatchObject({ kind: "gap", to: START + 100_000 });
    expect(signals.find(({ kind }) => kind === "tool_start")?.at).toBe(START + 3500);
    expect(signals.find(({ kind }) => kind === "tool_end")?.at).toBe(START + 9000);
  });

  it("resumes where an earlier run stopped", async () => {
    const before = sense();
    await prompt("ses_1", START + 2000);
    await part("p2", ["ses_1", "ses_1-m2"], START + 2500, bash("running", START + 2500));
    await before.read(START + 3000);
    const { state } = before;
    await before.close();
    await part("p2", ["ses_1", "ses_1-m2"], START + 5000, bash("completed", START + 2500, START + 5000));
    expect(kinds((await sense({}, state).read(START + 6000)).signals)).toEqual(["tool_end"]);
  });

  it("follows the session of the program's folder, and follows it into another", async () => {
    const sensor = sense();
    await session("ses_old", START - 90_000);
    await session("ses_other", START + 500, "/elsewhere");
    await message("m0", "ses_other", START + 500, { role: "assistant", time: { created: START + 500 } });
    expect((await sensor.read(START + 1000)).signals).toEqual([]);
    await prompt("ses_1", START + 2000);
    expect((await sensor.read(START + 2500)).signals.length).toBeGreaterThan(0);
    await prompt("ses_2", START + 3000);
    const { signals } = await sensor.read(START + 3500);
    expect(signals.find(({ kind }) => kind === "session")).toMatchObject({ id: "ses_2" });
    const named = sense({ session: "ses_old", directory: "/nowhere" });
    await named.read(START + 4000);
    expect(named.state.marks).toMatchObject([{ before: "ses_old" }]);
  });

  it("reports only the tools of subagents, and nothing of the past of an old session that continues", async () => {
    await prompt("ses_old", START - 500_000);
    await part("p0", ["ses_old", "ses_old-m2"], START - 400_000, bash("completed", START - 450_000, START - 400_000));
    const sensor = sense();
    await prompt("ses_1", START + 1000);
    await session("ses_child", START + 1500, "/work", "ses_1");
    await part("p1", ["ses_child", "mc"], START + 1500, bash("running", START + 1500));
    expect(kinds((await sensor.read(START + 2000)).signals)).toContain("tool_start");
    await session("ses_old", START + 60_000);
    await part("p9", ["ses_old", "ses_old-m2"], START + 60_000, bash("running", START + 60_000));
    const { signals } = await sensor.read(START + 61_000);
    expect(signals.filter(({ kind }) => kind.startsWith("tool"))).toMatchObject([{ kind: "tool_start", id: "p9" }]);
  });

  it("reads a burst in bounded pieces without loss", async () => {
    const sensor = sense();
    await prompt("ses_1", START + 1000);
    await sensor.read(START + 1500);
    for (let n = 0; n < 700; n++)
      await part(`b${n}`, ["ses_1", "ses_1-m2"], START + 2000 + n, bash("running", START + 2000 + n));
    const signals: Signal[] = [];
    for (let more = true; more; ) {
      const read = await sensor.read(START + 4000);
      signals.push(...read.signals);
      more = read.more;
    }
    expect(signals.filter(({ kind }) => kind === "tool_start")).toHaveLength(700);
  });

  it("never waits for a writer, and never blocks one", async () => {
    const sensor = sense();
    await prompt("ses_1", START + 1000);
    await sensor.read(START + 1500);
    await report({ sql: "begin immediate" });
    await part("p2", ["ses_1", "ses_1-m2"], START + 2000, bash("running", START + 2000));
    expect(await sensor.read(START + 2500)).toMatchObject({ signals: [], refusal: null });
    await report({ sql: "commit; pragma wal_checkpoint(truncate)" });
    expect(kinds((await sensor.read(START + 3000)).signals)).toEqual(["tool_start"]);

    const rollback = join(root, "rollback.db");
    await report({ open: rollback });
    await report({ sql: LAYOUT });
    await prompt("ses_1", START + 1000);
    const other = sense({ path: rollback });
    await report({ sql: "begin exclusive" });
    expect(await other.read(START + 1500)).toMatchObject({ signals: [], refusal: null });
    await report({ sql: "commit" });
    expect((await other.read(START + 2000)).signals.length).toBeGreaterThan(0);
  });

  it("reports what it cannot read, and continues when it can", async () => {
    const nowhere = sense({ path: join(root, "none.db") });
    expect(await nowhere.read(START)).toMatchObject({ refusal: "missing" });
    writeFileSync(join(root, "none.db"), "no database at all, whatever its name says");
    expect(await nowhere.read(START)).toMatchObject({ refusal: "unreadable" });
    symlinkSync(path, join(root, "link.db"));
    expect(await sense({ path: join(root, "link.db") }).read(START)).toMatchObject({ refusal: "link" });

    const sensor = sense();
    await prompt("ses_1", START + 1000);
    await sensor.read(START + 1500);
    await report({ sql: "alter table part rename to parts" });
    expect(await sensor.read(START + 2000)).toMatchObject({ signals: [], refusal: "unreadable" });
    await report({ sql: "create view part as select * from parts" });
    expect(await sensor.read(START + 2500)).toMatchObject({ signals: [], refusal: "unreadable" });
    await report({ sql: "drop view part; alter table parts rename to part" });
    expect(await sensor.read(START + 3000)).toMatchObject({ refusal: null });
  });

  it("follows a replaced database", async () => {
    const sensor = sense();
    await prompt("ses_1", START + 1000);
    await sensor.read(START + 1500);
    const fresh = join(root, "fresh.db");
    await report({ open: fresh });
    await report({ sql: LAYOUT });
    await prompt("ses_2", START + 2000);
    for (const log of ["-wal", "-shm"]) rmSync(`${path}${log}`, { force: true });
    renameSync(fresh, path);
    const { signals, refusal: error } = await sensor.read(START + 2500);
    expect(error).toBeNull();
    expect(signals.find(({ kind }) => kind === "session")).toMatchObject({ id: "ses_2" });
  });
});
