/** Several real processes on one hub. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Claim, Hub, Task } from "../../src/hub/hub.js";
import { type HubOptions, openHub } from "../../src/hub/open.js";
import { isMissing, type Server } from "../support/component.js";
import { createHubDatabase, type HubDatabase } from "../support/hub-postgres.js";
import {
  PGBOUNCER,
  POSTGRES,
  type Postgres,
  query,
  startPgbouncer,
  startPostgres,
  throughPort,
} from "../support/postgres.js";

const FULL = process.env.ROUSE_FULL === "1";
const CLAIMERS = 8;
const QUEUE = FULL ? 1_000 : 80;
/** Processes and claims of each. */
const HOLDERS = FULL ? { processes: 10, claims: 15 } : { processes: 4, claims: 5 };
const LEASE_MS = 3_000;
const WORKER = join(import.meta.dirname, "../support/hub-worker.mjs");

class Worker {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #errors = "";

  constructor(options: Record<string, unknown>) {
    this.#child = spawn(process.execPath, [WORKER, JSON.stringify(options)], { stdio: "pipe" });
    this.#child.stderr.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next answer; null at its end. */
  async read<T>(): Promise<T | null> {
    const { value, done } = await this.#lines.next();
    if (!done) return JSON.parse(value) as T;
    if (this.#errors !== "") throw new Error(this.#errors);
    return null;
  }

  async readAll<T>(): Promise<T[]> {
    const all: T[] = [];
    for (let next = await this.read<T>(); next !== null; next = await this.read<T>()) all.push(next);
    return all;
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  signal(signal: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
    this.#child.kill(signal);
  }
}

/** `options`: what each process opens. */
function describeRaces(name: string, optionsOf: () => HubOptions): void {
  describe(`races on ${name}`, () => {
    let hub: Hub;
    const workers: Worker[] = [];
    const start = (options: Record<string, unknown>): Worker => {
      const worker = new Worker({ options: optionsOf(), ...options });
      workers.push(worker);
      return worker;
    };

    beforeEach(async () => {
      hub = await openHub(optionsOf());
    });
    afterEach(async () => {
      for (const worker of workers.splice(0)) worker.signal("SIGKILL");
      await hub?.close();
    });

    it(`gives each of ${QUEUE} tasks to one of ${CLAIMERS} processes`, async () => {
      for (let i = 0; i < QUEUE; i++) await hub.add({ title: `Task ${i}` }, "test");
      const claimers = Array.from({ length: CLAIMERS }, (_, i) => start({ mode: "claim", name: `claimer-${i}` }));
      for (const claimer of claimers) expect(await claimer.read()).toBe("ready");
      for (const claimer of claimers) claimer.write("go");
      const claims = await Promise.all(claimers.map((claimer) => claimer.readAll<Claim>()));
      const tasks = claims.flat().map(({ task }) => task);
      expect(tasks).toHaveLength(QUEUE);
      expect(new Set(tasks).size).toBe(QUEUE);
      expect(claims.flat().every(({ fence }) => fence === 1)).toBe(true);
      expect(claims.filter(({ length }) => length > 0).length).toBeGreaterThan(1);
    });

    const races = HOLDERS.processes * HOLDERS.claims;
    it(`accepts no write of a holder that was stopped past its lease, in ${races} races`, async () => {
      for (let i = 0; i < races; i++) await hub.add({ title: `Task ${i}` }, "test");
      const holders = Array.from({ length: HOLDERS.processes }, (_, i) =>
        start({ mode: "hold", name: `holder-${i}`, leaseMs: LEASE_MS, count: HOLDERS.claims }),
      );
      const held = (await Promise.all(holders.map((holder) => holder.read<Claim[]>()))).flatMap(
        (claims) => claims ?? [],
      );
      expect(held).toHaveLength(races);
      for (const holder of holders) holder.write("before");
      for (const holder of holders) expect(new Set(await holder.read<string[]>())).toEqual(new Set(["accepted"]));

      for (const holder of holders) holder.signal("SIGSTOP");
      const expired = new Set<number>();
      const deadline = Date.now() + 60_000;
      while (expired.size < races && Date.now() < deadline) {
        for (const { claim } of await hub.expire({ patienceMs: 0 })) expired.add(claim.task);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(expired.size).toBe(races);
      const successors: Claim[] = [];
      for (let i = 0; i < races; i++) {
        const next = await hub.claimNext({}, { agent: "successor", session: "s" });
        if (next) successors.push(next.claim);
        // Half of the holders wake up while their tasks are being claimed again.
        if (i === Math.floor(races / 2)) for (const holder of holders) holder.write("late");
        if (i === Math.floor(races / 2)) for (const holder of holders) holder.signal("SIGCONT");
      }
      expect(successors.map(({ fence }) => fence)).toEqual(Array.from({ length: races }, () => 2));
      for (const holder of holders) expect(new Set(await holder.read<string[]>())).toEqual(new Set(["stale_fence"]));
      for (const { task } of held) {
        const { checkpoints, claim } = await hub.get(task);
        expect(checkpoints.filter(({ fence }) => fence === 1).map(({ text }) => text)).toEqual(["Claimed", "before"]);
        expect(claim).toMatchObject({ fence: 2, agent: "successor" });
      }
      expect(await hub.events({ kind: "checkpoint_refused" })).toHaveLength(races);
    });
  });
}

describe("SQLite", () => {
  let state: string;
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), "rouse-races-"));
  });
  afterEach(() => rmSync(state, { recursive: true, force: true }));

