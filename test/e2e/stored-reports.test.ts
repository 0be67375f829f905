/** Reports and tasks while no daemon answers: the commands succeed, and a daemon that starts later gets the reports. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

let home: Home;

beforeEach(() => {
  home = makeHome("on");
});
afterEach(async () => {
  delete home.env.ROUSE_SESSION;
  await rouse(home, ["stop", "api"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

interface Agent {
  name: string;
  session: string;
  state: string;
  reasons: string[];
}
const api = async (): Promise<Agent | undefined> => {
  const { agents } = JSON.parse((await rouse(home, ["status", "--json"])).stdout) as { agents: Agent[] };
  return agents.find(({ name }) => name === "api");
};

it("a report and a checkpoint made while the daemon is down are delivered when it starts", async () => {
  await rouse(home, ["up"]);
  expect(
    (await rouse(home, ["spawn", "--name", "api", "--", process.execPath, "-e", "setTimeout(() => {}, 600000)"]))
      .status,
  ).toBe(0);
  await rouse(home, ["task", "add", "Fix it", "--step", "One", "--json"]);
  expect((await rouse(home, ["task", "claim", "1", "--name", "api"])).status).toBe(0);
  await until("the agent", async () => (await api()) !== undefined);
  const session = (await api())?.session;
  await rouse(home, ["down"]);
  home.env.ROUSE_SESSION = session;
  const stored = "Stored: the daemon does not answer now; the report is delivered when it does.\n";
  expect(await rouse(home, ["report", "needs_input", "Which branch?"])).toMatchObject({
    status: 0,
    stdout: stored,
    stderr: "",
  });
  expect(await rouse(home, ["checkpoint", "--step", "1", "done"])).toMatchObject({
    status: 0,
    stdout: "Stored: the daemon does not answer now; the checkpoint is delivered when it does.\n",
  });
  const spool = join(rousePaths(home.env).state, "spool");
  expect(readdirSync(spool)).toHaveLength(2);
  delete home.env.ROUSE_SESSION;
  await rouse(home, ["up"]);
  await until("the report", async () => (await api())?.state === "needs_input");
  expect((await api())?.reasons.join()).toContain("Which branch?");
  await until("an empty spool", () => readdirSync(spool).length === 0);
  const task = JSON.parse((await rouse(home, ["task", "show", "1", "--json"])).stdout) as { completed_steps: number[] };
  expect(task.completed_steps).toEqual([1]);
});

it("a task command of the user starts the daemon, one of an agent does not", async () => {
  home.env.ROUSE_SESSION = "s1";
  expect((await rouse(home, ["task", "list"])).status).toBe(69);
  delete home.env.ROUSE_SESSION;
  expect(await rouse(home, ["task", "add", "Fix it"])).toMatchObject({
    status: 0,
    stdout: "Added task 1 (pending): Fix it\n",
    stderr: "",
  });
  expect((await rouse(home, ["status"])).status).toBe(0);
});
