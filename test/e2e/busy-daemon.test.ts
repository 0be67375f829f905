/** A running daemon that answers late or incompletely is not reported as stopped or empty. */
import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makePrivateFolder, rousePaths } from "../../src/config/paths.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";

/** On one core with a load of 20 an answer took longer than five seconds. */
const LATE_MS = 6000;

let home: Home;
let server: Server;
/** By operation. */
let answers: Record<string, (response: ServerResponse) => void | Promise<void>>;

const json =
  (answer: unknown) =>
  (response: ServerResponse): void =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ answer }));
const breaksOff = (response: ServerResponse): void => void response.destroy();

beforeEach(async () => {
  home = makeHome();
  const { runtime, daemonSocket } = rousePaths(home.env);
  makePrivateFolder(runtime);
  answers = {
    agents: json({ agents: [] }),
    incidents: json({ incidents: [] }),
    alert_status: json({ channels: [], pending: 0, failed: 0, failed_alerts: [], failing: [], issues: [] }),
    daemon: json({ heartbeats: [], journal: { damage: null } }),
  };
  server = createServer((request, response) => {
    const answer = answers[request.url?.replace("/v1/call/", "") ?? ""];
    if (answer) void answer(response);
    else response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(daemonSocket, resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

it("status does not report that all is well if the incidents could not be read", async () => {
  expect(await rouse(home, ["status"])).toMatchObject({ status: 0, stderr: "" });
  for (const operation of ["incidents", "alert_status", "daemon"]) {
    const before = answers[operation] as (typeof answers)[string];
    answers[operation] = breaksOff;
    const { status, stdout, stderr } = await rouse(home, ["status"]);
    expect({ operation, status, stdout }).toEqual({ operation, status: 69, stdout: "" });
    expect(stderr).toMatch(/^rouse: the daemon does not answer .*; try again, or run `rouse doctor`\n$/);
    answers[operation] = before;
  }
});

it("a client waits for a late answer", async () => {
  answers.agents = async (response) => {
    await sleep(LATE_MS);
    json({ agents: [] })(response);
  };
  expect(await rouse(home, ["health"])).toMatchObject({ status: 0, stderr: "" });
});

it("down does not claim that no daemon was running", async () => {
  answers.shut_down = breaksOff;
  const { status, stdout, stderr } = await rouse(home, ["down"]);
  expect({ status, stdout }).toEqual({ status: 69, stdout: "" });
  expect(stderr).toContain("the daemon does not answer");
});
