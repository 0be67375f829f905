/** Opens the API on a running daemon: the port's routes, MCP over HTTP, and the calls over the socket. */
import { join } from "node:path";
import type { Hono } from "hono";
import * as z from "zod";
import { type Client, RIGHTS, Tokens } from "../daemon/http/tokens.js";
import type { Loop } from "../daemon/loop.js";
import type { DaemonParts, Faces } from "../daemon/parts.js";
import { waitingJson } from "../daemon/slow-answers.js";
import { eventStream, filterOf } from "./event-stream.js";
import { Events } from "./events.js";
import { feed } from "./feed.js";
import { makeApi } from "./http.js";
import { leaving } from "./leaving.js";
import { untouchable } from "./may-touch.js";
import type { Metrics } from "./metrics.js";
import { isOperation, perform } from "./operations.js";
import { ApiProblem } from "./problem.js";
import type { Called } from "./remote.js";
import { Service } from "./service.js";
import { TouchLog } from "./touch-log.js";
import { Touching } from "./touching.js";
import { Watchdogs } from "./watchdogs.js";

export function openApi(parts: DaemonParts): Faces {
  const { loop, paths, version } = parts;
  const events = new Events();
  const touching = new Touching(parts, events, new TouchLog(join(paths.state, "touches.jsonl")));
  const tokens = new Tokens(paths.tokens);
  const watchdogs = new Watchdogs(join(paths.state, "watchdogs.json"), loop, touching, {
    holds: (token) => tokens.holds(token, "touch"),
    objection: (session) => untouchable(session, parts.permission.grants, loop.now()),
  });
  const service = new Service({ ...parts, events, touching, watchdogs });
  const source = { ...parts, events, touching };
  let metrics: Promise<Metrics> | null = null;
  const figures = async (): Promise<{ text: string; type: string }> => {
    metrics ??= import("./metrics.js").then((module) => new module.Metrics(source));
    return (await metrics).read();
  };
  const stopFeed = feed(events, parts);
  return {
    more: makeApi({ service, events, tokens, metrics: figures, version, mcp: mcpOver(service, version) }),
    addTo: (app) => addCalls(app, loop, service, events),
    stop: () => {
      stopFeed();
      watchdogs.close();
      events.close();
    },
  };
}

/** A server object per request: `createMcpHandler` asks the factory for each. Loaded with the first one. */
function mcpOver(service: Service, version: string): (request: Request, client: Client) => Promise<Response> {
  return async (request, client) => {
    const [{ createMcpHandler }, { makeMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("./mcp/server.js"),
    ]);
    const { fetch } = createMcpHandler(() =>
      makeMcpServer({ version, ask: (operation, input) => perform(service, operation, input, client) }),
    );
    return fetch(request);
  };
}

const callSchema = z.object({
  input: z.record(z.string(), z.unknown()),
  client: z.object({ name: z.string().min(1).max(80), session: z.string().max(200).optional() }),
});

/** Whoever reaches the socket is the user, and may do what the user may. */
function addCalls(app: Hono, loop: Pick<Loop, "find">, service: Service, events: Events): void {
  app.post("/v1/call/:operation", async (c) => {
    const name = c.req.param("operation");
    const parsed = callSchema.safeParse(await c.req.json().catch(() => null));
    if (!isOperation(name) || !parsed.success) return c.json({ error: "the body must be {input, client}" }, 400);
    const { input, client: asking } = parsed.data;
    const agent = asking.session === undefined ? null : loop.find(asking.session);
    const client: Client = { name: agent?.session.name ?? asking.name, rights: new Set(RIGHTS) };
    const called = perform(service, name, input, client).then(
      (answer): Called => ({ answer }),
      (error: unknown): Called => {
        if (error instanceof ApiProblem) return { problem: { kind: error.kind, message: leaving(error.message) } };
        throw error;
      },
    );
    return waitingJson(called);
  });
  app.get("/v1/events", (c) => eventStream(events, filterOf(c.req.query()), c.req.header("last-event-id") ?? null));
}
