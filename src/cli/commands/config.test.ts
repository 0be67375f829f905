import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { addConfig } from "./config.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-cli-config-"));
  mkdirSync(join(root, "config"));
  vi.stubEnv("ROUSE_HOME", root);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

const user = (text: string): void => writeFileSync(join(root, "config", "config.toml"), text);

async function run(...args: string[]): Promise<{ out: string; err: string; exit: number }> {
  const ran = { out: "", err: "", exit: 0 };
  const keep = (name: "out" | "err") => (text: unknown) => {
    ran[name] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(keep("out")),
    vi.spyOn(process.stderr, "write").mockImplementation(keep("err")),
  ];
  const program = new Command().exitOverride();
  addConfig(program, (code) => {
    ran.exit = code;
  });
  try {
    await program.parseAsync(["config", ...args], { from: "user" });
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return ran;
}

describe("rouse config", () => {
  it("shows the effective values and their origins", async () => {
    user("version = 1\n[watchdog]\npoll_interval_secs = 12\n");
    const { out, err, exit } = await run("show", "--origin", "--set", "health.enabled=no");
    expect([err, exit]).toEqual(["", 0]);
    expect(out).toMatch(/^poll_interval_secs = 12 +# user: .*config\.toml:3$/m);
    expect(out).toMatch(/^stuck_threshold_intervals = 3 +# default; not set: rouse.s own clocks apply$/m);
    expect(out).toMatch(/^enabled = false +# flag: --set health\.enabled$/m);
  });

  it("prints the same as JSON", async () => {
    user("[watchdog]\npoll_interval_secs = 12\n");
    const shown = JSON.parse((await run("show", "--json", "--origin")).out);
    expect(shown.config.watchdog.poll_interval_secs).toBe(12);
    expect(shown.origins["watchdog.poll_interval_secs"]).toMatchObject({ layer: "user", position: { line: 2 } });
    expect(shown.issues).toEqual([]);
  });

  it("reports the place of an error, and exits 1", async () => {
    user("[watchdog]\npoll_interval_sec = 12\n");
    const { err, exit } = await run("show");
    expect(err).toContain("config.toml:2:1: unknown key watchdog.poll_interval_sec; ignored; did you mean");
    expect(exit).toBe(1);
  });

  it("lists channels without their secrets, with the errors that the daemon would report", async () => {
    user(`version = 1
[alerts]
quiet_hours = "25:00-99"
digest = "bla"
[channels.ops]
type = "slack"
url = "https://hooks.slack.example/s3cret"
[channels.bird]
type = "pigeon"
[channels.none]
type = "slack"
`);
    const { out, err, exit } = await run("show", "--origin");
    expect(out).toMatch(/^\[channels\.ops\] +# user: .*config\.toml:5\ntype = "slack"\nurl = "\(not shown\)"$/m);
    expect(out).not.toMatch(/s3cret|bird|none\]/);
    for (const line of [
      "config.toml:9:1: channels.bird: type must be one of slack,",
      "config.toml:10:1: channels.none: url is missing;",
      "config.toml:3:1: alerts.quiet_hours: it must be two times",
      "config.toml:4:1: alerts.digest: it must be a cron pattern",
    ])
      expect(err).toContain(line);
    expect(exit).toBe(1);
    expect(JSON.parse((await run("show", "--json")).out)).toMatchObject({
      channels: { ops: { type: "slack", url: "(not shown)" } },
      issues: [{}, {}, {}, {}],
    });
  });

  it("prints no control bytes from a file", async () => {
    user('[watchdog]\norchestrator_tag = "\\u001b[2J\\u009b\\u202e"\n"\\u001b]0;x" = 1\n');
    for (const args of [
      ["show", "--origin"],
      ["show", "--json"],
    ]) {
      const { out, err } = await run(...args);
      expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it("prints a schema", async () => {
    expect(JSON.parse((await run("schema")).out)).toMatchObject({ title: "rouse configuration" });
  });

  it("migrates an old file, with a dry run first", async () => {
    user("[agents.health]\nidle_timeout_minutes = 7\n");
    expect((await run("migrate", "--dry-run")).out).toContain("\nidle_timeout_minutes = 7\n");
    expect((await run("migrate")).out).toContain("the old file is");
    expect(JSON.parse((await run("show", "--json")).out)).toMatchObject({
      config: { health: { idle_timeout_minutes: 7 } },
      issues: [],
    });
    expect((await run("migrate")).out).toContain("nothing to migrate");
  });

  it("says where the comments of a migrated file are kept", async () => {
    user("# mine\npoll_interval_secs = 7\n");
    expect((await run("migrate")).out).toMatch(/the old file is .*\.old \(your comments are only there\)\n$/);
  });

  it("says that it did not change a file that it cannot migrate", async () => {
    user("nonsense = 1\n");
    expect(await run("migrate")).toMatchObject({
      out: "",
      err: expect.stringMatching(
        /nonsense with this value cannot be migrated\n.*not changed; fix these errors first\n$/,
      ),
      exit: 1,
    });
    rmSync(join(root, "config", "config.toml"));
    mkdirSync(join(root, "config", "config.toml"));
    expect(await run("migrate")).toMatchObject({
      out: "",
      err: expect.stringMatching(/config\.toml: it is not a regular file; .*\n.*not changed/),
      exit: 1,
    });
  });
});
