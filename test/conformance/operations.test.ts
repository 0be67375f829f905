/** Every operation of the table, over every surface generated from it. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Events } from "../../src/api/events.js";
import { answerPort, makeApi } from "../../src/api/http.js";
import { unverified } from "../../src/api/identity.js";
import { Rouse } from "../../src/api/library.js";
import { TOOLS } from "../../src/api/mcp/tools.js";
import { OPERATIONS, type OperationName } from "../../src/api/operations/index.js";
import type { Operation } from "../../src/api/operations/operation.js";
import type { Services } from "../../src/api/service/services.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { type Client, RIGHTS, type Right } from "../../src/daemon/http/tokens.js";
import { closeHome, type Home, makeHome } from "../support/hosts.js";

const ROWS = Object.entries<Operation>(OPERATIONS);
const NAMES = ROWS.map(([name]) => name);

/** Answers every call with an empty record; clients are what they say. */
const services = new Proxy(
  {
    access: { identify: async (client: Client) => unverified(client), checkInside: () => {} },
  } as unknown as Partial<Services>,
  { get: (known, name) => known[name as keyof Services] ?? new Proxy({}, { get: () => () => ({}) }) },
) as Services;

const port = answerPort(
  makeApi(
    {
      services,
      events: new Events(),
      tokens: { holds: () => true },
      metrics: async () => ({ text: "", type: "text/plain" }),
      version: "1",
      mcp: async () => new Response(),
    },
    false,
  ),
);

/** The example of an operation as a request. */
function requestOf({ method, path, example }: Operation): Request {
  const left: Record<string, unknown> = { ...example };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(left[field]);
    delete left[field];
    return encodeURIComponent(value);
  });
  const url = new URL(`http://127.0.0.1${filled}`);
  if (method === "post")
    return new Request(url, {
      method: "POST",
      body: JSON.stringify(left),
      headers: { "content-type": "application/json" },
    });
  for (const [key, value] of Object.entries(left)) url.searchParams.set(key, String(value));
  return new Request(url);
}

async function statusFor(row: Operation, rights: readonly Right[]): Promise<number> {
  const client: Client = { name: "test", rights: new Set(rights) };
  return (await port(requestOf(row), client))?.status ?? 404;
}

