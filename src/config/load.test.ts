import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULTS } from "../core/defaults.js";
import { issueText } from "./issue.js";
import { type ConfigValue, checkProjectValue } from "./key.js";
import { KEY_BY_NAME, settingsOf } from "./keys.js";
import { type LoadedConfig, type LoadOptions, loadConfig } from "./load.js";
import { variablesOf } from "./variables.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-config-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}
const user = (text: string): string => write("home/config/config.toml", text);
const project = (text: string, folder = "project"): string => write(`${folder}/.rouse.toml`, text);

function load(options: LoadOptions = {}): LoadedConfig {
  const { env = {}, cwd = join(root, "project"), ...rest } = options;
  return loadConfig({ cwd, env: { ROUSE_HOME: join(root, "home"), ...env }, ...rest });
}
const said = (loaded: LoadedConfig): string[] =>
  loaded.issues.map((issue) => `${issue.level}: ${issueText(issue).replaceAll(root, "")}`);

describe("defaults", () => {
  it("match the specification", () => {
    const { config, issues } = load();
    expect(issues).toEqual([]);
    expect(config.watchdog).toEqual({
      poll_interval_secs: 30,
      stuck_threshold_intervals: 3,
      worker_tags: ["worker"],
      worker_pattern: "",
      orchestrator_tag: "orchestrator",
      output_preview_lines: 5,
    });
    expect(config.health).toMatchObject({
      idle_timeout_minutes: 15,
      completion_timeout_minutes: 10,
      rate_limit_backoff_seconds: 60,
      repeated_error_threshold: 5,
      auto_kill_on_idle: true,
      auto_kill_on_repeated_error: false,
    });
    expect(config.check).toEqual({ warning_hours: 2, critical_hours: 6, auto_resume_hours: 12 });
  });

  it("define each threshold of the detectors once, except constants and those that only feedback changes", () => {
    const settings = settingsOf(load().config);
    expect(DEFAULTS).toMatchObject(settings);
    const names = [...KEY_BY_NAME.keys()].map((full) => full.split(".")[1]);
    for (const name of Object.keys(settings)) expect(names.filter((other) => other === name)).toHaveLength(1);
    expect(Object.keys(DEFAULTS).filter((name) => !Object.hasOwn(settings, name))).toEqual([
      "repeated_error_window_minutes",
      "retry_ceiling_minutes",
      "burn_output_tokens",
      "burn_active_minutes",
      "lost_result_seconds",
      "stopped_early_seconds",
      "never_started_seconds",
      "never_shown_seconds",
      "never_exited_seconds",
      "silence_patience",
      "tool_patience",
    ]);
  });
});

describe("layers", () => {
  it("are applied in the order default, user, project, environment, flag", () => {
    const key = "watchdog.poll_interval_secs";
    const seen = (loaded: LoadedConfig): unknown[] => [
      loaded.config.watchdog.poll_interval_secs,
      loaded.origins[key]?.layer,
    ];
    expect(seen(load())).toEqual([30, "default"]);
    const file = user("[watchdog]\npoll_interval_secs = 20");
    expect(seen(load())).toEqual([20, "user"]);
    expect(load().origins[key]).toEqual({ layer: "user", where: file, position: { line: 2, column: 1 } });
    project("[watchdog]\npoll_interval_secs = 10");
    expect(seen(load())).toEqual([10, "project"]);
    const env = { ROUSE_WATCHDOG_POLL_INTERVAL: "40" };
    expect(seen(load({ env }))).toEqual([40, "environment"]);
    expect(seen(load({ env, flags: { [key]: "50" } }))).toEqual([50, "flag"]);
    expect(seen(load({ env, flags: { [key]: 60 } }))).toEqual([60, "flag"]);
    expect(seen(load({ env, flags: { [key]: undefined } }))).toEqual([40, "environment"]);
  });

  it("include project files from the root down, and an inner file cannot hide an outer one", () => {
    project("[health]\nidle_timeout_minutes = 5");
    project("[health]\nidle_timeout_minutes = 9\ncompletion_timeout_minutes = 4", "project/inner");
    const loaded = load({ cwd: join(root, "project", "inner", "deep") });
    expect(loaded.config.health).toMatchObject({ idle_timeout_minutes: 5, completion_timeout_minutes: 4 });
    expect(said(loaded)).toEqual([
      "refused: /project/inner/.rouse.toml:2:1: health.idle_timeout_minutes: a project file may only lower it (now 5)",
    ]);
  });
});

