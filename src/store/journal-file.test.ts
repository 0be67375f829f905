import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { at, filled, opened, pruneAll, seqs, session, start, useJournals } from "../../test/support/journals.js";
import { openJournal } from "./journal.js";
import { JournalError } from "./journal-error.js";
import { openJournalFile } from "./journal-file.js";
import { loadSqlite } from "./sqlite.js";

useJournals();

describe("opening the journal", () => {
  it("keeps the file and its folder private", async () => {
    const journal = start();
    journal.putSession(session("a"));
    await filled(journal, "a", 1, 1);
    expect(statSync(join(at.root, "state")).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(join(at.root, "state")))
      expect([name, statSync(join(at.root, "state", name)).mode & 0o077]).toEqual([name, 0]);
  });

  it("restricts a file that was open to others", () => {
    start().close();
    chmodSync(at.path, 0o644);
    start();
    expect(statSync(at.path).mode & 0o777).toBe(0o600);
  });

  it("uses a write-ahead log and syncs each commit", () => {
    start();
    expect(existsSync(`${at.path}-wal`)).toBe(true);
    const other = loadSqlite().open(at.path);
    expect(other.prepare("pragma journal_mode").get()?.journal_mode).toBe("wal");
    other.close();
  });

  it("waits for the disk at each commit, so that acknowledged signals survive a power cut", () => {
    const file = openJournalFile(at.path, {});
    expect(file.database.prepare("pragma synchronous").get()?.synchronous).toBe(2);
    file.close();
  });

  it("fails for a second process, and names the first", () => {
    start();
    expect(() => openJournal(at.path)).toThrow(
      expect.objectContaining({ problem: "held", message: expect.stringContaining(`process ${process.pid}`) }),
    );
  });

  it("succeeds for the next process after closing", () => {
    start().close();
    expect(start().sessions()).toEqual([]);
  });

  it("refuses a network file system and names the setting, and works without WAL if the setting allows it", () => {
    const mounts = "1 1 0:1 / / rw - nfs4 server:/ rw";
    expect(() => openJournal(at.path, { mounts })).toThrow(/network file system \(nfs4\).*allow_network_file_system/);
    start({ mounts, allowNetworkFileSystem: true });
    expect(existsSync(`${at.path}-wal`)).toBe(false);
  });

  it("refuses a link in place of the file", () => {
    start().close();
    rmSync(at.path);
    symlinkSync(join(at.root, "elsewhere"), at.path);
    expect(() => openJournal(at.path)).toThrow(expect.objectContaining({ problem: "unwritable" }));
    expect(existsSync(join(at.root, "elsewhere"))).toBe(false);
  });

  it("leaves a journal of a newer rouse alone", () => {
    start().close();
    const other = loadSqlite().open(at.path);
    other.exec("pragma user_version = 99");
    other.close();
    expect(() => openJournal(at.path)).toThrow(expect.objectContaining({ problem: "newer" }));
    expect(readdirSync(join(at.root, "state")).filter((name) => name.includes("bad"))).toEqual([]);
  });

  it("leaves the database of another program alone", () => {
    start().close();
    rmSync(at.path);
    const other = loadSqlite().open(at.path);
    other.exec("create table theirs (a)");
    other.close();
    expect(() => openJournal(at.path)).toThrow(JournalError);
  });
});

describe("a damaged journal", () => {
  async function damaged(damage: (bytes: Buffer) => Buffer): Promise<Buffer> {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    for (let i = 0; i < 20; i++) await filled(journal, "a", i * 500 + 1, 500);
    journal.close();
    const bad = damage(readFileSync(at.path));
    writeFileSync(at.path, bad);
    return bad;
  }

  it("is set aside with the write-ahead log that belongs to it", async () => {
    await damaged(() => Buffer.from("x".repeat(9000)));
    writeFileSync(`${at.path}-wal`, "log of the damaged file");
    opened(openJournal(at.path, { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) }).journal);
    expect(readFileSync(`${at.path}.bad-20260102T030405Z-wal`, "utf8")).toBe("log of the damaged file");
  });

  it.each([
    ["not a database", () => Buffer.from("x".repeat(9000))],
    ["a torn header", (bytes: Buffer) => Buffer.concat([Buffer.alloc(100, 0xff), bytes.subarray(100)])],
    ["cut off", (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))],
    [
      "overwritten pages",
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192, 0x5a)]),
    ],
  ])("is set aside completely and reported, and a new one is created: %s", async (_, damage) => {
    const bad = await damaged(damage);
    const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);
    const { journal, notes } = openJournal(at.path, { now });
    opened(journal);
    const aside = `${at.path}.bad-20260102T030405Z`;
    expect(notes).toEqual([expect.stringContaining(aside)]);
    expect(readFileSync(aside).equals(bad)).toBe(true);
    journal.putSession(session("a"));
    const next = journal.acked("a") + 1;
    await filled(journal, "a", next, 1);
    expect(seqs(journal, "a")).toEqual([next]);
    expect(pruneAll(journal, { now: 1, maxAgeMs: 1e11, maxBytes: 1e12 })).toBe(0);
  });

  it("does not overwrite one that was set aside in the same second", async () => {
    const now = () => 0;
    await damaged(() => Buffer.from("x".repeat(9000)));
    openJournal(at.path, { now }).journal.close();
    writeFileSync(at.path, "y".repeat(9000));
    openJournal(at.path, { now }).journal.close();
    expect(readdirSync(join(at.root, "state")).filter((name) => /\.bad-\w+(-2)?$/.test(name))).toHaveLength(2);
  });
});
