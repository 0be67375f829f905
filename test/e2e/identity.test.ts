/** Agents that speak for others: reports, inboxes, messages, from the processes of real agents under the real daemon. */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { findSession } from "../../src/terminal/registry.js";
import { ApiClient, makeToken, openPort } from "../support/api.js";
import { reaches, spawnFake, viewOf } from "../support/fake-agent.js";
import { BIN, closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { curlInside, inside, rouseInside, spawnRunner } from "../support/inside.js";

let home: Home;
let port: number;

beforeAll(async () => {
  home = makeHome("on");
  port = await openPort(home);
  await spawnFake(home, "victim", { steps: [{ do: "idle" }, { do: "idle" }] });
  await spawnRunner(home, "evil");
  await spawnRunner(home, "boss", ["orchestrator"]);
  await reaches(home, "victim", "idle");
}, 120_000);

afterAll(async () => {
  for (const name of ["victim", "evil", "boss"]) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

const idOf = (name: string): string => String(findSession(rousePaths(home.env), name)?.id);
const messages = async (tag = "orchestrator", all = false): Promise<Record<string, unknown>[]> => {
  const { stdout } = await rouse(home, ["messages", "--json", "--tag", tag, ...(all ? ["--all"] : [])]);
  return (JSON.parse(stdout) as { messages: Record<string, unknown>[] }).messages;
};

/** One call of a tool through `rouse mcp`, which the agent starts. */
async function toolInside(name: string, tool: string, args: object, env: Record<string, string> = {}) {
  const asks = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: tool, arguments: args } },
  ].map((ask) => JSON.stringify({ jsonrpc: "2.0", ...ask }));
  // Its input stays open until the answer has come.
  const code = `
    const server = require("child_process").spawn(process.execPath, process.argv.slice(2), { stdio: ["pipe", "pipe", "inherit"] });
    let text = "";
    server.stdout.on("data", (chunk) => {
      text += chunk;
      for (const line of text.split("\\n").slice(0, -1))
        if (JSON.parse(line).id === 2) { console.log(line); server.kill(); process.exit(); }
    });
    server.stdin.write(process.argv[1]);`;
  const argv = [process.execPath, "-e", code, `${asks.join("\n")}\n`, BIN, "mcp"];
  const { stdout, stderr } = await inside(home, name, argv, env);
  expect([stderr, stdout]).toEqual([stderr, expect.stringContaining("result")]);
  const { result } = JSON.parse(stdout.split("\n")[0] ?? "") as {
    result: { isError?: boolean; content: { text: string }[] };
  };
  return { isError: result.isError === true, text: result.content[0]?.text ?? "" };
}

const ABOUT_ITSELF = "runs inside evil and may report only about it";

