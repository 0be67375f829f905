/** MCP as orchestrators and agents use it: the real server on stdio and in the daemon, real clients of two versions. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeToken, openPort } from "../support/api.js";
import { reaches, receivedBy, spawnFake } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { CLIENTS, type McpClient, type Place } from "../support/mcp.js";

let home: Home;
let place: Place;
const open: McpClient[] = [];

beforeAll(async () => {
  home = makeHome("on");
  home.env.ROUSE_MCP_RIGHTS = "read,report,control";
  const port = await openPort(home);
  place = { home, port, token: await makeToken(home, "orchestrator", "read,report,control") };
  await spawnFake(home, "ann", {
    steps: [{ do: "idle" }, { do: "stream" }, { do: "finish" }, { do: "idle" }],
    logs: true,
  });
  await spawnFake(home, "bob", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }] });
  await reaches(home, "ann", "idle");
  await reaches(home, "bob", "needs_input/permission");
}, 120_000);

afterAll(async () => {
  for (const client of open) await client.close();
  for (const name of ["ann", "bob"]) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

async function connect(which: string, at: Place = place): Promise<McpClient> {
  const client = await (CLIENTS[which] as (typeof CLIENTS)[string])(at);
  open.push(client);
  return client;
}

const json = async <T>(client: McpClient, name: string, args?: Record<string, unknown>): Promise<T> => {
  const { isError, text } = await client.call(name, args);
  expect([name, isError, text]).toEqual([name, false, text]);
  return JSON.parse(text) as T;
};

describe.each(Object.keys(CLIENTS))("%s", (which) => {
  it("finds the tools, each with its annotations", async () => {
    const client = await connect(which);
    const tools = new Map((await client.tools()).map(({ name, annotations }) => [name, annotations]));
    for (const name of ["get_worker_status", "get_status", "why", "read_pane", "get_activity"])
      expect([name, tools.get(name)]).toMatchObject([name, { readOnlyHint: true, destructiveHint: false }]);
    for (const name of ["close_pane", "kill_session", "recover_agent"])
      expect([name, tools.get(name)]).toMatchObject([name, { readOnlyHint: false, destructiveHint: true }]);
    for (const name of ["report_status", "send_input", "spawn_agent", "watchdog_start", "watchdog_stop"])
      expect([name, tools.get(name)]).toMatchObject([name, { readOnlyHint: false, destructiveHint: false }]);
  });

  it("sees every worker, which of them wait, and the exact question", async () => {
    const client = await connect(which);
    const { workers } = await json<{ workers: Record<string, unknown>[] }>(client, "get_worker_status");
    expect(new Map(workers.map(({ name, state }) => [name, state]))).toEqual(
      new Map([
        ["ann", "idle"],
        ["bob", "needs_input"],
      ]),
    );
    const bob = workers.find(({ name }) => name === "bob");
    const status = await json<Record<string, unknown>>(client, "get_status", { pane_id: bob?.pane_id });
    expect(status).toMatchObject({ is_awaiting_confirmation: true, is_awaiting_input: false });
    expect(JSON.stringify(status.prompt)).toContain("proceed");
    expect(await json(client, "get_status", { pane_id: "ann" })).toMatchObject({
      is_awaiting_confirmation: false,
      is_awaiting_input: false,
    });
    const { lines } = await json<{ lines: string[] }>(client, "read_pane", { pane_id: "bob", lines: 20 });
    expect(lines.join("\n")).toContain("proceed");
    expect(await json(client, "why", { pane_id: "bob" })).toMatchObject({ state: "needs_input" });
  });

  it("gets instructions if a call fails", async () => {
    const client = await connect(which);
    const unknown = await client.call("get_status", { pane_id: "an" });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining("ann") });
    const dialog = await client.call("send_input", { pane_id: "bob", text: "yes" });
    expect(dialog).toMatchObject({ isError: true, text: expect.stringMatching(/refused.*(dialog|answer)/) });
    expect(await client.call("get_status", {})).toMatchObject({ isError: true });
  });
});

describe("a client without the right", () => {
  it("over HTTP can read, and learns how to get the right to type", async () => {
    const token = await makeToken(home, "reader", "read");
    const client = await connect("the current client over HTTP", { ...place, token });
    expect(await client.call("get_worker_status")).toMatchObject({ isError: false });
    for (const [name, args] of [
      ["send_input", { pane_id: "ann", text: "x" }],
      ["close_pane", { pane_id: "ann" }],
      ["kill_session", { session: "ann" }],
      ["recover_agent", { pane_id: "ann" }],
      ["spawn_agent", { command: ["true"], cwd: "/" }],
      ["watchdog_start", { pane_id: "ann" }],
      ["watchdog_stop", { pane_id: "ann" }],
      ["report_status", { status: "complete", pane_id: "ann" }],
    ] as const)
      expect([name, await client.call(name, args)]).toMatchObject([
        name,
        { isError: true, text: expect.stringMatching(/right (control|report).*rouse token create/) },
      ]);
    expect(receivedBy(home, "ann")).toEqual([]);
  });

  it("on stdio can read and report, and more only if the user's own configuration says so", async () => {
    const { ROUSE_MCP_RIGHTS: _all, ...env } = home.env;
    const client = await connect("the current client on stdio", { ...place, home: { ...home, env } });
    expect(await client.call("get_worker_status")).toMatchObject({ isError: false });
    expect(await client.call("send_input", { pane_id: "ann", text: "x" })).toMatchObject({
      isError: true,
      text: expect.stringContaining(
        'send_input requires the right control. To grant it, a user adds "control" to mcp.rights',
      ),
    });
  });
});

describe("many clients at once", () => {
  const FULL = process.env.ROUSE_FULL === "1";
  const MANY = FULL ? 1000 : 60;
  const CALLS = 4;
  /** The port accepts at most 256 connections: this many are open at once. */
  const AT_ONCE = 48;

  it(`each of ${MANY} gets only its own answers`, async () => {
    const kinds = [
      "the current client over HTTP, newest revision",
      "a client of the major version before over HTTP",
      "the current client over HTTP",
    ];
    const clients = await inTurns(
      Array.from({ length: MANY }, (_, at) => () => stubborn(() => connect(kinds[at % kinds.length] as string))),
      AT_ONCE,
    );
    // Each asks for a different agent, in rounds, so that all requests are interleaved.
    const asks = Array.from({ length: CALLS }, (_, nth) =>
      clients.map((client, at) => async () => {
        const name = `nobody-${at}-${nth}`;
        const [one, other] = await Promise.all([
          stubborn(() => client.call("get_status", { pane_id: name })),
          stubborn(() => client.call("why", { pane_id: `${name}-too` })),
        ]);
        return one.text.includes(`"${name}"`) && other.text.includes(`"${name}-too"`) ? 0 : 1;
      }),
    ).flat();
    const crossed: number = (await inTurns(asks, AT_ONCE)).reduce((sum: number, wrong) => sum + wrong, 0);
    expect({ asked: asks.length, crossed }).toEqual({ asked: MANY * CALLS, crossed: 0 });
  }, 1_200_000);
});

