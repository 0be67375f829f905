import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadConfig } from "../config/load.js";
import { addInit } from "./init.js";

let home: string;
let output: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-init-"));
  output = "";
  vi.stubEnv("HOME", home);
  vi.stubEnv("ROUSE_HOME", join(home, "rouse"));
  vi.spyOn(process, "cwd").mockReturnValue(home);
  vi.stubEnv("CLAUDE_CONFIG_DIR", "");
  vi.stubEnv("CODEX_HOME", "");
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((text) => {
      output += String(text);
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function init(...args: string[]): Promise<number> {
  let exit = 0;
  const program = new Command().exitOverride();
  addInit(program, (code) => {
    exit = code;
  });
  await program.parseAsync(["init", ...args], { from: "user" });
  return exit;
}

describe("rouse init", () => {
  it("shows a diff and changes nothing with --dry-run", async () => {
    expect(await init("claude-code", "--dry-run")).toBe(0);
    expect(output).toMatch(/^--- .*settings\.json\n\+\+\+ /);
    expect(output).toContain("hook claude-code");
    expect(existsSync(join(home, ".claude"))).toBe(false);
  });

  it("installs for every program that has settings here, says where, and removes again", async () => {
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex", "config.toml"), 'model = "a"\n');
    mkdirSync(join(home, ".gemini"));
    expect(await init()).toBe(0);
    expect(output).toContain("config.toml changed; as it was:");
    expect(readFileSync(join(home, ".gemini", "settings.json"), "utf8")).toContain("hook gemini");
    expect(existsSync(join(home, ".claude"))).toBe(false);
    expect(await init("--remove")).toBe(0);
    expect(readFileSync(join(home, ".codex", "config.toml"), "utf8")).toBe('model = "a"\n');
    output = "";
    await init("--remove");
    expect(output).toBe("codex: nothing to do\ngemini: nothing to do\n");
  });

  it("fails with one line on settings that it cannot read, and still serves the others", async () => {
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude", "settings.json"), "{");
    mkdirSync(join(home, ".codex"));
    expect(await init()).toBe(1);
    expect(output).toMatch(/^rouse: .*settings\.json: line 1, column 2: .*nothing was changed$/m);
    expect(readFileSync(join(home, ".codex", "config.toml"), "utf8")).toContain("notify");
  });

  it("says so when there is nothing to install into", async () => {
    expect(await init()).toBe(0);
    expect(output).toContain("no settings of claude-code, codex, gemini found");
  });

  it("lets Claude Code post with --http, shows no key in a diff, and says what that asks for", async () => {
    vi.stubEnv("ROUSE_HOME", join(home, "rouse"));
    mkdirSync(join(home, ".claude"));
    expect(await init("--http", "--dry-run")).toBe(0);
    expect(output).toContain('"Authorization": "Bearer KEY"');
    expect(existsSync(join(home, "rouse"))).toBe(false);
    expect(await init("--http")).toBe(0);
    const key = readFileSync(join(home, "rouse", "state", "hook.key"), "utf8").trim();
    expect(readFileSync(join(home, ".claude", "settings.json"), "utf8")).toContain(`Bearer ${key}`);
    expect(output).not.toContain(key);
    expect(output).toContain("keep it up");
    await init("--remove");
    expect(readFileSync(join(home, ".claude", "settings.json"), "utf8").replace(/\s/g, "")).toBe("{}");
  });

  it("shows what makes the programs export, and refuses where no port is wanted", async () => {
    vi.stubEnv("ROUSE_HOME", join(home, "rouse"));
    await init("--otel");
    expect(output).toContain("OTEL_EXPORTER_OTLP_PROTOCOL=http/json");
    expect(output).toContain("127.0.0.1:17687/v1/logs");
    vi.stubEnv("ROUSE_DAEMON_HTTP_PORT", "0");
    await expect(init("--otel")).rejects.toThrow("daemon.http_port is 0");
  });

  it("begins a configuration in which every line is a default, and never touches one that is there", async () => {
    const path = join(home, "rouse", "config", "config.toml");
    expect(await init("--dry-run")).toBe(0);
    expect(output).toContain(`would begin ${path}\n`);
    expect(existsSync(path)).toBe(false);
    expect(await init()).toBe(0);
    expect(output).toContain(`${path} begun\n`);
    expect(readFileSync(path, "utf8")).toContain("# poll_interval_secs = 30");
    expect(loadConfig().problems).toEqual([]);
    writeFileSync(path, "# mine\n");
    expect(await init()).toBe(0);
    expect(output).toContain(`${path} is there and stays as it is\n`);
    expect(readFileSync(path, "utf8")).toBe("# mine\n");
  });

  it("takes over agents.health of a .botbox.json, and says what it cannot take with its line", async () => {
    const path = join(home, "rouse", "config", "config.toml");
    const health = '{"idle_timeout_minutes": 20,\n"alert_channel": "dev",\n"idle_timeout": 3}';
    writeFileSync(join(home, ".botbox.json"), `{"agents": {"health": ${health}}}`);
    expect(await init()).toBe(1);
    expect(output).toContain('  health.idle_timeout_minutes = 20\n  health.alert_channel = "dev"\n');
    expect(output).toMatch(/^rouse: .*\.botbox\.json:3:1: there is no key idle_timeout; did you mean health\.idle_/m);
    expect(loadConfig().config.health).toMatchObject({ idle_timeout_minutes: 20, alert_channel: "dev" });
    writeFileSync(path, "");
    output = "";
    await init();
    expect(output).toContain("stays as it is; ");
    expect(output).toContain("for you to add:\n  health.idle_timeout_minutes = 20\n");
    rmSync(join(home, ".botbox.json"));
    symlinkSync("/etc/hostname", join(home, ".botbox.json"));
    expect(await init()).toBe(1);
    expect(output).toContain("nothing is taken over");
  });
});
