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

/** An incident state with incidents, actions and an outage. */
function filled(): World["incidentState"] {
  const world = new World();
  for (const agent of ["a", "b", "c"]) world.watch(0, 400, "stuck/silent_stream", { agent });
  world.check(500, "rate_limited", { agent: "d" });
  return world.incidentState;
}

describe("the incident state in the journal", () => {
  it("is the same after a restart", () => {
    const incidentState = filled();
    expect(incidentState.incidents.length).toBeGreaterThan(3);
    expect(incidentState.actions.length).toBeGreaterThan(0);
    journal.incidentState.save(incidentState);
    journal.close();
    journal = open();
    const again = journal.incidentState.load();
    for (const list of Object.keys(incidentState) as (keyof typeof incidentState)[])
      expect(new Set(again[list].map((entry) => JSON.stringify(entry)))).toEqual(
        new Set(incidentState[list].map((entry) => JSON.stringify(entry))),
      );
  });

  it("drops entries that the incident state no longer contains", () => {
    const incidentState = filled();
    journal.incidentState.save(incidentState);
    incidentState.incidents.splice(0, 1);
    incidentState.actions.length = 0;
    journal.incidentState.save(incidentState);
    expect(journal.incidentState.load().incidents).toHaveLength(incidentState.incidents.length);
    expect(journal.incidentState.load().actions).toEqual([]);
  });

  it("skips a damaged entry", () => {
    journal.incidentState.save(filled());
    const { length } = journal.incidentState.load().incidents;
    journal.close();
    const database = loadSqlite().open(path());
    database.exec("update incident_state set record = '{'");
    database.exec("delete from incident_state where list <> 'incidents'");
    database.close();
    journal = open();
    expect(length).toBeGreaterThan(0);
    expect(journal.incidentState.load().incidents).toEqual([]);
    journal.incidentState.save(filled());
    expect(journal.incidentState.load().incidents).toHaveLength(length);
  });

  it("reports a failed write, and is stored with the next save", () => {
    const incidentState = filled();
    journal.close();
    expect(() => journal.incidentState.save(incidentState)).toThrow("closed");
    journal = open();
    journal.incidentState.save(incidentState);
    expect(journal.incidentState.load().incidents).toHaveLength(incidentState.incidents.length);
  });
});
