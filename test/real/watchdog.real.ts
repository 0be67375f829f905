/**
 * The preset of examples/watchdog with a real Claude Code: a timer wakes it, it checks by MCP, and reports once.
 */
import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MessageView } from "../../src/api/operations/records.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { listSessions } from "../../src/terminal/registry.js";
import { reaches, spawnFake, viewOf } from "../support/fake-agent.js";
import { BIN, closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { CLIENTS, type McpClient } from "../support/mcp.js";
import { CLAUDE_CODE } from "./clients/claude-code.js";
import { install } from "./clients/install.js";

const EXAMPLE = join(import.meta.dirname, "..", "..", "examples", "watchdog");

interface Asked {
  model: string;
  tools?: { name: string }[];
  messages: {
    role: string;
    content: string | { type: string; text?: string; content?: unknown; tool_use_id?: string }[];
  }[];
}

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: object };

/** A model that does what the prompt says, and no more. */
class AssessmentListener {
  readonly tools = new Set<string>();
  checks = 0;
  readonly #server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      if (request.method === "POST" && request.url?.startsWith("/v1/messages?"))
        reply(response, this.#next(JSON.parse(body) as Asked));
      else response.writeHead(404, { "content-type": "application/json" }).end("{}");
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #next({ tools = [], messages }: Asked): Block {
    for (const { name } of tools) this.tools.add(name);
    const said = messages.findLast(({ role }) => role === "user")?.content ?? "";
    const blocks = typeof said === "string" ? [{ type: "text", text: said, content: undefined }] : said;
    const result = blocks.find(({ type }) => type === "tool_result");
    if (!result) {
      if (tools.length === 0 || !blocks.some(({ text }) => text?.trim() === "check"))
        return { type: "text", text: "Watching." };
      this.checks++;
      return use("get_worker_status", { tag: "worker", health: "unhealthy" });
    }
    const found = /"name\\?":\\?"([\w-]+)\\?",\\?"pane_id\\?":\\?"([\w-]+)\\?".*?"state\\?":\\?"needs_input/.exec(
      JSON.stringify(result.content),
    );
    if (!found) return { type: "text", text: "." };
    const [, worker_name, worker_id] = found;
    const payload = { worker_id, worker_name, reasons: ["it asks"] };
    return use("send_orchestration", {
      target: { tag: "orchestrator" },
      msg_type: "watch.needs_input",
      payload,
      key: `${worker_id} needs_input`,
    });
  }
}

let calls = 0;
const use = (tool: string, input: object): Block => ({
  type: "tool_use",
  id: `toolu_${++calls}`,
  name: `mcp__rouse__${tool}`,
  input,
});

function reply(response: ServerResponse, block: Block): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (type: string, fields: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const start = {
    id: `msg_${Date.now()}`,
    type: "message",
    role: "assistant",
    model: "claude-haiku-5-5",
    content: [],
    stop_reason: null,
    usage,
  };
  event("message_start", { message: start });
  const isText = block.type === "text";
  event("content_block_start", {
    index: 0,
    content_block: isText ? { type: "text", text: "" } : { ...block, input: {} },
  });
  const delta = isText
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  event("content_block_delta", { index: 0, delta });
  event("content_block_stop", { index: 0 });
  event("message_delta", { delta: { stop_reason: isText ? "end_turn" : "tool_use" }, usage });
  event("message_stop", {});
  response.end();
}

let home: Home;
let client: McpClient;
const model = new AssessmentListener();

beforeAll(async () => {
  const { program } = await install(CLAUDE_CODE);
  home = makeHome("on");
  const bin = join(home.path, "bin");
  mkdirSync(bin);
  symlinkSync(BIN, join(bin, "rouse"));
  const own = join(home.path, "own");
  const project = join(own, "project");
  mkdirSync(project, { recursive: true });
  const { env } = CLAUDE_CODE.prepare(
    { home: own, project, url: await model.listen() },
    { asks: true, account: "key" },
  );
  await spawnFake(home, "healthy", { steps: [{ do: "stream" }] }, ["worker"]);
  await spawnFake(home, "asks", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }] }, ["worker"]);
  await reaches(home, "asks", "needs_input/permission");
  const path = [bin, dirname(program), process.env.PATH].join(delimiter);
  const given = { ...home.env, ...env, HOME: own, PATH: path };
  const { config } = rousePaths(home.env);
  mkdirSync(config, { recursive: true });
  appendFileSync(join(config, "config.toml"), readFileSync(join(EXAMPLE, "config.toml")));
  await promisify(execFile)("sh", [join(EXAMPLE, "start.sh")], { env: given, cwd: project });
  const right = { ...home, env: { ...home.env, ROUSE_MCP_RIGHTS: "read,report,control" } };
  const connect = CLIENTS["the current client on stdio"];
  if (!connect) throw new Error("there is no such client");
  client = await connect({ home: right, port: 0, token: "" });
});

afterAll(async () => {
  await client?.close();
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  await model.close();
  await closeHome(home);
});

const inbox = async (): Promise<MessageView[]> => {
  const { daemonSocket } = rousePaths(home.env);
  const page = (await askDaemon(daemonSocket, "GET", "/v1/messages?tag=orchestrator&all=true")) as {
    messages: MessageView[];
  };
  return page.messages.filter(({ from }) => from !== "rouse");
};

describe("the watchdog preset with a real Claude Code", () => {
  it("is woken by the timer, reports an open question once and no other agent, and never needs a permission", async () => {
    await reaches(home, "watchdog", "idle");
    const started = await client.call("watchdog_start", { pane_id: "watchdog", interval_secs: 5, message: "check" });
    expect(started).toMatchObject({ isError: false });
    const words: string[] = [];
    await until(
      "three checks and a message",
      async () => {
        const view = await viewOf(home, "watchdog");
        if (view) words.push(view.state);
        return model.checks >= 3 && (await inbox()).length > 0;
      },
      300_000,
    );
    expect((await inbox()).map(({ msg_type, from, payload }) => [msg_type, from, payload])).toEqual([
      ["watch.needs_input", "watchdog", expect.objectContaining({ worker_name: "asks" })],
    ]);
    expect([...model.tools].filter((name) => name.startsWith("mcp__")).toSorted()).toEqual([
      "mcp__rouse__get_status",
      "mcp__rouse__get_worker_status",
      "mcp__rouse__send_orchestration",
    ]);
    expect(words).not.toContain("needs_input");
  });
});
