/**
 * S11: one secret of each format in every place that can contain secrets: the environment, a screen, a transcript,
 * a task, a tool's arguments, an error, an address, the configuration, a client's request. Then every output is
 * searched: channels, HTTP, MCP, events, metrics, each command, the logs, and all files except the capture of
 * agents' output, which expires.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLS } from "../../src/api/mcp/tools.js";
import { ROUTES } from "../../src/api/routes.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { loadSqlite } from "../../src/store/sqlite.js";
import { ApiClient, makeToken, openPort } from "../support/api.js";
import { CANARIES } from "../support/canaries.js";
import { withConstants } from "../support/constants.js";
import { type EventReader, openEvents } from "../support/event-reader.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { CLIENTS } from "../support/mcp.js";
import { HttpReceiver } from "../support/receivers.js";

const LIMIT_MS = 600_000;
const receiver = new HttpReceiver();
let home: Home;
let port: number;
let client: ApiClient;
let events: EventReader;
let socket: string;

/** Every output that was searched, by its origin. */
const seen = new Map<string, string>();
const see = (where: string, text: string): void => void seen.set(where, (seen.get(where) ?? "") + text);

/** The secrets in a text, raw or as JSON. */
const found = (text: string): string[] =>
  CANARIES.filter((canary) => text.includes(canary) || text.includes(JSON.stringify(canary).slice(1, -1))).map((one) =>
    one.slice(0, 8),
  );
const leaks = (): [string, number, string | undefined][] =>
  [...seen].flatMap(([where, text]) => {
    const secrets = found(text);
    return secrets.length > 0 ? [[where, secrets.length, secrets[0]] as [string, number, string]] : [];
  });

beforeAll(async () => {
  home = makeHome("on");
  Object.assign(home.env, withConstants({ ALERT_TIMING: { groupWaitMs: 0, groupOver: 10_000, retryMs: 100 } }));
  const url = await receiver.start();
  // The environment of the daemon, of every command, and of the agent.
  for (const [n, canary] of CANARIES.entries()) home.env[`CANARY_${n}`] = canary;
  mkdirSync(join(home.path, "config"), { recursive: true });
  writeFileSync(
    join(home.path, "config", "config.toml"),
    `version = 1
[mcp]
rights = ["read", "report", "control"]
[channels.ops]
type = "webhook"
url = "${url}/hook/${CANARIES[0]}"
secret_env = "CANARY_1"
allow_private = true
[channels.chat]
type = "slack"
url = "${url}/chat/${CANARIES[3]}"
allow_private = true
[channels.bot]
type = "telegram"
url = "${url}"
token = "${CANARIES.find((one) => /^\d+:AA/.test(one))}"
chat = "1"
allow_private = true
[channels.down]
type = "discord"
url = "http://127.0.0.1:9/${CANARIES[4]}"
allow_private = true
[channels.wrong]
type = "slack"
url = "ftp://${CANARIES[5]}.example/${CANARIES[6]}"
[channels.odd]
type = "ntfy"
topic = "${CANARIES[7]} not a topic"
[channels.stray]
type = "webhook"
url_env = "https://hooks.example/${CANARIES[8]}"
"${CANARIES[9]}" = true
`,
  );
  port = await openPort(home);
  client = new ApiClient(port, await makeToken(home, "all", "read,report,control"));
  socket = rousePaths(home.env).daemonSocket;
  events = await openEvents(port, client.headers);
  for (const [n, canary] of CANARIES.entries()) await problem(n, `see ${canary} there`);
  const script = join(home.path, "print.mjs");
  writeFileSync(
    script,
    `for (const name of Object.keys(process.env)) if (name.startsWith("CANARY_")) console.log(process.env[name]);
console.log("end of it"); setInterval(() => {}, 1e6);`,
  );
  await rouse(home, ["spawn", "--name", "printer", "--task", `with ${CANARIES[10]}`, "--", process.execPath, script]);
  await until(
    "the printer",
    async () => (await client.get("/v1/agents/printer/pane?lines=500")).text.includes("end of it"),
    60_000,
  );
  const opened = (): number =>
    receiver.received.filter(({ path, body }) => path.startsWith("/hook") && body.includes('"opened"')).length;
  await until("the alerts", () => opened() >= 2 * CANARIES.length, 120_000);
}, LIMIT_MS);

