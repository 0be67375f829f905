import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "../../test/support/incidents.js";
import { type Journal, openJournal } from "./journal.js";
import { loadSqlite } from "./sqlite.js";

let folder: string;
let journal: Journal;
const path = (): string => join(folder, "journal.db");
const open = (): Journal => openJournal(path()).journal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-book-"));
  journal = open();
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A book with incidents, actions and an outage in it. */
function filled(): World["book"] {
  const world = new World();
  for (const agent of ["a", "b", "c"]) world.watch(0, 400, "stuck/silent_stream", { agent });
  world.look(500, "rate_limited", { agent: "d" });
  return world.book;
}

describe("the book in the journal", () => {
  it("is after a restart what it was", () => {
    const book = filled();
    expect(book.incidents.length).toBeGreaterThan(3);
    expect(book.actions.length).toBeGreaterThan(0);
    journal.book.save(book);
    journal.close();
    journal = open();
    const again = journal.book.load();
    for (const list of Object.keys(book) as (keyof typeof book)[])
      expect(new Set(again[list].map((entry) => JSON.stringify(entry)))).toEqual(
        new Set(book[list].map((entry) => JSON.stringify(entry))),
      );
  });

  it("forgets what the book no longer holds", () => {
    const book = filled();
    journal.book.save(book);
    book.incidents.splice(0, 1);
    book.actions.length = 0;
    journal.book.save(book);
    expect(journal.book.load().incidents).toHaveLength(book.incidents.length);
    expect(journal.book.load().actions).toEqual([]);
  });

  it("reads around an entry that is damaged", () => {
    journal.book.save(filled());
    const { length } = journal.book.load().incidents;
    journal.close();
    const database = loadSqlite().open(path());
    database.exec("update book set record = '{'");
    database.exec("delete from book where list <> 'incidents'");
    database.close();
    journal = open();
    expect(length).toBeGreaterThan(0);
    expect(journal.book.load().incidents).toEqual([]);
    journal.book.save(filled());
    expect(journal.book.load().incidents).toHaveLength(length);
  });

  it("says that it could not be written, and stores it with the next save", () => {
    const book = filled();
    journal.close();
    expect(() => journal.book.save(book)).toThrow("closed");
    journal = open();
    journal.book.save(book);
    expect(journal.book.load().incidents).toHaveLength(book.incidents.length);
  });
});
