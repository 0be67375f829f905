/**
 * Twenty-five minutes of twenty nodes with every kind of fault, on a real database. A failing seed is printed; run it alone with
 * ROUSE_SIM_SEED=that npx vitest run test/sim/fleet, which also prints its trace. ROUSE_SIM_SEED=201-300 runs others.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isMissing } from "../../support/component.js";
import { POSTGRES } from "../../support/postgres.js";
import { type OpenSimDatabase, openSimDatabase } from "./database.js";
import { type Report, World } from "./world.js";

const ASKED = process.env.ROUSE_SIM_SEED || (process.env.ROUSE_FULL === "1" ? "1-200" : "1-2");
const [FIRST = 1, LAST = FIRST] = ASKED.split("-").map(Number);
const SEEDS = Array.from({ length: LAST - FIRST + 1 }, (_, n) => String(FIRST + n));
const NODES = 20;

interface Bug {
  of: string;
  /** Instead of its body. */
  sql: string;
  rule: RegExp;
}

/** Bugs in the database, each as small as the mistake that it represents, and what a rule says about it. */
const PLANTED: readonly (readonly [string, Bug])[] = [
  [
    "without the brake",
    {
      of: "rouse.braked()",
      sql: "create or replace function rouse.braked() returns int language sql stable as 'select 0'",
      rule: /nodes were lost together/,
    },
  ],
  [
    "that forgets its own absence",
    {
      of: "rouse.reachable_since()",
      sql: "create or replace function rouse.reachable_since() returns timestamptz language sql stable as $$ select '-infinity'::timestamptz $$",
      rule: /when the hub had been reachable for/,
    },
  ],
  [
    "that takes any run of a node",
    {
      of: "rouse.run_refusal(rouse.nodes, bigint)",
      sql: "create or replace function rouse.run_refusal(n rouse.nodes, run_no bigint) returns jsonb language sql immutable as 'select null::jsonb'",
      rule: /write of run \d+ of n\d+ was accepted in run/,
    },
  ],
];

describe.skipIf(isMissing("PostgreSQL", POSTGRES))(`25 minutes of ${NODES} nodes, ${SEEDS.length} times`, () => {
  let database: OpenSimDatabase;
  const total: Record<string, number> = {};
  beforeAll(async () => {
    database = await openSimDatabase(NODES);
  });
  afterAll(async () => database?.close());
  beforeEach(async () => database.reset());
  const run = (seed: string): Promise<Report> => new World(database, seed).run();

  it.each(SEEDS)(
    "has no task held by two, no lost message and no takeover without a reason under seed %s",
    async (seed) => {
      const { violations, counts, trace } = await run(seed);
      for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
      if (SEEDS.length === 1) console.log(trace.join("\n"), JSON.stringify(counts));
      expect(violations.slice(0, 8).map((text) => `seed ${seed}: ${text}`)).toEqual([]);
    },
  );

  it("includes faults of every kind, takeovers, and writes that the database refused", () => {
    const faults = [
      "cut off",
      "lossy",
      "killed",
      "stopped",
      "frozen",
      "clock set",
      "hub crash",
      "lost",
      "unanswered",
      "late",
      "doubled",
    ];
    const work = [
      "claimed",
      "taken over",
      "finished",
      "messages",
      "commands",
      "stood down",
      "refused stale_fence",
      "refused stale_run",
    ];
    const missing = [...faults, ...work].filter((name) => !total[name]);
    expect(missing, JSON.stringify(total)).toEqual([]);
    if (process.env.ROUSE_FULL === "1") console.log(JSON.stringify(total));
  });

  it("is exactly the same when it is run again", async () => {
    const first = await run("1");
    await database.reset();
    expect((await run("1")).trace).toEqual(first.trace);
  });

  it.each(PLANTED)("finds a database %s", async (_what, { of, sql, rule }) => {
    const [{ source = "" } = {}] = await database.sql(`select pg_get_functiondef('${of}'::regprocedure) as source`);
    await database.sql(sql);
    try {
      const found: string[] = [];
      for (let seed = 1; found.length === 0 && seed <= 10; seed++) {
        await database.reset();
        found.push(...(await run(String(seed))).violations.filter((text) => rule.test(text)));
      }
      expect(found).not.toEqual([]);
    } finally {
      await database.sql(`begin; set local search_path = rouse; ${source}; commit`);
    }
  });
});