afterAll(async () => {
  events?.end();
  await rouse(home, ["stop", "printer", "--grace", "0"]);
  await rouse(home, ["down"]);
  await receiver.stop();
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

/** Two agents: one asks and one fails, with this text in all their output. */
async function problem(n: number, said: string): Promise<void> {
  const at = Date.now() - 5000;
  const reading = { reply: "r", lastLine: said, busy: false, moving: false };
  for (const name of [`q${n}`, `e${n}`]) {
    await askDaemon(socket, "PUT", `/v1/sessions/${name}`, {
      id: name,
      name,
      kind: "claude-code",
      tags: ["worker"],
      origin: "spawn",
      command: ["claude"],
      workspace: null,
      task: said,
      policy: null,
      pid: null,
      pidStart: null,
      startedAt: at - 60_000,
      hostSocket: null,
      pane: null,
      endedAt: null,
    });
  }
  const working = { kind: "status", source: "title", status: "working", at };
  await askDaemon(socket, "POST", `/v1/sessions/q${n}/signals`, {
    from: 1,
    signals: [
      working,
      { kind: "tool_start", at, source: "transcript", id: "1", tool: "Bash", class: "shell", call: "c", subject: said },
      { kind: "tool_end", at, source: "transcript", id: "1", ok: false, outcome: "o", raw: "w", preview: said },
      { kind: "commit", at, source: "workspace", id: "f".repeat(40), subject: said },
      {
        kind: "screen",
        at,
        source: "screen",
        reading: {
          ...reading,
          composer: "hidden",
          dialog: { prompt: "permission", question: said },
          tail: [said, said],
        },
      },
    ],
  });
  await askDaemon(socket, "POST", `/v1/sessions/e${n}/signals`, {
    from: 1,
    signals: [
      working,
      { kind: "message", at, source: "transcript", role: "assistant", digest: "d", closing: "question", preview: said },
      { kind: "error", at, source: "transcript", cause: "policy_refusal", final: true, digest: "e", text: said },
      { kind: "status", at, source: "title", status: "idle" },
      { kind: "screen", at, source: "screen", reading: { ...reading, composer: "empty", tail: [said] } },
    ],
  });
}

describe("none of the secrets", () => {
  it("is in what the channels send", () => {
    const sent = receiver.received.map(({ path, headers, body }) => {
      // A user's own address is secret and is sent only to its host: only that is removed here.
      const own = [`/hook/${CANARIES[0]}`, `/chat/${CANARIES[3]}`].includes(path) || path.startsWith("/bot");
      return `${own ? "" : path}\n${JSON.stringify(headers)}\n${body}`;
    });
    expect(new Set(receiver.received.map(({ path }) => path.split("/")[1]?.slice(0, 3)))).toEqual(
      new Set(["hoo", "cha", "bot"]),
    );
    expect(found(sent.join("\n"))).toEqual([]);
  });

  it(
    "is in any answer, figure or event of the port",
    async () => {
      for (const { method, path } of ROUTES) {
        if (path === "/v1/events" || path === "/mcp") continue;
        for (const agent of ["q1", "e2", "printer", CANARIES[11] as string]) {
          const where = path.replace("{agent}", encodeURIComponent(agent));
          const query = path.endsWith("/pane") ? "?lines=500" : path === "/v1/summary" ? "?since=0" : "";
          if (path.endsWith("/stop")) continue;
          const body = {
            agent,
            state: "error",
            text: `it is ${CANARIES[12]}`,
            message: CANARIES[13],
            interval_secs: 1,
          };
          const { text } = method === "get" ? await client.get(`${where}${query}`) : await client.post(where, body);
          see(`${method} ${path}`, text);
        }
      }
      await until("an event", () => events.text().includes("\nid: "), 60_000);
      see("events", events.text());
      expect(leaks()).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    "is in any answer over MCP",
    async () => {
      for (const which of ["the current client over HTTP", "the current client on stdio"]) {
        const mcp = await (CLIENTS[which] as (typeof CLIENTS)[string])({ home, port, token: client.token });
        try {
          for (const { name } of TOOLS) {
            if (name === "close_pane" || name === "kill_session") continue;
            for (const pane_id of ["q3", "e4", "printer", CANARIES[14]]) {
              const text = `${CANARIES[15]}`;
              const args = {
                pane_id,
                target: { tag: "team" },
                payload: { text },
                text,
                status: "error",
                message: text,
              };
              see(`${which} ${name}`, (await mcp.call(name, args)).text);
            }
          }
        } finally {
          await mcp.close();
        }
      }
      expect(leaks()).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    "is in what any command prints",
    async () => {
      const secret = CANARIES[16] as string;
      const commands = [
        ["status"],
        ["health"],
        ["why", "q5"],
        ["why", "e6"],
        ["why", "printer"],
        ["why", secret],
        ["check"],
        ["incidents"],
        ["incidents", "--all"],
        ["incidents", "q7"],
        ["incidents", secret],
        ["messages"],
        ["messages", "--all"],
        ["summary", "--since", "1h"],
        ["recover", "q8", "--dry-run"],
        ["recover", secret],
        ["alert", "list"],
        ["alert", "channels"],
        ["alert", "test", "down"],
        ["alert", "test", secret],
        ["allow"],
        ["token", "list"],
        ["config", "show", "--origin"],
        ["config", "check"],
        ["doctor"],
        ["logs", "printer"],
        ["logs", secret],
        ["type", "q9", secret],
        ["ack", secret],
        ["silence", secret],
        ["report", "working", secret],
        [secret],
        ["status", `--${secret}`],
      ];
      for (const args of commands)
        for (const more of args[0] === "logs" || args.includes(secret) ? [[]] : [[], ["--json"]]) {
          const { stdout, stderr } = await rouse(home, [...args, ...more]);
          see(`rouse ${[...args, ...more].join(" ").replace(secret, "SECRET")}`, `${stdout}\n${stderr}`);
        }
      expect(leaks()).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    "is in a log, or in any stored file except the capture of agents' output",
    async () => {
      const { state, config } = rousePaths(home.env);
      const database = loadSqlite().openReadOnly(rousePaths(home.env).journal);
      const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
      const rest: [string, string[]][] = [];
      for (const name of tables.map((table) => String(table.name)).filter((name) => name !== "batches"))
        rest.push([`table ${name}`, found(JSON.stringify(database.prepare(`select * from ${name}`).all()))]);
      database.close();
      const files = (readdirSync(state, { recursive: true }) as string[]).map((name) => join(state, name));
      for (const path of files) {
        // The journal was read above; the last output of a spawned agent is part of its capture.
        if (!statSync(path).isFile() || /journal\.db(?:-wal|-shm)?$|\.out$/.test(path)) continue;
        rest.push([relative(home.path, path), found(readFileSync(path, "utf8"))]);
      }
      expect(rest.length).toBeGreaterThan(8);
      expect(config.startsWith(home.path)).toBe(true);
      expect(rest.filter(([, secrets]) => secrets.length > 0).map(([where, [first]]) => [where, first])).toEqual([]);
    },
    LIMIT_MS,
  );
});
