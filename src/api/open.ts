/** Opens the API on a running daemon: the port's routes, MCP over HTTP, and the calls over the socket. */
import { join } from "node:path";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Hono } from "hono";
import * as z from "zod";
import type { IncidentChange } from "../core/incident/fold.js";
import type { Incidents } from "../core/incident/incident.js";
import { type Client, RIGHTS } from "../daemon/http/tokens.js";
import { incidentView } from "../daemon/incident-view.js";
import type { DaemonParts, Faces } from "../daemon/parts.js";
import { waitingJson } from "../daemon/slow-answers.js";
import { viewOf } from "../daemon/view.js";
import type { Watched } from "../daemon/watched.js";
import { eventStream, filterOf } from "./event-stream.js";
import { Events } from "./events.js";
import { makeApi } from "./http.js";
import { leaving } from "./leaving.js";
import { makeMcpServer } from "./mcp/server.js";
import { Metrics } from "./metrics.js";
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
  const watchdogs = new Watchdogs(join(paths.state, "watchdogs.json"), loop, touching);
  const service = new Service({ ...parts, events, touching, watchdogs });
  const metrics = new Metrics({ ...parts, events, touching });
  const tell = (watched: Watched, now: number): void =>
    events.tell("assessment", now, watched.session.name, viewOf(watched, now));
  const tellIncidents = (changes: readonly IncidentChange[], { incidents }: Incidents): void => {
    const source = { acting: parts.acting, now: loop.now() };
    for (const { incident: id, how } of changes) {
      const found = incidents.find((incident) => incident.id === id);
      if (found) events.tell("incident", source.now, found.agent, { how, ...incidentView(found, source) });
    }
  };
  loop.changed.add(tell);
  parts.heard.add(tellIncidents);
  return {
    more: makeApi({ service, events, metrics, version, mcp: mcpOver(service, version) }),
    addTo: (app) => addCalls(app, service, events),
    stop: () => {
      loop.changed.delete(tell);
      parts.heard.delete(tellIncidents);
      watchdogs.close();
      events.close();
    },
  };
}

/** A server object per request: `createMcpHandler` asks the factory for each. */
function mcpOver(service: Service, version: string): (request: Request, client: Client) => Promise<Response> {
  return (request, client) => {
    const { fetch } = createMcpHandler(() =>
      makeMcpServer({ version, ask: (operation, input) => perform(service, operation, input, client) }),
    );
    return fetch(request);
  };
}

const callSchema = z.object({ input: z.record(z.string(), z.unknown()), client: z.string().min(1).max(80) });

/** Whoever reaches the socket is the user, and may do what the user may. */
function addCalls(app: Hono, service: Service, events: Events): void {
  app.post("/v1/call/:operation", async (c) => {
    const name = c.req.param("operation");
    const parsed = callSchema.safeParse(await c.req.json().catch(() => null));
    if (!isOperation(name) || !parsed.success) return c.json({ error: "the body must be {input, client}" }, 400);
    const client: Client = { name: parsed.data.client, rights: new Set(RIGHTS) };
    const called = perform(service, name, parsed.data.input, client).then(
      (answer): Called => ({ answer }),
      (error: unknown): Called => {
        if (error instanceof ApiProblem) return { problem: { kind: error.kind, message: leaving(error.message) } };
        throw error;
      },
    );
    return waitingJson(called);
  });
  app.get("/v1/events", (c) => eventStream(c, events, filterOf(c.req.query())));
}
