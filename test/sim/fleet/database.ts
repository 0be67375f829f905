/** A real PostgreSQL with a hub whose clock is a row of a table, which the simulation sets; emptied for each seed. */
import pg from "pg";
import { openPostgresStore } from "../../../src/hub/postgres/store.js";
import type { HubStore } from "../../../src/hub/store.js";
import { StoredHub } from "../../../src/hub/stored-hub.js";
import { until } from "../../support/hosts.js";
import { createHubDatabase } from "../../support/hub-postgres.js";
import { query, startPostgres } from "../../support/postgres.js";
import type { SimDatabase } from "./world.js";

const START = Date.parse("2026-03-01T14:00:00Z");
const TASKS = 150;

export interface OpenSimDatabase extends SimDatabase {
  reset: () => Promise<void>;
  /** As its owner: for planted bugs. */
  sql: (text: string) => Promise<{ source?: string }[]>;
  close: () => Promise<void>;
}

export async function openSimDatabase(size: number): Promise<OpenSimDatabase> {
  const postgres = await startPostgres();
  const nodes = Array.from({ length: size }, (_, n) => `n${String(n + 1).padStart(2, "0")}`);
  const { url, nodes: logins } = await createHubDatabase(postgres, "sim", nodes);
  await query(
    url,
    `create table rouse.sim_clock (at timestamptz not null); insert into rouse.sim_clock values (now());
     alter table rouse.sim_clock owner to rouse_owner;
     create or replace function rouse.clock() returns timestamptz language sql volatile as 'select at from rouse.sim_clock'`,
  );
  const admin = new pg.Pool({ connectionString: url, max: 1 });
  admin.on("error", () => {});
  const stores = new Map<string, HubStore>();
  for (const [name, login] of Object.entries(logins))
    stores.set(name, await openPostgresStore({ url: login, connections: 1 }));
  const answers = async (): Promise<boolean> => {
    try {
      await admin.query("select 1");
      for (const store of stores.values()) await store.call("clock_ms", {});
      return true;
    } catch {
      return false;
    }
  };
  const setClock = async (ms: number): Promise<void> => {
    await admin.query("update rouse.sim_clock set at = $1", [new Date(START + ms)]);
  };
  return {
    nodes,
    stores,
    setClock,
    async crash() {
      const { rows } = await admin.query<{ pid: number }>("select pg_backend_pid() as pid");
      process.kill(rows[0]?.pid ?? 0, "SIGKILL");
      await until("the database after its crash", answers, 60_000);
    },
    async reset() {
      await setClock(0);
      await admin.query(
        `truncate rouse.tasks, rouse.progress, rouse.claims, rouse.checkpoints, rouse.comments, rouse.locks, rouse.events,
           rouse.inboxes, rouse.messages, rouse.agents, rouse.commands, rouse.reachable, rouse.fleet_alerts restart identity;
         update rouse.nodes set instance = null, run = 0, seq = 0, rev = 0, renewed_at = null, lease_until = null,
           stopped_at = null, left_at = null`,
      );
      await admin.query("vacuum rouse.sim_clock, rouse.nodes");
      const store = stores.get(nodes[0] ?? "");
      const hub = new StoredHub(store as HubStore);
      for (let n = 1; n <= TASKS; n++) await hub.add({ title: `task ${n}`, maxContinuations: 10 }, "user");
    },
    sql: async (text) => (await admin.query<{ source?: string }>(text)).rows,
    async close() {
      await admin.end();
      for (const store of stores.values()) await store.close();
      await postgres.stop();
    },
  };
}