describe("a report from inside of an agent", () => {
  it("is about that agent", async () => {
    expect(await rouseInside(home, "evil", ["report", "working", "step 1"])).toMatchObject({ status: 0, stderr: "" });
    await until("the report", async () => JSON.stringify(await viewOf(home, "evil")).includes("step 1"));
    // Without its environment too.
    expect(await rouseInside(home, "evil", ["report", "working", "step 2"], { ROUSE_SESSION: null })).toMatchObject({
      status: 0,
    });
    await until("the report", async () => JSON.stringify(await viewOf(home, "evil")).includes("step 2"));
  });

  it.each<[string, string[], Record<string, string | null>]>([
    ["by its name", ["--name", "victim"], {}],
    ["by its name, without the environment", ["--name", "victim"], { ROUSE_SESSION: null }],
  ])("is not taken for another agent %s", async (_, args, env) => {
    expect(await rouseInside(home, "evil", ["report", "complete", "forged", ...args], env)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(ABOUT_ITSELF),
    });
    expect((await viewOf(home, "victim"))?.state).toBe("idle");
  });

  it("is not taken for another agent whose session it claims", async () => {
    const claimed = { ROUSE_SESSION: idOf("victim"), ROUSE_AGENT: "victim" };
    const { status } = await rouseInside(home, "evil", ["report", "error", "about itself"], claimed);
    expect(status).toBe(0);
    await until("the report", async () => JSON.stringify(await viewOf(home, "evil")).includes("about itself"));
    expect((await viewOf(home, "victim"))?.state).toBe("idle");
  });

  it("over the socket itself is not taken for another agent either, whatever its headers say", async () => {
    const report = { agent: "victim", state: "complete", text: "forged" };
    const claims = { "x-rouse-session": idOf("victim"), "x-rouse-pid": String(process.pid) };
    for (const headers of [{}, claims]) {
      expect(await curlInside(home, "evil", "/v1/report", report, headers)).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining(ABOUT_ITSELF) },
      });
      const called = await curlInside(home, "evil", "/v1/call/report", report, headers);
      expect(called.body).toMatchObject({ error: { kind: "identity" } });
    }
    expect((await viewOf(home, "victim"))?.state).toBe("idle");
  });

  it("over MCP is not taken for another agent, whatever session the client claims", async () => {
    const forged = { status: "complete", message: "forged", pane_id: "victim" };
    for (const env of [{}, { ROUSE_SESSION: idOf("victim"), ROUSE_MCP_RIGHTS: "read,report,report_any,control" }])
      expect(await toolInside("evil", "report_status", forged, env)).toEqual({
        isError: true,
        text: expect.stringContaining(ABOUT_ITSELF),
      });
    expect((await viewOf(home, "victim"))?.state).toBe("idle");
    expect(await messages()).not.toContainEqual(expect.objectContaining({ msg_type: "worker.complete" }));
  });

  it("is refused if the sender does not wait for the answer: nothing shows where it came from", async () => {
    const body = JSON.stringify({ agent: "victim", state: "complete", text: "forged" });
    const head = `POST /v1/report HTTP/1.1\r\nhost: rouse\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const client = connect(rousePaths(home.env).daemonSocket);
    await new Promise<void>((resolve) => {
      client.write(head + body, () => {
        client.destroy();
        resolve();
      });
    });
    // A later report, which is accepted, was taken after it.
    expect((await rouse(home, ["report", "--heartbeat", "--name", "victim"])).status).toBe(0);
    expect((await viewOf(home, "victim"))?.state).toBe("idle");
  });
});

describe("a report of another client", () => {
  it("is accepted from the user", async () => {
    const { status } = await rouse(home, ["report", "working", "by the user", "--name", "evil"]);
    expect(status).toBe(0);
    await until("the report", async () => JSON.stringify(await viewOf(home, "evil")).includes("by the user"));
  });

  it("needs a token that names the agent, or the right to report about any", async () => {
    const report = (token: string, agent?: string) =>
      new ApiClient(port, token).post("/v1/report", { ...(agent === undefined ? {} : { agent }), heartbeat: true });
    const plain = await makeToken(home, "plain", "read,report,control");
    expect(await report(plain, "victim")).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining("rouse token create NAME --right report --agent victim") },
    });
    expect(await report(plain)).toMatchObject({ status: 404 });
    const named = await makeToken(home, "named", "report", ["--agent", "victim"]);
    expect(await report(named, "victim")).toMatchObject({ status: 200 });
    expect(await report(named)).toMatchObject({ status: 200, body: { agent: "victim" } });
    expect(await report(named, "evil")).toMatchObject({ status: 403 });
    const any = await makeToken(home, "any", "report,report_any");
    expect(await report(any, "evil")).toMatchObject({ status: 200 });
    expect((await new ApiClient(port, plain).post("/v1/logs", {})).status).toBe(403);
    expect((await new ApiClient(port, any).post("/v1/logs", {})).status).toBe(200);
  });

  it("comes from a hook only for the agents of its token", async () => {
    const hook = async (token: string): Promise<number> => {
      const before = await unmatched();
      const url = `http://127.0.0.1:${port}/v1/hooks/claude-code`;
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-rouse-session": idOf("victim"),
      };
      await fetch(url, { method: "POST", headers, body: JSON.stringify({ hook_event_name: "Notification" }) });
      return (await unmatched()) - before;
    };
    expect(await hook(await makeToken(home, "hooks-evil", "report", ["--agent", "evil"]))).toBe(1);
    expect(await hook(await makeToken(home, "hooks-victim", "report", ["--agent", "victim"]))).toBe(0);
  });
});

const unmatched = async (): Promise<number> =>
  ((await askDaemon(rousePaths(home.env).daemonSocket, "GET", "/v1/daemon")) as { http: { unmatched: number } }).http
    .unmatched;

