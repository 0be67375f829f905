import { readFileSync, rmSync, statSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  at,
  filled,
  numbers,
  output,
  pruneAll,
  seqs,
  session,
  start,
  useJournals,
} from "../../test/support/journals.js";
import type { Signal } from "../core/signal.js";
import { loadSqlite } from "./sqlite.js";

const DAY = 86_400_000;

useJournals();

describe("appending to the journal", () => {
  it("is acknowledged when the signals are committed, not before", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    let settled = false;
    const done = journal.append("a", 1, numbers(1, 3), 7).then((appended) => {
      settled = true;
      return appended;
    });
    await Promise.resolve();
    expect([settled, journal.acked("a"), journal.stats().pending, seqs(journal, "a")]).toEqual([false, 0, 3, []]);
    journal.flush();
    expect(await done).toMatchObject({ acked: 3, lost: 0 });
    expect([...journal.read("a")]).toEqual(
      numbers(1, 3).map((signal, index) => ({ batch: 1, seq: index + 1, signal, receivedAt: 7 })),
    );
  });

  it("is committed automatically within the window", async () => {
    const journal = start();
    journal.putSession(session("a"));
    expect((await journal.append("a", 1, numbers(1, 1), 1)).acked).toBe(1);
  });

  it("stores many appends in one transaction", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    const all = Array.from({ length: 50 }, (_, i) => journal.append("a", i + 1, numbers(i + 1, 1), 1));
    journal.flush();
    await Promise.all(all);
    expect(journal.stats()).toMatchObject({ commits: 1, signals: 50 });
  });

  it("ignores stored and queued signals, and returns the new ones", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    const first = journal.append("a", 1, numbers(1, 4), 1);
    const again = journal.append("a", 3, numbers(3, 4), 2);
    const old = journal.append("a", 1, numbers(1, 2), 3);
    journal.flush();
    expect((await first).fresh.map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
    expect((await again).fresh).toEqual([5, 6].map((seq) => ({ seq, signal: output(seq) })));
    expect(await old).toEqual({ acked: 6, fresh: [], lost: 0 });
    expect(seqs(journal, "a")).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("accepts a gap and counts the lost signals", async () => {
    const journal = start();
    journal.putSession(session("a"));
    await filled(journal, "a", 1, 2);
    const later = journal.append("a", 6, numbers(6, 1), 1);
    journal.flush();
    expect(await later).toMatchObject({ acked: 6, lost: 3 });
    expect(journal.stats().lost).toBe(3);
    expect(seqs(journal, "a")).toEqual([1, 2, 6]);
  });

  it("keeps the daemon's own signals, which have no numbers, in their place", async () => {
    const journal = start();
    journal.putSession(session("a"));
    await filled(journal, "a", 1, 2);
    const own = journal.append("a", null, [output(99)], 1);
    journal.flush();
    expect(await own).toMatchObject({ acked: 2, fresh: [{ seq: null }] });
    await filled(journal, "a", 3, 1);
    expect(seqs(journal, "a")).toEqual([1, 2, null, 3]);
    expect([...journal.read("a", { after: 1 })].map(({ seq }) => seq)).toEqual([null, 3]);
  });

  it("fails for a session that was never registered, and for a number below one", async () => {
    const journal = start();
    await expect(journal.append("x", 1, [output(1)], 1)).rejects.toMatchObject({ problem: "unknown_session" });
    journal.putSession(session("a"));
    for (const from of [0, -1, 1.5, Number.NaN])
      await expect(journal.append("a", from, [output(1)], 1)).rejects.toThrow(RangeError);
  });

  it("fails after closing, and stores everything from before", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    const last = journal.append("a", 1, numbers(1, 2), 1);
    journal.close();
    expect((await last).acked).toBe(2);
    await expect(journal.append("a", 3, [output(3)], 1)).rejects.toMatchObject({ problem: "closed" });
    expect(seqs(start(), "a")).toEqual([1, 2]);
  });
});

describe("a commit that fails", () => {
  it("rejects, stores nothing, and the same signals can be sent again", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    await filled(journal, "a", 1, 2);
    const blocker = loadSqlite().open(at.path);
    blocker.exec("create trigger full before insert on batches begin select raise(abort, 'disk is full'); end");
    const failing = journal.append("a", 3, numbers(3, 2), 1);
    const behind = journal.append("a", 5, numbers(5, 1), 1);
    journal.flush();
    await expect(failing).rejects.toMatchObject({ problem: "commit" });
    await expect(behind).rejects.toThrow("disk is full");
    expect(journal.stats()).toMatchObject({ failures: 1, signals: 2, pending: 0 });
    expect(journal.acked("a")).toBe(2);
    blocker.exec("drop trigger full");
    blocker.close();
    await filled(journal, "a", 3, 3);
    expect(seqs(journal, "a")).toEqual([1, 2, 3, 4, 5]);
  });

  it("leaves a session unknown whose row was not committed, and accepts it when it is put again", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    const blocker = loadSqlite().open(at.path);
    // Checked at commit, like a full disk.
    blocker.exec(
      "create table room (n primary key); create table needs (n references room (n) deferrable initially deferred);" +
        "create trigger full after insert on sessions begin insert into needs values (1); end",
    );
    expect(() => journal.putSession(session("a"))).toThrow("could not be written");
    await expect(journal.append("a", 1, numbers(1, 1), 1)).rejects.toMatchObject({ problem: "unknown_session" });
    blocker.exec("drop trigger full");
    blocker.close();
    journal.putSession(session("a"));
    await filled(journal, "a", 1, 2);
    expect(seqs(journal, "a")).toEqual([1, 2]);
  });
});

