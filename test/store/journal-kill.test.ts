/**
 * A process that writes the journal is killed at random moments, repeatedly on one file: everything acknowledged
 * is stored once and in order, and the file is valid. Needs the built store (`tsc -b`), because the writer is a
 * separate process.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { openJournal } from "../../src/store/journal.js";
import { loadSqlite } from "../../src/store/sqlite.js";

const ROUNDS = process.env.ROUSE_FULL ? 50 : 10;

/** Continues after the last acknowledged signal, in batches of odd sizes, and prints each acknowledgement. */
const WRITER = `
import { openJournal } from ${JSON.stringify(new URL("../../dist/store/journal.js", import.meta.url).href)};
const { journal } = openJournal(process.argv[1], { commitWithinMs: 3 });
journal.putSession({ id: "a", name: "a", kind: "generic", tags: [], origin: "spawn", command: [], workspace: null,
  task: null, policy: null, pid: null, pidStart: null, startedAt: 1, hostSocket: null, pane: null, endedAt: null });
let next = journal.acked("a") + 1;
process.stdout.write("acked " + (next - 1) + "\\n");
for (let turn = 1; ; turn++) {
  const waiting = [];
  for (let part = 0; part < 4; part++) {
    const signals = Array.from({ length: 1 + ((turn * 7 + part * 5) % 23) }, (_, i) => ({
      kind: "output", at: next + i, source: "screen", bytes: next + i }));
    waiting.push(journal.append("a", next, signals, turn));
    next += signals.length;
  }
  for (const { acked } of await Promise.all(waiting)) process.stdout.write("acked " + acked + "\\n");
  if (turn % 50 === 0) journal.prune({ now: turn, maxAgeMs: 1e9, maxBytes: 1e12 });
  if (turn % 3 === 0) journal.pack("a");
  if (turn % 3 === 1) journal.putSnapshot("a", { batch: turn, fits: "x", at: turn, data: Buffer.alloc(5000, turn) });
}
`;

const root = mkdtempSync(join(tmpdir(), "rouse-kill-"));
const path = join(root, "state", "journal.db");
let kill = (): void => {};
afterEach(() => {
  kill();
  rmSync(root, { recursive: true, force: true });
});

function startWriter() {
  const child = spawn(process.execPath, ["--input-type=module", "-e", WRITER, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  kill = () => void child.kill("SIGKILL");
  return {
    pid: child.pid,
    lines: createInterface({ input: child.stdout }),
    ended: new Promise((resolve) => child.once("close", resolve)),
  };
}

/** Runs the writer and kills it some time after its first acknowledgement. */
async function writeAndKill(afterMs: number): Promise<number> {
  const { lines, ended } = startWriter();
  let acked = -1;
  let begun = false;
  for await (const line of lines) {
    acked = Number(/^acked (\d+)$/.exec(line)?.[1] ?? acked);
    if (begun) continue;
    begun = true;
    setTimeout(kill, afterMs);
  }
  await ended;
  return acked;
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !holds() && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("a writer killed at a random moment", () => {
  it("loses no acknowledged signal, and leaves a valid file", async () => {
    const moments: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const afterMs = Math.floor(Math.random() * 120);
      moments.push(afterMs);
      const reported = await writeAndKill(afterMs);
      const where = `killed after ${moments.join(", ")} ms`;
      expect(reported, where).toBeGreaterThanOrEqual(0);
      const { journal, notes } = openJournal(path);
      expect(notes, where).toEqual([]);
      expect(journal.acked("a"), where).toBeGreaterThanOrEqual(reported);
      let expected = 1;
      for (const { seq, signal } of journal.read("a")) {
        if (seq !== expected || signal.at !== expected) expect({ seq, at: signal.at }, where).toEqual(expected);
        expected++;
      }
      expect(expected - 1, where).toBe(journal.acked("a"));
      expect(journal.stats(), where).toMatchObject({ lost: 0, skipped: 0, signals: expected - 1 });
      journal.close();
      const database = loadSqlite().open(path);
      expect(database.prepare("pragma integrity_check").get(), where).toEqual({ integrity_check: "ok" });
      database.close();
    }
  });

  it("is named to another process that opens the journal while it runs", async () => {
    const { pid, ended } = startWriter();
    await until(() => existsSync(`${path}.holder`) && readFileSync(`${path}.holder`, "utf8") !== "");
    expect(() => openJournal(path)).toThrow(
      expect.objectContaining({ problem: "held", message: expect.stringContaining(`process ${pid},`) }),
    );
    kill();
    await ended;
  });

  it("does not keep the lock", async () => {
    await writeAndKill(0);
    const { journal, notes } = openJournal(path);
    journal.close();
    expect(notes).toEqual([]);
  });
});
