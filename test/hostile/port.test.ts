/**
 * S6 and S7 over the whole table of routes: a request without a token, with a wrong one or one without the right,
 * for another host, from a web page or without JSON is refused. New routes are tested automatically.
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiRoute, ROUTES } from "../../src/api/routes.js";
import { rousePaths } from "../../src/config/paths.js";
import { makeHttpApp } from "../../src/daemon/http/app.js";
import { RIGHTS } from "../../src/daemon/http/tokens.js";
import { ApiClient, makeToken, openPort } from "../support/api.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";

let home: Home;
let port: number;
let hookKey: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  home = makeHome("on");
  port = await openPort(home);
  for (const right of RIGHTS) tokens[right] = await makeToken(home, right, right);
  tokens.all = await makeToken(home, "all", "read,report,report_any,control,admin");
  hookKey = readFileSync(rousePaths(home.env).hookKey, "utf8").trim();
});

afterAll(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

/** The daemon's own routes as its router knows them: a route that is added there is in the table too. */
const UNUSED = {} as never;
const OWN: ApiRoute[] = makeHttpApp({
  hosts: UNUSED,
  who: UNUSED,
  hooks: UNUSED,
  telemetry: UNUSED,
  counts: UNUSED,
  more: UNUSED,
  connections: UNUSED,
  page: UNUSED,
  logins: UNUSED,
})
  .routes.filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => ({
    method: method.toLowerCase() as ApiRoute["method"],
    path: path.replace(":program", "claude-code"),
    right: path.includes(":program") ? "report" : "report_any",
  }));
const TABLE = [...ROUTES, ...OWN];

type Headers = Record<string, string>;

/** The status, or 0 if the connection was closed. Streams are read up to their head. */
function ask(route: Pick<ApiRoute, "path">, method: string, headers: Headers, body = "{}"): Promise<number> {
  const path = route.path.replace("{agent}", "nobody");
  return new Promise((resolve) => {
    const asked = request(
      { host: "127.0.0.1", port, path, method, headers, setHost: false, agent: false },
      (answer) => {
        resolve(answer.statusCode ?? 0);
        asked.destroy();
      },
    );
    asked.on("error", () => resolve(0));
    asked.end(method === "POST" ? body : undefined);
  });
}

