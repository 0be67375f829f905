import { rmSync, statSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { TestLoop } from "../../../test/support/loops.js";
import { loadSqlite } from "../../store/sqlite.js";
import { Compaction } from "./compaction.js";
import { JournalUpkeep } from "./journal-upkeep.js";

const LIMITS = { maxAgeMs: 1e12, maxBytes: 1e12 };

let test: TestLoop;
afterEach(() => test.close());

function upkeepOf(log: string[]): JournalUpkeep {
  const { journal, loop } = test;
  const compaction = new Compaction({ journal, state: loop.state, release: "test" });
  return new JournalUpkeep({ journal, loop, limits: LIMITS, compaction, log: (line) => log.push(line) });
}

describe("the upkeep of the journal", () => {
  it.each<[string, (path: string) => void]>([
    ["deleted", (path) => rmSync(path)],
    [
      "changed by another program",
      (path) => {
        for (const file of [path, `${path}-wal`]) writeFileSync(file, "x".repeat(statSync(file).size));
      },
    ],
  ])("logs that the file was %s, once, and stores everything again that the daemon knows", async (what, harm) => {
    test = await TestLoop.working();
    const silence = { agent: "api", problem: null, at: test.loop.now(), until: 9e15 };
    test.loop.apply({ kind: "silenced", silence });
    const log: string[] = [];
    const upkeep = upkeepOf(log);
    upkeep.run();
    expect(log).toEqual([]);
    harm(test.journalPath);
    upkeep.run();
    upkeep.run();
    expect(log).toEqual([expect.stringContaining(`The journal was ${what}`)]);
    expect(log[0]).toContain("while the daemon ran. It continues in a new one");
    // A regular end would store everything again, too.
    expect(test.journal.sessions().map(({ name }) => name)).toEqual(["api"]);
    expect(test.journal.incidentState.load().silences).toMatchObject([{ agent: "api" }]);
    test.restart();
    expect(test.journal.sessions().map(({ name }) => name)).toEqual(["api"]);
    expect(test.loop.incidents.silences).toMatchObject([{ agent: "api" }]);
  });

  it("stores again what the daemon knows if nothing of the old file could be read", async () => {
    test = await TestLoop.working();
    const silence = { agent: "api", problem: null, at: test.loop.now(), until: 9e15 };
    test.loop.apply({ kind: "silenced", silence });
    const { journal } = test;
    journal.checkFile = () => {
      const database = loadSqlite().open(test.journalPath);
      database.exec("delete from incident_state");
      database.close();
      journal.incidentState.load();
      return "The journal was replaced";
    };
    upkeepOf([]).run();
    expect(journal.incidentState.load().silences).toMatchObject([{ agent: "api" }]);
  });

  it("logs a failure that lasts only once", async () => {
    test = await TestLoop.working();
    const log: string[] = [];
    const upkeep = upkeepOf(log);
    test.journal.checkFile = () => {
      throw new Error("the disk is gone");
    };
    for (let time = 0; time < 3; time++) upkeep.run();
    test.journal.checkFile = () => null;
    upkeep.run();
    expect(log).toEqual(["the disk is gone"]);
  });
});
