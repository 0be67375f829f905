/**
 * The daemon's socket, which only this user can open. It has the routes of the port with all rights. The CLI and the library
 * call operations by name here, so they need no table of paths.
 */
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { type Client, RIGHTS, type Right } from "../daemon/http/tokens.js";
import { callerOf } from "../daemon/intake/callers.js";
import { waitingJson } from "../daemon/self/slow-answers.js";
import { peerProcesses } from "../sensors/process/peer.js";
import { ApiError } from "./error.js";
import type { ApiApp } from "./http.js";
import { USER } from "./identity.js";
import { redactOutput } from "./leaving.js";
import { isOperation, performOperation } from "./operations/index.js";
import type { RemoteResult } from "./remote.js";
import type { Services } from "./service/services.js";

const NAME_MAX = 80;

/** `path`: of the socket. */
export function addSocketRoutes(app: Hono, api: ApiApp, services: Services, path: string): void {
  app.post("/v1/call/:operation", async (c) => {
    const name = c.req.param("operation");
    if (!isOperation(name))
      return c.json({ error: `this daemon has no operation ${redactOutput(name).slice(0, NAME_MAX)}` }, 404);
    const input: unknown = await c.req.json().catch(() => null);
    const called = performOperation(services, name, input, clientOf(c, path)).then(
      (answer): RemoteResult => ({ answer }),
      (error: unknown): RemoteResult => {
        if (error instanceof ApiError) return { error: { kind: error.kind, message: redactOutput(error.message) } };
        throw error;
      },
    );
    return waitingJson(called);
  });
  app.all("*", (c) => api.fetch(c.req.raw, { client: clientOf(c, path) }));
}

/**
 * What the client says about itself: `x-rouse-client` names a program, `x-rouse-origin` is `cli` or `mcp`; `x-rouse-rights`
 * gives up rights, as `rouse mcp` does.
 */
function clientOf(c: Context, path: string): Client {
  const name = decoded(c.req.header("x-rouse-client") ?? "").slice(0, NAME_MAX) || USER;
  const given = c.req.header("x-rouse-rights")?.split(",");
  const rights = RIGHTS.filter((right) => given === undefined || given.includes(right));
  const origin = c.req.header("x-rouse-origin");
  const socket = (c.env as Partial<HttpBindings> | undefined)?.incoming?.socket;
  return {
    name,
    rights: new Set<Right>(rights),
    origin: origin === "cli" || origin === "mcp" ? origin : "socket",
    caller: callerOf(c.req),
    process: async () => (socket ? peerProcesses(socket, path) : null),
  };
}

/** Headers hold ASCII only. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
