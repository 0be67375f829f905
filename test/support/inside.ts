/** Commands that run inside of a watched agent, as its own child processes. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { type FakeScript, fakeAgent } from "./fake-agent.js";
import { BIN, type Home, rouse, until } from "./hosts.js";

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** An agent with its session in the environment, that does what `inside` asks for. */
export const spawnRunner = (home: Home, name: string, tags: readonly string[] = []): Promise<void> =>
  start(
    home,
    name,
    tags.flatMap((tag) => ["--tag", tag]),
    runnerOf(home, name),
  );

/** A scripted agent that does the same beside its script. */
export function spawnFakeRunner(home: Home, name: string, script: FakeScript): Promise<void> {
  const both = '"$1" "$2" "$3" >/dev/null & shift 3; exec "$@"';
  const command = ["sh", "-c", both, "sh", ...runnerOf(home, name), ...fakeAgent(home, name, script)];
  return start(home, name, ["--kind", "claude-code"], command);
}

function runnerOf(home: Home, name: string): string[] {
  const folder = join(home.path, "jobs", name);
  mkdirSync(folder, { recursive: true });
  return [process.execPath, join(import.meta.dirname, "inside.mjs"), folder];
}

async function start(home: Home, name: string, options: readonly string[], command: readonly string[]): Promise<void> {
  const { status, stderr } = await rouse(home, ["spawn", "--name", name, ...options, "--", ...command]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const { daemonSocket } = rousePaths(home.env);
  await until(`${name} to be known`, () =>
    askDaemon(daemonSocket, "GET", `/v1/agents/${name}`).then(
      () => true,
      () => false,
    ),
  );
}

let count = 0;

/** Any command. `env` is added to the agent's environment; null removes a variable. */
export async function inside(
  home: Home,
  name: string,
  argv: readonly string[],
  env: Record<string, string | null> = {},
  input = "",
): Promise<Ran> {
  const job = join(home.path, "jobs", name, `${++count}.job`);
  writeFileSync(`${job}.new`, JSON.stringify({ argv, env, input }));
  renameSync(`${job}.new`, job);
  await until(`${argv.join(" ")} in ${name}`, () => existsSync(`${job}.done`), 60_000);
  return JSON.parse(readFileSync(`${job}.done`, "utf8")) as Ran;
}

export const rouseInside = (
  home: Home,
  name: string,
  args: readonly string[],
  env: Record<string, string | null> = {},
): Promise<Ran> => inside(home, name, [process.execPath, BIN, ...args], env);

/** A request to the daemon's socket without `rouse`, and so without any header about the caller. */
export async function curlInside(
  home: Home,
  name: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const code = `
    const [socketPath, path, body, headers] = process.argv.slice(1);
    const asked = require("http").request({ socketPath, path, method: "POST", headers: JSON.parse(headers) }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk));
      answer.on("end", () => console.log(JSON.stringify({ status: answer.statusCode, body: JSON.parse(text) })));
    });
    asked.end(body);`;
  const { daemonSocket } = rousePaths(home.env);
  const given = JSON.stringify({ "content-type": "application/json", ...headers });
  const argv = [process.execPath, "-e", code, daemonSocket, path, JSON.stringify(body), given];
  const { stdout, stderr } = await inside(home, name, argv, { ROUSE_SESSION: null });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as { status: number; body: Record<string, unknown> };
}
