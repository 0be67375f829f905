/** The HTTP API: every operation as a route, events, metrics, and the document that describes them. The guard is in front of it. */
import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { plainJson } from "../core/plain.js";
import type { More } from "../daemon/http/app.js";
import { lacks } from "../daemon/http/guard.js";
import type { Client, Right } from "../daemon/http/tokens.js";
import { eventStream, filterOf } from "./event-stream.js";
import type { Events } from "./events.js";
import { leaving } from "./leaving.js";
import type { Metrics } from "./metrics.js";
import { OPERATIONS, type Operation, type OperationName, perform } from "./operations.js";
import { ApiProblem, STATUS } from "./problem.js";
import type { Service } from "./service.js";

export interface ApiOptions {
  service: Service;
  events: Events;
  metrics: Metrics;
  version: string;
  /** Answers MCP. */
  mcp: (request: Request, client: Client) => Promise<Response>;
}

type Env = { Bindings: { client: Client } };

/** Routes that are no operation: what they answer is no JSON record. */
const OTHERS: readonly { method: "get" | "post"; path: string; right: Right; says: string }[] = [
  {
    method: "get",
    path: "/v1/events",
    right: "read",
    says: "Assessments, incidents, messages and touches as they happen (server-sent events).",
  },
  { method: "get", path: "/metrics", right: "read", says: "Figures for Prometheus." },
  { method: "get", path: "/v1/openapi.json", right: "read", says: "This document." },
  {
    method: "post",
    path: "/mcp",
    right: "read",
    says: "The Model Context Protocol, streamable HTTP. Tools ask for their own rights.",
  },
];

export interface Route {
  method: "get" | "post";
  /** With `{agent}` where a name stands. */
  path: string;
  right: Right;
}

/** Every route with the right that it needs: what the tests of the guard go through. */
export const ROUTES: readonly Route[] = [
  ...Object.values(OPERATIONS).map(({ http, right }) => ({ ...http, right })),
  ...OTHERS.map(({ method, path, right }) => ({ method, path, right })),
];

export function makeApi({ service, events, metrics, version, mcp }: ApiOptions): More {
  const app = new OpenAPIHono<Env>();
  app.openAPIRegistry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  const json = (c: Context<Env>, value: unknown, status: 200 | 400 | 403 | 404 | 409 | 429 = 200): Response =>
    c.body(plainJson(value), status, { "content-type": "application/json" });
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const operation = OPERATIONS[name];
    app.openAPIRegistry.registerPath(routeOf(name, operation));
    app.on(operation.http.method.toUpperCase(), honoPath(operation.http.path), async (c) =>
      json(c, await perform(service, name, await inputOf(c, operation), c.env.client)),
    );
  }
  for (const { method, path, says, right } of OTHERS)
    app.openAPIRegistry.registerPath(plainRoute(method, path, says, right));
  app.get("/v1/events", (c) => eventStream(c, events, filterOf(c.req.query())));
  app.get("/metrics", async (c) => c.body(await metrics.text(), 200, { "content-type": metrics.contentType }));
  app.get("/v1/openapi.json", (c) => json(c, documentOf(app, version)));
  app.post("/mcp", (c) => mcp(c.req.raw, c.env.client));
  app.notFound(() => NOTHING.clone());
  app.onError((error, c) => {
    if (error instanceof ApiProblem) return json(c, { error: leaving(error.message) }, STATUS[error.kind]);
    throw error;
  });
  return async (request, client) => {
    const { pathname } = new URL(request.url);
    const route = ROUTES.find(({ method, path }) => method === request.method.toLowerCase() && fits(path, pathname));
    if (!route) {
      const isThere = ROUTES.some(({ path }) => fits(path, pathname));
      return isThere
        ? { status: 405, why: "method", says: "this is asked for in another way: see /v1/openapi.json" }
        : null;
    }
    if (!client.rights.has(route.right)) return lacks(route.right);
    return app.fetch(request, { client });
  };
}

const NOTHING = Response.json({ error: "nothing is here" }, { status: 404 });

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function fits(path: string, asked: string): boolean {
  const [wanted, given] = [path.split("/"), asked.split("/")];
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith("{") || part === given[at]);
}

async function inputOf(c: Context<Env>, { http }: Operation): Promise<unknown> {
  const rest = http.method === "get" ? c.req.query() : await bodyOf(c);
  return { ...rest, ...c.req.param() };
}

async function bodyOf(c: Context<Env>): Promise<object> {
  const body: unknown = await c.req.json().catch(() => null);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw new ApiProblem("bad", "the body must be a JSON object");
}

type RouteConfig = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];

function routeOf(name: string, { http, input, answer, says, right }: Operation): RouteConfig {
  const inPath = [...http.path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field as string);
  const isInPath = (field: string): boolean => inPath.includes(field);
  const pick = (fields: readonly string[]): z.ZodObject =>
    z.object(Object.fromEntries(fields.map((field) => [field, input.shape[field] as z.ZodType])));
  const params = pick(Object.keys(input.shape).filter(isInPath));
  const rest = pick(Object.keys(input.shape).filter((field) => !isInPath(field)));
  return createRoute({
    method: http.method,
    path: http.path,
    operationId: name,
    summary: says,
    security: [{ token: [] }],
    "x-rouse-right": right,
    request: {
      ...(inPath.length > 0 ? { params } : {}),
      ...(http.method === "get" ? { query: rest } : { body: { content: { "application/json": { schema: rest } } } }),
    },
    responses: {
      ...REFUSALS,
      200: { description: "what was asked for", content: { "application/json": { schema: answer } } },
    },
  });
}

const problem = { content: { "application/json": { schema: z.object({ error: z.string() }) } } };
const REFUSALS = {
  400: { description: "the request makes no sense", ...problem },
  401: { description: "the token is missing or wrong", ...problem },
  403: { description: "the token lacks the right", ...problem },
  404: { description: "there is no such thing", ...problem },
  409: { description: "not now: the answer says why", ...problem },
};

function plainRoute(method: "get" | "post", path: string, says: string, right: Right): RouteConfig {
  return createRoute({
    method,
    path,
    summary: says,
    security: [{ token: [] }],
    "x-rouse-right": right,
    responses: { 200: { description: says } },
  });
}

function documentOf(app: OpenAPIHono<Env>, version: string): unknown {
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "rouse",
      version,
      description: "A watchdog for AI coding agents. Every request needs a token: rouse token create.",
    },
  });
}
