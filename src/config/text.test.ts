import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importBotbox } from "./botbox.js";
import { parseConfig } from "./file.js";
import { issueText } from "./issue.js";
import type { ConfigValue } from "./key.js";
import { KEY_BY_NAME } from "./keys.js";
import { configSchema } from "./schema.js";
import { configText } from "./text.js";
import { migrateConfig, replaceConfig, writeNewConfig } from "./write.js";

const valuesIn = (text: string): [string, unknown][] => {
  const { entries, issues } = parseConfig("f", text);
  expect(issues).toEqual([]);
  return entries.map(({ name, value }): [string, unknown] => [name, value]);
};

describe("configText", () => {
  it("sets nothing by itself and shows every key", () => {
    const text = configText();
    expect(valuesIn(text)).toEqual([]);
    for (const full of KEY_BY_NAME.keys()) expect(text).toContain(`\n# ${full.split(".")[1]} = `);
  });

  it("contains all defaults when every line is uncommented", () => {
    const text = configText().replace(/^# (\w+ = .*)$/gm, "$1");
    expect(new Map(valuesIn(text))).toEqual(new Map([...KEY_BY_NAME].map(([name, key]) => [name, key.default])));
  });

  it("writes out any given values", () => {
    const values = new Map<string, ConfigValue>([
      ["watchdog.orchestrator_tag", 'a "b"\n\u0007\\ ü'],
      ["watchdog.worker_tags", ["x", "y,z"]],
      ["health.enabled", false],
      ["health.idle_timeout_minutes", 2.5],
    ]);
    expect(new Map(valuesIn(configText(values)))).toEqual(values);
  });
});

describe("configSchema", () => {
  it("describes every key with its default and bounds", () => {
    const schema = configSchema() as {
      properties: Record<string, { properties: Record<string, Record<string, unknown>> }>;
    };
    for (const [full, key] of KEY_BY_NAME) {
      const [section = "", name = ""] = full.split(".");
      const found = schema.properties[section]?.properties[name];
      expect(found).toMatchObject({
        description: key.description,
        default: key.default,
      });
    }
    expect(schema.properties.watchdog?.properties.poll_interval_secs).toMatchObject({
      type: "number",
      minimum: 0.5,
      maximum: 3600,
      "x-variables": ["ROUSE_WATCHDOG_POLL_INTERVAL", "ROUSE_WATCHDOG_POLL_INTERVAL_SECS"],
      "x-project-file": "lower",
    });
  });
});

describe("importBotbox", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "rouse-botbox-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const importText = (text: string) => {
    writeFileSync(join(root, "f"), text);
    return importBotbox(join(root, "f"));
  };

  it("imports every key of agents.health", () => {
    const health = {
      enabled: true,
      idle_timeout_minutes: 20,
      completion_timeout_minutes: 11,
      rate_limit_backoff_seconds: 90,
      repeated_error_threshold: 6,
      auto_kill_on_idle: false,
      auto_kill_on_repeated_error: true,
      alert_channel: "ops",
    };
    const { values, issues } = importText(JSON.stringify({ other: 1, agents: { health, loop: {} } }));
    expect(issues).toEqual([]);
    expect(Object.fromEntries(values)).toEqual(
      Object.fromEntries(Object.entries(health).map(([name, value]) => [`health.${name}`, value])),
    );
  });

  it.each([
    [
      '{ // comment\n  "agents": { "health": {\n    "idle_timeout_minute": 3,\n  } } }',
      "f:3:5: unknown key idle_timeout_minute; ignored; did you mean health.idle_timeout_minutes?",
    ],
    ['{"agents":{"health":{"enabled":"yes"}}}', "f:1:22: enabled must be true or false"],
    ['{"agents":{"health":{"enabled":null}}}', "f:1:22: enabled must be true or false"],
    ['{\n"agents": }', "f:2:11: invalid JSON (ValueExpected); the file is not used"],
    ["{}", "f: it has no agents.health block"],
    ["[]", "f: it has no agents.health block"],
    ['{"agents":{"health":3}}', "f: it has no agents.health block"],
  ])("reports what it cannot import: %s", (text, issue) => {
    const { values, issues } = importText(text);
    expect([values.size, issues.map((one) => issueText(one).replace(`${root}/`, ""))]).toEqual([0, [issue]]);
  });
});

describe("an older file", () => {
  const OLD = "# mine\npoll_interval_secs = 10\n[agents.health]\nidle_timeout_minutes = 7\n";
  let root = "";
  let path = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "rouse-migrate-"));
    path = join(root, "config.toml");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("is read by its old names, which are reported with their positions", () => {
    const { entries, issues, version } = parseConfig("f", OLD);
    expect(version).toBe(0);
    expect(entries.map(({ name, value }) => [name, value])).toEqual([
      ["watchdog.poll_interval_secs", 10],
      ["health.idle_timeout_minutes", 7],
    ]);
    expect(issues.map(issueText)).toEqual([
      "f:2:1: poll_interval_secs is now watchdog.poll_interval_secs; `rouse config migrate` rewrites the file",
      "f:4:1: agents.health.idle_timeout_minutes is now health.idle_timeout_minutes; `rouse config migrate` rewrites the file",
    ]);
  });

  it("is rewritten with its values, and kept", () => {
    writeFileSync(path, OLD);
    const { text, issues } = migrateConfig(path);
    expect(issues).toEqual([]);
    const kept = replaceConfig(path, text ?? "");
    expect(readFileSync(kept, "utf8")).toBe(OLD);
    expect(new Map(valuesIn(readFileSync(path, "utf8")))).toEqual(
      new Map([
        ["watchdog.poll_interval_secs", 10],
        ["health.idle_timeout_minutes", 7],
      ]),
    );
    expect(migrateConfig(path)).toMatchObject({ text: null, issues: [] });
  });

  it("keeps its channels unchanged", () => {
    const channels =
      '[channels.ops]\ntype = "slack"\nurl_env = "SLACK"\nagents = [ "a", "b" ]\n\n[channels.bad]\ntype = 3\n';
    writeFileSync(path, `poll_interval_secs = 10\n${channels}`);
    const { text, issues } = migrateConfig(path);
    expect(issues).toEqual([]);
    expect(text?.endsWith(`\n${channels}`)).toBe(true);
  });

  it.each([
    ["a = 1 # why", true],
    ["# why", true],
    ['a = "b" # why', true],
    ['a = "#1"', false],
    ["a = '#1'\nb = 2", false],
  ])("reports whether comments remain in the old file: %j", (before, hasComments) => {
    writeFileSync(path, `${before}\n`);
    expect(migrateConfig(path).hasComments).toBe(hasComments);
  });

  it("remains a link if it was one", () => {
    writeFileSync(join(root, "real"), OLD);
    symlinkSync(join(root, "real"), path);
    replaceConfig(path, "version = 1\n");
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(root, "real"), "utf8")).toBe("version = 1\n");
  });

  it("is not rewritten while something in it would be lost", () => {
    writeFileSync(path, "[watchdog]\nnonsense = 1\n");
    expect(migrateConfig(path).issues.map(issueText)).toEqual([
      `${path}:2:1: watchdog.nonsense with this value cannot be migrated`,
    ]);
  });

  it("is not overwritten by a new one", () => {
    expect(writeNewConfig(path, "a = 1\n")).toBe(true);
    expect(writeNewConfig(path, "b = 1\n")).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("a = 1\n");
  });
});
