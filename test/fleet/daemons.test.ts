/** Real daemons of several nodes on a real PostgreSQL: what each shows of the others, and commands between them. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isMissing } from "../support/component.js";
import { TestFleet, type TestNode } from "../support/fleet.js";
import { createHubDatabase, type HubDatabase } from "../support/hub-postgres.js";
import { POSTGRES, type Postgres, query, startPostgres } from "../support/postgres.js";

describe.skipIf(isMissing("PostgreSQL", POSTGRES))("a fleet of real daemons", () => {
  let postgres: Postgres;
  let database: HubDatabase;
  let fleet: TestFleet;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createHubDatabase(postgres, "daemons", ["lab-1", "lab-2"]);
  });
  afterAll(async () => postgres?.stop());
  beforeEach(async () => {
    await query(database.url, "update rouse.nodes set instance = null; truncate rouse.agents, rouse.commands");
    fleet = new TestFleet(database, postgres.port);
  });
  afterEach(async () => expect(await fleet.close()).toEqual([]));

  const spawnAgent = async (node: TestNode, name: string): Promise<void> => {
    const { status, stderr } = await node.rouse(
      "spawn",
      "--name",
      name,
      "--tag",
      "worker",
      "--",
      "sh",
      "-c",
      "echo ready; sleep 600",
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  };

  it("shows the agents of all nodes by name and node, explains them, and stops one only where that is accepted", async () => {
    const one = await fleet.start("lab-1", '[fleet]\naccept_commands_from = ["lab-2"]\n');
    const two = await fleet.start("lab-2");
    await spawnAgent(one, "web");
    await spawnAgent(two, "web");
    for (const node of [one, two])
      await fleet.shows(
        node,
        "both agents",
        ({ agents }) =>
          agents
            .map(({ id }) => id)
            .sort()
            .join() === "web@lab-1,web@lab-2",
      );

    const status = await two.rouse("status", "--fleet");
    expect(status.stdout).toMatch(/^NAME +KIND/);
    expect(status.stdout).toContain("web@lab-1");
    const why = await two.rouse("why", "web@lab-1");
    expect(why.stdout).toMatch(/^web@lab-1: \w+ since/);
    expect(why.stdout).toContain("ssh lab-1 rouse why web");
    const list = await one.rouse("fleet", "list");
    expect(list.stdout).toMatch(/lab-1 \(this one\) +live/);
    expect(list.stdout).toMatch(/lab-2 +live +– +1 +\S+ +accepted/);
    const doctor = await one.rouse("fleet", "doctor");
    expect({ status: doctor.status, out: doctor.stdout }).toMatchObject({ status: 0 });
    expect(doctor.stdout).toContain("daemon: node lab-1 renews its lease");

    const refused = await one.rouse("stop", "web@lab-2");
    expect(refused.status).toBe(1);
    expect(refused.stdout).toBe(
      "Refused: lab-2 accepts no commands from lab-1: its configuration has to name it in [fleet] accept_commands_from\n",
    );
    const own = await one.rouse("stop", "web@lab-1");
    expect(own.stderr).toContain("web@lab-1 runs on this machine: use its name without @lab-1");
    expect((await one.rouse("stop", "api@lab-2")).stderr).toContain('no agent "api@lab-2" in this fleet');
    const stopped = await two.rouse("stop", "web@lab-1");
    expect(stopped.stdout).toMatch(/^Stopped web@lab-1/);
    expect(stopped.status).toBe(0);
    await fleet.shows(two, "the end", ({ agents }) => agents.find(({ id }) => id === "web@lab-1")?.ended_at !== null);
    const audit = await one.rouse("audit", "--json");
    const lines = (JSON.parse(audit.stdout) as { lines: Record<string, unknown>[] }).lines;
    expect(lines.find(({ action }) => action === "stop")).toMatchObject({ origin: "fleet", agent: "web" });
    expect(JSON.stringify(lines)).toContain("user@lab-2");
  });
});