const good = (more: Headers = {}): Headers => ({
  host: `127.0.0.1:${port}`,
  authorization: `Bearer ${tokens.all}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  ...more,
});

/** The expected answer to each of them. */
async function answers(headers: () => Headers, as?: (route: ApiRoute) => string): Promise<Set<number>> {
  const found = new Set<number>();
  for (const route of TABLE) found.add(await ask(route, as?.(route) ?? route.method.toUpperCase(), headers()));
  return found;
}

const PASSED = [200, 400, 404, 406, 409];

describe("every route of the port", () => {
  it("is in the table that all these tests use", async () => {
    expect(OWN.map(({ path }) => path)).toContain("/v1/hooks/claude-code");
    const { text } = await new ApiClient(port, tokens.all as string).get("/v1/openapi.json");
    const { paths } = JSON.parse(text) as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it("is open to a client with the right token, from the right origin", async () => {
    for (const status of await answers(() => good())) expect(PASSED).toContain(status);
  });

  it("is closed without a token, and with a wrong one", async () => {
    const wrong = [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${"x".repeat(49)}`,
      `Bearer rouse_${"A".repeat(43)}`,
      `Basic ${tokens.all}`,
      `${tokens.all}`,
      `Bearer ${tokens.all}x`,
      `Bearer ${tokens.all?.slice(0, -1)}`,
      `Bearer ${tokens.all},${tokens.all}`,
      `Token ${tokens.all}`,
    ];
    for (const authorization of wrong) {
      const headers = good();
      delete headers.authorization;
      const given = authorization === undefined ? headers : { ...headers, authorization };
      expect([...(await answers(() => given))]).toEqual([401]);
    }
  });

  it("is closed to a token without its right, and to the key of the hooks", async () => {
    for (const route of ROUTES) {
      const others = [...RIGHTS.filter((right) => right !== route.right).map((right) => tokens[right]), hookKey];
      for (const token of others)
        expect([
          route,
          await ask(route, route.method.toUpperCase(), good({ authorization: `Bearer ${token}` })),
        ]).toEqual([route, 403]);
    }
  });

  it("is closed to a revoked token at once", async () => {
    const token = await makeToken(home, "gone", "read,report,control");
    const client = new ApiClient(port, token);
    expect((await client.get("/v1/agents")).status).toBe(200);
    await rouse(home, ["token", "revoke", "gone"]);
    const authorization = `Bearer ${token}`;
    expect([...(await answers(() => good({ authorization })))]).toEqual([401]);
  });

  it("is closed under any name but its own", async () => {
    const hosts = [
      "",
      "127.0.0.1",
      "localhost",
      `127.0.0.1:${port + 1}`,
      `127.0.0.1:0${port}`,
      `127.0.0.1.:${port}`,
      `127.0.0.1:${port}.`,
      `127.1:${port}`,
      `127.0.0.2:${port}`,
      `0.0.0.0:${port}`,
      `0:${port}`,
      `2130706433:${port}`,
      `0x7f000001:${port}`,
      `0177.0.0.1:${port}`,
      `[::1]:${port}`,
      `[::]:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `[::ffff:7f00:1]:${port}`,
      `LOCALHOST:${port}`,
      `Localhost:${port}`,
      `localhost.:${port}`,
      `localhost.localdomain:${port}`,
      `evil.example:${port}`,
      "evil.example",
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `evil.example@127.0.0.1:${port}`,
      `127.0.0.1:${port}@evil.example`,
      `127.0.0.1:${port}, evil.example`,
      `127.0.0.1:${port}/`,
      `127.0.0.1:${port}#`,
      `user:pass@localhost:${port}`,
    ];
    for (const host of hosts) {
      for (const status of await answers(() => good({ host })))
        expect([host, [421, 400].includes(status)]).toEqual([host, true]);
    }
  }, 120_000);

  it("is closed to a page that uses DNS rebinding", async () => {
    for (const { method, path } of TABLE)
      for (const origin of [undefined, `http://evil.example:${port}`]) {
        const { host: _own, ...headers } = good(origin === undefined ? {} : { origin });
        const status = await new Promise((resolve) => {
          const asked = request(
            {
              host: "evil.example",
              port,
              path: path.replace("{agent}", "nobody"),
              method: method.toUpperCase(),
              headers,
              agent: false,
              // The second answer of a rebinding name server.
              lookup: (_name, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
            },
            (answer) => {
              resolve(answer.statusCode);
              asked.destroy();
            },
          );
          asked.on("error", (error) => resolve(error.message));
          asked.end(method === "post" ? "{}" : undefined);
        });
        expect([path, status]).toEqual([path, 421]);
      }
  });

  it("is closed if a request names two hosts, or another one in its first line", async () => {
    const head = [`authorization: Bearer ${tokens.all}`, "content-type: application/json", "connection: close"];
    for (const { method, path: route } of TABLE) {
      const path = route.replace("{agent}", "nobody");
      const forms = [
        [`${method.toUpperCase()} ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, "host: evil.example"],
        [`${method.toUpperCase()} http://127.0.0.1:${port}${path} HTTP/1.1`, "host: evil.example"],
        [`${method.toUpperCase()} ${path} HTTP/1.1`],
        [`${method.toUpperCase()} ${path} HTTP/1.0`],
        [`${method.toUpperCase()} ${path} HTTP/1.1`, "host: evil.example", `x-forwarded-host: 127.0.0.1:${port}`],
      ];
      for (const form of forms) {
        const answer = await raw(`${[...form, ...head, "content-length: 2"].join("\r\n")}\r\n\r\n{}`);
        expect([form, /^HTTP\/1\.1 (?:400|421)/.test(answer)]).toEqual([form, true]);
      }
    }
  });

  it("is closed to pages of any other origin", async () => {
    const origins = [
      "null",
      "",
      "*",
      "https://evil.example",
      "http://evil.example",
      `http://evil.example:${port}`,
      "http://127.0.0.1",
      "http://localhost",
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port + 1}`,
      `http://127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}.evil.example`,
      `http://LOCALHOST:${port}`,
      `http://[::1]:${port}`,
      "file://",
      "chrome-extension://abcdefghijklmnop",
    ];
    for (const origin of origins) expect([origin, ...(await answers(() => good({ origin })))]).toEqual([origin, 403]);
  });

  it("cannot be changed by GET, and accepts only JSON", async () => {
    for (const route of TABLE.filter(({ method }) => method === "post")) {
      const isRead = ROUTES.some(({ path, method }) => path === route.path && method === "get");
      if (!isRead) expect([405, 404]).toContain(await ask(route, "GET", good()));
      for (const type of [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/json",
      ])
        expect([type, await ask(route, "POST", good({ "content-type": type }))]).toEqual([type, 415]);
      expect(await ask(route, "POST", good({ "content-encoding": "gzip" }))).toBe(415);
    }
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
      expect([
        ...(await answers(
          () => good(),
          () => method,
        )),
      ]).toEqual([405]);
  });

  it("sends no CORS header", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/agents`, { headers: good() });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("refuses a huge body, announced or not, and keeps working", async () => {
    const client = new ApiClient(port, tokens.all as string);
    for (const { path } of TABLE.filter(({ method }) => method === "post")) {
      const status = await ask({ path }, "POST", good(), `{"text":"${"x".repeat(5 * 1024 * 1024)}"}`);
      expect([413, 0]).toContain(status);
    }
    const head = [
      "POST /mcp HTTP/1.1",
      ...Object.entries(good()).map((pair) => pair.join(": ")),
      "transfer-encoding: chunked",
    ];
    const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`;
    const text = await raw(`${head.join("\r\n")}\r\n\r\n${chunk.repeat(6)}0\r\n\r\n`);
    expect(["", "413"]).toContain(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "");
    expect((await client.get("/v1/health")).status).toBe(200);
  });

  it("survives invalid bodies", async () => {
    const client = new ApiClient(port, tokens.all as string);
    const bodies = [
      "",
      "{",
      "null",
      "[]",
      '"x"',
      "[".repeat(100_000),
      `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
      '{"__proto__":{"rights":["control"]},"agent":"x"}',
      '{"agent":{"$gt":""},"text":7}',
      '{"agent":"\\u0000\\u001b]0;x\\u0007","text":"\\u001b[2J"}',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
      '{"jsonrpc":"2.0","id":{},"method":7}',
      `[${'{"jsonrpc":"2.0","id":1,"method":"tools/list"},'.repeat(2000)}{}]`,
    ];
    for (const { path } of TABLE.filter(({ method }) => method === "post"))
      for (const body of bodies) {
        const status = await ask({ path }, "POST", good(), body);
        expect([path, body.slice(0, 40), status >= 500]).toEqual([path, body.slice(0, 40), false]);
      }
    expect((await client.get("/v1/health")).status).toBe(200);
  }, 120_000);
});

function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8").on("data", (piece: string) => {
      answer += piece;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}
