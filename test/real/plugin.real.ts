/**
 * The plugin in a real Claude Code, as `rouse init claude-code` installs it: its hooks, its tools, and a clean
 * removal.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";
import { CLAUDE_CODE } from "./clients/claude-code.js";
import { install } from "./clients/install.js";
import { ModelServer } from "./server/server.js";

let home: Home;
let program: string;
let model: ModelServer;
let daemon: Server;
let project: string;
/** Events from hooks, in order of arrival. */
let reported: string[] = [];

beforeAll(async () => {
  const installed = await install(CLAUDE_CODE);
  program = installed.program;
  home = makeHome("off");
  // Folder names can contain spaces.
  const own = join(home.path, "my home");
  project = join(own, "project");
  mkdirSync(project, { recursive: true });
  model = await ModelServer.start([[{ do: "text", text: "Done." }]]);
  const { env } = CLAUDE_CODE.prepare({ home: own, project, url: model.url }, { asks: false, account: "key" });
  const path = `${dirname(program)}${delimiter}${process.env.PATH}`;
  home = { ...home, env: { ...env, ROUSE_HOME: home.path, HOME: own, PATH: path, TERM: "xterm-256color" } };
  daemon = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      if (request.url === "/v1/hooks/claude-code")
        reported.push((JSON.parse(body) as { hook_event_name: string }).hook_event_name);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  const { daemonSocket } = rousePaths(home.env);
  mkdirSync(dirname(daemonSocket), { recursive: true });
  await new Promise<void>((resolve) => daemon.listen(daemonSocket, resolve));
});

afterAll(async () => {
  daemon.closeAllConnections();
  await new Promise((resolve) => daemon.close(resolve));
  await model.close();
  await closeHome(home);
});

const claude = async (...args: string[]): Promise<string> => {
  const ran = promisify(execFile)(program, args, { env: home.env, cwd: project, timeout: 120_000 });
  ran.child.stdin?.end();
  const { stdout, stderr } = await ran;
  return stdout + stderr;
};
const init = async (...args: string[]): Promise<string> => {
  const { status, stdout, stderr } = await rouse(home, ["init", "claude-code", ...args]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
};
/** One turn without a user. */
async function turn(): Promise<string[]> {
  reported = [];
  expect(await claude("-p", "hello")).toContain("Done.");
  return reported;
}
const TURN = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];
const settingsPath = (): string => join(String(home.env.HOME), ".claude", "settings.json");

describe.sequential("the plugin in a real Claude Code", () => {
  it("is valid, and brings tools and hooks, each of which is reported once", async () => {
    const before = readFileSync(settingsPath(), "utf8");
    expect(await init()).toContain("hooks, tools (MCP) and /rouse");
    const folder = join(rousePaths(home.env).state, "claude-code-plugin");
    expect(await claude("plugin", "validate", folder)).toContain("Validation passed");
    // An older release downloads it at its first start, and uses it from the second on.
    await turn();
    expect(await turn()).toEqual(TURN);
    expect(await claude("mcp", "list")).toMatch(/^plugin:rouse:rouse: .*rouse mcp - .*Connected/m);

    // Hooks in the settings beside it, from any source.
    const settings = JSON.parse(readFileSync(settingsPath(), "utf8")) as Record<string, unknown>;
    await init("--no-plugin");
    const { hooks } = JSON.parse(readFileSync(settingsPath(), "utf8")) as { hooks: unknown };
    expect(await turn()).toEqual(TURN);
    await init("--plugin");
    writeFileSync(settingsPath(), JSON.stringify({ ...settings, hooks }));
    expect(await turn()).toEqual(TURN);

    await init("--remove");
    expect(JSON.parse(readFileSync(settingsPath(), "utf8"))).toEqual(JSON.parse(before));
    expect(await turn()).toEqual([]);
    expect(await claude("mcp", "list")).not.toContain("rouse");
  });

  it("also works as a folder for one session", async () => {
    const folder = join(import.meta.dirname, "..", "..", "plugin");
    const bin = join(import.meta.dirname, "..", "..", "bin");
    home.env.PATH = `${bin}${delimiter}${home.env.PATH}`;
    reported = [];
    expect(await claude("--plugin-dir", folder, "-p", "hello")).toContain("Done.");
    expect(reported).toEqual(TURN);
    expect(await claude("--plugin-dir", folder, "-p", "/rouse:rouse")).toContain("Done.");
  });
});