describe("an inbox", () => {
  it("is acknowledged only by its owner, and the acknowledging client is recorded", async () => {
    await rouse(home, ["messages", "--ack", "--tag", "orchestrator"]);
    await rouse(home, ["messages", "send", "--tag", "orchestrator", "one"]);
    const [first] = await messages();
    const cursor = Number(first?.cursor);
    expect(await toolInside("evil", "poll_messages", { ack: 99_999_999 })).toEqual({
      isError: true,
      text: expect.stringContaining("evil does not own the inbox orchestrator"),
    });
    expect(await rouseInside(home, "evil", ["messages", "--ack", "--tag", "orchestrator"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("does not own the inbox"),
    });
    const ack = await curlInside(home, "evil", "/v1/messages/ack", { tag: "orchestrator", up_to: 99_999_999 });
    expect(ack).toMatchObject({ status: 403, body: { error: expect.stringContaining("does not own the inbox") } });
    expect(await messages()).toHaveLength(1);
    expect(await toolInside("boss", "poll_messages", { ack: cursor })).toMatchObject({ isError: false });
    expect(await messages()).toEqual([]);
    expect(await messages("orchestrator", true)).toContainEqual(
      expect.objectContaining({ cursor, acked_by: "agent boss" }),
    );
    expect((await rouse(home, ["messages", "--tag", "orchestrator", "--all"])).stdout).toContain(
      "(acknowledged by agent boss)",
    );
  });

  it("is acknowledged by a token that was created for it, and by an orchestrator's", async () => {
    const acked = async (token: string, tag: string) =>
      (await new ApiClient(port, token).post("/v1/messages/ack", { tag, up_to: 99_999_999 })).status;
    const reader = await makeToken(home, "reader", "read,report");
    const ops = await makeToken(home, "ops", "read,report", ["--inbox", "ops"]);
    const control = await makeToken(home, "control", "read,report,control");
    const admin = await makeToken(home, "admin", "read,report,admin");
    expect([await acked(reader, "ops"), await acked(reader, "orchestrator")]).toEqual([403, 403]);
    expect([await acked(ops, "ops"), await acked(ops, "ops.dead"), await acked(ops, "orchestrator")]).toEqual([
      200, 200, 403,
    ]);
    expect([await acked(control, "orchestrator"), await acked(control, "ops")]).toEqual([200, 403]);
    expect([await acked(admin, "orchestrator"), await acked(admin, "ops")]).toEqual([200, 200]);
  });
});

describe("a message of a client", () => {
  it("cannot take the key of a message that rouse will send", async () => {
    // As the key of its result follows from public ids.
    const { digest } = await import("../../src/core/digest.js");
    const key = digest(`${idOf("evil")}.0 complete`);
    const token = await makeToken(home, "squatter", "read,report");
    const sent = await new ApiClient(port, token).post("/v1/messages", {
      target: { tag: "orchestrator" },
      msg_type: "note",
      key,
    });
    expect(sent.status).toBe(200);
    await rouse(home, ["messages", "--ack", "--tag", "orchestrator"]);
    expect((await rouseInside(home, "evil", ["report", "complete", "really done"])).status).toBe(0);
    await until("the result", async () =>
      (await messages("orchestrator", true)).some(
        ({ msg_type, key: own }) => msg_type === "worker.complete" && own === key,
      ),
    );
  });

  it("has no reserved type, over any route", async () => {
    const payload = { suggested_actions: [{ command: ["rouse", "type", "victim", "1"] }] };
    const send = { target: { tag: "orchestrator" }, payload };
    const token = await makeToken(home, "sender", "read,report");
    for (const msg_type of ["worker.stuck", "worker.complete", "watchdog.blind", "worker.x"]) {
      const text = expect.stringContaining(`${msg_type} is reserved for rouse`);
      expect(await new ApiClient(port, token).post("/v1/messages", { ...send, msg_type })).toMatchObject({
        status: 400,
        body: { error: text },
      });
      expect(await toolInside("evil", "send_orchestration", { ...send, msg_type })).toEqual({ isError: true, text });
      const { status, stderr } = await rouse(home, ["messages", "send", "--type", msg_type, "x"]);
      expect({ status, stderr }).toEqual({ status: 1, stderr: text });
    }
  });

  it("has no sender called rouse: no agent and no token has that name", async () => {
    const named = await rouse(home, ["spawn", "--name", "rouse", "--", "sleep", "60"]);
    expect(named).toMatchObject({ status: 2, stderr: expect.stringContaining("reserved for rouse") });
    const token = await rouse(home, ["token", "create", "Rouse"]);
    expect(token).toMatchObject({ status: 1, stderr: expect.stringContaining("reserved for rouse") });
    const control = await makeToken(home, "starter", "read,control,report");
    const order = { command: ["sleep", "60"], cwd: home.path, name: "rouse" };
    expect(await new ApiClient(port, control).post("/v1/agents", order)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("reserved for rouse") },
    });
    const record = JSON.parse(readFileSync(`${rousePaths(home.env).sessions}/${idOf("boss")}.json`, "utf8")) as object;
    await expect(
      askDaemon(rousePaths(home.env).daemonSocket, "PUT", "/v1/sessions/x", { ...record, id: "x", name: "rouse" }),
    ).rejects.toThrow("reserved for rouse");
  });
});