/** The server may close a kept connection at the moment in which the client reuses it. */
const stubborn = async <T>(ask: () => Promise<T>): Promise<T> => ask().catch(() => ask().catch(ask));

/** All of them, a limited number at the same time. */
async function inTurns<T>(work: readonly (() => Promise<T>)[], atOnce: number): Promise<T[]> {
  const done: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < work.length; at = next++) done[at] = await (work[at] as () => Promise<T>)();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return done;
}

describe("an orchestrator", () => {
  it("starts a worker, asks for its activity, tries a recovery and stops it", async () => {
    const client = await connect("the current client over HTTP");
    const order = { command: ["sleep", "600"], cwd: home.path, name: "worker-1", tags: ["worker"] };
    const started = await json<{ agent: string; pane_id: string }>(client, "spawn_agent", order);
    expect(started).toMatchObject({ agent: "worker-1", pane_id: expect.any(String) });
    const { pane_id } = started;
    expect(await json(client, "get_activity", { pane_id })).toMatchObject({
      is_active: false,
      validation_passed: false,
      guard: { send: false, may_ask: true },
    });
    expect(await json(client, "recover_agent", { pane_id, dry_run: true })).toMatchObject({ steps: [], dry_run: true });
    expect(await json(client, "close_pane", { pane_id })).toMatchObject({ result: "done" });
  });
});

describe("text typed by a client", () => {
  it("arrives once, with one Enter, however often the same request is sent", async () => {
    const client = await connect("the current client over HTTP");
    const send = () => client.call("send_input", { pane_id: "ann", text: "mend the tests", request_id: "1" });
    const answers = await Promise.all([send(), send(), send()]);
    for (const answer of answers)
      expect(answer).toMatchObject({ isError: false, text: expect.stringContaining("done") });
    expect((await send()).text).toBe(answers[0]?.text);
    await until("ann to work", async () =>
      (await client.call("get_status", { pane_id: "ann" })).text.includes("working"),
    );
    const received = receivedBy(home, "ann")
      .map(({ text }) => text)
      .join("");
    expect(received.split("\r")).toEqual(["mend the tests", ""]);
  });

  it("is not confirmed by the outcome of another request with the same id", async () => {
    const client = await connect("the current client over HTTP");
    for (const other of [
      { pane_id: "bob", text: "mend the tests" },
      { pane_id: "ann", text: "mend the docs" },
    ])
      expect(await client.call("send_input", { ...other, request_id: "1" })).toMatchObject({
        isError: true,
        text: expect.stringContaining("another request"),
      });
  });
});