describe("a budget of a project", () => {
  const key = "tokens_per_night";

  it("applies if the user has none, or if it is smaller", () => {
    project(`[spend]\n${key} = 500`);
    expect(load().config.spend[key]).toBe(500);
    user(`[spend]\n${key} = 900`);
    expect(load().config.spend[key]).toBe(500);
    expect(said(load())).toEqual([]);
  });

  it.each([0, 1000])("of %d neither removes nor raises the user's own", (wanted) => {
    user(`[spend]\n${key} = 900`);
    project(`[spend]\n${key} = ${wanted}`);
    expect(load().config.spend[key]).toBe(900);
    expect(said(load())).toEqual([
      `refused: /project/.rouse.toml:2:1: spend.${key}: a project file may only lower it (now 900), and not to 0, which means no budget`,
    ]);
  });
});

describe("variables", () => {
  it.each([
    ["ROUSE_WATCHDOG_POLL_INTERVAL", "5", "watchdog", "poll_interval_secs", 5],
    ["ROUSE_WATCHDOG_STUCK_THRESHOLD", "7", "watchdog", "stuck_threshold_intervals", 7],
    [
      "ROUSE_WATCHDOG_WORKER_TAGS",
      "worker, secondary-worker,",
      "watchdog",
      "worker_tags",
      ["worker", "secondary-worker"],
    ],
    ["ROUSE_WATCHDOG_ORCHESTRATOR_TAG", "boss", "watchdog", "orchestrator_tag", "boss"],
    ["ROUSE_WATCHDOG_POLL_INTERVAL_SECS", "5", "watchdog", "poll_interval_secs", 5],
    ["ROUSE_HEALTH_AUTO_KILL_ON_IDLE", "off", "health", "auto_kill_on_idle", false],
    ["ROUSE_HEALTH_ENABLED", "1", "health", "enabled", true],
    ["ROUSE_HEALTH_IDLE_TIMEOUT_MINUTES", "0.5", "health", "idle_timeout_minutes", 0.5],
  ])("%s=%s sets %s.%s", (name, text, section, key, value) => {
    const loaded = load({ env: { [name]: text } });
    expect(said(loaded)).toEqual([]);
    expect((loaded.config as Record<string, Record<string, ConfigValue>>)[section]?.[key]).toEqual(value);
    expect(loaded.origins[`${section}.${key}`]).toEqual({ layer: "environment", where: name });
  });

  it.each([
    [
      "ROUSE_WATCHDOG_POLL_INTERVAL",
      "soon",
      'error: ROUSE_WATCHDOG_POLL_INTERVAL: watchdog.poll_interval_secs must be a number from 0.5 to 3600, found "soon"; using 30',
    ],
    [
      "ROUSE_HEALTH_ENABLED",
      "maybe",
      'error: ROUSE_HEALTH_ENABLED: health.enabled must be true or false, found "maybe"; using true',
    ],
    [
      "ROUSE_WATCHDOG_POL_INTERVAL",
      "5",
      "error: ROUSE_WATCHDOG_POL_INTERVAL: unknown variable; did you mean ROUSE_WATCHDOG_POLL_INTERVAL?",
    ],
    [
      "ROUSE_HEALT_IDLE_TIMEOUT_MINUTES",
      "5",
      "error: ROUSE_HEALT_IDLE_TIMEOUT_MINUTES: unknown variable; did you mean ROUSE_HEALTH_IDLE_TIMEOUT_MINUTES?",
    ],
    [
      "ROUSE_IDLE_TIMEOUT_MINUTES",
      "5",
      "error: ROUSE_IDLE_TIMEOUT_MINUTES: unknown variable; did you mean ROUSE_HEALTH_IDLE_TIMEOUT_MINUTES?",
    ],
    ["ROUSE_HOMES", "/x", "error: ROUSE_HOMES: unknown variable; did you mean ROUSE_HOME?"],
    ["ROUSE_HEALTH_QQQQQQQQQQQQQQQQQQQQ", "5", "error: ROUSE_HEALTH_QQQQQQQQQQQQQQQQQQQQ: unknown variable"],
  ])("%s=%s is reported as invalid", (name, text, issue) => {
    expect(said(load({ env: { [name]: text } }))).toEqual([issue]);
  });

  it("are ignored if they are empty or not part of the configuration", () => {
    const others = { ROUSE_SESSION: "x", ROUSE_FULL: "1", ROUSE_SLACK_URL: "x", ROUSE_AGENT_KIND: "codex" };
    expect(load({ env: { ROUSE_WATCHDOG_POLL_INTERVAL: "", ...others } }).issues).toEqual([]);
  });

  it("are one per key", () => {
    const all = [...KEY_BY_NAME].flatMap(([name, key]) => variablesOf(name, key));
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("an invalid line", () => {
  it.each([
    [
      '[watchdog]\npoll_interval_secs = "fast"',
      'error: :2:1: watchdog.poll_interval_secs must be a number from 0.5 to 3600, found "fast"; using 30',
    ],
    [
      "[watchdog]\n\n  poll_interval_secs = 0",
      "error: :3:3: watchdog.poll_interval_secs must be a number from 0.5 to 3600, found 0; using 30",
    ],
    [
      "watchdog.poll_interval_secs = nan",
      "error: :1:1: watchdog.poll_interval_secs must be a number from 0.5 to 3600, found null; using 30",
    ],
    [
      "[watchdog]\npoll_intervall_secs = 3",
      "error: :2:1: unknown key watchdog.poll_intervall_secs; ignored; did you mean watchdog.poll_interval_secs?",
    ],
    [
      "version = 1\n[watchdgo]\npoll_interval_secs = 3",
      "error: :3:1: unknown key watchdgo.poll_interval_secs; ignored; did you mean watchdog.poll_interval_secs?",
    ],
    [
      "[health]\npoll_interval_secs = 3",
      "error: :2:1: unknown key health.poll_interval_secs; ignored; did you mean watchdog.poll_interval_secs?",
    ],
    ["[watchdog]\nzzz = 3", "error: :2:1: unknown key watchdog.zzz; ignored"],
    ["watchdog = 3", "error: :1:1: watchdog is a section: write [watchdog] and its keys below it"],
    [
      "[[watchdog]]\npoll_interval_secs = 3",
      "error: :1:1: watchdog is a section: write [watchdog] and its keys below it",
    ],
    [
      "watchdog = { poll_interval_secs = -1 }",
      "error: :1:1: watchdog.poll_interval_secs must be a number from 0.5 to 3600, found -1; using 30",
    ],
    [
      "[watchdog]\nworker_tags = [1]",
      'error: :2:1: watchdog.worker_tags must be a list of strings, found [1]; using ["worker"]',
    ],
    [
      "[watchdog]\nworker_pattern = '(?<=a)b'",
      'error: :2:1: watchdog.worker_pattern must be a regular expression in RE2 syntax, found "(?<=a)b"; using ""',
    ],
    [
      "[watchdog]\noutput_preview_lines = 51",
      "error: :2:1: watchdog.output_preview_lines must be a number from 0 to 50, found 51; using 5",
    ],
    [
      "[health]\nrepeated_error_threshold = 33",
      "error: :2:1: health.repeated_error_threshold must be a number from 2 to 32, found 33; using 5",
    ],
    [
      "[daemon]\nhttp_port = 1.5",
      "error: :2:1: daemon.http_port must be a whole number from 0 to 65535, found 1.5; using 17687",
    ],
    ["[diagnosis]\nring_size = 50", "error: :2:1: unknown key diagnosis.ring_size; ignored"],
    ["[detectors]\nlearned_quantile = 0.9", "error: :2:1: unknown key detectors.learned_quantile; ignored"],
    ["[alerts]\ngroup_over = 9", "error: :2:1: unknown key alerts.group_over; ignored"],
    ["[workspace]\ndevlog_files = []", "error: :2:1: unknown key workspace.devlog_files; ignored"],
    [
      "[health]\nenabled = 1979-05-27",
      'error: :2:1: health.enabled must be true or false, found "1979-05-27"; using true',
    ],
    [
      "[watchdog]\npoll_interval_secs = = 3",
      "error: :2:22: Invalid TOML document: invalid value; the file is not used",
    ],
    ["version = 9", "error: :1:1: written for a newer rouse (version 9, this one knows 1); unknown keys are ignored"],
    ["__proto__ = 3\nversion = 1", "error: :1:1: unknown key __proto__; ignored"],
    ["[check]\nwarning_hours = 8", "notice: check.warning_hours: must not exceed check.critical_hours (6), found 8"],
  ])("is reported with its position: %s", (text, issue) => {
    const file = user(text).replace(root, "");
    expect(said(load()).map((line) => line.replace(file, ""))).toEqual([issue]);
  });

  it("invalidates only itself", () => {
    user('[watchdog]\npoll_interval_secs = "fast"\nstuck_threshold_intervals = 4');
    expect(load().config.watchdog).toMatchObject({ poll_interval_secs: 30, stuck_threshold_intervals: 4 });
  });

  it("is found below a text of several lines that looks like another", () => {
    const file = user('[watchdog]\norchestrator_tag = """\npoll_interval_secs = 1\n"""\npoll_interval_secs = 0');
    expect(load().issues.map(({ where, position }) => [where, position?.line])).toEqual([[file, 5]]);
  });
});

describe("an invalid configuration file", () => {
  it("does not hang on a pipe", () => {
    mkdirSync(join(root, "project"));
    const makePipe = "mkfifo";
    expect(spawnSync(makePipe, [join(root, "project", ".rouse.toml")]).status).toBe(0);
    expect(said(load())).toEqual(["error: /project/.rouse.toml: it is not a regular file; the file is not used"]);
  });

  it("does not read a folder or a huge file", () => {
    mkdirSync(join(root, "project", ".rouse.toml"), { recursive: true });
    user(`# ${"x".repeat(300_000)}`);
    expect(said(load())).toEqual([
      "error: /home/config/config.toml: it is larger than 256 kB; the file is not used",
      "error: /project/.rouse.toml: it is not a regular file; the file is not used",
    ]);
  });

  it("never throws, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "binary" }), (text) => {
        user(text);
        project(text);
        expect(load().issues.length).toBeLessThanOrEqual(50);
      }),
      { numRuns: 100 },
    );
  });

  it("is reported in a bounded number of lines if it has countless wrong keys", () => {
    user(`[watchdog]\n${Array.from({ length: 900 }, (_, i) => `k${i} = 1`).join("\n")}`);
    expect(load().issues).toHaveLength(50);
  });
});

