/**
 * The HTTP application of the daemon's port. Every request passes the guard first. Hooks and telemetry are handled here, and
 * `more` handles the API.
 */
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { SkipCounter } from "../../readers/records/record-reader.js";
import { peerProcesses } from "../../sensors/process/peer.js";
import type { Hooks } from "../intake/hooks.js";
import type { Telemetry } from "../intake/telemetry.js";
import type { Connections } from "./connections.js";
import {
  admitRequest,
  BODY_MAX,
  bearerOf,
  bodyRefusal,
  checkAddress,
  type Guard,
  type HttpRefusal,
  missingRight,
  TOO_LARGE,
} from "./guard.js";
import type { WebPage } from "./page.js";
import { checkPublicRequest, isPublicHost, publicClient } from "./public-hosts.js";
import type { Client } from "./tokens.js";
import { LOGIN_PATH, SIGN_OUT_PATH, type WebLogins } from "./web-logins.js";

/** Answers a request that passed the guard; a `Refusal` is counted and answered here. Null: no such path. */
export type ApiHandler = (request: Request, client: Client) => Promise<Response | HttpRefusal | null>;

export interface HttpOptions extends Guard {
  /** Host names that serve the reports of agents and nothing else; none of them is in `hosts`. */
  publicHosts?: readonly string[];
  hooks: Hooks;
  telemetry: Telemetry;
  counts: HttpCounts;
  more: ApiHandler;
  connections: Connections;
  /** The dashboard, which needs no token: it holds no data. */
  page: WebPage;
  logins: Pick<WebLogins, "redeem" | "end">;
}

export class HttpCounts {
  hooks = 0;
  /** Hooks of agents that are not watched. */
  unmatched = 0;
  /** By the code of the refusal. */
  readonly refused: SkipCounter = new SkipCounter();
}

type Env = { Variables: { client: Client }; Bindings: Partial<HttpBindings> };

export function makeHttpApp(options: HttpOptions): Hono<Env> {
  const { hosts, publicHosts = [], who, hooks, telemetry, counts, more, connections, page, logins } = options;
  const app = new Hono<Env>();
  const refuse = ({ status, why, says }: HttpRefusal): Response => {
    counts.refused.count(why);
    // The rest of a body that is not read must not arrive over this connection.
    return new Response(JSON.stringify({ error: says }), {
      status,
      headers: { "content-type": "application/json", connection: "close" },
    });
  };
  app.use("*", async (c, next) => {
    const { method, url } = c.req.raw;
    const { pathname } = new URL(url);
    const head = { method, header: (name: string) => c.req.header(name) };
    if (isPublicHost(head.header, publicHosts)) {
      const refusal = checkPublicRequest(head, pathname);
      return refusal ? refuse(refusal) : next();
    }
    const isLogin = method === "POST" && pathname === LOGIN_PATH;
    if (!isLogin && (method !== "GET" || !page.has(pathname))) return next();
    const refusal = checkAddress(head, { hosts }) ?? (isLogin ? bodyRefusal(head.header) : null);
    if (refusal) return refuse(refusal);
    if (!isLogin) return page.answer(pathname);
    const session = logins.redeem(bearerOf(head.header("authorization")));
    return session ? c.json(session) : refuse(EXPIRED_LOGIN);
  });
  app.use("*", async (c, next) => {
    // hono passes HEAD as GET to its handlers; the raw request has the real method.
    const asked = { method: c.req.raw.method, header: (name: string) => c.req.header(name) };
    const isPublic = isPublicHost(asked.header, publicHosts);
    const admitted = admitRequest(asked, { hosts: isPublic ? [asked.header("host") ?? ""] : hosts, who });
    if (!("client" in admitted)) return refuse(admitted);
    const { socket } = c.env?.incoming ?? {};
    const response = c.env?.outgoing;
    if (socket && response) {
      const place = connections.admit(socket, admitted.client.token ?? null);
      if (typeof place === "string") return refuse({ status: 429, why: "busy", says: place });
      response.once("close", place.done);
    }
    c.set(
      "client",
      isPublic
        ? publicClient(admitted.client)
        : { ...admitted.client, origin: "http", process: async () => (socket ? peerProcesses(socket, null) : null) },
    );
    await next();
  });
  app.use("*", bodyLimit({ maxSize: BODY_MAX, onError: () => refuse(TOO_LARGE) }));
  app.post(SIGN_OUT_PATH, (c) => c.json({ ended: logins.end(c.get("client").name) }));
  app.post("/v1/hooks/:program", async (c) => {
    if (!maySend(c.get("client"))) return refuse(missingRight("report"));
    const body = await jsonOf(c.req);
    if (!body) return c.json(NO_JSON, 400);
    counts.hooks++;
    const from = { session: c.req.header("x-rouse-session") };
    const taken = hooks.take(c.req.param("program"), body.value, from, reportersOf(c.get("client")));
    if (!taken) counts.unmatched++;
    taken?.stored.catch(() => {
      // The journal reports its own write errors. The agent must not wait for it or see the error.
    });
    // An empty body: text could be read as a decision of the hook, and an error status would be shown to the user as a
    // failed hook.
    return c.body(null, 200);
  });
  for (const path of ["logs", "metrics", "traces"] as const) {
    app.post(`/v1/${path}`, async (c) => {
      // A batch may be about several agents, so no token that names some of them is enough.
      if (!maySendAny(c.get("client"))) return refuse(missingRight("report_any"));
      const body = await jsonOf(c.req);
      if (!body) return c.json(NO_JSON, 400);
      telemetry.take(path, body.value);
      return c.json({});
    });
  }
  app.all("*", async (c) => {
    const answer = await more(c.req.raw, c.get("client"));
    if (answer instanceof Response) return answer;
    return answer ? refuse(answer) : c.json({ error: "not found" }, 404);
  });
  app.onError((_, c) => c.json({ error: "this request could not be processed" }, 500));
  return app;
}

const EXPIRED_LOGIN: HttpRefusal = {
  status: 401,
  why: "key",
  says: "this login link has expired or was already used; run `rouse web` again",
};
const NO_JSON = { error: "the body is not JSON" };

const maySendAny = ({ rights }: Client): boolean => rights.has("hook") || rights.has("report_any");
const maySend = (client: Client): boolean => maySendAny(client) || client.rights.has("report");

/** Agents whose hooks the client may send: all, or those that its token names. */
const reportersOf =
  (client: Client) =>
  (agent: string): boolean =>
    maySendAny(client) || client.scope?.agents.includes(agent) === true;

async function jsonOf(request: { json: () => Promise<unknown> }): Promise<{ value: unknown } | null> {
  try {
    return { value: await request.json() };
  } catch {
    return null;
  }
}
