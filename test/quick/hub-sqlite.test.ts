import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hub } from "../../src/hub/hub.js";
import { openHub } from "../../src/hub/open.js";
import { type Database, loadSqlite } from "../../src/store/sqlite.js";
import { sqliteRig } from "../support/hub-sqlite.js";
import { describeHub } from "../support/hub-suite.js";

describeHub("SQLite", sqliteRig);

describe("the files of the hub on SQLite", () => {
  const HOLDER = { agent: "api", session: "s" };
  let state: string;
  let hub: Hub;
  const file = (name: string): string => join(state, name);
  const withFile = <T>(name: string, use: (database: Database) => T): T => {
    const database = loadSqlite().open(file(name));
    try {
      return use(database);
    } finally {
      database.close();
    }
  };
  const rows = (): unknown[] =>
    withFile("progress.db", (found) => found.prepare("select id from agent_progress").all());
  const report = (id: number, text: string): void =>
    withFile("progress.db", (found) => found.exec(`update agent_progress set last_step = '${text}' where id = ${id}`));

  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), "rouse-hub-files-"));
    hub = await openHub({ state, node: "lab-1" });
  });
  afterEach(async () => {
    await hub.close();
    rmSync(state, { recursive: true });
  });

  it("writes progress.db again when an agent removed or damaged it, and loses no later report", async () => {
    const { id } = await hub.add({ title: "Task" }, "anna");
    const { claim } = await hub.claim(id, HOLDER);
    report(claim.progressId, "one");
    await hub.collect();
    rmSync(file("progress.db"));
    await hub.collect();
    report(claim.progressId, "two");
    expect((await hub.collect()).map(({ text }) => text)).toEqual(["two"]);
    writeFileSync(file("progress.db"), "no database, but long enough to be none".repeat(20));
    await hub.close();
    hub = await openHub({ state, node: "lab-1" });
    await hub.collect();
    report(claim.progressId, "three");
    expect((await hub.collect()).map(({ text }) => text)).toEqual(["three"]);
    expect(readFileSync(file("progress.db.bad"), "utf8")).toContain("no database");
  });

  it("restores a removed trigger when it opens, and follows no link out of its folder", async () => {
    const { id } = await hub.add({ title: "Task", steps: ["a"] }, "anna");
    const { claim } = await hub.claim(id, HOLDER);
    withFile("progress.db", (found) => found.exec("drop trigger agent_progress_update"));
    await hub.close();
    rmSync(file("elsewhere"), { force: true });
    hub = await openHub({ state, node: "lab-1" });
    await hub.collect();
    expect(() =>
      withFile("progress.db", (found) => found.exec("update agent_progress set completed_steps = '[9]'")),
    ).toThrow(/no such step/);
    rmSync(file("progress.db"));
    symlinkSync(file("elsewhere"), file("progress.db"));
    await hub.collect();
    report(claim.progressId, "kept");
    expect(existsSync(file("elsewhere"))).toBe(false);
    expect((await hub.collect()).map(({ text }) => text)).toEqual(["kept"]);
  });

  it("ignores a report that names a step out of range or another session, although the file has it", async () => {
    const { id } = await hub.add({ title: "Task", steps: ["a"] }, "anna");
    const { claim } = await hub.claim(id, HOLDER);
    withFile("progress.db", (found) =>
      found.exec(`insert into reports (id, last_step, completed_steps, status, at) values
        (${claim.progressId}, 'x', '[9]', 'in_progress', 0), (99, 'x', '[1]', 'in_progress', 0),
        (${claim.progressId}, 'x', 'no json', 'in_progress', 0)`),
    );
    expect((await hub.collect()).map(({ step }) => step)).toEqual([null]);
    expect((await hub.get(id)).completedSteps).toEqual([]);
  });

  it("removes the rows of removed tasks", async () => {
    const { id } = await hub.add({ title: "Task" }, "anna");
    await hub.transition(id, "done", { actor: "user", author: "anna" });
    expect(rows()).toHaveLength(1);
    const later = Date.now() + 1_000;
    await hub.prune({ tasksBefore: later, eventsBefore: later, messagesBefore: later });
    expect(rows()).toEqual([]);
  });

  describe("hub.db", () => {
    const notes: string[] = [];
    const titles = async (): Promise<string[]> => (await hub.list()).map(({ title }) => title);
    const reopen = async (): Promise<void> => {
      await hub.close();
      hub = await openHub({ state, node: "lab-1", log: (line) => notes.push(line.replace(state, "STATE")) });
    };
    beforeEach(async () => {
      notes.length = 0;
      await reopen();
      await hub.add({ title: "before" }, "anna");
    });

    it.each([
      ["the file and its log", ["hub.db", "hub.db-wal", "hub.db-shm"]],
      ["the file alone", ["hub.db"]],
      ["its log alone", ["hub.db-wal"]],
      ["its log and its index", ["hub.db-wal", "hub.db-shm"]],
    ])("is written again when another program removed %s, and loses no task", async (_, removed) => {
      for (const name of removed) rmSync(file(name));
      await hub.add({ title: "after" }, "anna");
      expect(notes).toEqual(["STATE/hub.db was removed while it was in use; rouse has written it again"]);
      // As a daemon that is killed leaves it: what another process can read.
      expect(withFile("hub.db", (found) => found.prepare("select title from tasks order by id").all())).toEqual([
        { title: "before" },
        { title: "after" },
      ]);
      await hub.add({ title: "later" }, "anna");
      await reopen();
      expect(await titles()).toEqual(["before", "after", "later"]);
      expect(notes).toHaveLength(1);
    });

    it("is used as it is when another program put an older copy in its place", async () => {
      withFile("hub.db", (found) => found.prepare("vacuum into ?").run(file("older.db")));
      await hub.add({ title: "after" }, "anna");
      for (const name of ["hub.db-wal", "hub.db-shm"]) rmSync(file(name));
      renameSync(file("older.db"), file("hub.db"));
      expect(await titles()).toEqual(["before"]);
      expect(notes).toEqual(["STATE/hub.db was replaced while it was in use; rouse uses the new file"]);
    });

    it("is named with what to do when it is damaged, and a new one works", async () => {
      await reopen();
      await hub.list();
      writeFileSync(file("hub.db"), "");
      await expect(hub.add({ title: "after" }, "anna")).rejects.toThrow(/hub\.db is damaged .* move it away/);
      await hub.close();
      for (const name of ["hub.db-wal", "hub.db-shm"]) rmSync(file(name), { force: true });
      writeFileSync(file("hub.db"), "no database, but long enough to be none".repeat(200));
      await expect(reopen()).rejects.toThrow(/hub\.db is damaged .*: move it away/);
      for (const name of readdirSync(state)) if (name.startsWith("hub.db")) rmSync(file(name));
      await reopen();
      expect(await titles()).toEqual([]);
    });
  });

  it("refuses a hub.db of another program or of a newer rouse", async () => {
    const refusal = async (prepare: (database: Database) => void): Promise<string> => {
      const other = mkdtempSync(join(tmpdir(), "rouse-hub-other-"));
      try {
        const database = loadSqlite().open(join(other, "hub.db"));
        prepare(database);
        database.close();
        return await openHub({ state: other, node: "lab-1" }).then(
          () => "opened",
          (error: Error) => error.message.replace(other, "STATE"),
        );
      } finally {
        rmSync(other, { recursive: true });
      }
    };
    expect(await refusal((found) => found.exec("create table x (a)"))).toBe(
      "STATE/hub.db is a database of another program: move it away",
    );
    expect(
      await refusal((found) =>
        found.exec("create table x (a); pragma application_id = 1919907176; pragma user_version = 99"),
      ),
    ).toMatch(/^STATE\/hub\.db was written by a newer rouse \(schema 99, this one knows 1\): update rouse/);
    expect(readFileSync(file("hub.db")).length).toBeGreaterThan(0);
  });
});
