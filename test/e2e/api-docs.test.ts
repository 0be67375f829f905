/** docs/api.md: generated from the table of operations, and each of its curl examples works as written. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS, type OperationName } from "../../src/api/operations/index.js";
import { rousePaths } from "../../src/config/paths.js";
import { makeToken, openPort } from "../support/api.js";
import { reaches, spawnFake } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const exec = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const text = readFileSync(join(ROOT, "docs", "api.md"), "utf8");

/** By operation: the shell block below its heading. */
const EXAMPLES = new Map(
  [...text.matchAll(/^#### (\w+)\n.*?^```sh\n(.*?)^```$/gms)].flatMap(([, name = "", block = ""]) =>
    Object.hasOwn(OPERATIONS, name) ? [[name as OperationName, block] as const] : [],
  ),
);
/** Their examples name a record that this home does not have: a kept workspace, a line of the audit trail, a diagnosis, a fleet. */
const WITHOUT_RECORD: ReadonlySet<OperationName> = new Set([
  "fork_task",
  "local_outcome",
  "diagnosis_feedback",
  "fleet",
  "fleet_agent",
  "fleet_command",
]);
/** These rename or stop an agent, and stop the daemon, so they run last. */
const LAST: readonly OperationName[] = ["rename", "stop", "shut_down"];

let home: Home;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  home = makeHome("on");
  const paths = rousePaths(home.env);
  mkdirSync(paths.config, { recursive: true });
  writeFileSync(join(paths.config, "config.toml"), '[channels.ops]\ntype = "command"\ncommand = ["true"]\n');
  const port = await openPort(home);
  const token = await makeToken(home, "docs", "read,report,report_any,control,admin");
  env = { ...process.env, ROUSE: `http://127.0.0.1:${port}`, TOKEN: token, SOCKET: paths.daemonSocket };
  await spawnFake(home, "web", { steps: [{ do: "idle" }, { do: "finish" }, { do: "idle" }] }, ["worker"]);
  await spawnFake(home, "api", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }] });
  await reaches(home, "web", "idle");
  await reaches(home, "api", "needs_input/permission");
  for (const task of ["One", "Two", "Three"]) await rouse(home, ["task", "add", task, "--step", "Reproduce it"]);
  await rouse(home, ["task", "claim", "3", "--name", "web"]);
  await until("the incident", async () => (await rouse(home, ["incidents", "api"])).status === 0);
}, 120_000);

afterAll(async () => {
  for (const name of ["web", "frontend", "demo", "api"]) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

async function run(name: OperationName): Promise<{ status: string; text: string }> {
  // The block as written, with the status after the answer.
  const script = (EXAMPLES.get(name) as string).replace("curl -sS", 'curl -sS -w "\\n%{http_code}"');
  const { stdout } = await exec("bash", ["-c", script], { env });
  const end = stdout.lastIndexOf("\n");
  return { status: stdout.slice(end + 1), text: stdout.slice(0, end) };
}

describe("docs/api.md", () => {
  it("matches the table of operations", async () => {
    const { stderr } = await exec(process.execPath, [join(ROOT, "scripts", "api-docs.mjs"), "--check"]);
    expect(stderr).toBe("");
  });

  it("has a curl example for every operation", () => {
    expect([...EXAMPLES.keys()].sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  it("has curl examples that work, with answers of the documented shape", { timeout: 240_000 }, async () => {
    const first = [...EXAMPLES.keys()].filter((name) => !LAST.includes(name));
    for (const name of [...first, ...LAST]) {
      const { status, text: answer } = await run(name);
      if (WITHOUT_RECORD.has(name)) {
        expect([name, status]).toEqual([name, expect.stringMatching(/^4(?:00|04|09)$/)]);
        expect(JSON.parse(answer)).toEqual({ error: expect.any(String) });
        continue;
      }
      expect([name, status, answer]).toEqual([name, "200", answer]);
      expect([name, OPERATIONS[name].output.parse(JSON.parse(answer))]).toEqual([name, JSON.parse(answer)]);
    }
  });
});