describe("a .botbox.json", () => {
  const botbox = (health: object): string => write("project/.botbox.json", JSON.stringify({ agents: { health } }));

  it("is followed when it changes, as far as it is stricter than the user's file", () => {
    user("version = 1\n[health]\nidle_timeout_minutes = 20");
    botbox({ idle_timeout_minutes: 12 });
    expect(load().config.health.idle_timeout_minutes).toBe(12);
    botbox({ idle_timeout_minutes: 5, auto_kill_on_idle: false });
    const loaded = load({ cwd: join(root, "project", "inner") });
    expect(loaded.config.health).toMatchObject({ idle_timeout_minutes: 5, auto_kill_on_idle: false });
    expect(loaded.origins["health.idle_timeout_minutes"]).toMatchObject({ layer: "project" });
    botbox({ idle_timeout_minutes: 45, enabled: false });
    expect(load().config.health).toMatchObject({ idle_timeout_minutes: 20, enabled: true });
    expect(said(load())).toEqual([
      "refused: /project/.botbox.json:1:22: health.idle_timeout_minutes: a project file may only lower it (now 20)",
      "refused: /project/.botbox.json:1:48: health.enabled: a project file may only switch it on",
    ]);
  });

  it("is accepted without a word if it says what already applies, or nothing about health", () => {
    botbox({
      enabled: true,
      idle_timeout_minutes: 15,
      completion_timeout_minutes: 10,
      rate_limit_backoff_seconds: 60,
      repeated_error_threshold: 5,
      auto_kill_on_idle: true,
      auto_kill_on_repeated_error: false,
      alert_channel: "ops",
      of_a_newer_botbox: 1,
    });
    expect(load().issues).toEqual([]);
    write("project/.botbox.json", '{"agents": {}}');
    expect(load().issues).toEqual([]);
    write("project/.botbox.json", "{");
    expect(said(load())).toEqual([expect.stringMatching(/^error: \/project\/\.botbox\.json:1:2: invalid JSON/)]);
  });
});