describe("the table of operations", () => {
  it("has a unique method and path for each operation", () => {
    const routes = ROWS.map(([, { method, path }]) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it.each(ROWS)("gives %s an example that its input accepts", (_name, { input, example }) => {
    expect(input.safeParse(example)).toMatchObject({ success: true });
  });

  it.each(ROWS)("describes %s with a sentence, and every field of its path is a field of its input", (_name, row) => {
    expect(row.summary).toMatch(/^[A-Z].*\.$/);
    for (const [, field] of row.path.matchAll(/\{(\w+)\}/g)) expect(Object.keys(row.input.shape)).toContain(field);
  });
});

describe("the HTTP API", () => {
  it.each(ROWS)("serves %s to a client with the required right, if it is offered there", async (_name, row) => {
    expect(await statusFor(row, [row.right])).toBe(row.surfaces.http ? 200 : 404);
  });

  it.each(ROWS.filter(([, { surfaces }]) => surfaces.http))("refuses %s without that right", async (_name, row) => {
    expect(
      await statusFor(
        row,
        RIGHTS.filter((right) => right !== row.right),
      ),
    ).toBe(403);
  });
});

describe("MCP", () => {
  it("offers exactly the tools that the table names, each made from its operation", () => {
    const named = ROWS.flatMap(([name, { surfaces }]) => surfaces.mcp.map((tool) => `${tool} ${name}`));
    const made = TOOLS.flatMap((tool) => [
      `${tool.name} ${tool.operation}`,
      ...(tool.name === "poll_messages" ? [`${tool.name} ack_messages`] : []),
    ]);
    expect(made.sort()).toEqual(named.sort());
  });

  it("offers no permissions, silences, alerts or settings, and nothing that needs the right admin", () => {
    const never: OperationName[] = [
      "permissions",
      "allow",
      "silences",
      "silence",
      "ack",
      "feedback",
      "test_alert",
      "retry_alerts",
      "dismiss_alerts",
      "watch",
      "unwatch",
      "shut_down",
    ];
    for (const name of never) expect([name, OPERATIONS[name].surfaces.mcp]).toEqual([name, []]);
    for (const { operation } of TOOLS) expect(OPERATIONS[operation].right).not.toBe("admin");
  });

  it("has the tools of the design that exist so far", () => {
    const names = TOOLS.map(({ name }) => name);
    for (const name of ["get_worker_status", "get_status", "report_status", "send_orchestration", "poll_messages"])
      expect(names).toContain(name);
    for (const name of ["spawn_agent", "recover_agent", "why", "get_activity", "read_pane", "send_input"])
      expect(names).toContain(name);
  });
});

describe("the library", () => {
  let home: Home;
  let server: Server;
  let rouse: Rouse;
  const called: string[] = [];

  beforeAll(async () => {
    home = makeHome();
    const socket = join(home.path, "daemon.sock");
    server = createServer((request, response) => {
      called.push(request.url?.replace("/v1/call/", "") ?? "");
      request.resume().on("end", () => response.end(JSON.stringify({ answer: {} })));
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    rouse = new Rouse(socket, "test");
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await closeHome(home);
  });

  it.each(ROWS.filter(([, { surfaces }]) => surfaces.library !== null))(
    "has a method that calls %s",
    async (name, { surfaces }) => {
      const method = (rouse as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[
        surfaces.library as string
      ];
      expect(method).toBeTypeOf("function");
      called.length = 0;
      // A record in each place: it works as a name, a request and a time.
      const any = Object.assign(new Date(0), { tag: "x", type: "note", payload: {} });
      await method?.call(rouse, any, any);
      expect(called).toEqual([name]);
    },
  );

  it("has a method for every operation except stopping the daemon, the session of the dashboard, and commands of the command line", () => {
    const without = NAMES.filter((name) => OPERATIONS[name as OperationName].surfaces.library === null);
    expect(without.filter((name) => !name.startsWith("local_"))).toEqual(["shut_down", "web_login", "client"]);
  });
});

describe("the command line", () => {
  const folder = join(import.meta.dirname, "../../src/cli");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .concat(readFileSync(join(folder, "../demo/stage.ts"), "utf8"));
  const all = sources.join("\n");

  it.each(ROWS.filter(([, { surfaces }]) => surfaces.cli.length > 0))("uses %s", (name, { path, surfaces }) => {
    const byName = new RegExp(`(?:call|requestOperation|permit|permitted)\\("${name}"`);
    expect(byName.test(all) || [`"${path}"`, `"${path}?`, `\`${path}?`].some((asked) => all.includes(asked))).toBe(
      true,
    );
    const known = COMMANDS.flatMap(({ names }) => names);
    for (const command of surfaces.cli) expect(known).toContain(command);
  });

  it("asks the daemon for nothing that is not in the table", () => {
    const asked = sources.flatMap((text) =>
      [...text.matchAll(/"(\/v1\/[^"]*)"|`(\/v1\/[^`]*)`/g)].map((m) => (m[1] ?? m[2])?.replace(/\?.*/s, "")),
    );
    const paths = ROWS.map(([, { path }]) => path);
    // Hooks are intake; the others are settings of other programs that name the daemon's port.
    const others = asked.filter(
      (path) => path !== undefined && !paths.includes(path) && !path.startsWith("/v1/hooks/"),
    );
    expect(others).toEqual([]);
  });

  it("loads neither zod nor hono in the commands that must be quick", () => {
    for (const start of ["quick.ts", "client.ts"]) {
      const loaded = importsFrom(join(folder, start));
      expect([...loaded].filter((name) => /^(zod|hono|@hono)/.test(name))).toEqual([]);
    }
  });
});

/** Every module and package that loading this one loads; types are erased. */
function importsFrom(path: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  for (const [, clause = "", from = ""] of text.matchAll(/^(?:import|export)\s+([^;]*?)\s*(?:from\s+)?"([^"]+)";/gm)) {
    if (/^type\b/.test(clause)) continue;
    if (from.startsWith(".")) importsFrom(join(path, "..", from.replace(/\.js$/, ".ts")), seen);
    else seen.add(from);
  }
  for (const [, from = ""] of text.matchAll(/await import\("(\.[^"]+)"\)/g))
    if (!from.endsWith("main.js")) importsFrom(join(path, "..", from.replace(/\.js$/, ".ts")), seen);
  return seen;
}
