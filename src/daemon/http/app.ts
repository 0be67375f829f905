/**
 * What the daemon's port answers. Every request passes the guard first; hooks and telemetry are taken here, and whoever
 * opened the daemon may answer more (`more`: the API).
 */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { SkipCounter } from "../../readers/records/record-reader.js";
import type { Hooks } from "../intake/hooks.js";
import type { Telemetry } from "../intake/telemetry.js";
import { admitRequest, BODY_MAX, type Guard, type HttpRefusal, missingRight, TOO_LARGE } from "./guard.js";
import type { Client } from "./tokens.js";

/** Answers a request that passed the guard; a `Refusal` is counted and said here. Null: there is no such thing. */
export type ApiHandler = (request: Request, client: Client) => Promise<Response | HttpRefusal | null>;

export interface HttpOptions extends Guard {
  hooks: Hooks;
  telemetry: Telemetry;
  counts: HttpCounts;
  more: ApiHandler;
}

export class HttpCounts {
  hooks = 0;
  /** Hooks of agents that nobody watches. */
  unmatched = 0;
  /** By the word of the refusal. */
  readonly refused: SkipCounter = new SkipCounter();
}

type Env = { Variables: { client: Client } };

export function makeHttpApp({ hosts, who, hooks, telemetry, counts, more }: HttpOptions): Hono<Env> {
  const app = new Hono<Env>();
  const refuse = ({ status, why, says }: HttpRefusal): Response => {
    counts.refused.count(why);
    // The rest of a body that nobody reads must not come over this connection any more.
    return new Response(JSON.stringify({ error: says }), {
      status,
      headers: { "content-type": "application/json", connection: "close" },
    });
  };
  app.use("*", async (c, next) => {
    // hono shows HEAD as GET to its handlers; the method that was sent is the request's own.
    const asked = { method: c.req.raw.method, header: (name: string) => c.req.header(name) };
    const admitted = admitRequest(asked, { hosts, who });
    if (!("client" in admitted)) return refuse(admitted);
    c.set("client", admitted.client);
    await next();
  });
  app.use("*", bodyLimit({ maxSize: BODY_MAX, onError: () => refuse(TOO_LARGE) }));
  app.post("/v1/hooks/:program", async (c) => {
    if (!maySend(c.get("client"))) return refuse(missingRight("report"));
    const body = await jsonOf(c.req);
    if (!body) return c.json(NO_JSON, 400);
    counts.hooks++;
    const taken = hooks.take(c.req.param("program"), body.value, { session: c.req.header("x-rouse-session") });
    if (!taken) counts.unmatched++;
    taken?.stored.catch(() => {
      // The journal says itself that it cannot be written; the agent is not to wait for it, nor to hear of it.
    });
    // Nothing at all: an answer with words in it could decide something, and one with a status of its own would be
    // shown to the human as a failed hook.
    return c.body(null, 200);
  });
  for (const path of ["logs", "metrics", "traces"] as const) {
    app.post(`/v1/${path}`, async (c) => {
      if (!maySend(c.get("client"))) return refuse(missingRight("report"));
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

const NO_JSON = { error: "the body is not JSON" };

const maySend = ({ rights }: Client): boolean => rights.has("hook") || rights.has("report");

async function jsonOf(request: { json: () => Promise<unknown> }): Promise<{ value: unknown } | null> {
  try {
    return { value: await request.json() };
  } catch {
    return null;
  }
}
