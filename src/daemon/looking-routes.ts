/** Routes for looking back and around: what happened, who has gone quiet, what rouse sees, how the journal is. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Hono } from "hono";
import * as z from "zod";
import type { Journal } from "../store/journal.js";
import { CHECK_HOURS, checkOf } from "./check.js";
import type { Loop } from "./loop.js";
import { sightOf } from "./sight.js";
import { summaryOf } from "./summary.js";

export interface LookingOptions {
  loop: Pick<Loop, "sessions" | "now">;
  journal: Pick<Journal, "sessions" | "read" | "stats">;
}

const hours = (usual: number) => z.coerce.number().min(0).max(100_000).default(usual);
const checkSchema = z.object({
  activity: z.enum(["on", "off"]).default("on"),
  warning_hours: hours(CHECK_HOURS.warning_hours),
  critical_hours: hours(CHECK_HOURS.critical_hours),
  auto_resume_hours: hours(CHECK_HOURS.auto_resume_hours),
});
const summarySchema = z.object({ since: z.coerce.number().min(0).max(8.64e15) });

export function addLookingRoutes(app: Hono, { loop, journal }: LookingOptions): void {
  app.get("/v1/check", (c) => {
    const parsed = checkSchema.safeParse(c.req.query());
    if (!parsed.success) return c.json({ error: "the hours must be numbers, and activity on or off" }, 400);
    const { activity, ...limits } = parsed.data;
    return c.json({ agents: checkOf(loop.sessions(), loop.now(), { ...limits, activityCheck: activity === "on" }) });
  });
  app.get("/v1/summary", (c) => {
    const parsed = summarySchema.safeParse(c.req.query());
    if (!parsed.success) return c.json({ error: "since must be milliseconds since 1970" }, 400);
    const read = (session: string) => journal.read(session);
    return slowJson(summaryOf(journal.sessions(), read, parsed.data.since, loop.now()));
  });
  const alive = () => loop.sessions().filter(({ session }) => session.endedAt === null);
  app.get("/v1/sight", (c) => c.json({ agents: alive().map((watched) => sightOf(watched, loop.now())) }));
  app.get("/v1/registered", (c) => c.json({ agents: alive().map(({ session }) => session) }));
  app.get("/v1/journal", (c) => c.json(journal.stats()));
}

/** So long the daemon's other work waits for a piece of this. */
const PIECE_MS = 10;
const SIGN_MS = 1000;

/**
 * An answer that takes its time: done in pieces between which the daemon goes on judging, with a blank now and then so
 * that whoever waits knows that it is under way. Blanks in front of JSON mean nothing.
 */
function slowJson(work: Generator<void, unknown>): Response {
  const encoder = new TextEncoder();
  let gone = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        let signedAt = performance.now();
        for (;;) {
          const until = performance.now() + PIECE_MS;
          let step = work.next();
          while (!step.done && performance.now() < until) step = work.next();
          if (step.done) {
            controller.enqueue(encoder.encode(JSON.stringify(step.value)));
            controller.close();
            return;
          }
          await nextTurn();
          if (gone) return;
          if (performance.now() - signedAt < SIGN_MS) continue;
          signedAt = performance.now();
          controller.enqueue(encoder.encode(" "));
        }
      } catch (error) {
        if (!gone) controller.error(error);
      }
    },
    cancel() {
      gone = true;
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}