describe("a project file", () => {
  it.each([
    ["[watchdog]\npoll_interval_secs = 31", "watchdog.poll_interval_secs: a project file may only lower it (now 30)"],
    ["[health]\nidle_timeout_minutes = 999", "health.idle_timeout_minutes: a project file may only lower it (now 15)"],
    [
      "[health]\nrate_limit_backoff_seconds = 1",
      "health.rate_limit_backoff_seconds: a project file may only raise it (now 60)",
    ],
    ["[health]\nenabled = false", "health.enabled: a project file may only switch it on"],
    [
      "[health]\nauto_kill_on_repeated_error = true",
      "health.auto_kill_on_repeated_error: a project file may only switch it off",
    ],
    [
      "[health]\nalert_channel = 'mine'",
      "health.alert_channel: a project file may not set it; set it in your own configuration",
    ],
    [
      "[watchdog]\norchestrator_tag = 'mine'",
      "watchdog.orchestrator_tag: a project file may not set it; set it in your own configuration",
    ],
    ["[watchdog]\nworker_tags = []", "watchdog.worker_tags: a project file may only add to it"],
    [
      "[daemon]\ndead_man_url = 'http://x'",
      "daemon.dead_man_url: a project file may not set it; set it in your own configuration",
    ],
    [
      "[activity]\nmin_confidence_threshold = 0.1",
      "activity.min_confidence_threshold: a project file may only raise it (now 0.5)",
    ],
  ])("cannot loosen: %s", (text, issue) => {
    project(text);
    const loaded = load();
    expect(said(loaded)).toEqual([`refused: /project/.rouse.toml:2:1: ${issue}`]);
    expect(loaded.config).toEqual(load({ cwd: root }).config);
  });

  it("may be stricter", () => {
    project("[watchdog]\nworker_tags = ['worker', 'helper']\n[health]\nauto_kill_on_idle = false\nenabled = true");
    const { config, issues } = load();
    expect(issues).toEqual([]);
    expect(config.watchdog.worker_tags).toEqual(["worker", "helper"]);
    expect(config.health.auto_kill_on_idle).toBe(false);
  });

  it("is measured by what the user set, not by the default", () => {
    user("[health]\nidle_timeout_minutes = 60");
    project("[health]\nidle_timeout_minutes = 30");
    expect(load().config.health.idle_timeout_minutes).toBe(30);
  });

  it("leaves every key at least as strict, whatever it says", () => {
    const values = fc.oneof(
      fc.boolean(),
      fc.double({ noNaN: true }),
      fc.integer(),
      fc.constant("x"),
      fc.constant(["x", "worker"]),
    );
    fc.assert(
      fc.property(fc.constantFrom(...KEY_BY_NAME.keys()), values, (full, value) => {
        const [section = "", name = ""] = full.split(".");
        project(`[${section}]\n${name} = ${typeof value === "number" ? String(value) : JSON.stringify(value)}`);
        const key = KEY_BY_NAME.get(full);
        const after = (load().config as Record<string, Record<string, ConfigValue>>)[section]?.[name] as ConfigValue;
        if (key && after !== key.default) expect(checkProjectValue(key, key.default, after)).toBeNull();
      }),
    );
  });
});
