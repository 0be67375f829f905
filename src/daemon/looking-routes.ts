/** Routes for looking back and around: what happened, who has gone quiet, what rouse sees, how the journal is. */
import type { Hono } from "hono";
import * as z from "zod";
import type { Journal } from "../store/journal.js";
import type { Acting } from "./acting.js";
import { CHECK_HOURS, checkOf } from "./check.js";
import { type IncidentView, incidentViews } from "./incident-view.js";
import type { Loop } from "./loop.js";
import { sightOf } from "./sight.js";
import { slowJson } from "./slow-answers.js";
import { type Summary, summaryOf } from "./summary.js";

export interface LookingOptions {
  loop: Pick<Loop, "sessions" | "now" | "settingsFor">;
  journal: Pick<Journal, "sessions" | "read" | "stats">;
  /** The book of incidents, where there is one. */
  acting?: Acting;
}

const hours = (usual: number) => z.coerce.number().min(0).max(100_000).default(usual);
const checkSchema = z.object({
  activity: z.enum(["on", "off"]).default("on"),
  warning_hours: hours(CHECK_HOURS.warning_hours),
  critical_hours: hours(CHECK_HOURS.critical_hours),
  auto_resume_hours: hours(CHECK_HOURS.auto_resume_hours),
});
const summarySchema = z.object({ since: z.coerce.number().min(0).max(8.64e15) });

export function addLookingRoutes(app: Hono, { loop, journal, acting }: LookingOptions): void {
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
    const { since } = parsed.data;
    const now = loop.now();
    const incidents = acting ? incidentViews({ acting, now }, { all: true, since }) : [];
    const summary = summaryOf(journal.sessions(), read, since, now, loop.settingsFor);
    return slowJson(withIncidents(summary, incidents));
  });
  const alive = () => loop.sessions().filter(({ session }) => session.endedAt === null);
  app.get("/v1/sight", (c) => c.json({ agents: alive().map((watched) => sightOf(watched, loop.now())) }));
  app.get("/v1/registered", (c) => c.json({ agents: alive().map(({ session }) => session) }));
  app.get("/v1/journal", (c) => c.json(journal.stats()));
}

/** What `rouse summary` is told: the story of each agent, and what rouse did or would have done. */
export type SummaryAnswer = Summary & { incidents: IncidentView[] };

function* withIncidents(summary: Generator<void, Summary>, incidents: IncidentView[]): Generator<void, SummaryAnswer> {
  return { ...(yield* summary), incidents };
}
