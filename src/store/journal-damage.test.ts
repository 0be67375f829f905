/** Every change of the journal's file by anything but rouse is noticed, at the next start or within a minute. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { Random } from "../../test/sim/random.js";
import { at, filled, numbers, opened, session, start, useJournals } from "../../test/support/journals.js";
import { createIncidentState } from "../core/incidents/incident.js";
import type { Notice } from "../core/notices/alert.js";
import { type Journal, openJournal } from "./journal.js";
import { loadSqlite } from "./sqlite.js";

useJournals();

const BATCHES = 60;
const BATCH = 20;

/** A journal with some of everything, closed. */
async function written(): Promise<void> {
  const journal = start({ commitWithinMs: 100_000 });
  await write(journal);
  journal.close();
}

async function write(journal: Journal): Promise<void> {
  for (const name of ["a", "b"]) journal.putSession(session(name));
  for (let n = 0; n < BATCHES; n++) {
    await filled(journal, "a", n * BATCH + 1, BATCH, n);
    await filled(journal, "b", n * BATCH + 1, BATCH, n);
  }
  const silence = { agent: "a", problem: null, at: 1, until: 9e15 };
  journal.incidentState.save({ ...createIncidentState(), silences: [silence] });
  journal.messages.send({ receiver: "boss", key: "m1", type: "worker.stuck", sender: "api", at: 1, payload: {} });
  const head = { key: "k1", subject: "k1", edge: "opened", kind: "watchdog", severity: "warning", at: 1 } as const;
  const notice: Notice = { ...head, title: "a", lines: [], agents: [], incidents: [] };
  const planned = { ...head, members: [], deliveries: [{ channel: "ops", dueAt: 1 }] };
  journal.outbox.inOne(() => journal.outbox.put([{ planned, notice }]));
}

/** What is left: of the signals of `a`, those that are as they were, and those that are not. */
function left(journal: Journal): { right: number; wrong: number; silences: number; messages: number; alerts: number } {
  const all = [...journal.read("a")];
  const right = all.filter(({ seq, signal }) => isDeepStrictEqual(signal, numbers(seq ?? 0, 1)[0])).length;
  return {
    right,
    wrong: all.length - right,
    silences: journal.incidentState.load().silences.length,
    messages: journal.messages.read(null, 0, true).length,
    alerts: journal.outbox.list(10).length,
  };
}

const EVERYTHING = { right: BATCHES * BATCH, wrong: 0, silences: 1, messages: 1, alerts: 1 };
const files = (): string[] => readdirSync(join(at.root, "state"));
const reopened = () => {
  const { journal, notes } = openJournal(at.path);
  return { journal: opened(journal), notes };
};

/** Another file: connections that this process has not closed yet keep their locks on the old one. */
function replaceBy(text: string): void {
  rmSync(at.path);
  writeFileSync(at.path, text);
}

function flipBits(count: number, seed: number): void {
  const bytes = readFileSync(at.path);
  const random = new Random(seed);
  const flipped = new Set<number>();
  while (flipped.size < count) flipped.add(random.between(0, bytes.length * 8 - 1));
  for (const bit of flipped) bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  writeFileSync(at.path, bytes);
}