describe("sessions in the journal", () => {
  it("are stored as last put", () => {
    const journal = start();
    journal.putSession(session("a"));
    journal.putSession(session("b"));
    journal.putSession({ ...session("a"), endedAt: 5 });
    journal.putSession({ ...session("a"), endedAt: 5 });
    journal.close();
    expect(start().sessions()).toEqual([{ ...session("a"), endedAt: 5 }, session("b")]);
  });

  it("keep their numbers across a restart", async () => {
    const journal = start();
    journal.putSession(session("a"));
    await filled(journal, "a", 1, 3);
    journal.putSession({ ...session("a"), tags: [] });
    journal.close();
    const next = start();
    expect(next.acked("a")).toBe(3);
    expect(next.acked("b")).toBe(0);
    await filled(next, "a", 2, 3);
    expect(seqs(next, "a")).toEqual([1, 2, 3, 4]);
  });
});

describe("reading the journal", () => {
  it("skips and counts signal kinds of a newer rouse, and damaged rows", async () => {
    const journal = start();
    journal.putSession(session("a"));
    const strange = { kind: "telepathy", at: 1, source: "screen" } as unknown as Signal;
    const done = journal.append("a", 1, [output(1), strange, output(3)], 1);
    journal.flush();
    await done;
    await filled(journal, "a", 4, 2);
    const other = loadSqlite().open(at.path);
    other.exec("update batches set signals = '[{' where first_seq = 4");
    other.close();
    expect(seqs(journal, "a")).toEqual([1, 3]);
    expect(journal.stats().skipped).toBe(3);
  });

  it("covers more batches than a page, and large ones", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    journal.putSession(session("b"));
    const all: Promise<unknown>[] = [];
    for (let i = 0; i < 200; i++) {
      all.push(journal.append("a", i + 1, numbers(i + 1, 1), i));
      all.push(journal.append("b", null, [output(i)], i));
    }
    all.push(journal.append("a", 201, numbers(201, 1300), 500));
    journal.flush();
    await Promise.all(all);
    expect(seqs(journal, "a")).toEqual(numbers(1, 1500).map((signal) => signal.at));
    expect([...journal.read("a", { after: journal.startOfNewest("a", 600) })].map(({ seq }) => seq)).toEqual(
      numbers(701, 800).map((signal) => signal.at),
    );
  });

  it("may stop half way while more is written", async () => {
    const journal = start();
    journal.putSession(session("a"));
    await filled(journal, "a", 1, 100);
    const iterator = journal.read("a")[Symbol.iterator]();
    iterator.next();
    await filled(journal, "a", 101, 1);
    journal.close();
    expect(seqs(start(), "a")).toHaveLength(101);
  });
});

