import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JournalView } from "../../../api/service/daemon.js";
import { rousePaths } from "../../../config/paths.js";
import { applyHooks, planHooks } from "../../../setup/hooks-install.js";
import { alarmLine, alertLines } from "./alarm.js";
import { agentLine, doctorText, journalLine } from "./doctor.js";
import { portLine } from "./http.js";
import type { DoctorLine } from "./line.js";
import { configLines, folderLines, nodeLine, policyLines, sqliteLine, staleLines, tmuxLine } from "./machine.js";
import { hookLines, profileLines, programLines } from "./programs.js";

let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-doctor-"));
  env = { HOME: folder, PATH: join(folder, "bin"), ROUSE_HOME: join(folder, "rouse") };
  mkdirSync(join(folder, "bin"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string, body: string): void =>
  writeFileSync(join(folder, "bin", name), `#!${process.execPath}\n${body}\n`, { mode: 0o755 });

const JOURNAL: JournalView = {
  engine: "node:sqlite",
  schema: 7,
  sessions: 1,
  signals: 2,
  bytes: 4096,
  lost: 0,
  skipped: 0,
  pending: 0,
  commits: 1,
  failures: 0,
  last_error: null,
  last_commit_ms: 1,
  damage: null,
};

describe("rouse doctor", () => {
  it("fails for a Node.js that is too old", () => {
    expect(["20.18.3", "18.0.0", "20.19.0", "24.1.0"].map((version) => nodeLine(version).level)).toEqual([
      "fail",
      "fail",
      "ok",
      "ok",
    ]);
  });

  it("runs SQLite, and suggests a fix if it is missing", () => {
    expect(sqliteLine()).toMatchObject({ level: "ok", message: expect.stringMatching(/^SQLite 3\./) });
    const none = (): never => {
      throw new Error("no usable SQLite");
    };
    expect(sqliteLine(none)).toMatchObject({ level: "fail", message: "no usable SQLite", fix: expect.any(String) });
  });

  it("fails for a journal that was deleted or changed, and says when", () => {
    const damage = { at: "2026-03-02T09:00:00.000Z", text: "The journal was deleted" };
    expect(journalLine({ ...JOURNAL, damage })).toMatchObject({
      level: "fail",
      message: expect.stringContaining("2026-03-02T09:00:00.000Z: The journal was deleted"),
    });
    expect(journalLine({ ...JOURNAL, skipped: 3 })).toMatchObject({
      level: "warn",
      message: expect.stringMatching(/3 stored signals/),
    });
    expect(journalLine(JOURNAL).level).toBe("ok");
  });

  it("fails for a folder that other users can access, and suggests chmod", () => {
    const paths = rousePaths(env);
    mkdirSync(paths.state, { recursive: true, mode: 0o700 });
    mkdirSync(paths.runtime, { recursive: true });
    chmodSync(paths.runtime, 0o755);
    expect(folderLines(paths)).toMatchObject([
      { name: "state folder", level: "ok" },
      { name: "runtime folder", level: "fail", fix: `chmod go-rwx ${paths.runtime}` },
    ]);
  });

  it("fails if rouse's folders cannot be created", () => {
    const paths = rousePaths(env);
    const lines = folderLines(paths, (path) => path !== folder);
    expect(lines.map(({ name, level }) => [name, level])).toEqual([
      ["config folder", "fail"],
      ["state folder", "fail"],
      ["runtime folder", "fail"],
    ]);
    expect(folderLines(paths)).toEqual([]);
  });

  it.runIf(process.platform === "linux")("fails for a folder in /proc, which only reports write access", () => {
    expect(folderLines(rousePaths({ ...env, ROUSE_HOME: "/proc/nope" }))).toMatchObject(
      ["config", "state", "runtime"].map((which) => ({
        name: `${which} folder`,
        level: "fail",
        message: expect.stringMatching(/^\/proc\/nope\/\w+ is not writable$/),
      })),
    );
  });

  it("leaves no files behind after it checked write access", () => {
    folderLines(rousePaths(env));
    expect(readdirSync(folder)).toEqual(["bin"]);
  });

  it("notices a configuration that the running daemon has not read", () => {
    const paths = rousePaths(env);
    mkdirSync(paths.config, { recursive: true });
    mkdirSync(paths.runtime, { recursive: true });
    writeFileSync(join(paths.config, "config.toml"), "");
    expect(staleLines(paths)).toEqual([]);
    writeFileSync(paths.daemonSocket, "");
    const later = new Date(Date.now() + 60_000);
    utimesSync(paths.daemonSocket, later, later);
    expect(staleLines(paths)).toEqual([]);
    utimesSync(join(paths.config, "config.toml"), later, new Date(later.getTime() + 1000));
    expect(staleLines(paths)).toMatchObject([{ level: "warn", fix: expect.stringContaining("rouse down") }]);
  });

  it.each([
    ["tmux 3.3a", "ok"],
    ["tmux 3.1c", "warn"],
    ["tmux next-3.6", "ok"],
  ])("rates %s as %s", async (said, level) => {
    program("tmux", `console.log(${JSON.stringify(said)})`);
    expect(await tmuxLine(env)).toMatchObject({ level });
  });

  it("warns if tmux is not installed", async () => {
    expect(await tmuxLine(env)).toMatchObject({ level: "warn", message: "tmux is not installed" });
  });

  it("warns of a program that is newer than its profile or prints no version", async () => {
    program("claude", 'console.log("99.0.1 (Claude Code)")');
    program("codex", 'console.log("codex-cli 0.165.0")');
    program("gemini", "process.exit(1)");
    expect(await programLines(env)).toMatchObject([
      { name: "claude", level: "warn", message: expect.stringContaining("99.0.1 is newer than its profile") },
      { name: "codex", level: "ok", message: "0.165.0, known" },
      { name: "gemini", level: "warn", message: "cannot read its version" },
    ]);
  });

  it("lists the user's own profiles, and fails for a profile with an error", () => {
    const error = { level: "error", where: "b.toml", position: { line: 2, column: 1 }, text: "wrong" } as const;
    const profiles = [{ id: "codex" }, { id: "sketch", programs: ["sketch", "sk"] }];
    expect(profileLines({ profiles, paths: ["a.toml", "s.json"], issues: [error] })).toMatchObject([
      { name: "profile", level: "ok", message: "codex: a.toml" },
      { name: "profile", level: "ok", message: "sketch, for sketch, sk: s.json" },
      { name: "profile", level: "fail", message: "b.toml:2:1: wrong", fix: expect.stringContaining("add-a-program") },
    ]);
  });

  it("uses the versions in the user's own profile", async () => {
    program("codex", 'console.log("codex-cli 99.1.0")');
    expect(await programLines(env)).toMatchObject([{ name: "codex", level: "warn" }]);
    const { config } = rousePaths(env);
    mkdirSync(join(config, "profiles"), { recursive: true });
    const text = 'id = "codex"\nversions = { from = "0.1.0", to = "99.1.0" }\n';
    writeFileSync(join(config, "profiles", "codex.toml"), text);
    expect(await programLines(env)).toMatchObject([{ name: "codex", level: "ok" }]);
  });

  it("finds the programs of the user's own profiles, and starts none of them", async () => {
    const started = join(folder, "started");
    program("sketch", `require("node:fs").writeFileSync(${JSON.stringify(started)}, "")`);
    const { config } = rousePaths(env);
    mkdirSync(join(config, "profiles"), { recursive: true });
    writeFileSync(join(config, "profiles", "sketch.toml"), 'id = "sketch"\nprograms = ["sketch", "sk"]\n');
    expect(await programLines(env)).toMatchObject([{ name: "sketch", level: "ok", fix: null }]);
    expect(existsSync(started)).toBe(false);
  });

  it("reports whether hooks are installed", () => {
    mkdirSync(join(folder, ".claude"));
    mkdirSync(join(folder, ".codex"));
    const settings = { hooks: { Stop: [{ hooks: [{ type: "command", command: "rouse hook claude-code" }] }] } };
    writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify(settings));
    expect(hookLines(true, env)).toMatchObject([
      { name: "hooks of claude-code", level: "ok" },
      { name: "hooks of codex", level: "warn", fix: "run `rouse init codex`" },
    ]);
  });

  it("reports the hooks of the plugin, and warns if it is disabled or missing", () => {
    const plugin = join(rousePaths(env).state, "claude-code-plugin");
    const plan = planHooks("claude-code", { command: ["rouse"], env, plugin });
    applyHooks(plan);
    const line = (): DoctorLine | undefined => hookLines(true, env)[0];
    expect(line()).toMatchObject({
      level: "warn",
      message: expect.stringContaining("does not exist"),
      fix: "run `rouse init claude-code`",
    });
    mkdirSync(plugin, { recursive: true });
    expect(line()).toMatchObject({ level: "ok", message: expect.stringContaining("from the plugin") });
    writeFileSync(plan.path, plan.after.replace("true", "false"));
    expect(line()).toMatchObject({ level: "warn", message: "the plugin is installed but disabled" });
  });

  it("warns if hooks post to a stopped daemon, to another port or with another key", () => {
    const settings = planHooks("claude-code", { command: ["rouse"], env, http: { port: 17_687, key: "k".repeat(43) } });
    applyHooks(settings);
    const line = (isUp: boolean): DoctorLine | undefined => hookLines(isUp, env)[0];
    expect(line(false)).toMatchObject({ level: "warn", message: expect.stringContaining("not running") });
    expect(line(true)).toMatchObject({ level: "warn", message: expect.stringContaining("another key") });
    const { state, hookKey } = rousePaths(env);
    mkdirSync(state, { recursive: true });
    writeFileSync(hookKey, "k".repeat(43), { mode: 0o600 });
    expect(line(true)).toMatchObject({ level: "ok" });
    env.ROUSE_DAEMON_HTTP_PORT = "4000";
    expect(line(true)).toMatchObject({ level: "warn", fix: "run `rouse init claude-code --http`" });
  });

  it("reports the port with its traffic, refusals and errors", () => {
    const telemetry = { logs: 3, points: 2, spans: 0, unmatched: 1, unknown: { new_event: 4 } };
    const open = {
      port: 1,
      address: "127.0.0.1",
      listening: true,
      error: null,
      hooks: 7,
      unmatched: 0,
      refused: {},
      telemetry,
    };
    expect(portLine(open)).toMatchObject({
      level: "ok",
      message: "127.0.0.1:1, 7 hooks, 5 telemetry records, 1 of them from unknown agents, 4 with unknown names",
    });
    expect(portLine({ ...open, refused: { key: 2 } })).toMatchObject({
      level: "warn",
      message: expect.stringContaining("2 (key)"),
    });
    expect(portLine({ ...open, listening: false, error: "another program uses it" })).toMatchObject({ level: "warn" });
    expect(portLine({ ...open, port: 0, listening: false })).toMatchObject({ level: "ok" });
  });

  it("fails for an error in the configuration and warns of notices", () => {
    const issues = [
      { level: "error", where: "a.toml", text: "wrong" },
      { level: "notice", where: "b", text: "odd" },
    ] as const;
    const loaded = { config: {} as never, origins: {}, issues: [...issues] };
    expect(configLines(() => loaded)).toMatchObject([
      { level: "fail", message: "a.toml: wrong" },
      { level: "warn", message: "b: odd" },
    ]);
    const alerts = [{ level: "error", where: "a.toml", text: "channels.x: wrong" } as const];
    expect(
      configLines(
        () => ({ ...loaded, issues: [] }),
        () => [...alerts],
      ),
    ).toMatchObject([{ level: "fail", message: "a.toml: channels.x: wrong" }]);
  });

  it("fails for a policy with an error, with file and line", () => {
    const issue = { level: "error", where: "night.toml", position: { line: 4, column: 1 }, text: "wrong" } as const;
    expect(policyLines([issue])).toMatchObject([{ level: "fail", message: "night.toml:4:1: wrong" }]);
    expect(policyLines([])).toEqual([]);
  });

  it("fails for an agent that it cannot see, with the reason", () => {
    const sight = { name: "api", session: "s1", kind: "codex", origin: "spawn", version: null, missing: [] } as const;
    expect(agentLine({ ...sight, missing: [], unobserved_reason: null, available: ["screen"] })).toMatchObject({
      level: "ok",
    });
    expect(
      agentLine({ ...sight, missing: [], unobserved_reason: "its host is silent", available: ["screen"] }),
    ).toMatchObject({
      level: "fail",
      message: "codex (spawn): cannot see it: its host is silent",
      fix: expect.stringContaining("kill -CONT"),
    });
  });

  it("prints the fix below each problem", () => {
    const lines = [
      { name: "a", level: "ok", message: "fine", fix: null },
      { name: "bb", level: "fail", message: "broken", fix: "fix it" },
    ] as const;
    expect(doctorText(lines, {})).toBe("ok    a   fine\nFAIL  bb  broken\n          -> fix it\n");
    const long = [
      { name: "bb", level: "fail", message: "so broken ".repeat(6).trim(), fix: "do this ".repeat(6).trim() },
    ] as const;
    expect(doctorText(long, {}).split("\n")).toHaveLength(3);
    expect(doctorText(long, { columns: 40 })).toBe(
      "FAIL  bb  so broken so broken so broken\n          so broken so broken so broken\n" +
        "          -> do this do this do this do\n             this do this do this\n",
    );
  });

  it.each([
    ["no daemon", { daemon: null }, "warn", "problems are not detected: the daemon"],
    [
      "judging off",
      { daemon: { sinceTickMs: 500, isJudging: false, failures: 0, alerts: null } },
      "fail",
      "health.enabled is off",
    ],
    [
      "a late daemon",
      { daemon: { sinceTickMs: 45_000, isJudging: true, failures: 0, alerts: null } },
      "fail",
      "45 s ago",
    ],
    [
      "a daemon that has just started",
      { daemon: { sinceTickMs: null, isJudging: true, failures: 0, alerts: null } },
      "warn",
      "just started",
    ],
    [
      "a journal that cannot be written",
      { daemon: { sinceTickMs: 500, isJudging: true, failures: 3, alerts: null } },
      "warn",
      "not recorded",
    ],
    [
      "no alert channel",
      { daemon: { sinceTickMs: 500, isJudging: true, failures: 0, alerts: null } },
      "warn",
      "no alert channel",
    ],
  ] as const)("reports whether a problem would be detected and sent, with %s", (_, path, level, message) => {
    expect(alarmLine(path)).toMatchObject({ level, message: expect.stringMatching(message), fix: expect.any(String) });
  });

  const ALERT = {
    key: "k",
    channel: "ops",
    state: "pending",
    event: "opened",
    severity: "warning",
    at: "2026-11-15T10:00:00.000Z",
    due_at: null,
    attempts: 1,
    error: null,
    title: "Watchdog: agent api crashed",
    lines: [],
    agents: [],
    incidents: [],
  } as const;
  const alerts = {
    channels: [{ name: "ops", type: "slack", to: "hooks.slack.com" }],
    pending: 0,
    failed: 0,
    failed_alerts: [],
    failing: [],
    issues: [],
  };

  it("names the channels that alerts are sent to", () => {
    const line = alarmLine({ daemon: { sinceTickMs: 500, isJudging: true, failures: 0, alerts } });
    expect(line).toMatchObject({ level: "ok", message: "problems are recorded and sent to ops (slack)" });
    expect(alertLines(alerts)).toEqual([]);
  });

  it("names every failing channel once, with the reason of its latest alert", () => {
    const failing = ["ops: refused", "phone: no answer", "ops: older", "home: 404"].map((text) => {
      const [channel = "", error = ""] = text.split(": ");
      return { ...ALERT, channel, error };
    });
    const { message } = alarmLine({
      daemon: { sinceTickMs: 500, isJudging: true, failures: 0, alerts: { ...alerts, failing } },
    });
    expect(message).toMatch(/; failing: ops: refused; phone: no answer; home: 404$/);
    const [line] = alertLines({ ...alerts, failed: 4, failed_alerts: failing });
    expect(line?.message).toBe("4 could not be sent; ops: refused; phone: no answer; home: 404");
  });

  it("fails for failed alerts and for a channel with an error", () => {
    const lines = alertLines({ ...alerts, failed: 2, issues: ["channels.phone: url must begin with https://"] });
    expect(lines.map(({ level }) => level)).toEqual(["fail", "fail"]);
    expect(lines[1]?.message).toMatch(/^2 could not be sent/);
  });
});