describe("at its start the journal", () => {
  it("finds nothing wrong after a regular end, nor after a kill at any time", async () => {
    await written();
    const { journal, notes } = reopened();
    expect([notes, left(journal), journal.isDamaged, journal.stats().damage]).toEqual([[], EVERYTHING, false, null]);
    // The files as they are now are those of a killed process.
    for (let round = 0; round < 20; round++) {
      await filled(journal, "a", EVERYTHING.right + round * 400 + 1, 400);
      if (round % 5 === 3) journal.checkFile();
      if (round % 7 === 6) journal.prune({ now: 1e6, maxAgeMs: 1e12, maxBytes: 1e5 });
      const killed = join(at.root, `killed-${round}`);
      mkdirSync(killed);
      for (const name of files().filter((one) => /db(-wal|-sums)?$/.test(one)))
        copyFileSync(join(at.root, "state", name), join(killed, name));
      const after = openJournal(join(killed, "journal.db"));
      opened(after.journal);
      expect([round, after.notes]).toEqual([round, []]);
      expect(after.journal.acked("a")).toBe(journal.acked("a"));
    }
  });

  const seeds = process.env.ROUSE_FULL ? 50 : 6;
  it.each([1, 10, 100, 1000])(
    "notices %d flipped bits, wherever they are, and uses no changed signal",
    async (bits) => {
      await written();
      const whole = readFileSync(at.path);
      const sums = readFileSync(`${at.path}-sums`);
      for (let seed = 1; seed <= seeds; seed++) {
        for (const name of files()) rmSync(join(at.root, "state", name));
        writeFileSync(at.path, whole);
        writeFileSync(`${at.path}-sums`, sums);
        flipBits(bits, seed * 7919 + bits);
        const { journal, notes } = openJournal(at.path);
        const found = {
          isNoted: notes.length > 0,
          isDamaged: journal.isDamaged,
          isShown: journal.stats().damage !== null,
        };
        const { wrong } = left(journal);
        journal.close();
        expect({ seed, ...found, wrong }).toEqual({ seed, isNoted: true, isDamaged: true, isShown: true, wrong: 0 });
      }
    },
  );

  it("loses one batch to a changed signal, and nothing else", async () => {
    await written();
    const bytes = readFileSync(at.path);
    const place = bytes.indexOf('"at":317,');
    bytes.write("7", place + 5);
    writeFileSync(at.path, bytes);
    const { journal, notes } = reopened();
    expect(notes).toEqual([expect.stringMatching(/^1 page of \d+ of the journal changed/)]);
    let holes = 0;
    const read = (name: string): number => [...journal.read(name, { onHole: () => holes++ })].length;
    expect([read("a") + read("b"), holes]).toEqual([2 * EVERYTHING.right - BATCH, 1]);
    expect(left(journal)).toMatchObject({ wrong: 0, silences: 1, messages: 1, alerts: 1 });
  });

  it("reports the same damage once", async () => {
    await written();
    flipBits(1, 4);
    reopened().journal.close();
    expect(reopened().notes).toEqual([]);
  });

  it.each([
    ["was deleted", () => rmSync(at.path), /deleted while no daemon was running/],
    ["is empty", () => replaceBy(""), /deleted while no daemon was running/],
    [
      "was cut off",
      () => truncateSync(at.path, statSync(at.path).size - 8192),
      /damaged \(|pages? of \d+ of the journal changed/,
    ],
    [
      "was edited",
      () =>
        writeFileSync(at.path, readFileSync(at.path).toString("latin1").replace('"at":317,', '"at":318,'), "latin1"),
      /1 page of/,
    ],
  ] as const)("notices that it %s", async (_, harm, text) => {
    await written();
    harm();
    const { journal, notes } = reopened();
    expect(notes).toEqual([expect.stringMatching(text)]);
    expect([journal.isDamaged, journal.stats().damage?.text]).toEqual([true, notes[0]]);
  });

  it("notices that it was replaced by an older copy", async () => {
    await written();
    const old = join(at.root, "old.db");
    copyFileSync(at.path, old);
    const { journal } = reopened();
    await filled(journal, "a", EVERYTHING.right + 1, 1);
    journal.close();
    copyFileSync(old, at.path);
    expect(reopened().notes).toEqual([expect.stringContaining("of the journal changed while no daemon was running")]);
  });

  it("notices that its write-ahead log was removed after a kill", async () => {
    await written();
    const { journal } = reopened();
    await filled(journal, "a", EVERYTHING.right + 1, 1);
    const killed = join(at.root, "killed");
    cpSync(join(at.root, "state"), killed, { recursive: true });
    rmSync(join(killed, "journal.db-wal"));
    const after = openJournal(join(killed, "journal.db"));
    opened(after.journal);
    expect(after.notes).toEqual([
      "The journal was rolled back while no daemon was running: its last 1 batches of signals are missing.",
    ]);
  });

  it("keeps incidents, silences, messages and alerts of a damaged file as far as they can be read", async () => {
    await written();
    const bytes = readFileSync(at.path);
    // Only pages that hold signals.
    for (let page = 8; page * 4096 < bytes.length; page++)
      if (bytes.indexOf('"kind":"output"', page * 4096) < page * 4096 + 4096)
        bytes.fill(0x5a, page * 4096, page * 4096 + 64);
    writeFileSync(at.path, bytes);
    const { journal, notes } = reopened();
    expect(notes).toEqual([expect.stringMatching(/^The journal was damaged/)]);
    expect(left(journal)).toEqual({ ...EVERYTHING, right: 0 });
    expect(journal.acked("a")).toBe(EVERYTHING.right);
    await filled(journal, "a", EVERYTHING.right + 1, 1);
    expect([...journal.read("a")].map(({ seq }) => seq)).toEqual([EVERYTHING.right + 1]);
  });

  const edit = (sql: string): void => {
    const database = loadSqlite().open(at.path);
    database.exec(sql);
    database.exec("pragma wal_checkpoint(truncate)");
    database.close();
    // Not the subject here.
    rmSync(`${at.path}-sums`);
  };

  it.each([
    ["update sessions set record = '{}' where session = 'a'", "1 of sessions", { silences: 1 }],
    ["update sessions set record = '{' where session = 'a'", "1 of sessions", { silences: 1 }],
    ["update incident_state set record = '{}'", "1 of incidents, actions and silences", { silences: 0 }],
    [
      "update incident_state set record = '[7]', list = 'incidents'",
      "1 of incidents, actions and silences",
      { silences: 0 },
    ],
    ["update alerts set record = '{}'", "1 of alerts", { alerts: 0 }],
    ["update incident_state set list = 'other'", "1 of incidents, actions and silences", { silences: 0 }],
  ])("loses only the row to %s, and reports it", async (sql, text, rest) => {
    await written();
    edit(sql);
    const { journal, notes } = reopened();
    expect(notes).toEqual([expect.stringContaining(`cannot be read and are ignored: ${text}`)]);
    expect(journal.stats().damage?.text).toBe(notes[0]);
    expect(left(journal)).toEqual({ ...EVERYTHING, ...rest });
    expect(journal.sessions().map(({ name }) => name)).toEqual(text === "1 of sessions" ? ["b"] : ["a", "b"]);
    journal.incidentState.save(journal.incidentState.load());
    journal.putSession(session("a"));
    journal.close();
    expect(reopened().notes).toEqual([]);
  });

  it.each([
    ["messages", { messages: 0 }],
    ["sent_edges", {}],
    ["alerts", { alerts: 0 }],
    ["deliveries", { alerts: 0 }],
    ["incident_state", { silences: 0 }],
    ["batches", { right: 0 }],
  ])("creates the table %s again if it is missing, and loses nothing else", async (table, lost) => {
    await written();
    edit(`drop table ${table}`);
    const { journal, notes } = reopened();
    expect(notes).toEqual([expect.stringMatching(new RegExp(`missing and were created again, empty: ${table}$`))]);
    expect(left(journal)).toEqual({ ...EVERYTHING, ...lost });
    expect(journal.isDamaged).toBe(true);
    await write(journal);
    journal.close();
    expect(reopened().notes).toEqual([]);
  });

  it("keeps what it can if a table has lost a column", async () => {
    await written();
    edit("drop index messages_open; alter table messages drop column acked_at");
    const { journal, notes } = reopened();
    expect(notes).toEqual([expect.stringMatching(/damaged \(the column messages\.acked_at is missing\)/)]);
    expect(left(journal)).toEqual({ ...EVERYTHING, right: 0 });
  });

  it("refuses a pipe in place of the file with one line", () => {
    mkdirSync(join(at.root, "state"), { mode: 0o700 });
    execFileSync("mkfifo", [at.path]);
    expect(() => openJournal(at.path)).toThrow(
      expect.objectContaining({
        problem: "unwritable",
        message: expect.stringMatching(/^[^\n]*is not a regular file/),
      }),
    );
  });
});

describe("while it is open, the journal", () => {
  const harms: [string, () => void, RegExp][] = [
    [
      "was deleted",
      () =>
        files()
          .filter((name) => /db(-wal|-shm)?$/.test(name))
          .map((name) => rmSync(join(at.root, "state", name))),
      /was deleted while/,
    ],
    ["lost its log", () => rmSync(`${at.path}-wal`), /write-ahead log was deleted/],
    ["was emptied", () => truncateSync(at.path, 0), /was cut off/],
    [
      "was replaced",
      () => {
        copyFileSync(at.path, `${at.path}.old`);
        renameSync(`${at.path}.old`, at.path);
      },
      /was replaced/,
    ],
    [
      "was changed",
      () => writeFileSync(at.path, readFileSync(at.path).fill(0x20, 5000, 5010)),
      /changed by another program/,
    ],
  ];

  it.each(harms)("notices that it %s, and continues in a new file with what it knows", async (_, harm, text) => {
    const journal = start({ commitWithinMs: 100_000 });
    await write(journal);
    expect(journal.checkFile()).toBeNull();
    expect(journal.checkFile()).toBeNull();
    const known = journal.incidentState.load();
    harm();
    expect(journal.checkFile()).toMatch(text);
    expect(journal.stats().damage?.text).toMatch(text);
    expect(journal.checkFile()).toBeNull();
    // What the daemon does then.
    for (const name of ["a", "b"]) journal.putSession(session(name));
    journal.incidentState.save(known);
    await filled(journal, "a", EVERYTHING.right + 1, 1);
    expect(journal.acked("a")).toBe(EVERYTHING.right + 1);
    journal.close();
    const after = reopened();
    expect(after.notes).toEqual([]);
    expect([after.journal.acked("a"), after.journal.acked("b")]).toEqual([EVERYTHING.right + 1, EVERYTHING.right]);
    expect([...after.journal.read("a")].map(({ seq }) => seq)).toEqual([EVERYTHING.right + 1]);
    expect(after.journal.incidentState.load().silences).toHaveLength(1);
  });

  it("loses no message and no alert when its file is deleted", async () => {
    const journal = start();
    await write(journal);
    rmSync(at.path);
    expect(journal.checkFile()).toMatch(/deleted/);
    expect(left(journal)).toMatchObject({ silences: 1, messages: 1, alerts: 1 });
    expect(existsSync(at.path)).toBe(true);
    expect(statSync(at.path).mode & 0o777).toBe(0o600);
  });

  it("notices bytes that changed on the disk, within some calls", async () => {
    const journal = start();
    await write(journal);
    journal.checkFile();
    const times = join(at.root, "times");
    writeFileSync(times, "");
    execFileSync("touch", ["-r", at.path, times]);
    writeFileSync(at.path, readFileSync(at.path).fill(0x20, 5000, 5010));
    execFileSync("touch", ["-r", times, at.path]);
    let found: string | null = null;
    for (let call = 0; call < 10 && found === null; call++) found = journal.checkFile();
    expect(found).toMatch(/changed/);
  });
});
