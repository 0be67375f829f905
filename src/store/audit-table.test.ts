import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CANARIES } from "../../test/support/canaries.js";
import { EVIL, UNSAFE } from "../../test/support/evil.js";
import { agent } from "../../test/support/loops.js";
import { hashOf } from "./audit-chain.js";
import type { AuditEntry } from "./audit-entry.js";
import { ACCEPTED, type AuditCheck, AuditTable, auditHeadPath, checkAudit, rouse } from "./audit-table.js";
import { type Journal, openJournal } from "./journal.js";
import { type Database, loadSqlite } from "./sqlite.js";

let folder: string;
let path: string;
let journal: Journal;
let notes: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-audit-"));
  path = join(folder, "journal.db");
  open();
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): void {
  ({ journal, notes } = openJournal(path, { commitWithinMs: 1, now: () => 1000 }));
}

const line = (fields: Partial<AuditEntry> = {}): AuditEntry => ({
  at: 1000,
  author: "user",
  origin: "cli",
  action: "allow",
  agent: "web",
  session: null,
  text: "x",
  ...fields,
});

const write = (count: number): number[] =>
  Array.from({ length: count }, (_, n) => journal.audit.intend(line({ text: `${n}` })));

function run(work: Generator<void, AuditCheck>): AuditCheck {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
const problems = (): string[] => run(journal.audit.checking()).problems;

/** As another program does it. */
function tamper(change: (database: Database) => void): void {
  const database = loadSqlite().open(path);
  change(database);
  database.close();
}

/** The same while no daemon runs. Checksums of pages notice it too; here the chain has to. */
function tamperAtRest(change: (database: Database) => void): void {
  journal.close();
  tamper(change);
  open();
}

const ALL = { since: 0, agent: null, limit: 5000 };
const list = () => journal.audit.list(ALL);

describe("the audit trail", () => {
  it("keeps author, interface, time, action, agent, text and outcome, the newest first", () => {
    const first = journal.audit.intend(
      line({ action: "send_input", origin: "http", author: "token orch", text: "go on" }),
    );
    journal.audit.outcome(first, { at: 1500, result: "refused", reason: "a dialog is open" });
    journal.audit.intend(line({ at: 2000, agent: "a,b" }));
    expect(list()).toMatchObject([
      { id: 3, at: 2000, author: "user", origin: "cli", action: "allow", agent: "a,b", outcome: null },
      {
        id: 1,
        author: "token orch",
        origin: "http",
        action: "send_input",
        agent: "web",
        text: "go on",
        outcome: { at: 1500, result: "refused", reason: "a dialog is open" },
      },
    ]);
    expect(journal.audit.list({ ...ALL, since: 1500 })).toHaveLength(1);
    expect(journal.audit.list({ ...ALL, agent: "b" })).toMatchObject([{ id: 3 }]);
    expect(journal.audit.list({ ...ALL, limit: 1 })).toMatchObject([{ id: 3 }]);
    expect(problems()).toEqual([]);
  });

  it("stores no secret in a known format, no control character, and no text without a bound", () => {
    for (const text of [...CANARIES.map((canary) => `the key ${canary} here`), EVIL, "y".repeat(50_000)]) {
      const id = journal.audit.intend(line({ text, author: text, agent: text, action: text }));
      journal.audit.outcome(id, { at: 1, result: "failed", reason: text });
    }
    let stored = "";
    tamper((database) => {
      stored = database.prepare("select group_concat(record, ' ') as all_of_it from audit").get()?.all_of_it as string;
    });
    expect(CANARIES.filter((canary) => stored.includes(canary))).toEqual([]);
    expect(UNSAFE.test(stored)).toBe(false);
    for (const { text, author } of list()) expect([text.length <= 1000, author.length <= 200]).toEqual([true, true]);
    expect(problems()).toEqual([]);
  });

  it("survives any text: what was stored is what is read, and the chain holds", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 60 }), { maxLength: 5 }), (texts) => {
        journal.audit.inOne(() => {
          for (const text of texts) journal.audit.put(line({ text }), { at: 1, result: "done", reason: text });
        });
        return problems().length === 0;
      }),
      { numRuns: 50 },
    );
  });
});

