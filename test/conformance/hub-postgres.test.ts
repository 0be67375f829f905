/** What PostgreSQL refuses by itself, how a hub is set up, and what each broken connection says. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Hub } from "../../src/hub/hub.js";
import { HubError } from "../../src/hub/hub-error.js";
import { openHub } from "../../src/hub/open.js";
import { initHub, joinHub } from "../../src/hub/postgres/admin.js";
import { POSTGRES_SCHEMA } from "../../src/hub/postgres/schema.js";
import { freePort, isMissing } from "../support/component.js";
import { createHubDatabase, type HubDatabase } from "../support/hub-postgres.js";
import { POSTGRES, type Postgres, query, startPostgres, throughPort } from "../support/postgres.js";

describe.skipIf(isMissing("PostgreSQL", POSTGRES))("the hub on PostgreSQL", () => {
  let postgres: Postgres;
  let database: HubDatabase;
  const hubs: Hub[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createHubDatabase(postgres, "rights", ["one", "two"]);
  });
  afterAll(async () => postgres?.stop());
  afterEach(async () => {
    for (const hub of hubs.splice(0)) await hub.close();
  });

  const open = async (url: string): Promise<Hub> => {
    const hub = await openHub({ url, state: "/nonexistent", node: "" });
    hubs.push(hub);
    return hub;
  };
  const urlOf = (node: string): string => database.nodes[node] ?? "";
  const failure = async (call: Promise<unknown>): Promise<HubError> => {
    const error: unknown = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error instanceof HubError) return error;
    throw new Error(`no HubError: ${String(error)}`, { cause: error });
  };
  const changed = (url: string, change: (url: URL) => void): string => {
    const other = new URL(url);
    change(other);
    return other.href;
  };

  describe("rights", () => {
    const HOLDER = { agent: "api", session: "s" };

    it.each([
      "select * from rouse.tasks",
      "insert into rouse.nodes (id, role) values ('x', 'y')",
      "update rouse.claims set node = 'two'",
      "delete from rouse.checkpoints",
      "select * from rouse.agent_progress",
      "select rouse.clock()",
      "select rouse.add_event('x', 1, 'y', '{}')",
      "select rouse.use_continuation(1, 'x')",
      "create or replace function rouse.clock() returns timestamptz language sql as $$ select now() $$",
      "create table rouse.x (a int)",
      "alter role rouse_two password 'x'",
      "set role rouse_owner",
    ])("refuses a node: %s", async (sql) => {
      await expect(query(urlOf("one"), sql)).rejects.toThrow(/permission denied|must be (?:owner|superuser)|must have/);
    });

    it.each([
      "select rouse.claim_next('{}')",
      "select rouse.schema_number()",
      "insert into agent_progress (queue_item_id) values (1)",
      "update agent_progress set id = 7",
      "select * from rouse.tasks",
    ])("refuses an agent: %s", async (sql) => {
      await expect(query(database.agent, sql)).rejects.toThrow(/permission denied|cannot insert/);
    });

    it("ignores a forged node, and refuses a write with the claim of another node", async () => {
      const [one, two] = [await open(urlOf("one")), await open(urlOf("two"))];
      const { id } = await one.add({ title: "Task" }, "anna");
      const { claim } = await one.claim(id, HOLDER);
      expect(claim.node).toBe("one");
      const forged = {
        task: id,
        fence: claim.fence,
        node: "one",
        node_id: "one",
        text: "x",
        source: "cli",
        inferred: false,
      };
      const [row] = await query(urlOf("two"), "select rouse.claim_checkpoint($1::jsonb) as answer", [
        JSON.stringify(forged),
      ]);
      expect(row?.answer).toMatchObject({ refused: { code: "held", node: "one" } });
      for (const call of [
        () => two.checkpoint(claim, { text: "x", source: "cli" }),
        () => two.finish(claim, { outcome: "done" }),
        () => two.release(claim, { reason: "x" }),
        () => two.takeOver(claim, HOLDER, "x"),
      ])
        expect((await failure(call())).code).toBe("held");
      expect(await two.renew([claim])).toEqual([]);
      expect((await one.get(id)).claim).toEqual(claim);
    });

    it("lets another node take over once the lease has lapsed in the database's time", async () => {
      const [one, two] = [await open(urlOf("one")), await open(urlOf("two"))];
      const { id } = await one.add({ title: "Task" }, "anna");
      const { claim } = await one.claim(id, { ...HOLDER, leaseMs: 200 });
      await new Promise((resolve) => setTimeout(resolve, 300));
      const taken = await two.takeOver(claim, HOLDER, "node lost");
      expect(taken?.claim).toMatchObject({ node: "two", fence: 2 });
      expect((await failure(one.checkpoint(claim, { text: "x", source: "cli" }))).code).toBe("stale_fence");
    });

    it("refuses a checkpoint without a claim by its foreign key, also to the owner", async () => {
      await expect(
        query(
          database.url,
          `insert into rouse.checkpoints (task, fence, text, source, inferred, at) values (1, 99, 'x', 'cli', false, now())`,
        ),
      ).rejects.toThrow(/foreign key/);
    });

    it("does not let a login of another hub in", async () => {
      const other = await createHubDatabase(postgres, "other", ["three"]);
      const stranger = changed(other.nodes.three ?? "", (url) => (url.pathname = "/rights"));
      const error = await failure((await open(stranger)).list());
      expect(error.code).toBe("no_node");
      expect(error.message).toBe("the login rouse_three is not a node of this hub: join it first (`rouse fleet join`)");
    });

    it("refuses a second installation with the login of a node", async () => {
      const one = await open(urlOf("one"));
      await one.join({ instance: "first", version: "0.1.0" });
      const error = await failure(one.join({ instance: "second", version: "0.1.0" }));
      expect(error.code).toBe("node_taken");
    });

    it("numbers the messages of an inbox without gaps while several clients send", async () => {
      const senders = [await open(urlOf("one")), await open(urlOf("two"))];
      const sent = Array.from({ length: 40 }, (_, i) =>
        senders[i % 2]?.send({ receiver: "orch", key: `k-${i % 30}`, type: "t", sender: "rouse", payload: null }),
      );
      await Promise.all(sent);
      const read = await senders[0]?.read("orch");
      expect(read?.map(({ seq }) => seq)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    });
  });

  describe("set-up", () => {
    it("changes nothing when it is repeated", async () => {
      await postgres.sql("create database repeated");
      const first = await initHub(postgres.url("repeated"));
      expect(first.done).toContain("created the tables");
      expect(await initHub(postgres.url("repeated"))).toEqual({ ...first, done: [] });
    });

    it("needs no superuser", async () => {
      await postgres.sql("create role hosted login createrole password 'x'");
      await postgres.sql("create database hosted owner hosted");
      const url = changed(postgres.url("hosted"), (own) => {
        own.username = "hosted";
        own.password = "x";
      });
      await postgres.sql("grant rouse_owner, rouse_node, rouse_agent to hosted with admin option");
      expect((await initHub(url)).done).toContain("created the tables");
      const { url: own } = await joinHub(url, "hosted-1");
      expect(await (await open(own)).list()).toEqual([]);
    });

    it("says which rights are missing", async () => {
      await postgres.sql("create role weak login password 'x'");
      const url = changed(postgres.url("postgres"), (own) => {
        own.username = "weak";
        own.password = "x";
      });
      const error = await failure(initHub(url));
      expect(error.code).toBe("forbidden");
      expect(error.message).toContain("CREATEROLE");
      expect(
        (
          await failure(
            joinHub(
              changed(url, (own) => (own.pathname = "/rights")),
              "x",
            ),
          )
        ).code,
      ).toBe("forbidden");
    });

    it("leaves nothing behind when it fails halfway", async () => {
      await postgres.sql("create database halfway");
      const url = postgres.url("halfway");
      await query(
        url,
        "create schema rouse; create view rouse.tasks as select 1 as a; alter schema rouse owner to rouse_owner",
      );
      await failure(initHub(url));
      expect(await query(url, "select relname from pg_class where relname in ('nodes', 'schema_version')")).toEqual([]);
    });

    it("refuses a node name that is taken or not possible, and changes nothing", async () => {
      const error = await failure(joinHub(database.url, "one"));
      expect(error.code).toBe("node_taken");
      expect(await (await open(urlOf("one"))).list()).not.toBeNull();
      expect((await failure(joinHub(database.url, "One; drop role x"))).code).toBe("invalid");
    });

    it("replaces a node's login on request", async () => {
      const before = await joinHub(database.url, "four");
      const after = await joinHub(database.url, "four", { replace: true });
      expect((await failure(open(before.url))).code).toBe("wrong_password");
      expect(await (await open(after.url)).list()).not.toBeNull();
    });
  });

  describe("one clear error", () => {
    const text = async (url: string): Promise<string> => {
      const error = await failure(open(url));
      expect(error.message).not.toContain(new URL(urlOf("one")).password);
      return `${error.code}: ${error.message}`;
    };

    it.each([
      ["no url", "bad_url: the hub's address is not a URL; expected postgresql://USER@HOST:PORT/DATABASE"],
      ["mysql://a/b", "bad_url: the hub's address begins with mysql:; expected postgresql://USER@HOST:PORT/DATABASE"],
      ["postgresql://a", "bad_url: the hub's address names no database; expected postgresql://USER@HOST:PORT/DATABASE"],
    ])("for the address %s", async (url, expected) => {
      const error = await failure(open(url));
      expect(`${error.code}: ${error.message}`).toBe(expected);
    });

    it("when nothing listens there", async () => {
      const port = await freePort();
      expect(await text(throughPort(urlOf("one"), port))).toBe(
        `unreachable: the hub rouse_one@127.0.0.1:${port}/rights is not reachable: connection refused`,
      );
    });

    it("for a wrong password, an unknown user and an unknown database", async () => {
      const at = `127.0.0.1:${postgres.port}`;
      expect(await text(changed(urlOf("one"), (url) => (url.password = "wrong")))).toBe(
        `wrong_password: the hub refused the password for rouse_one@${at}/rights`,
      );
      expect(await text(changed(urlOf("one"), (url) => (url.username = "nobody")))).toContain("wrong_password");
      expect(await text(changed(urlOf("one"), (url) => (url.pathname = "/missing")))).toBe(
        `no_database: the hub has no database of that name: rouse_one@${at}/missing`,
      );
    });

    it("when the server has no TLS", async () => {
      expect(await text(`${urlOf("one")}?sslmode=require`)).toMatch(/^tls: no TLS connection to the hub /);
    });

    it("for a database that is no hub", async () => {
      await postgres.sql("create database empty");
      expect(await text(postgres.url("empty"))).toMatch(
        /^not_initialized: the database admin@.*: run `rouse fleet init`/,
      );
      expect((await failure(joinHub(postgres.url("empty"), "x"))).code).toBe("not_initialized");
    });

    it("for a schema of another version", async () => {
      await query(database.url, "update rouse.schema_version set version = version + 1");
      expect(await text(urlOf("one"))).toMatch(
        new RegExp(
          `^schema_newer: .* was set up by a newer rouse \\(schema ${POSTGRES_SCHEMA + 1}, this one knows ${POSTGRES_SCHEMA}\\): update`,
        ),
      );
      expect((await failure(initHub(database.url))).code).toBe("schema_newer");
      await query(database.url, "update rouse.schema_version set version = 0");
      expect(await text(urlOf("one"))).toMatch(/^schema_older: .* run `rouse fleet init` with this rouse/);
      await query(database.url, `update rouse.schema_version set version = ${POSTGRES_SCHEMA}`);
    });

    it("while the database is read-only, and works again after it", async () => {
      const hub = await open(urlOf("two"));
      await postgres.sql("alter role rouse_two set default_transaction_read_only = on");
      const limited = await open(urlOf("two"));
      const error = await failure(limited.add({ title: "x" }, "anna"));
      expect([error.code, error.retryable]).toEqual(["read_only", true]);
      await postgres.sql("alter role rouse_two reset default_transaction_read_only");
      expect((await hub.add({ title: "x" }, "anna")).title).toBe("x");
    });
  });

  it("works again after the database was restarted", async () => {
    const hub = await open(urlOf("one"));
    const { id } = await hub.add({ title: "Kept" }, "anna");
    await postgres.restart();
    const deadline = Date.now() + 15_000;
    let found: string | null = null;
    while (found === null && Date.now() < deadline)
      found = await hub.get(id).then(
        ({ title }) => title,
        (error: HubError) => {
          expect(error.code).toBe("unreachable");
          return null;
        },
      );
    expect(found).toBe("Kept");
  });
});
