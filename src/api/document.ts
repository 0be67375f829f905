/** The OpenAPI document, from the same schemas that check the input. Loaded on the first request: it costs the daemon 10 MB. */
import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import * as z from "zod";
import { OPERATIONS } from "./operations/index.js";
import type { Operation } from "./operations/operation.js";
import { OTHERS } from "./routes.js";

type RouteConfig = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];

function routeOf(name: string, { method, path, input, output, summary, right }: Operation): RouteConfig {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field as string);
  const isInPath = (field: string): boolean => inPath.includes(field);
  const pick = (fields: readonly string[]): z.ZodObject =>
    z.object(Object.fromEntries(fields.map((field) => [field, input.shape[field] as z.ZodType])));
  const params = pick(Object.keys(input.shape).filter(isInPath));
  const rest = pick(Object.keys(input.shape).filter((field) => !isInPath(field)));
  return createRoute({
    method,
    path,
    operationId: name,
    summary,
    security: [{ token: [] }],
    "x-rouse-right": right,
    request: {
      ...(inPath.length > 0 ? { params } : {}),
      ...(method === "get" ? { query: rest } : { body: { content: { "application/json": { schema: rest } } } }),
    },
    responses: {
      ...REFUSALS,
      200: { description: "the answer", content: { "application/json": { schema: output } } },
    },
  });
}

const problem = { content: { "application/json": { schema: z.object({ error: z.string() }) } } };
const REFUSALS = {
  400: { description: "invalid request: the error names the field, what is wrong and what is expected", ...problem },
  401: { description: "the token is missing or wrong", ...problem },
  403: { description: "the token lacks the right", ...problem },
  404: { description: "no such agent, incident, channel or path", ...problem },
  409: { description: "not now: the error says why", ...problem },
  429: { description: "too many timers or listeners", ...problem },
};

function plainRoute({ method, path, summary, right }: (typeof OTHERS)[number]): RouteConfig {
  return createRoute({
    method,
    path,
    summary,
    security: [{ token: [] }],
    "x-rouse-right": right,
    responses: { 200: { description: summary } },
  });
}

export function documentOf(version: string): unknown {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  for (const [name, operation] of Object.entries<Operation>(OPERATIONS))
    if (operation.surfaces.http) app.openAPIRegistry.registerPath(routeOf(name, operation));
  for (const other of OTHERS) app.openAPIRegistry.registerPath(plainRoute(other));
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "rouse",
      version,
      description: "A watchdog for AI coding agents. Every request needs a token: `rouse token create`.",
    },
  });
}
