/** A machine that has only Node.js and an sshd as a node of the fleet: it reaches the hub through the ssh connection of another one. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FleetView } from "../../src/api/service/fleet.js";
import { isMissing } from "../support/component.js";
import { CutProxy, TestFleet, type TestNode } from "../support/fleet.js";
import { BIN, rouse, until } from "../support/hosts.js";
import { createHubDatabase, type HubDatabase } from "../support/hub-postgres.js";
import { POSTGRES, type Postgres, query, startPostgres } from "../support/postgres.js";
import { SSHD_AS_ROOT, startSshd, type TestSshd } from "../support/sshd.js";

/** A lost connection is noticed after 20 s at the latest, and the relay is started again within 30 s. */
const RETURN_MS = 90_000;

const isSkipped =
  isMissing("PostgreSQL", POSTGRES) || isMissing("sshd (or the tests do not run as root)", SSHD_AS_ROOT);

describe.skipIf(isSkipped)("a node by ssh", () => {
  let postgres: Postgres;
  let database: HubDatabase;
  let there: TestSshd;
  let fleet: TestFleet;
  let here: TestNode;
  let relay: ChildProcess | null = null;
  let said = "";
  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createHubDatabase(postgres, "relay", ["here"]);
    there = await startSshd();
  });
  afterAll(async () => {
    await there?.stop();
    await postgres?.stop();
  });
  beforeEach(async () => {
    fleet = new TestFleet(database, postgres.port);
    here = await fleet.start("here", "[fleet]\naccept_commands_from = []\n", { PATH: there.path });
  });
  afterEach(async () => {
    const ended = relay && new Promise((resolve) => relay?.once("close", resolve));
    relay?.kill("SIGTERM");
    await ended;
    await ssh("--", "stop", "web", "--grace", "0");
    await ssh("--", "down");
    expect(await fleet.close()).toEqual([]);
  });

  const ssh = (...args: string[]) => rouse(here.home, ["ssh", "box", ...args]);
  const joinBox = (...args: string[]) =>
    rouse(here.home, ["fleet", "join", "box", "--ssh", "box", "--url", database.url, ...args]);
  const config = (): string => join(there.home, "config", "config.toml");
  const startRelay = (): void => {
    relay = spawn(process.execPath, [BIN, "ssh", "--relay", "box"], { env: here.home.env });
    relay.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  };
  const stateOf = ({ nodes }: FleetView): string | undefined => nodes.find(({ name }) => name === "box")?.state;
  const web = ({ agents }: FleetView) => agents.find(({ id }) => id === "web@box");
  const members = () => query(database.url, "select id from rouse.nodes where left_at is null order by id");

  it("joins without a trace if its configuration cannot be written, shows its agents, and returns after a lost connection", async () => {
    writeFileSync(join(there.home, "config"), "");
    const failed = await joinBox();
    expect(failed.stderr).toMatch(/\nrouse: box: /);
    expect(failed).toMatchObject({ status: 1, stdout: "" });
    expect(await members()).toEqual([{ id: "here" }]);
    rmSync(join(there.home, "config"));

    expect(await joinBox()).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(config(), "utf8")).toContain("hub.sock");
    expect(await joinBox()).toMatchObject({
      status: 1,
      stderr: "rouse: box: that machine has joined a fleet already; --replace renews its login\n",
    });

    const proxy = new CutProxy(there.port);
    await proxy.start();
    there.connectTo(proxy.port);
    startRelay();
    await until("the relay", async () => said.includes("box reaches the hub"));
    there.connectTo(there.port);
    const file = join(there.home, "end");
    const script = `echo ready; while [ ! -e '${file}' ]; do sleep 0.5; done`;
    expect(await ssh("--", "spawn", "--name", "web", "--", "sh", "-c", script)).toMatchObject({
      status: 0,
      stderr: "",
    });
    await fleet.shows(here, "the agent there", (view) => stateOf(view) === "live" && web(view)?.ended_at === null);
    expect((await here.rouse("status", "--fleet")).stdout).toContain("web@box");

    // The next relay takes the same way, which swallows everything.
    there.connectTo(proxy.port);
    proxy.set("swallow");
    await fleet.shows(
      here,
      "the lost node",
      (view) => stateOf(view) === "lost" && web(view)?.state === "unknown",
      60_000,
    );
    writeFileSync(file, "");
    proxy.set("pass");
    await fleet.shows(
      here,
      "its return",
      (view) => stateOf(view) === "live" && web(view)?.ended_at !== null,
      RETURN_MS,
    );
    expect(said.match(/box reaches the hub/g)?.length).toBeGreaterThanOrEqual(2);
    there.connectTo(there.port);
    proxy.stop();
  });
});
