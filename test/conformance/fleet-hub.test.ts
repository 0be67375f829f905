/** What the database itself does for a fleet: leases of nodes, agents, commands, and takeovers. Its clock is moved by the tests. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AgentBacklog } from "../../src/fleet/backlog.js";
import { Roster } from "../../src/fleet/roster.js";
import type { AgentRow, FleetHub } from "../../src/hub/fleet.js";
import type { Hub } from "../../src/hub/hub.js";
import { HubError } from "../../src/hub/hub-error.js";
import { openFleet, openHub } from "../../src/hub/open.js";
import { joinHub, leaveHub } from "../../src/hub/postgres/admin.js";
import { isMissing } from "../support/component.js";
import { createHubDatabase, type HubDatabase } from "../support/hub-postgres.js";
import { POSTGRES, type Postgres, query, startPostgres } from "../support/postgres.js";

const NODES = ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"] as const;
const SECOND = 1_000;
const MINUTE = 60_000;
const PATIENCE = 5 * MINUTE;

describe.skipIf(isMissing("PostgreSQL", POSTGRES))("the database of a fleet", () => {
  let postgres: Postgres;
  let database: HubDatabase;
  let now = 0;
  const fleets: FleetHub[] = [];
  const hubs: Hub[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createHubDatabase(postgres, "fleet", NODES);
  });
  afterAll(async () => postgres?.stop());
  beforeEach(async () => {
    now = Date.parse("2026-03-01T14:00:00Z");
    await query(
      database.url,
      `truncate rouse.tasks, rouse.progress, rouse.claims, rouse.checkpoints, rouse.comments, rouse.locks, rouse.events, rouse.agents,
         rouse.commands, rouse.reachable, rouse.fleet_alerts restart identity;
       update rouse.nodes set instance = null, run = 0, seq = 0, rev = 0, renewed_at = null, lease_until = null, stopped_at = null,
         left_at = null`,
    );
    await advance(0);
  });
  afterEach(async () => {
    for (const one of [...fleets.splice(0), ...hubs.splice(0)]) await one.close();
  });

  const advance = async (ms: number): Promise<void> => {
    now += ms;
    await query(
      database.url,
      `create or replace function rouse.clock() returns timestamptz language sql volatile as
         $$ select timestamptz '${new Date(now).toISOString()}' $$`,
    );
  };
  const urlOf = (node: string): string => database.nodes[node] ?? "";
  interface Node {
    fleet: FleetHub;
    run: number;
    seq: number;
    renew: (agents?: AgentRow[]) => Promise<unknown>;
  }
  const start = async (id: string, instance = id): Promise<Node> => {
    const fleet = await openFleet(urlOf(id));
    fleets.push(fleet);
    const { run, seq } = await fleet.start({ instance, version: "0.1.0" });
    const node: Node = {
      fleet,
      run,
      seq,
      renew: (agents = []) => fleet.flush({ run, seq: ++node.seq, agents, keep: null }),
    };
    return node;
  };
  const hubOf = async (node: string): Promise<Hub> => {
    const hub = await openHub({ url: urlOf(node), state: "/nonexistent", node });
    hubs.push(hub);
    return hub;
  };
  /** Some milliseconds of real time pass for nodes that renew while the clock advances in steps of a renewal. */
  const pass = async (ms: number, renewing: readonly Node[]): Promise<void> => {
    for (let left = ms; left > 0; left -= 10 * SECOND) {
      await advance(Math.min(10 * SECOND, left));
      for (const node of renewing) await node.renew();
    }
  };
  const codeOf = async (call: Promise<unknown>): Promise<string> => {
    const error: unknown = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error instanceof HubError) return error.code;
    throw new Error(`no HubError: ${String(error)}`, { cause: error });
  };
  const row = (name: string, state = "working"): AgentRow => ({ id: `s-${name}`, name, state, since: now, body: "{}" });
  const HOLDER = { agent: "api", session: "s" };

  describe("leases", () => {
    it("shows a node as live until its lease has lapsed in the database's time", async () => {
      const one = await start("n1");
      const two = await start("n2");
      const roster = new Roster();
      const stateOf = async (): Promise<string | undefined> => {
        const answer = await two.fleet.follow(roster.request(0));
        roster.take(answer);
        return roster.nodes(answer.now).find(({ name }) => name === "n1")?.state;
      };
      expect(await stateOf()).toBe("live");
      await advance(29 * SECOND);
      expect(await stateOf()).toBe("live");
      await advance(2 * SECOND);
      expect(await stateOf()).toBe("lost");
      await one.renew();
      expect(await stateOf()).toBe("live");
      await one.fleet.stop(one.run);
      expect(await stateOf()).toBe("stopped");
    });

    it("refuses the writes of an earlier run, repeated writes and delayed ones", async () => {
      const first = await start("n1");
      await first.renew([row("web")]);
      expect(await codeOf(first.fleet.flush({ run: first.run, seq: first.seq, agents: [], keep: null }))).toBe(
        "stale_run",
      );
      expect(await codeOf(first.fleet.flush({ run: first.run, seq: 0, agents: [row("old")], keep: null }))).toBe(
        "stale_run",
      );
      const second = await start("n1");
      expect(await codeOf(first.renew([row("old")]))).toBe("stale_run");
      expect(await codeOf(first.fleet.take(first.run))).toBe("stale_run");
      expect(await codeOf(first.fleet.stop(first.run))).toBe("stale_run");
      await second.renew();
      expect(await query(database.url, "select name from rouse.agents")).toEqual([{ name: "web" }]);
      expect(await codeOf(start("n1", "another installation"))).toBe("node_taken");
    });

    it("ignores a forged node in every function", async () => {
      await start("n1");
      const two = await start("n2");
      const forge = (name: string, args: object): Promise<Record<string, unknown>[]> =>
        query(urlOf("n2"), `select rouse.${name}($1::jsonb) as answer`, [
          JSON.stringify({ ...args, node: "n1", node_id: "n1", id: "n1", sender: "n1" }),
        ]);
      await forge("node_flush", { run: two.run, seq: 1, agents: [row("evil")], keep: null });
      await forge("node_stop", { run: two.run });
      expect(await query(database.url, "select node, name from rouse.agents")).toEqual([{ node: "n2", name: "evil" }]);
      expect(await query(database.url, "select id from rouse.nodes where stopped_at is not null")).toEqual([
        { id: "n2" },
      ]);
    });
  });

  describe("following", () => {
    it("delivers each change once, in whatever order the nodes write", async () => {
      const [one, two] = [await start("n1"), await start("n2")];
      const roster = new Roster();
      const follow = async (): Promise<string[]> => {
        const answer = await two.fleet.follow(roster.request(0));
        roster.take(answer);
        return answer.agents.map(({ node, name, state }) => `${name}@${node} ${state}`).sort();
      };
      expect(await follow()).toEqual([]);
      await one.renew([row("web"), row("api")]);
      await two.renew([row("web")]);
      expect(await follow()).toEqual(["api@n1 working", "web@n1 working", "web@n2 working"]);
      expect(await follow()).toEqual([]);
      await one.renew([row("api", "stuck")]);
      await advance(5 * MINUTE);
      expect(await follow()).toEqual(["api@n1 stuck"]);
      expect(
        roster
          .agents(now)
          .map(({ node, row: { name } }) => `${name}@${node}`)
          .sort(),
      ).toEqual(["api@n1", "web@n1", "web@n2"]);
    });

    it("drops the agents of an earlier run, those that ended, and those of a node that left", async () => {
      const [one, two] = [await start("n1"), await start("n2")];
      await one.renew([row("web"), row("api"), row("db")]);
      const again = await start("n1");
      await again.fleet.flush({ run: again.run, seq: ++again.seq, agents: [], keep: ["s-api", "s-db"] });
      await again.renew([{ ...row("db"), body: null }]);
      const roster = new Roster();
      const follow = async (): Promise<string[]> => {
        roster.take(await two.fleet.follow(roster.request(0)));
        return roster.agents(now).map(({ row: { name } }) => name);
      };
      expect(await follow()).toEqual(["api"]);
      await again.fleet.leave({ release: false });
      expect(await follow()).toEqual([]);
      expect(roster.nodes(now).map(({ name }) => name)).not.toContain("n1");
    });

    it("drops an agent that ended for a node that was away, whatever the clock of the agent's node says", async () => {
      const [one, two] = [await start("n1"), await start("n2")];
      await one.renew([row("web")]);
      const roster = new Roster();
      roster.take(await two.fleet.follow(roster.request(0)));
      await one.renew([{ ...row("web"), since: 0, body: null }]);
      await start("n1");
      roster.take(await two.fleet.follow(roster.request(0)));
      expect(roster.agents(now)).toEqual([]);
    });

    it("keeps one row per agent, however often it changes", async () => {
      const backlog = new AgentBacklog();
      for (let change = 0; change < 1000; change++) backlog.put({ ...row("web"), since: change }, false);
      expect(backlog.take()).toMatchObject([{ since: 999 }]);
      const one = await start("n1");
      for (let change = 0; change < 20; change++) await one.renew([{ ...row("web"), since: change }]);
      expect(await query(database.url, "select count(*)::int as n from rouse.agents")).toEqual([{ n: 1 }]);
    });
  });

  describe("commands", () => {
    const command = (id: string, node = "n2") =>
      ({ id, node, verb: "stop", agent: "web", args: {}, author: "user", expiresMs: 20 * SECOND }) as const;
    const ID = "00000000-0000-4000-8000-000000000001";

    it("reach their node once, with the sender from its login, and bring back their outcome", async () => {
      const [one, two] = [await start("n1"), await start("n2")];
      expect((await one.fleet.send(command(ID))).sender).toBe("n1");
      expect(await one.fleet.send(command(ID))).toMatchObject({ id: ID, result: null });
      expect((await one.fleet.take(one.run)).length).toBe(0);
      expect(await two.fleet.take(two.run)).toMatchObject([{ id: ID, sender: "n1", author: "user", agent: "web" }]);
      expect(await two.fleet.take(two.run)).toEqual([]);
      const outcome = { id: ID, run: two.run, result: "done", reason: "", answer: { a: 1 } } as const;
      expect(await codeOf(one.fleet.finish({ ...outcome, run: one.run }))).toBe("unknown_command");
      await two.fleet.finish(outcome);
      expect(await codeOf(two.fleet.finish(outcome))).toBe("unknown_command");
      expect(await one.fleet.command(ID)).toMatchObject({ result: "done", answer: { a: 1 } });
      expect(await codeOf(two.fleet.command(ID))).toBe("unknown_command");
    });

    it("expire, are refused for a lost or unknown node, and are unknown after a restart of the node", async () => {
      const [one, two] = [await start("n1"), await start("n2")];
      await one.fleet.send(command(ID));
      await pass(21 * SECOND, [one, two]);
      expect(await two.fleet.take(two.run)).toEqual([]);
      expect((await one.fleet.command(ID)).result).toBe("expired");
      const later = ID.replace(/1$/, "2");
      await one.fleet.send(command(later));
      await two.fleet.take(two.run);
      await start("n2");
      expect((await one.fleet.command(later)).result).toBe("unknown");
      expect(await codeOf(one.fleet.send(command(ID.replace(/1$/, "3"), "n77")))).toBe("unknown_node");
      await advance(MINUTE);
      expect(await codeOf(one.fleet.send(command(ID.replace(/1$/, "4"))))).toBe("node_lost");
    });
  });

  describe("takeovers", () => {
    const claimed = async (node: string) => {
      const hub = await hubOf(node);
      const { id } = await hub.add({ title: `of ${node}` }, "anna");
      return { hub, claim: (await hub.claim(id, HOLDER)).claim };
    };

    it("offer the task of a lost node again after the patience, with a higher fence, and refuse its late writes", async () => {
      const [one, two] = [await start("n1"), await start("n2")];
      const { hub: lost, claim } = await claimed("n1");
      const other = await hubOf("n2");
      await pass(PATIENCE, [two]);
      expect(await other.expire({ patienceMs: PATIENCE })).toEqual([]);
      await pass(2 * MINUTE, [two]);
      expect(await other.expire({ patienceMs: PATIENCE })).toMatchObject([{ outcome: "offered" }]);
      const taken = await other.claim(claim.task, HOLDER);
      expect(taken).toMatchObject({ isContinuation: true, claim: { fence: 2, node: "n2" } });
      await one.renew();
      expect(await codeOf(lost.checkpoint(claim, { text: "late", source: "cli" }))).toBe("stale_fence");
      expect(await codeOf(lost.finish(claim, { outcome: "done" }))).toBe("stale_fence");
      expect(await lost.renew([claim])).toEqual([]);
    });

    it("take over the one lost node of two, and of three", async () => {
      for (const size of [2, 3]) {
        const nodes: Node[] = [];
        for (const id of NODES.slice(0, size)) nodes.push(await start(id));
        const { claim } = await claimed("n1");
        await pass(PATIENCE + 2 * MINUTE, nodes.slice(1));
        const ended = await (await hubOf("n2")).expire({ patienceMs: PATIENCE });
        expect(ended.map(({ claim: { task } }) => task)).toContain(claim.task);
      }
    });

    it("take over nothing while at least three nodes and 30 % of the fleet are lost together, until some return", async () => {
      const nodes: Node[] = [];
      for (const id of NODES) nodes.push(await start(id));
      const { claim } = await claimed("n1");
      const rest = nodes.slice(3);
      await pass(PATIENCE + 2 * MINUTE, rest);
      const other = await hubOf("n9");
      expect((await nodes[8]?.fleet.follow({ since: 0, known: {} }))?.brake).toBe(3);
      expect(await other.expire({ patienceMs: PATIENCE })).toEqual([]);
      expect(await codeOf(other.takeOver(claim, HOLDER, "lost"))).toBe("not_taken_over");
      await nodes[2]?.renew();
      expect(await other.expire({ patienceMs: PATIENCE })).toHaveLength(1);
    });

    it("take over nothing after an absence of the hub until it has been reachable for one lease and the patience", async () => {
      const [one, two] = [await start("n1"), await start("n2")];
      const { claim } = await claimed("n1");
      await advance(60 * MINUTE);
      await two.renew();
      const other = await hubOf("n2");
      expect(await other.expire({ patienceMs: PATIENCE })).toEqual([]);
      expect(await codeOf(other.takeOver(claim, HOLDER, "lost"))).toBe("not_taken_over");
      // The node returns within its lease, and keeps its task.
      await advance(8 * SECOND);
      await one.renew();
      expect(await (await hubOf("n1")).renew([claim])).toHaveLength(1);
      await pass(30 * SECOND, [two]);
      expect(await other.expire({ patienceMs: 1 })).toEqual([]);
      await pass(PATIENCE + 3 * MINUTE, [two]);
      expect(await other.expire({ patienceMs: PATIENCE })).toHaveLength(1);
    });
  });

  describe("leaving", () => {
    it("is refused while the node holds tasks, unless they are offered again", async () => {
      const one = await start("n1");
      const hub = await hubOf("n1");
      const { id } = await hub.add({ title: "Task" }, "anna");
      await hub.claim(id, HOLDER);
      expect(await codeOf(one.fleet.leave({ release: false }))).toBe("holds_tasks");
      expect(await one.fleet.leave({ release: true })).toEqual({ released: [id] });
      expect(await codeOf(hub.list())).toBe("no_node");
      expect(await codeOf(one.renew())).toBe("no_node");
      const other = await hubOf("n2");
      expect(await other.get(id)).toMatchObject({ status: "pending", claim: null, continuations: 0 });
    });

    it("of a lost node removes its login, and the name can be used again", async () => {
      const { url } = await joinHub(database.url, "dead");
      expect(await codeOf(leaveHub(database.url, "none"))).toBe("unknown_node");
      expect(await leaveHub(database.url, "dead")).toEqual([]);
      await expect(query(url, "select 1")).rejects.toThrow(/password authentication failed/);
      expect((await joinHub(database.url, "dead")).node).toBe("dead");
      await leaveHub(database.url, "dead");
    });
  });

  it("lets one node at a time send an alert, and another one if that node is lost before it was sent", async () => {
    const [one, two] = [await start("n1"), await start("n2")];
    expect(await one.fleet.takeAlert("lost n3", MINUTE)).toBe(true);
    expect(await two.fleet.takeAlert("lost n3", MINUTE)).toBe(false);
    await advance(2 * MINUTE);
    expect(await two.fleet.takeAlert("lost n3", MINUTE)).toBe(true);
    await two.fleet.settleAlert("lost n3");
    await advance(60 * MINUTE);
    expect(await one.fleet.takeAlert("lost n3", MINUTE)).toBe(false);
  });
});
