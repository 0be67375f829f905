/**
 * The eleven acceptance criteria of the watchdog monitor (docs/orchestrators.md), one test each: scripted workers
 * under the real daemon, and an orchestrator that is a real MCP client, on both transports and of two versions.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type MessageView, type Rouse, watch } from "rouse";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { handle } from "../../examples/orchestrator.js";
import { TOOLS } from "../../src/api/mcp/tools.js";
import { KEYS } from "../../src/config/keys.js";
import { loadConfig } from "../../src/config/load.js";
import { rousePaths } from "../../src/config/paths.js";
import { loadPresets } from "../../src/config/presets.js";
import { listSessions } from "../../src/terminal/registry.js";
import { makeToken, openPort } from "../support/api.js";
import { type FakeScript, reaches, receivedBy, spawnFake } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { CLIENTS, type McpClient, type Place } from "../support/mcp.js";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), "utf8");

let home: Home;
let place: Place;
let library: Rouse;
const clients: McpClient[] = [];

/** A suspicion is reported at once, instead of after the confirmation minute. */
const QUICK = 'agents = ["mute"]\nconfirm_seconds = 0\n';

beforeAll(async () => {
  home = makeHome("on");
  home.env.CLAUDE_CONFIG_DIR = join(home.path, ".claude");
  home.env.ROUSE_MCP_RIGHTS = "read,report,report_any,control";
  const policies = join(rousePaths(home.env).config, "policies");
  mkdirSync(policies, { recursive: true });
  writeFileSync(join(policies, "quick.toml"), QUICK);
  const port = await openPort(home);
  place = { home, port, token: await makeToken(home, "orchestrator", "read,report,report_any,control") };
  library = await watch({ home: home.path, name: "orchestrator" });
  await spawnFake(home, "healthy", { steps: [{ do: "stream" }], writes: true }, ["worker"]);
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await library?.close();
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
}, 120_000);

async function connect(which: string): Promise<McpClient> {
  const client = await (CLIENTS[which] as (typeof CLIENTS)[string])(place);
  clients.push(client);
  return client;
}

/** The first message about this worker; nothing is acknowledged. */
async function sentMessage(client: McpClient, worker: string, type: string, ms = 60_000): Promise<MessageView> {
  let found: MessageView | undefined;
  await until(
    `${type} of ${worker}`,
    async () => {
      const { text } = await client.call("poll_messages", { limit: 100 });
      const { messages } = JSON.parse(text) as { messages: MessageView[] };
      found = messages.find(
        ({ msg_type, payload }) => msg_type === type && (payload as { worker_name?: string }).worker_name === worker,
      );
      return found !== undefined;
    },
    ms,
  );
  return found as MessageView;
}

const done = new Set<string>();

/** A retried criterion reuses the first setup, so that nothing is reported twice. */
async function once(what: string, setUp: () => Promise<unknown>): Promise<void> {
  if (done.has(what)) return;
  await setUp();
  done.add(what);
}

/** The output of the example orchestrator about the alerts that it acknowledged. */
const said: string[] = [];

const worker = (name: string, steps: FakeScript["steps"]): Promise<void> =>
  once(name, () => spawnFake(home, name, { steps }, ["worker"]));

const STDIO = "the current client on stdio";
const HTTP = "the current client over HTTP, newest revision";
const OLD_STDIO = "a client of the major version before on stdio";
const OLD_HTTP = "a client of the major version before over HTTP";

