import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { addInit } from "./init.js";

let home: string;
let output: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-init-"));
  output = "";
  vi.stubEnv("HOME", home);
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
});