  describeRaces("SQLite", () => ({ state, node: "lab-1" }));

  it("creates one schema when 20 processes create the file at once", async () => {
    const fresh = { state: join(state, "new"), node: "lab-1" };
    const starters = Array.from(
      { length: 20 },
      (_, i) => new Worker({ options: fresh, mode: "add", name: `starter-${i}` }),
    );
    await Promise.all(starters.map((starter) => starter.readAll<Task>()));
    const hub = await openHub(fresh);
    expect(await hub.list()).toHaveLength(20);
    await hub.close();
  });
});

describe.skipIf(isMissing("PostgreSQL", POSTGRES))("PostgreSQL", () => {
  let postgres: Postgres;
  let database: HubDatabase;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createHubDatabase(postgres, "races", ["races-1"]);
  });
  afterAll(async () => postgres?.stop());
  beforeEach(async () => {
    await query(database.url, "truncate rouse.tasks, rouse.events restart identity cascade");
  });

  const optionsAt = (port?: number): HubOptions => {
    const url = database.nodes["races-1"] ?? "";
    return { url: port === undefined ? url : throughPort(url, port), state: "/nonexistent", node: "races-1" };
  };
  describeRaces("PostgreSQL", () => optionsAt());

  it("opens in 20 processes that start at once", async () => {
    const starters = Array.from(
      { length: 20 },
      (_, i) => new Worker({ options: optionsAt(), mode: "add", name: `starter-${i}` }),
    );
    const added = (await Promise.all(starters.map((starter) => starter.readAll<Task>()))).flat();
    expect(new Set(added.map(({ title }) => title)).size).toBe(20);
    expect(await query(database.url, "select count(*)::int as n from rouse.tasks")).toEqual([{ n: 20 }]);
  });

  it("migrates once when 5 processes set up one database at once", async () => {
    await postgres.sql("create database migrated");
    const url = postgres.url("migrated");
    const workers = Array.from({ length: 5 }, () => new Worker({ mode: "init", url }));
    const done = await Promise.all(workers.map((worker) => worker.read<string[]>()));
    expect(done.filter((lines) => lines?.includes("created the tables"))).toHaveLength(1);
    expect(done.filter((lines) => lines?.length === 0)).toHaveLength(4);
  });

  describe.skipIf(isMissing("pgbouncer", PGBOUNCER))("behind pgbouncer", () => {
    let pgbouncer: Server & { port: number };
    beforeAll(async () => {
      pgbouncer = await startPgbouncer(postgres, Object.values(database.nodes));
    });
    afterAll(async () => pgbouncer?.stop());

    describeRaces("PostgreSQL behind pgbouncer", () => optionsAt(pgbouncer.port));
  });
});
