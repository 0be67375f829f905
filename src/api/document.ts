/** The document of the HTTP API, from the same schemas that check its input. Loaded when it is asked for: it costs the daemon 10 MB. */
import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import * as z from "zod";
import { OPERATIONS, type Operation } from "./operations.js";
import { OTHERS } from "./routes.js";

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

function plainRoute({ method, path, says, right }: (typeof OTHERS)[number]): RouteConfig {
  return createRoute({
    method,
    path,
    summary: says,
    security: [{ token: [] }],
    "x-rouse-right": right,
    responses: { 200: { description: says } },
  });
}

export function documentOf(version: string): unknown {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  for (const [name, operation] of Object.entries(OPERATIONS))
    app.openAPIRegistry.registerPath(routeOf(name, operation));
  for (const other of OTHERS) app.openAPIRegistry.registerPath(plainRoute(other));
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "rouse",
      version,
      description: "A watchdog for AI coding agents. Every request needs a token: rouse token create.",
    },
  });
}
