/** The HTTP API: every operation as a route, events, metrics, and the OpenAPI document. The guard runs before it. */
import { type Context, Hono } from "hono";
import { sanitizedJson } from "../core/text/sanitize.js";
import type { ApiHandler } from "../daemon/http/app.js";
import { missingRight } from "../daemon/http/guard.js";
import type { Client, Tokens } from "../daemon/http/tokens.js";
import { ApiError, type ProblemStatus } from "./error.js";
import { eventStream, filterOf, type TerminalFeed, terminalsOf } from "./event-stream.js";
import type { Events } from "./events.js";
import { redactOutput } from "./leaving.js";
import { OPERATIONS, type OperationName, performOperation } from "./operations/index.js";
import type { Operation } from "./operations/operation.js";
import { ROUTES } from "./routes.js";
import type { Services } from "./service/services.js";

export interface ApiOptions {
  services: Services;
  events: Events;
  /** Terminals that a client of the event stream asks for. */
  terminals?: TerminalFeed;
  tokens: Pick<Tokens, "holds">;
  /** Figures for Prometheus. */
  metrics: () => Promise<{ text: string; type: string }>;
  version: string;
  /** Answers MCP. */
  mcp: (request: Request, client: Client) => Promise<Response>;
}

type Env = { Bindings: { client: Client } };
export type ApiApp = Hono<Env>;

/** `isLocal`: for the socket, which offers every operation. */
export function makeApi(
  { services, events, terminals, tokens, metrics, version, mcp }: ApiOptions,
  isLocal: boolean,
): ApiApp {
  const app: ApiApp = new Hono<Env>();
  const json = (c: Context<Env>, value: unknown, status: 200 | ProblemStatus = 200): Response =>
    c.body(sanitizedJson(value), status, { "content-type": "application/json" });
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const row: Operation = OPERATIONS[name];
    if (!isLocal && !row.surfaces.http) continue;
    app.on(row.method.toUpperCase(), honoPath(row.path), async (c) =>
      json(c, await performOperation(services, name, await inputOf(c, row), c.env.client)),
    );
  }
  app.get("/v1/events", (c) => {
    const { token } = c.env.client;
    const mayListen = (): boolean => token === undefined || tokens.holds(token, "read");
    const lastId = c.req.header("last-event-id") ?? null;
    const agents = terminals ? terminalsOf(c.req.query("terminals")) : [];
    const watched = terminals && agents.length > 0 ? { feed: terminals, agents } : null;
    return eventStream(events, filterOf(c.req.query()), lastId, mayListen, token ?? null, watched);
  });
  app.get("/metrics", async (c) => {
    const { text, type } = await metrics();
    return c.body(text, 200, { "content-type": type });
  });
  app.get("/v1/openapi.json", async (c) => json(c, (await import("./document.js")).documentOf(version)));
  app.post("/mcp", (c) => mcp(c.req.raw, c.env.client));
  app.notFound(() => NOTHING.clone());
  app.onError((error, c) => {
    if (error instanceof ApiError) return json(c, { error: redactOutput(error.message) }, error.status);
    throw error;
  });
  return app;
}

/** Routes of the port besides hooks and telemetry. */
export function answerPort(app: ApiApp): ApiHandler {
  return async (request, client) => {
    const { pathname } = new URL(request.url);
    const route = ROUTES.find(({ method, path }) => method === request.method.toLowerCase() && fits(path, pathname));
    if (!route) {
      const exists = ROUTES.some(({ path }) => fits(path, pathname));
      return exists ? { status: 405, why: "method", says: "method not allowed: see /v1/openapi.json" } : null;
    }
    if (!client.rights.has(route.right)) return missingRight(route.right);
    return app.fetch(request, { client });
  };
}

const NOTHING = Response.json({ error: "no such path: see /v1/openapi.json" }, { status: 404 });

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function fits(path: string, asked: string): boolean {
  const [wanted, given] = [path.split("/"), asked.split("/")];
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => (part.startsWith("{") ? given[at] !== "" : part === given[at]))
  );
}

async function inputOf(c: Context<Env>, { method }: Operation): Promise<unknown> {
  const rest = method === "get" ? c.req.query() : await bodyOf(c);
  return { ...rest, ...c.req.param() };
}

async function bodyOf(c: Context<Env>): Promise<object> {
  const body: unknown = await c.req.json().catch(() => null);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw new ApiError("bad", "the body must be a JSON object");
}
