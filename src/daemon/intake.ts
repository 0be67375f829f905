/**
 * Hook payloads on the daemon's socket. Hosts use `host-routes.ts`; everything else on the socket is the API. The file mode
 * of the socket is the guard.
 */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { failureText } from "./failure.js";
import { BODY_MAX } from "./host-routes.js";
import { callerOf } from "./intake/callers.js";
import type { Hooks } from "./intake/hooks.js";

export function makeIntake(hooks: Hooks): Hono {
  const app = new Hono();
  app.use("*", bodyLimit({ maxSize: BODY_MAX, onError: (c) => c.json({ error: "the body is too large" }, 413) }));
  app.onError((error, c) => c.json({ error: failureText(error) }, 500));
  app.post("/v1/hooks/:program", async (c) => {
    const payload: unknown = await c.req.json().catch(() => null);
    const { session, process: pid } = callerOf(c.req);
    const taken = hooks.take(c.req.param("program"), payload, { session, pid });
    if (!taken) return c.json({ error: "no watched agent matches this hook" }, 404);
    await taken.stored;
    return c.json({ ok: true });
  });
  return app;
}
