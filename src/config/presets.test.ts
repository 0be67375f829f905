import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { issueText } from "./issue.js";
import { loadConfig } from "./load.js";
import { loadPresets, presetCommand } from "./presets.js";
import { migrateConfig } from "./write.js";

/** As the watchdog proposal gives it. */
const WATCHDOG = `
[presets.watchdog]
harness = "claude"
description = "Dedicated worker monitoring agent"

[presets.watchdog.config]
model = "haiku"
dangerously_skip_permissions = true
`;

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-presets-"));
  mkdirSync(join(home, "config"));
  mkdirSync(join(home, "project"));
  vi.stubEnv("ROUSE_HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const file = (): string => join(home, "config", "config.toml");
const user = (text: string): void => writeFileSync(file(), `version = 1\n${text}`);
const said = (): string[] =>
  loadPresets().issues.map((issue) => `${issue.level}: ${issueText(issue).replace(file(), "f")}`);

describe("a preset", () => {
  it("of the watchdog proposal starts its harness with its model, and never skips permissions", () => {
    user(WATCHDOG);
    expect(loadConfig({ cwd: home }).issues).toEqual([]);
    expect(presetCommand("watchdog", ["--tools", ""])).toEqual({
      command: ["claude", "--model", "haiku", "--tools", ""],
    });
    expect(loadPresets().presets.get("watchdog")).toMatchObject({ description: "Dedicated worker monitoring agent" });
    expect(said()).toEqual([
      "refused: f:9:1: presets.watchdog.config.dangerously_skip_permissions: rouse passes no option that skips permissions; allow the tools instead",
    ]);
  });

  it.each([
    ["claude-code", ["claude"]],
    ["codex", ["codex"]],
    ["gemini", ["gemini"]],
    ["opencode", ["opencode"]],
  ])("names its harness by id or command: %s", (harness, command) => {
    user(`[presets.one]\nharness = "${harness}"\n`);
    expect(presetCommand("one", [])).toEqual({ command });
  });

  it.each([
    ['harness = "sh -c true"', "f:3:1: presets.one.harness: unknown program; available: claude, claude-code"],
    ['harness = "bash"', "f:3:1: presets.one.harness: unknown program; available: claude, claude-code"],
    ['harness = "generic"', "f:3:1: presets.one.harness: unknown program; "],
    ["harness = 3", "f:3:1: presets.one.harness: "],
    ['description = "x"', "presets.one.harness: "],
    ['harness = "claude"\ncommand = "rm -rf /"', "f:2:1: presets.one: unknown setting command; it is not used"],
    [
      'harness = "claude"\nconfig = { model = "--dangerously-skip-permissions" }',
      "presets.one.config.model: must be the name of a model; it is not used",
    ],
    ['harness = "claude"\nconfig = { model = "a b" }', "presets.one.config.model: must be the name of a model"],
  ])("runs no command of its own: %s", (text, issue) => {
    user(`[presets.one]\n${text}\n`);
    expect(said()).toEqual([expect.stringContaining(issue)]);
    expect(presetCommand("one", [])).toEqual({
      problem: 'unknown preset "one"; no preset is configured; add [presets.NAME] to your configuration',
    });
  });

  it("of a project is refused", () => {
    writeFileSync(join(home, "project", ".rouse.toml"), `version = 1\n${WATCHDOG}`);
    const { issues } = loadConfig({ cwd: join(home, "project") });
    expect(new Set(issues.map(({ level, text }) => `${level}: ${text}`))).toEqual(
      new Set(["refused: presets: a project file may not define presets; define them in your own configuration"]),
    );
    expect(loadPresets().presets.size).toBe(0);
  });

  it("is suggested for a similar name, and kept when the file is migrated", () => {
    writeFileSync(file(), WATCHDOG);
    expect(presetCommand("watchdogs", [])).toEqual({
      problem: 'unknown preset "watchdogs"; did you mean watchdog? available: watchdog',
    });
    expect(migrateConfig(file()).text).toContain("[presets.watchdog.config]");
  });
});
