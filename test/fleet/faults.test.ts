/**
 * Real daemons on a real PostgreSQL while nodes and the database fail: killed, frozen, cut off without a word, restarted, read-only,
 * without a free connection. What was lost is shown; what returns works again within 15 s of the end of its fault.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FleetView } from "../../src/api/service/fleet.js";
import type { TaskDetail } from "../../src/hub/hub.js";
import { openHub } from "../../src/hub/open.js";
import { isMissing, type Server } from "../support/component.js";
import { TestFleet, type TestNode } from "../support/fleet.js";
import { until } from "../support/hosts.js";
import { createHubDatabase, type HubDatabase } from "../support/hub-postgres.js";
import { PGBOUNCER, POSTGRES, type Postgres, query, startPgbouncer, startPostgres } from "../support/postgres.js";

const RECOVERY_MS = 15_000;
const LAPSE_MS = 50_000;

describe.skipIf(isMissing("PostgreSQL", POSTGRES) || isMissing("pgbouncer", PGBOUNCER))(
  "a fleet behind pgbouncer",
  () => {
    let postgres: Postgres;
    let pgbouncer: Server & { port: number };
    let database: HubDatabase;
    let fleet: TestFleet;

    beforeAll(async () => {
      postgres = await startPostgres();
      database = await createHubDatabase(postgres, "faults", ["a", "b", "c", "d"]);
      pgbouncer = await startPgbouncer(postgres, Object.values(database.nodes));
    });
    afterAll(async () => {
      await pgbouncer?.stop();
      await postgres?.stop();
    });
    beforeEach(async () => {
      await query(
        database.url,
        "update rouse.nodes set instance = null, run = 0, lease_until = null; truncate rouse.agents",
      );
      fleet = new TestFleet(database, pgbouncer.port);
    });
    afterEach(async () => expect(await fleet.close()).toEqual([]));

    const spawnAgent = async (node: TestNode, name: string): Promise<void> => {
      const { status, stderr } = await node.rouse("spawn", "--name", name, "--", "sh", "-c", "echo ready; sleep 600");
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    };
    const statesIn = ({ nodes }: FleetView): Record<string, string> =>
      Object.fromEntries(nodes.map(({ name, state }) => [name, state]));

    it("shows killed, frozen and cut-off nodes as lost, brakes, and gives a task of the cut-off node away once", async () => {
      const [a, b, c, d] = await Promise.all(["a", "b", "c", "d"].map((name) => fleet.start(name)));
      if (!a || !b || !c || !d) throw new Error("no nodes");
      await spawnAgent(c, "web");
      await spawnAgent(d, "next");
      expect((await c.rouse("allow", "web")).status).toBe(0);
      expect((await d.rouse("task", "add", "Shared work")).status).toBe(0);
      const claim = await c.rouse("task", "claim", "1", "--name", "web");
      expect(claim.stderr).toBe("");
      await fleet.shows(d, "web", ({ agents }) =>
        agents.some(({ id, state }) => id === "web@c" && state !== "unknown"),
      );

      await a.daemon.kill("SIGKILL");
      await b.daemon.kill("SIGSTOP");
      c.proxy.set("swallow");
      const view = await fleet.shows(d, "three lost nodes", (seen) => seen.brake === 3, LAPSE_MS);
      expect(statesIn(view)).toEqual({ a: "lost", b: "lost", c: "lost", d: "live" });
      expect(view.agents.find(({ id }) => id === "web@c")).toMatchObject({ state: "unknown" });
      expect(view.agents.find(({ id }) => id === "web@c")?.reasons[0]).toMatch(/^the node c has been unreachable for/);
      // The cut-off node knows that it is the one without a hub, and keeps judging.
      const own = await fleet.shows(c, "the silence", ({ hub }) => !hub.reachable);
      expect(own.agents.find(({ id }) => id === "web@c")?.state).not.toBe("unknown");
      expect(own.nodes.find(({ name }) => name === "d")?.state).toBe("unknown");
      // As if all this had begun an hour ago.
      await query(
        database.url,
        "update rouse.claims set lease_until = now() - interval '10 min'; update rouse.reachable set since = now() - interval '1 hour'",
      );
      const hub = await openHub({ url: database.nodes.d ?? "", state: "/nonexistent", node: "d" });
      try {
        expect(await hub.expire({ patienceMs: 60_000 })).toEqual([]);
        a.daemon.start();
        await b.daemon.kill("SIGCONT");
        await fleet.shows(
          d,
          "two nodes again",
          (seen) => seen.brake === 0 && statesIn(seen).b === "live" && statesIn(seen).a === "live",
          RECOVERY_MS,
        );
        await until("the task to be offered", async () => {
          await hub.expire({ patienceMs: 60_000 });
          return (await hub.get(1)).status === "pending";
        });
        expect((await d.rouse("task", "claim", "1", "--name", "next")).stderr).toBe("");
        c.proxy.set("pass");
        await fleet.shows(d, "all nodes", (seen) => statesIn(seen).c === "live", RECOVERY_MS);
        await fleet.shows(
          c,
          "its own session stopped",
          ({ agents }) => agents.some(({ id, ended_at }) => id === "web@c" && ended_at !== null),
          60_000,
        );
        const task: TaskDetail = await hub.get(1);
        expect(task.claims.map(({ node, fence, ended }) => [node, fence, ended])).toEqual([
          ["c", 1, "expired"],
          ["d", 2, null],
        ]);
      } finally {
        await hub.close();
      }
    });

    it("recovers within 15 s from a restarted, a read-only and an exhausted database, and loses no change", async () => {
      const [a, d] = await Promise.all(["a", "d"].map((name) => fleet.start(name)));
      if (!a || !d) throw new Error("no nodes");
      await spawnAgent(a, "first");
      const seesEach = (names: readonly string[]): ((view: FleetView) => boolean) => {
        const ids = names.map((name) => `${name}@a`);
        return ({ hub, agents }) => hub.reachable && ids.every((id) => agents.some((agent) => agent.id === id));
      };
      await fleet.shows(d, "the first agent", seesEach(["first"]));

      await postgres.restart();
      await spawnAgent(a, "second");
      await fleet.shows(d, "the agent after the restart", seesEach(["first", "second"]), RECOVERY_MS);

      await postgres.sql("alter system set default_transaction_read_only = on");
      await postgres.sql("select pg_reload_conf()");
      await spawnAgent(a, "third");
      await fleet.shows(a, "the error", ({ hub }) => hub.error?.includes("read-only") === true);
      expect((await a.view())?.hub.waiting).toBeGreaterThan(0);
      await postgres.sql("alter system reset default_transaction_read_only");
      await postgres.sql("select pg_reload_conf()");
      await fleet.shows(d, "the agent after the read-only time", seesEach(["first", "second", "third"]), RECOVERY_MS);

      await postgres.sql("alter role rouse_a connection limit 0");
      await postgres.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rouse_a'");
      await spawnAgent(a, "fourth");
      await fleet.shows(a, "the error", ({ hub }) => hub.error !== null);
      await postgres.sql("alter role rouse_a connection limit -1");
      await fleet.shows(
        d,
        "the agent after the exhausted time",
        seesEach(["first", "second", "third", "fourth"]),
        RECOVERY_MS,
      );
    });
  },
);
