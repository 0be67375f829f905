/** Real daemons of three nodes, all with the same channel: each incident of the fleet is one alert, whichever node sends it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isMissing } from "../support/component.js";
import { withConstants } from "../support/constants.js";
import { TestFleet, type TestNode } from "../support/fleet.js";
import { until } from "../support/hosts.js";
import { createHubDatabase, type HubDatabase } from "../support/hub-postgres.js";
import { POSTGRES, type Postgres, query, startPostgres } from "../support/postgres.js";
import { HttpReceiver } from "../support/receivers.js";

describe.skipIf(isMissing("PostgreSQL", POSTGRES))("the alerts of a fleet", () => {
  let postgres: Postgres;
  let database: HubDatabase;
  let fleet: TestFleet;
  let receiver: HttpReceiver;
  let url = "";

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createHubDatabase(postgres, "alerts", ["a", "b", "c"]);
  });
  afterAll(async () => postgres?.stop());
  beforeEach(async () => {
    fleet = new TestFleet(database, postgres.port);
    receiver = new HttpReceiver();
    url = await receiver.start();
  });
  afterEach(async () => {
    expect(await fleet.close()).toEqual([]);
    await receiver.stop();
  });

  const channel = (): string => `[channels.ops]\ntype = "webhook"\nurl = "${url}/hook"\nallow_private = true\n`;
  const titles = (): string[] => receiver.received.map(({ body }) => (JSON.parse(body) as { title: string }).title);
  const lost = (name: string): string[] => titles().filter((title) => title.includes(`node ${name} is lost`));
  /** As if the node had been killed two minutes ago; its followers read a changed node again. */
  const backdate = (name: string): Promise<unknown> =>
    query(
      database.url,
      `update rouse.reachable set since = now() - interval '1 hour';
       update rouse.nodes set renewed_at = now(), lease_until = now() - interval '2 min' where id = '${name}'`,
    );

  it("is one for a lost node, and another node sends it if the first one dies before", async () => {
    const environment = withConstants({ ALERT_TIMING: { groupWaitMs: 0, groupOver: 10_000, retryMs: 20 } });
    const start = (name: string): Promise<TestNode> => fleet.start(name, channel(), environment);
    const [a, b, c] = [await start("a"), await start("b"), await start("c")];
    await fleet.shows(a, "three nodes", ({ nodes }) => nodes.filter(({ state }) => state === "live").length === 3);

    await c.daemon.kill("SIGKILL");
    await backdate("c");
    await until("the alert", async () => lost("c").length > 0);
    // Each node follows the hub every second: both have seen the loss by now.
    await fleet.shows(b, "the loss", ({ nodes }) => nodes.some(({ name, state }) => name === "c" && state === "lost"));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(lost("c")).toHaveLength(1);
    const [row] = await query(
      database.url,
      "select node, sent_at from rouse.fleet_alerts where key like 'node lost c %'",
    );
    expect(row).toEqual({ node: expect.stringMatching(/^[ab]$/), sent_at: expect.any(Date) });

    // Node b took the next alert, and died before it had stored it.
    await b.daemon.kill("SIGKILL");
    const [{ at } = {}] = await query(
      database.url,
      `insert into rouse.fleet_alerts (key, node, held_until)
         select 'node lost b ' || (extract(epoch from date_trunc('second', now() - interval '2 min')) * 1000)::bigint, 'b', now() + interval '5 s'
         returning split_part(key, ' ', 4)::bigint as at`,
    );
    await query(
      database.url,
      "update rouse.nodes set renewed_at = now(), lease_until = to_timestamp($1::bigint / 1000.0) where id = 'b'",
      [at],
    );
    await fleet.shows(a, "the loss", ({ nodes }) => nodes.some(({ name, state }) => name === "b" && state === "lost"));
    expect(lost("b")).toEqual([]);
    await until("the alert of the other node", async () => lost("b").length > 0, 60_000);
    expect(lost("b")).toHaveLength(1);
    expect(lost("c")).toHaveLength(1);
  });
});
