/** `rouse fleet init` and `join` as a user runs them, against a real PostgreSQL. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isMissing } from "../support/component.js";
import { POSTGRES, type Postgres, query, startPostgres } from "../support/postgres.js";
import { BIN } from "../support/rouse.js";

describe.skipIf(isMissing("PostgreSQL", POSTGRES))("rouse fleet", () => {
  let postgres: Postgres;
  let home: string;
  let url: string;
  let file: string;

  beforeAll(async () => {
    postgres = await startPostgres();
    await postgres.sql("create database shared");
    url = postgres.url("shared");
    home = mkdtempSync(join(tmpdir(), "rouse-fleet-"));
    file = join(home, "config", "config.toml");
  });
  afterAll(async () => {
    rmSync(home, { recursive: true, force: true });
    await postgres?.stop();
  });
  beforeEach(() => rmSync(join(home, "config"), { recursive: true, force: true }));

  const rouse = (...args: string[]) =>
    spawnSync(process.execPath, [BIN, ...args], {
      encoding: "utf8",
      env: { ...process.env, ROUSE_HOME: home, NO_COLOR: "1" },
    });
  const run = (...args: string[]) => rouse("fleet", ...args);

  it("sets up a hub, says what it did, and changes nothing when it is repeated", async () => {
    expect(run("join", "early", "--url", url).stderr).toContain("is no rouse hub: run `rouse fleet init` first");
    const first = run("init", "--url", url);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^Created the role rouse_owner .*\n(?:.*\n)*Created the tables\.\nThe hub is ready\./);
    expect(run("init", "--url", url).stdout).toBe("The hub is up to date (schema 2).\n");
  });

  it("joins a machine, and keeps the rest of its configuration", async () => {
    mkdirSync(join(home, "config"), { recursive: true });
    writeFileSync(file, 'version = 1\n# mine\n[watchdog]\nworker_tags = ["x"]\n', { mode: 0o644 });
    const joined = run("join", "lab-1", "--url", url);
    expect(joined.stderr).toBe("");
    expect(joined.stdout).toMatch(/^Joined the fleet as lab-1\./);
    const text = readFileSync(file, "utf8");
    expect(text).toContain("# mine\n[watchdog]\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { hub } = parse(text) as { hub: { url: string; node: string } };
    expect(hub.node).toBe("lab-1");
    expect(
      await query(hub.url, "select rouse.task_list($1::jsonb) as tasks", ['{"tags": [], "limit": 1, "status": null}']),
    ).toEqual([{ tasks: [] }]);
    // The password is shown nowhere.
    const shown = rouse("config", "show");
    expect(shown.stdout).toContain("rouse_lab-1");
    expect(shown.stdout).not.toContain(new URL(hub.url).password);

    const again = run("join", "lab-2", "--url", url);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain("this machine has joined a fleet already");
    expect(await postgres.sql("select 1 from pg_roles where rolname = 'rouse_lab-2'")).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("refuses a taken name, a wrong name and a file that it cannot edit, and changes nothing", async () => {
    const taken = run("join", "lab-1", "--url", url);
    expect(taken.status).toBe(1);
    expect(taken.stderr).toContain("the node name lab-1 is used by another installation");
    expect(run("join", "Lab 1", "--url", url).stderr).toContain("a node name has 1 to 40 of the characters");
    mkdirSync(join(home, "config"), { recursive: true });
    writeFileSync(file, 'version = 1\nhub = { node = "" }\n');
    const failed = run("join", "lab-3", "--url", url);
    expect(failed.stderr).toContain("cannot be changed");
    expect(await postgres.sql("select 1 from pg_roles where rolname = 'rouse_lab-3'")).toEqual([]);
  });

  it("prints the configuration for another machine", async () => {
    const { stdout, stderr } = run("join", "lab-4", "--url", url, "--print");
    const { hub } = parse(stdout) as { hub: { url: string; node: string } };
    expect(hub.node).toBe("lab-4");
    expect(await query(hub.url, "select session_user::text as login")).toEqual([{ login: "rouse_lab-4" }]);
    expect(stderr).toContain("shown only once");
  });
});
