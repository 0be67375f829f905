/** The queues of `examples/queues` as sources: contract files, and a table in a real MariaDB. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeSource } from "../../src/work/sources/registry.js";
import type { Source } from "../../src/work/sources/source.js";
import { isMissing } from "../support/component.js";
import { MARIADB, type MariaDb, startMariaDb } from "../support/mariadb.js";

const ME = "web@lab";
const OTHER = "api@lab";
/** A text that would end a statement or a string. */
const HOSTILE = `Fix "it"'; DROP TABLE implementationQueue; -- \\' é`;

function sourceOf(script: string, ...args: string[]): Source {
  const command = [process.execPath, join(import.meta.dirname, "../../examples/queues", script), ...args];
  const commands = { list: command, read: command, mark: command, comment: command, close: command };
  return makeSource({
    name: "queue",
    kind: "command",
    folder: tmpdir(),
    project: "",
    poll_secs: 60,
    timeout_secs: 20,
    settle_secs: 0,
    ...commands,
  });
}

interface Queue {
  source: Source;
  /** Adds an item and resolves with its key. */
  add: (title: string) => Promise<string>;
  notes: (key: string) => Promise<string>;
}

function describeQueue(name: string, queue: () => Queue): void {
  describe(name, () => {
    it("lists what is open, marks it for one holder, and closes it", async () => {
      const { source, add, notes } = queue();
      const [key, other] = [await add(HOSTILE), await add("Second")];
      expect((await source.list()).map((item) => [item.key, item.title, item.isOpen, item.holder])).toEqual([
        [key, HOSTILE, true, null],
        [other, "Second", true, null],
      ]);
      await source.mark(key, "claimed", ME);
      expect(await source.read(key)).toMatchObject({ isOpen: true, holder: ME });
      await source.mark(key, "claimed", OTHER).catch(() => {});
      expect(await source.read(key)).toMatchObject({ holder: ME });
      await source.comment(key, HOSTILE, ME);
      expect(await notes(key)).toContain(HOSTILE);
      await source.mark(key, "open", ME);
      expect(await source.read(key)).toMatchObject({ isOpen: true, holder: null });
      await source.mark(key, "claimed", OTHER);
      await source.close(key, "Done by api.", OTHER);
      expect(await source.read(key)).toMatchObject({ isOpen: false });
      expect((await source.list()).map((item) => item.key)).toEqual([other]);
    });

    it("has no item of an unknown key", async () => {
      const { source } = queue();
      for (const key of ["99", "x", "1-OR-1"]) expect(await source.read(key)).toBeNull();
    });
  });
}

describe("contract files", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rouse-contracts-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const add = async (title: string): Promise<string> => {
    const key = `contract_${readdirSync(folder).length + 1}`;
    const contract = { contract_id: key, title, status: "AVAILABLE", assigned_agent: "", points: 350 };
    writeFileSync(join(folder, `${key}.json`), JSON.stringify(contract));
    return key;
  };
  const contractOf = (key: string) =>
    JSON.parse(readFileSync(join(folder, `${key}.json`), "utf8")) as { notes: string[]; points: number };
  const notes = async (key: string): Promise<string> => {
    expect(contractOf(key).points, "fields of its own are kept").toBe(350);
    return contractOf(key).notes.join("\n");
  };
  describeQueue("as a source", () => ({ source: sourceOf("contracts.mjs", folder), add, notes }));
});

describe.skipIf(isMissing("MariaDB", MARIADB))("a table in MariaDB", () => {
  let database: MariaDb;
  beforeAll(async () => {
    database = await startMariaDb();
  }, 120_000);
  afterAll(async () => database?.stop());
  beforeEach(async () => {
    await database.sql("DROP DATABASE IF EXISTS shop; CREATE DATABASE shop CHARACTER SET utf8mb4");
    await database.sql(
      `CREATE TABLE implementationQueue (id INT PRIMARY KEY AUTO_INCREMENT, title TEXT NOT NULL, description TEXT,
       priority INT NOT NULL DEFAULT 0, status VARCHAR(20) NOT NULL DEFAULT 'pending', holder VARCHAR(200), notes TEXT)`,
      "shop",
    );
  });

  const add = async (title: string): Promise<string> => {
    const text = Buffer.from(title).toString("hex");
    const insert = `INSERT INTO implementationQueue (title) VALUES (CONVERT(X'${text}' USING utf8mb4))`;
    return (await database.sql(`${insert}; SELECT LAST_INSERT_ID()`, "shop")).trim();
  };
  const notes = (key: string): Promise<string> =>
    database.sql(`SELECT notes FROM implementationQueue WHERE id = ${Number(key)}`, "shop");
  describeQueue("as a source", () => ({ source: sourceOf("mysql.mjs", database.options, "shop"), add, notes }));
});
