/**
 * A background session of a real Claude Code, which the program's own supervisor runs: rouse watches it, leaves a crash
 * to that supervisor, and reports the question of the session that it restarted.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MessageView } from "../../src/api/operations/records.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import { viewOf } from "../support/fake-agent.js";
import { type Home, processesOf, rouse, until } from "../support/hosts.js";
import { Trail } from "./case.js";
import { CLAUDE_CODE } from "./clients/claude-code.js";
import { install } from "./clients/install.js";
import { leaveHome, openHome } from "./homes.js";
import { PROJECT, PROMPT } from "./scenarios.js";
import type { Script } from "./server/script.js";
import { ModelServer } from "./server/server.js";

const COMMAND = "node slow-test.mjs 1 > result.txt";
const SCRIPT: Script = [
  [{ do: "text", text: "I'll look at the code first.", ms: 300 }, { do: "stall" }],
  [
    { do: "text", text: "Now I'll run the test.", ms: 300 },
    { do: "call", tool: "shell", command: COMMAND },
  ],
];

let home: Home;
let model: ModelServer;
let claude: (...args: string[]) => Promise<string>;

beforeAll(async () => {
  const { program } = await install(CLAUDE_CODE);
  home = await openHome();
  model = await ModelServer.start(SCRIPT);
  const own = join(home.path, "own");
  const project = join(own, "project");
  mkdirSync(project, { recursive: true });
  for (const [file, text] of Object.entries(PROJECT)) writeFileSync(join(project, file), text);
  const { env } = CLAUDE_CODE.prepare({ home: own, project, url: model.url }, { asks: true, account: "key" });
  // Its processes carry the home of the test, so that none is left behind.
  const given = { ...env, ROUSE_HOME: home.path, HOME: own, TERM: "xterm-256color", TZ: "UTC", SHELL: "/bin/bash" };
  const path = `${dirname(program)}${delimiter}${process.env.PATH}`;
  claude = async (...args) => {
    const { stdout } = await promisify(execFile)(program, args, { env: { ...given, PATH: path }, cwd: project });
    return stdout;
  };
});

afterAll(async () => {
  await claude("daemon", "stop", "--any");
  await until("its processes to end", () => processesOf(home).every(({ argv }) => !argv.includes("bg-")), 60_000);
  await model.close();
  await leaveHome(home);
});

const ask = async <T>(path: string): Promise<T> =>
  (await askDaemon(rousePaths(home.env).daemonSocket, "GET", path)) as T;
const incidentsOf = async (agent: string): Promise<IncidentView[]> =>
  (await ask<{ incidents: IncidentView[] }>("/v1/incidents?all=true")).incidents.filter((one) => one.agent === agent);
const messagesAbout = async (agent: string): Promise<MessageView[]> =>
  (await ask<{ messages: MessageView[] }>("/v1/messages?all=true")).messages.filter(
    ({ payload }) => (payload as { worker_name?: string }).worker_name === agent,
  );

describe("a background session of a real Claude Code", () => {
  it("is restarted by its supervisor alone, and its question is reported word for word", async () => {
    await rouse(home, ["watch"]);
    const id = /backgrounded · ([0-9a-f]{8})/.exec(await claude("--bg", PROMPT))?.[1];
    const name = `project-${id}`;
    const trail = new Trail(home, name);
    try {
      await until("the first reply", () => model.lastOf("stall") !== null, 60_000);
      await trail.says("working", 0, 60);
      // Even with permission for everything.
      await rouse(home, ["allow", name]);
      const first = (await viewOf(home, name))?.pid as number;
      process.kill(first, "SIGKILL");
      const killedAt = Date.now();
      await trail.says("gone", killedAt, 10);
      const [incident] = await incidentsOf(name);
      expect(incident?.next).toMatchObject({
        do: null,
        reason: expect.stringMatching(/^Claude Code's supervisor acts in \d+ s$/),
      });
      const actsAt = Date.parse(incident?.next?.at ?? "");
      await until("the next request", () => model.lastOf("request", 1) !== null, 60_000);
      const late = ((model.lastOf("request", 1) ?? 0) - actsAt) / 1000;
      await trail.says("needs_input/permission", killedAt, 60);
      const view = await viewOf(home, name);
      expect(view).toMatchObject({
        question: `approve Bash: ${COMMAND}`,
        session: expect.not.stringContaining(`-${first}-`),
      });
      await until("the message", async () => (await messagesAbout(name)).length > 0, 30_000);
      expect((await messagesAbout(name)).map(({ msg_type }) => msg_type)).toEqual(["worker.needs_input"]);
      expect((await incidentsOf(name)).flatMap(({ actions }) => actions)).toEqual([]);
      // Its supervisor knows one session with one process.
      expect(JSON.parse(await claude("agents", "--json"))).toMatchObject([{ id, pid: view?.pid, status: "waiting" }]);
      process.stdout.write(`${CLAUDE_CODE.name} background: resumed ${late.toFixed(1)} s after the named time\n`);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${trail.story}`, { cause: error });
    } finally {
      await trail.stop();
    }
  });
});
