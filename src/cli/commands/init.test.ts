import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { init, useInitHome } from "../../../test/support/init.js";
import { loadConfig } from "../../config/load.js";

const home = useInitHome((path) => ({
  CLAUDE_CONFIG_DIR: "",
  CODEX_HOME: "",
  // The test decides whether Claude Code is installed, and which release.
  PATH: join(path, "bin"),
}));
beforeEach(() => {
  vi.spyOn(process, "cwd").mockReturnValue(home.path);
});

describe("rouse init", () => {
  it("shows a diff and changes nothing with --dry-run", async () => {
    expect(await init("claude-code", "--dry-run")).toBe(0);
    expect(home.output).toMatch(/^--- .*settings\.json\n\+\+\+ /);
    expect(home.output).toContain("hook claude-code");
    expect(existsSync(join(home.path, ".claude"))).toBe(false);
  });

  it("installs hooks for every program with settings, and removes them again", async () => {
    mkdirSync(join(home.path, ".codex"));
    writeFileSync(join(home.path, ".codex", "config.toml"), 'model = "a"\n');
    mkdirSync(join(home.path, ".gemini"));
    expect(await init()).toBe(0);
    expect(home.output).toContain("config.toml changed; backup:");
    expect(readFileSync(join(home.path, ".gemini", "settings.json"), "utf8")).toContain("hook gemini");
    expect(existsSync(join(home.path, ".claude"))).toBe(false);
    expect(await init("--remove")).toBe(0);
    expect(readFileSync(join(home.path, ".codex", "config.toml"), "utf8")).toBe('model = "a"\n');
    home.forget();
    await init("--remove");
    expect(home.output).toBe("codex: nothing to do\ngemini: nothing to do\n");
  });

  it("reports unreadable settings in one line and installs for the other programs", async () => {
    mkdirSync(join(home.path, ".claude"));
    writeFileSync(join(home.path, ".claude", "settings.json"), "{");
    mkdirSync(join(home.path, ".codex"));
    expect(await init()).toBe(1);
    expect(home.output).toMatch(/^rouse: .*settings\.json: line 1, column 2: .*nothing was changed$/m);
    expect(readFileSync(join(home.path, ".codex", "config.toml"), "utf8")).toContain("notify");
  });

  it("says that it found no settings of any program", async () => {
    expect(await init()).toBe(0);
    expect(home.output).toContain("no settings of claude-code, codex or gemini found");
  });

  it("installs HTTP hooks with --http, hides the key in a diff, and says that the daemon must run", async () => {
    vi.stubEnv("ROUSE_HOME", join(home.path, "rouse"));
    mkdirSync(join(home.path, ".claude"));
    expect(await init("--http", "--dry-run")).toBe(0);
    expect(home.output).toContain('"Authorization": "Bearer KEY"');
    expect(existsSync(join(home.path, "rouse"))).toBe(false);
    expect(await init("--http")).toBe(0);
    const key = readFileSync(join(home.path, "rouse", "state", "hook.key"), "utf8").trim();
    expect(readFileSync(join(home.path, ".claude", "settings.json"), "utf8")).toContain(`Bearer ${key}`);
    expect(home.output).not.toContain(key);
    expect(home.output).toContain("while the daemon is down, Claude Code shows an error");
    await init("--remove");
    expect(home.output).toMatch(/^claude-code: .*settings\.json removed$/m);
    expect(existsSync(join(home.path, ".claude", "settings.json"))).toBe(false);
  });

  it("prints the telemetry settings, and refuses if the port is off", async () => {
    vi.stubEnv("ROUSE_HOME", join(home.path, "rouse"));
    await init("--otel");
    expect(home.output).toContain("OTEL_EXPORTER_OTLP_PROTOCOL=http/json");
    expect(home.output).toContain("127.0.0.1:17687/v1/logs");
    vi.stubEnv("ROUSE_DAEMON_HTTP_PORT", "0");
    await expect(init("--otel")).rejects.toThrow("daemon.http_port is 0");
  });

  describe("the plugin for Claude Code", () => {
    const settings = (): string => readFileSync(join(home.path, ".claude", "settings.json"), "utf8");
    const folder = (): string => join(home.path, "rouse", "state", "claude-code-plugin");
    const claude = (version: string): void => {
      mkdirSync(join(home.path, "bin"), { recursive: true });
      writeFileSync(join(home.path, "bin", "claude"), `#!/bin/sh\necho "${version} (Claude Code)"\n`, { mode: 0o755 });
    };
    beforeEach(() => {
      mkdirSync(join(home.path, ".claude"));
      writeFileSync(join(home.path, ".claude", "settings.json"), '{\n  "model": "opus" // mine\n}\n');
    });

    it("is installed if the program is named, shown by --dry-run, and removed completely", async () => {
      claude("2.1.325");
      await init("claude-code", "--dry-run");
      expect(home.output).toContain('+    "rouse@rouse": true');
      expect(existsSync(folder())).toBe(false);
      await init("claude-code");
      expect(settings()).toContain('"rouse@rouse": true');
      expect(settings()).not.toContain("hook claude-code");
      expect(readFileSync(join(folder(), "commands", "rouse.md"), "utf8")).toContain("get_worker_status");
      home.forget();
      await init("claude-code");
      await init();
      expect(home.output).toMatch(
        /^claude-code: nothing to do; its hooks come from the plugin\n.*claude-code: nothing to do;/s,
      );
      await init("claude-code", "--remove");
      expect(settings()).toBe('{\n  "model": "opus" // mine\n}\n');
      expect(existsSync(folder())).toBe(false);
    });

    it("calls rouse by its path if it is not on the PATH", async () => {
      await init("claude-code", "--plugin");
      const own = join(import.meta.dirname, "..", "..", "..", "bin", "rouse");
      const mcp = JSON.parse(readFileSync(join(folder(), ".mcp.json"), "utf8")) as object;
      expect(mcp).toEqual({ mcpServers: { rouse: { command: own, args: ["mcp"] } } });
      const hooks = readFileSync(join(folder(), "hooks", "hooks.json"), "utf8");
      expect(hooks.match(/bin\/rouse'? hook claude-code --plugin"/g)).toHaveLength(12);
    });

    it("replaces hooks in the settings and is replaced by them: never both", async () => {
      claude("2.1.325");
      await init();
      expect(settings()).toContain("hook claude-code");
      expect(settings()).not.toContain("rouse@rouse");
      await init("claude-code");
      expect(settings()).not.toContain("hook claude-code");
      await init("claude-code", "--no-plugin");
      expect(settings()).toContain("hook claude-code");
      expect(settings()).not.toContain("rouse@rouse");
      expect(existsSync(folder())).toBe(false);
    });

    it.each([
      ["claude is not on the PATH", null],
      ["version 2.0.9 is older than 2.1.100", "2.0.9"],
    ])("is replaced by hooks in the settings if %s", async (why, version) => {
      if (version !== null) claude(version);
      await init("claude-code");
      expect(home.output).toContain(`claude-code: ${why}: installed hooks without the plugin`);
      expect(settings()).toContain("hook claude-code");
      expect(existsSync(folder())).toBe(false);
    });

    it("stays disabled until the program is named", async () => {
      claude("2.1.325");
      await init("claude-code");
      writeFileSync(join(home.path, ".claude", "settings.json"), settings().replace("true", "false"));
      await init();
      expect(home.output).toContain("installed but disabled");
      expect(settings()).not.toContain("hook claude-code");
      await init("claude-code");
      expect(settings()).toContain('"rouse@rouse": true');
    });

    it("is refused for other programs and with --http", async () => {
      vi.spyOn(process.stderr, "write").mockReturnValue(true);
      await expect(init("codex", "--plugin")).rejects.toThrow("apply only to claude-code");
      await expect(init("claude-code", "--plugin", "--http")).rejects.toThrow("cannot be combined with --plugin");
    });
  });

  it.each([
    [["--otel", "--remove"], "--otel changes no file"],
    [["--service", "--otel"], "--service and --otel cannot be combined"],
    [["--service", "--http"], "cannot be combined with --http"],
    [["agents-md", "--otel"], "agents-md cannot be combined"],
    [["agents-md", "--service"], "--service takes no program"],
  ])("refuses options that cannot be combined: %j", async (args, text) => {
    await expect(init(...args)).rejects.toThrow(text);
  });

  it("creates a configuration of defaults, and never changes an existing one", async () => {
    const path = join(home.path, "rouse", "config", "config.toml");
    expect(await init("--dry-run")).toBe(0);
    expect(home.output).toContain(`Would create ${path}\n`);
    expect(existsSync(path)).toBe(false);
    expect(await init()).toBe(0);
    expect(home.output).toContain(`Created ${path}\n`);
    expect(readFileSync(path, "utf8")).toContain("# poll_interval_secs = 30");
    expect(loadConfig().issues).toEqual([]);
    writeFileSync(path, "# mine\n");
    expect(await init()).toBe(0);
    expect(home.output).toContain(`${path} already exists (unchanged)\n`);
    expect(readFileSync(path, "utf8")).toBe("# mine\n");
  });

  it("fails if the configuration is not a regular file", async () => {
    mkdirSync(join(home.path, "rouse", "config", "config.toml"), { recursive: true });
    expect(await init()).toBe(1);
    expect(home.output).toMatch(/^rouse: .*config\.toml: it is not a regular file; the file is not used$/m);
    expect(home.output).not.toContain("already exists");
  });

  it("imports agents.health of a .botbox.json, and reports invalid values with their line", async () => {
    const path = join(home.path, "rouse", "config", "config.toml");
    const health = '{"idle_timeout_minutes": 20,\n"alert_channel": "dev",\n"idle_timeout": 3}';
    writeFileSync(join(home.path, ".botbox.json"), `{"agents": {"health": ${health}}}`);
    expect(await init()).toBe(1);
    expect(home.output).toContain('  health.idle_timeout_minutes = 20\n  health.alert_channel = "dev"\n');
    expect(home.output).toMatch(
      /^rouse: .*\.botbox\.json:3:1: unknown key idle_timeout; ignored; did you mean health\.idle_/m,
    );
    expect(loadConfig().config.health).toMatchObject({ idle_timeout_minutes: 20, alert_channel: "dev" });
    writeFileSync(path, "# mine\n");
    home.forget();
    await init();
    expect(home.output).toContain("already exists (unchanged); to add from ");
    expect(home.output).toContain(":\n  health.idle_timeout_minutes = 20\n");
    rmSync(join(home.path, ".botbox.json"));
    symlinkSync("/etc/hostname", join(home.path, ".botbox.json"));
    expect(await init()).toBe(1);
    expect(home.output).toMatch(/ELOOP.*; the file is not used/);
  });
});
