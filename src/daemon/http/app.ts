/** What the daemon's port answers: hooks and telemetry in, nothing out. Every request passes the guard first. */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { SkipCounter } from "../../readers/record-reader.js";
import type { Hooks } from "../hooks.js";
import { BODY_MAX, type Refusal, refusalOf, TOO_LARGE } from "./guard.js";
import type { Telemetry } from "./telemetry.js";

export interface HttpOptions {
  port: number;
  key: string;
  hooks: Hooks;
  telemetry: Telemetry;
  counts: HttpCounts;
}

export class HttpCounts {
  hooks = 0;
  /** Hooks of agents that nobody watches. */
  unmatched = 0;
  /** By the word of the refusal. */
  readonly refused: SkipCounter = new SkipCounter();
}

export function makeHttpApp({ port, key, hooks, telemetry, counts }: HttpOptions): Hono {
  const app = new Hono();
  const refuse = ({ status, why, says }: Refusal): Response => {
    counts.refused.count(why);
    // The rest of a body that nobody reads must not come over this connection any more.
    return new Response(JSON.stringify({ error: says }), {
      status,
      headers: { "content-type": "application/json", connection: "close" },
    });
  };
  app.use("*", async (c, next) => {
    const refusal = refusalOf({ method: c.req.method, header: (name) => c.req.header(name) }, { port, key });
    if (refusal) return refuse(refusal);
    await next();
  });
  app.use("*", bodyLimit({ maxSize: BODY_MAX, onError: () => refuse(TOO_LARGE) }));
  app.post("/v1/hooks/:program", async (c) => {
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
      const body = await jsonOf(c.req);
      if (!body) return c.json(NO_JSON, 400);
      telemetry.take(path, body.value);
      return c.json({});
    });
  }
  app.notFound((c) => c.json({ error: "nothing is here" }, 404));
  app.onError((_, c) => c.json({ error: "this request could not be worked on" }, 500));
  return app;
}

const NO_JSON = { error: "the body is no JSON" };

async function jsonOf(request: { json: () => Promise<unknown> }): Promise<{ value: unknown } | null> {
  try {
    return { value: await request.json() };
  } catch {
    return null;
  }
}
