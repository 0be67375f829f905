import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";
import { OWN_CASES } from "../support/recordings.js";

let home: Home;

beforeAll(() => {
  home = makeHome("off");
  home.env.ROUSE_HEALTH_IDLE_TIMEOUT_MINUTES = "soon";
  home.env.ROUSE_HEALTH_IDLE_TIMOUT_MINUTES = "5";
  const { config } = rousePaths(home.env);
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "config.toml"), '[check]\nwarning_hours = "never"\n');
  mkdirSync(join(config, "profiles"));
  writeFileSync(join(config, "profiles", "sketch.toml"), 'id = "sketch"\nnoise = ["(open"]\n');
  writeFileSync(join(home.path, ".rouse.toml"), "[health]\nenabled = false\n");
});

afterAll(async () => {
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

const issues = (stderr: string): string[] =>
  stderr
    .split("\n")
    .flatMap((line) => /^rouse: (?:error|refused): (.*)$/.exec(line)?.[1]?.replaceAll(home.path, "~") ?? []);

describe("an invalid setting or profile", () => {
  it.each([
    ["policy show", ["policy", "show"]],
    ["policy test", ["policy", "test", "default", "--problem", "loop"]],
    ["replay --policy", ["replay", "--policy", "default", join(OWN_CASES, "codex", "short-question")]],
    ["config show", ["config", "show"]],
    ["check", ["check"]],
    ["messages send", ["messages", "send", "worker.stuck", "hello"]],
    ["mcp", ["mcp"]],
    ["init --http", ["init", "claude-code", "--http", "--dry-run"]],
  ])("is reported once by %s: the error, what was expected, and what applies instead", async (_, args) => {
    const { stderr } = await rouse(home, args);
    expect(issues(stderr), stderr).toEqual([
      '~/config/config.toml:2:1: check.warning_hours must be a number of at least 0, found "never"; using 2',
      "~/.rouse.toml:2:1: health.enabled: a project file may only switch it on",
      'ROUSE_HEALTH_IDLE_TIMEOUT_MINUTES: health.idle_timeout_minutes must be a number of at least 0.01, found "soon"; using 15',
      "ROUSE_HEALTH_IDLE_TIMOUT_MINUTES: unknown variable; did you mean ROUSE_HEALTH_IDLE_TIMEOUT_MINUTES?",
      '~/config/profiles/sketch.toml: noise.0: pattern "(open" is not valid RE2 syntax: error parsing regexp: missing closing ): `(open`; the file is not used',
    ]);
  });

  it("of a channel or of alerts is reported by doctor with file and key, without a daemon", async () => {
    const path = join(rousePaths(home.env).config, "config.toml");
    const before = readFileSync(path);
    writeFileSync(path, 'version = 1\n[alerts]\nquiet_hours = "25:00-99"\n[channels.bird]\ntype = "pigeon"\n');
    try {
      const { status, stdout } = await rouse(home, ["doctor"]);
      expect(status).toBe(1);
      expect(stdout).toContain(`${path}:3:1: alerts.quiet_hours: it must be two times`);
      expect(stdout).toContain(`${path}:5:1: channels.bird: type must be one of`);
    } finally {
      writeFileSync(path, before);
    }
  });
});