describe("the watchdog's acceptance criteria", { timeout: 240_000 }, () => {
  it("1: a watchdog agent preset is defined in an example configuration, and skips no permission", () => {
    const env = { ROUSE_HOME: exampleHome(read("examples/watchdog/config.toml")) };
    const { config, origins, issues } = loadConfig({ cwd: home.path, env });
    expect(issues).toEqual([]);
    const { presets, issues: ofPresets } = loadPresets(env);
    expect(ofPresets).toEqual([]);
    expect(presets.get("watchdog")?.command).toEqual(["claude", "--model", "haiku"]);
    expect(config.mcp.rights).toEqual(["read", "report"]);
    const start = read("examples/watchdog/start.sh");
    expect(start).toMatch(/rouse spawn --preset watchdog --name watchdog --tag watchdog/);
    // A set key would replace rouse's clocks, or limit messages to workers.
    expect(Object.keys(config.watchdog).filter((key) => origins[`watchdog.${key}`]?.layer !== "default")).toEqual([
      "poll_interval_secs",
      "orchestrator_tag",
      "output_preview_lines",
    ]);
    expect(start).not.toMatch(/--dangerously|bypassPermissions/);
    // Each tool is allowed or missing: a tool that needs permission would leave the agent waiting for a user.
    const named = new Set([...start.matchAll(/mcp__rouse__(\w+)/g)].map(([, name]) => name));
    expect(TOOLS.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
  });

  it("2: the system prompt of the watchdog agent is documented, and names only existing tools", () => {
    const prompt = read("examples/watchdog/prompt.md");
    const names = new Set(TOOLS.map(({ name }) => name));
    const named = [...prompt.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name as string);
    const FIELDS = new Set(["needs_input", "pane_id", "msg_type", "worker_id", "worker_name"]);
    expect(named.filter((name) => !names.has(name) && !FIELDS.has(name))).toEqual([]);
    for (const tool of ["get_worker_status", "get_status", "send_orchestration"]) expect(prompt).toContain(tool);
    expect(prompt).toMatch(/say nothing/);
    expect(read("docs/orchestrators.md")).toContain("examples/watchdog/prompt.md");
  });

  it("3: stuck detection works with a configurable threshold", async () => {
    const client = await connect(STDIO);
    await once("mute", async () => {
      const path = join(home.path, "mute");
      mkdirSync(path);
      writeFileSync(join(path, ".rouse.toml"), "[health]\nidle_timeout_minutes = 0.1\n");
      const command = ["spawn", "--name", "mute", "--tag", "worker", "--", "sleep", "600"];
      const { status } = await rouse({ ...home, path }, command);
      expect(status).toBe(0);
    });
    const message = await sentMessage(client, "mute", "worker.stuck");
    // The default is 15 minutes.
    expect(message.payload).toMatchObject({ cause: "never_started", reasons: [expect.stringMatching(/up for \d+ s/)] });
    expect((message.payload as { duration_secs: number }).duration_secs).toBeLessThan(60);
  });

  it("4: error detection catches errors that are reported and errors in the output", async () => {
    const client = await connect(OLD_HTTP);
    await worker("fails", [{ do: "idle", ms: 500 }, { do: "fail" }, { do: "idle" }]);
    await worker("reports-error", [{ do: "idle" }]);
    const shown = await sentMessage(client, "fails", "worker.error");
    expect(shown.payload).toMatchObject({ cause: "api", error_context: expect.stringContaining("529") });
    expect((shown.payload as { output_tail: string[] }).output_tail.length).toBeGreaterThan(0);
    await once("its report", async () => {
      await reaches(home, "reports-error", "idle");
      const message = "Build failed with exit code 1";
      await client.call("report_status", { pane_id: "reports-error", status: "error", message });
    });
    const reported = await sentMessage(client, "reports-error", "worker.error");
    expect(JSON.stringify(reported.payload)).toContain("Build failed with exit code 1");
  });

  it("5: complete detection triggers on report_status(complete)", async () => {
    const client = await connect(HTTP);
    await worker("done", [{ do: "idle" }]);
    const message = "Feature implemented and tests passing";
    await once("the report of the end", async () => {
      await reaches(home, "done", "idle");
      await client.call("report_status", { pane_id: "done", status: "complete", message });
    });
    expect((await sentMessage(client, "done", "worker.complete")).payload).toMatchObject({
      outcome: "success",
      completion_message: message,
    });
  });

  it("6: needs-input detection checks is_awaiting_input and is_awaiting_confirmation", async () => {
    const client = await connect(OLD_STDIO);
    const question = "Which of the two formats do you want, JSON or TOML?";
    await worker("asks", [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }]);
    await worker("wonders", [{ do: "idle", ms: 500 }, { do: "finish", text: question }, { do: "idle" }]);
    expect((await sentMessage(client, "asks", "worker.needs_input")).payload).toMatchObject({
      prompt_type: "permission",
    });
    expect((await sentMessage(client, "wonders", "worker.needs_input")).payload).toMatchObject({
      prompt_type: "input",
      prompt_preview: expect.stringContaining("JSON or TOML"),
    });
    const flags = async (pane_id: string): Promise<unknown> =>
      JSON.parse((await client.call("get_status", { pane_id })).text);
    expect(await flags("asks")).toMatchObject({ is_awaiting_confirmation: true, is_awaiting_input: false });
    expect(await flags("wonders")).toMatchObject({
      is_awaiting_confirmation: false,
      is_awaiting_input: true,
      prompt: { text: expect.stringContaining("JSON or TOML") },
    });
  });

  it("7: alerts are sent only when action is needed", async () => {
    const client = await connect(HTTP);
    const { text } = await client.call("get_worker_status", { tag: "worker", name: "healthy" });
    expect(JSON.parse(text)).toMatchObject({ workers: [{ name: "healthy", state: "working" }] });
    const { messages } = JSON.parse((await client.call("poll_messages", { limit: 100 })).text) as {
      messages: MessageView[];
    };
    const workers = messages.map(({ payload }) => (payload as { worker_name: string }).worker_name);
    expect(workers).not.toContain("healthy");
    expect(JSON.stringify(messages)).not.toMatch(/all (good|healthy|workers)/i);
    const keys = messages.map(
      ({ msg_type, payload }) => `${msg_type} ${(payload as { worker_name: string }).worker_name}`,
    );
    expect(keys.length).toBe(new Set(keys).size);
  });

  it("8: alert messages contain actionable context: calls that work as written", async () => {
    const client = await connect(STDIO);
    const { payload } = await sentMessage(client, "fails", "worker.error");
    const { suggested_actions, reasons, incident_id } = payload as {
      suggested_actions: { tool: string | null; arguments: Record<string, unknown> }[];
      reasons: string[];
      incident_id: string;
    };
    expect(reasons.length).toBeGreaterThan(0);
    expect(incident_id).toMatch(/\w+/);
    const reading = suggested_actions.filter(({ tool }) => tool === "read_pane" || tool === "why");
    // A message is short: it may have room for one suggestion only, and its preview shows what reading would.
    expect(suggested_actions).not.toEqual([]);
    for (const { tool, arguments: args } of reading)
      expect(await client.call(String(tool), args)).toMatchObject({ isError: false });
    // An action without a tool is a command for the user.
    const names = [...TOOLS.map(({ name }) => name), null];
    for (const { tool } of suggested_actions) expect(names).toContain(tool);
  });

  it("9: the configuration is documented with its defaults", () => {
    const docs = read("docs/orchestrators.md");
    const { poll_interval_secs, stuck_threshold_intervals, worker_tags, orchestrator_tag, output_preview_lines } =
      KEYS.watchdog;
    for (const [name, key] of Object.entries({
      poll_interval_secs,
      stuck_threshold_intervals,
      worker_tags,
      orchestrator_tag,
      output_preview_lines,
    }))
      expect(docs).toContain(`| \`${name}\` | \`${JSON.stringify(key.default)}\` |`);
    for (const variable of ["POLL_INTERVAL", "STUCK_THRESHOLD", "WORKER_TAGS", "ORCHESTRATOR_TAG"])
      expect(docs).toContain(`ROUSE_WATCHDOG_${variable}`);
  });

  it("10: the timer of watchdog_start wakes a watchdog that is an agent, and is documented", async () => {
    expect(read("docs/orchestrators.md")).toContain("watchdog_start");
    const client = await connect(OLD_STDIO);
    await once("watchdog", async () => {
      await spawnFake(home, "watchdog", { steps: Array(8).fill({ do: "idle" }), logs: true }, ["watchdog"]);
      await reaches(home, "watchdog", "idle");
    });
    const started = await client.call("watchdog_start", { pane_id: "watchdog", interval_secs: 5, message: "check" });
    expect(started).toMatchObject({ isError: false, text: expect.stringContaining('"interval_secs":5') });
    await until(
      "the watchdog to be woken",
      () => receivedBy(home, "watchdog").some(({ text }) => text.includes("\r")),
      60_000,
    );
    const typed = receivedBy(home, "watchdog")
      .map(({ text }) => text)
      .join("");
    expect(typed.startsWith("check\r")).toBe(true);
    expect(await client.call("watchdog_stop", { pane_id: "watchdog" })).toMatchObject({
      isError: false,
      text: '{"stopped":true}',
    });
    // It reports what it finds in its own name, and only once.
    const send = () =>
      client.call("send_orchestration", {
        target: { tag: "orchestrator" },
        msg_type: "watch.stuck",
        payload: { worker_id: "x", worker_name: "by-hand", reasons: ["no change over 3 checks"] },
        key: "x stuck 1",
      });
    await send();
    await send();
    const { from } = await sentMessage(client, "by-hand", "watch.stuck");
    expect(from).toMatch(/^mcp \d+$/);
  });

  it("10: with on_messages the timer wakes an orchestrator once for new messages, and not without", async () => {
    const client = await connect(STDIO);
    await spawnFake(home, "boss", { steps: Array(4).fill({ do: "idle" }), logs: true });
    await reaches(home, "boss", "idle");
    const wakes = { pane_id: "boss", interval_secs: 5, message: "read your messages", on_messages: true, tag: "boss" };
    const started = await client.call("watchdog_start", wakes);
    expect(started).toMatchObject({ isError: false, text: expect.stringContaining('"inbox":"boss"') });
    const typed = (): string =>
      receivedBy(home, "boss")
        .map(({ text }) => text)
        .join("");
    await sleep(7000);
    expect(typed()).toBe("");
    await client.call("send_orchestration", { target: { tag: "boss" }, msg_type: "note", payload: { of: "test" } });
    await until("the orchestrator to be woken", () => typed().includes("\r"), 60_000);
    expect(typed().startsWith("read your messages\r")).toBe(true);
    await sleep(7000);
    expect(typed().split("read your messages")).toHaveLength(2);
    expect(await client.call("watchdog_stop", { pane_id: "boss" })).toMatchObject({ text: '{"stopped":true}' });
  });

  it("11: the example orchestrator handles every alert, and each is acknowledged once it is handled", async () => {
    const { messages } = await library.messages({ limit: 100 });
    said.push(...(await Promise.all(messages.map((message) => handle(library, message)))));
    const handled = (worker: string): string => said.filter((line) => line.startsWith(`${worker}: `)).join("\n");
    expect(handled("fails")).toContain("failed: ");
    expect(handled("asks")).toContain("asks for permission: ");
    expect(handled("done")).toContain("finished (success): Feature implemented");
    expect(handled("mute")).toContain("stuck (never_started)");
    const client = await connect(HTTP);
    const page = JSON.parse((await client.call("poll_messages", { limit: 100 })).text) as { cursor: number };
    const rest = JSON.parse((await client.call("poll_messages", { ack: page.cursor })).text) as { messages: unknown[] };
    expect(rest.messages.filter((message) => !JSON.stringify(message).includes("recovered"))).toEqual([]);
  });
});

/** A home with this configuration in it. */
function exampleHome(config: string): string {
  const path = join(home.path, "example");
  mkdirSync(join(path, "config"), { recursive: true });
  writeFileSync(join(path, "config", "config.toml"), config);
  return path;
}