describe("a changed audit trail", () => {
  const CHANGES: [string, (database: Database) => void, string[]][] = [
    [
      "an altered text",
      (db) => db.exec(`update audit set record = replace(record, '"3"', '"9"') where id = 4`),
      ["line 4 was altered"],
    ],
    [
      "an altered author",
      (db) => db.exec(`update audit set record = replace(record, 'user', 'rouse') where id = 4`),
      ["line 4 was altered"],
    ],
    [
      "an outcome moved to another order",
      (db) => db.exec("update audit set ref = 2 where id = 7"),
      ["line 7 was altered"],
    ],
    ["a line with a new hash of its own", rewrite(4), ["line 4 was altered"]],
    ["the newest line with a new hash of its own", rewrite(8), ["line 8 was altered"]],
    ["a removed line", (db) => db.exec("delete from audit where id = 4"), ["line 4 is missing"]],
    [
      "several removed lines",
      (db) => db.exec("delete from audit where id in (3, 4, 6)"),
      ["lines 3 to 4 are missing", "line 6 is missing"],
    ],
    ["removed oldest lines", (db) => db.exec("delete from audit where id < 3"), ["lines 1 to 2 are missing"]],
    ["removed newest lines", (db) => db.exec("delete from audit where id > 5"), ["lines 6 to 8 are missing"]],
    ["a removed trail", (db) => db.exec("delete from audit"), ["lines 1 to 8 are missing"]],
    ["an unreadable line", (db) => db.exec("update audit set record = 'x' where id = 4"), ["line 4 was altered"]],
  ];

  /** As an attacker does who knows how the hash is made. */
  function rewrite(id: number): (database: Database) => void {
    return (database) => {
      const row = database.prepare("select * from audit where id = ?").get(id);
      const record = String(row?.record).replace('"user"', '"rouse"');
      const hash = hashOf({ id, ref: null, record, prev: String(row?.prev) });
      database.prepare("update audit set record = ?, hash = ? where id = ?").run(record, hash, id);
    };
  }

  beforeEach(() => {
    const ids = write(6);
    journal.audit.outcome(ids[5] as number, { at: 1, result: "done", reason: "" });
    journal.audit.intend(line({ text: "last" }));
  });

  it("is complete before it is changed", () => expect(problems()).toEqual([]));

  it.each(CHANGES)("is noticed while the daemon runs: %s", (_, change, expected) => {
    tamper(change);
    expect(problems()).toEqual(expected);
  });

  it.each(CHANGES)("is noticed at the next start, and after more lines: %s", (_, change, expected) => {
    tamperAtRest(change);
    write(3);
    expect(problems()).toEqual(expected);
  });

  it("is noticed if the whole journal was rolled back to an earlier copy", () => {
    journal.close();
    copyFileSync(path, `${path}.earlier`);
    const sums = readFileSync(`${path}-sums`);
    open();
    write(3);
    journal.close();
    copyFileSync(`${path}.earlier`, path);
    writeFileSync(`${path}-sums`, sums);
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    open();
    expect(notes).toContainEqual(
      expect.stringContaining("The audit trail was changed by another program: lines 9 to 11 are missing"),
    );
    expect(problems()).toEqual(["lines 9 to 11 are missing"]);
    write(1);
    expect(list()[0]?.id).toBeGreaterThan(11);
  });

  it("is noticed if the journal was deleted; new lines continue the numbers", () => {
    journal.close();
    for (const suffix of ["", "-wal", "-shm", "-sums"]) rmSync(path + suffix, { force: true });
    open();
    expect(problems()).toEqual(["lines 1 to 8 are missing"]);
    expect(list()).toMatchObject([{ id: 9, author: "rouse", action: "audit_damaged" }]);
  });

  it("keeps its lines if the journal is deleted under the running daemon", () => {
    rmSync(path);
    expect(journal.checkFile()).toContain("deleted");
    expect(list()).toHaveLength(7);
    expect(problems()).toEqual([]);
  });

  it("is noticed if the copy of the newest hash was removed or changed", () => {
    const copy = auditHeadPath(path);
    const before = readFileSync(copy, "utf8");
    rmSync(copy);
    expect(problems()).toEqual(["the copy of the newest hash is missing or damaged"]);
    writeFileSync(copy, before.replace(/[0-9a-f]{8}"/, '00000000"'));
    expect(problems()).toEqual(["line 8 was altered"]);
    writeFileSync(copy, "nonsense");
    expect(journal.checkFile()).toContain("the copy of the newest hash is missing or damaged");
    expect(problems()).toEqual(["the copy of the newest hash is missing or damaged"]);
  });

  it("accuses nothing if the copy is older than the journal, as after a crash", () => {
    const copy = auditHeadPath(path);
    const before = readFileSync(copy);
    write(3);
    journal.close();
    writeFileSync(copy, before);
    open();
    expect([notes, problems()]).toEqual([[], []]);
  });

  it("is reported until a user accepts it, and later changes are reported again", () => {
    tamper((database) => database.exec("delete from audit where id = 4"));
    expect(problems()).toHaveLength(1);
    journal.audit.intend(line({ action: ACCEPTED }));
    expect(problems()).toEqual([]);
    write(3);
    tamper((database) => database.exec("delete from audit where id = 10"));
    expect(problems()).toEqual(["line 10 is missing"]);
  });
});

describe("retention", () => {
  it("of signals by age and by size leaves the audit trail alone", async () => {
    journal.putSession(agent());
    await journal.append("s1", 1, [{ kind: "exit", source: "process", at: 1, code: 0, signal: null }], 1);
    write(3);
    expect(journal.prune({ now: 10 ** 12, maxAgeMs: 1, maxBytes: 1 }).removed).toBe(1);
    expect(list()).toHaveLength(3);
    expect(problems()).toEqual([]);
  });

  it("of the trail itself keeps the newest lines, records that, and notices any other removal of the oldest", () => {
    const database = loadSqlite().open(":memory:");
    database.exec(
      "create table audit (id integer primary key, ref integer, record text not null, prev text not null, hash text not null) strict",
    );
    const head = join(folder, "other-head.json");
    const audit = new AuditTable(database, head, (write_) => write_(), 100);
    for (let n = 0; n < 101; n++) audit.intend(line());
    audit.trim(5);
    const left = run(audit.checking());
    expect(left).toMatchObject({ oldest: 12, newest: 102, lines: 91, problems: [] });
    database.exec("delete from audit where id < 20");
    expect(run(checkAudit(database, null)).problems).toContain("lines 1 to 19 are missing");
    database.close();
  });
});

describe("a line that cannot be stored", () => {
  it("is an error before the order, and none after it", () => {
    const full = new AuditTable(loadSqlite().open(":memory:"), join(folder, "none.json"), () => {
      throw new Error("database or disk is full");
    });
    expect(() => full.intend(line())).toThrow("disk is full");
    expect(() => full.outcome(1, { at: 1, result: "done", reason: "" })).not.toThrow();
    expect(() => full.note({ ...rouse(1), action: "start", text: "" })).not.toThrow();
  });
});