describe("pruning the journal", () => {
  it("removes the flood of one session, not the history of others", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    for (const name of ["quiet", "flood"]) journal.putSession(session(name));
    await filled(journal, "quiet", 1, 50);
    for (let i = 0; i < 60; i++) await filled(journal, "flood", i * 500 + 1, 500);
    const before = journal.stats().bytes;
    const removed = pruneAll(journal, { now: 2, maxAgeMs: DAY, maxBytes: before / 2 });
    expect(removed).toBeGreaterThan(10_000);
    expect(journal.stats().bytes).toBeLessThanOrEqual(before / 2);
    expect(seqs(journal, "quiet")).toHaveLength(50);
    expect(journal.stats().signals).toBe(30_050 - removed);
    expect(journal.acked("flood")).toBe(30_000);
  });

  it("does a bounded part at a time and reports that there is more", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    const all = Array.from({ length: 4000 }, (_, i) => journal.append("a", i + 1, numbers(i + 1, 1), 1));
    journal.flush();
    await Promise.all(all);
    const bounds = { now: 5 * DAY, maxAgeMs: DAY, maxBytes: 1e12 };
    expect(journal.prune(bounds)).toEqual({ removed: 2048, more: true });
    expect(pruneAll(journal, bounds)).toBe(1952);
  });

  it("returns the space to the disk", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    for (let i = 0; i < 40; i++) await filled(journal, "a", i * 500 + 1, 500, 1);
    journal.close();
    const before = statSync(at.path).size;
    const next = start();
    pruneAll(next, { now: 10 * DAY, maxAgeMs: DAY, maxBytes: 1e12 });
    next.close();
    expect(statSync(at.path).size).toBeLessThan(before / 4);
  });

  it("overwrites what it removes, so that a secret does not outlive its time in free space", async () => {
    const journal = start({ commitWithinMs: 100_000 });
    journal.putSession(session("a"));
    const put = async (question: string, receivedAt: number): Promise<void> => {
      const prompt: Signal = { kind: "prompt", at: 1, source: "screen", open: true, prompt: "input", question };
      const done = journal.append("a", null, [prompt], receivedAt);
      journal.flush();
      await done;
    };
    await put("the word is xyzzy-1", 1);
    await put("the word is plugh-2", 5 * DAY);
    const inFile = (word: string): boolean => readFileSync(at.path).includes(word);
    journal.checkFile();
    expect([inFile("xyzzy-1"), inFile("plugh-2")]).toEqual([true, true]);
    journal.prune({ now: 5 * DAY, maxAgeMs: DAY, maxBytes: 1e12 });
    journal.pack("a");
    journal.checkFile();
    expect([inFile("xyzzy-1"), inFile("plugh-2")]).toEqual([false, false]);
    expect(journal.stats().signals).toBe(1);
  });

  it("drops a session without signals that was not updated for the maximum age", async () => {
    const journal = start({ now: () => 1000 });
    for (const name of ["old", "new", "silent"]) journal.putSession(session(name));
    await filled(journal, "old", 1, 1, 5_000);
    await filled(journal, "new", 1, 1, 5 * DAY);
    journal.prune({ now: 5 * DAY, maxAgeMs: DAY, maxBytes: 1e12 });
    expect(journal.sessions().map((found) => found.id)).toEqual(["new"]);
    expect(journal.acked("old")).toBe(0);
  });
});

/** The journal's promises, as a plain array. */
class Model {
  /** Packed signals are removed together, when the newest is too old: `age` is its time. */
  rows: { session: string; seq: number | null; at: number; receivedAt: number; age: number; loose: boolean }[] = [];
  acked = new Map<string, number>();
  append(name: string, from: number | null, count: number, receivedAt: number): void {
    for (let i = 0; i < count; i++) {
      const seq = from === null ? null : from + i;
      if (seq !== null && seq <= (this.acked.get(name) ?? 0)) continue;
      if (seq !== null) this.acked.set(name, seq);
      this.rows.push({ session: name, seq, at: (from ?? 1) + i, receivedAt, age: receivedAt, loose: true });
    }
  }
  pack(name: string): void {
    const packed = this.rows.filter(({ session, loose }) => loose && session === name);
    const age = Math.max(...packed.map(({ receivedAt }) => receivedAt));
    for (const row of packed) Object.assign(row, { age, loose: false });
  }
}

describe("the journal, compared with a plain array,", () => {
  const name = fc.constantFrom("a", "b");
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        op: fc.constant("append" as const),
        name,
        from: fc.option(fc.integer({ min: 1, max: 40 })),
        count: fc.nat(12),
      }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("prune" as const), age: fc.nat(30) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("flush" as const) }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant("pack" as const), name }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("reopen" as const) }) },
  );

  it("stores, ignores, reads and removes the same", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        rmSync(at.root, { recursive: true, force: true });
        let journal = start({ commitWithinMs: 100_000 });
        const model = new Model();
        for (const known of ["a", "b"]) journal.putSession(session(known));
        const waiting: Promise<{ acked: number }>[] = [];
        for (const [now, action] of steps.entries()) {
          if (action.op === "append") {
            const signals = numbers(action.from ?? 1, action.count);
            waiting.push(journal.append(action.name, action.from, signals, now));
            model.append(action.name, action.from, action.count, now);
          } else if (action.op === "prune") {
            pruneAll(journal, { now, maxAgeMs: action.age, maxBytes: 1e12 });
            model.rows = model.rows.filter(({ age }) => age >= now - action.age);
          } else if (action.op === "flush") {
            journal.flush();
          } else if (action.op === "pack") {
            journal.flush();
            journal.pack(action.name);
            model.pack(action.name);
          } else {
            journal.close();
            journal = start({ commitWithinMs: 100_000 });
          }
        }
        journal.flush();
        await Promise.all(waiting);
        for (const of of ["a", "b"]) {
          const found = [...journal.read(of)].map(({ seq, signal, receivedAt }) => ({
            seq,
            at: signal.at,
            receivedAt,
          }));
          expect(found).toEqual(
            model.rows.flatMap(({ session, seq, at, receivedAt }) => (session === of ? { seq, at, receivedAt } : [])),
          );
        }
        expect(journal.stats().signals).toBe(model.rows.length);
        for (const known of ["a", "b"]) {
          expect(journal.acked(known)).toBe(model.acked.get(known) ?? 0);
        }
        journal.close();
      }),
      { numRuns: process.env.ROUSE_FULL ? 500 : 40 },
    );
  });
});
