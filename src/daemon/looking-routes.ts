/** Routes for looking back and around: what happened, who has gone quiet, what rouse sees, how the journal is. */
import type { Hono } from "hono";
import * as z from "zod";
import type { Config } from "../config/keys.js";
import type { AgentSession } from "../core/agent.js";
import type { Journal } from "../store/journal.js";
import { type CheckOptions, checkOf } from "./check.js";
import { type IncidentView, incidentViews } from "./incident-view.js";
import type { Loop } from "./loop.js";
import { sightOf } from "./sight.js";
import { slowJson } from "./slow-answers.js";
import { type Summary, summaryOf } from "./summary.js";

export interface LookingOptions {
  loop: Pick<Loop, "sessions" | "now" | "state">;
  journal: Pick<Journal, "sessions" | "read" | "stats">;
  /** What holds where an agent works. */
  configOf: (session: AgentSession) => Pick<Config, "check" | "resume">;
}

const hours = z.coerce.number().min(0).max(100_000).optional();
/** Whatever is not asked for is as it is configured where each agent works. */
const checkSchema = z.object({
  activity: z.enum(["on", "off"]).optional(),
  warning_hours: hours,
  critical_hours: hours,
  auto_resume_hours: hours,
});
const summarySchema = z.object({ since: z.coerce.number().min(0).max(8.64e15) });

export function addLookingRoutes(app: Hono, { loop, journal, configOf }: LookingOptions): void {
  app.get("/v1/check", (c) => {
    const parsed = checkSchema.safeParse(c.req.query());
    if (!parsed.success) return c.json({ error: "the hours must be numbers, and activity on or off" }, 400);
    const { activity, ...asked } = parsed.data;
    const optionsOf = (session: AgentSession): CheckOptions => {
      const { check, resume } = configOf(session);
      return {
        warning_hours: asked.warning_hours ?? check.warning_hours,
        critical_hours: asked.critical_hours ?? check.critical_hours,
        auto_resume_hours: asked.auto_resume_hours ?? check.auto_resume_hours,
        activityCheck: activity === undefined ? resume.validate_activity : activity === "on",
      };
    };
    return c.json({ agents: checkOf(loop.sessions(), loop.now(), optionsOf) });
  });
  app.get("/v1/summary", (c) => {
    const parsed = summarySchema.safeParse(c.req.query());
    if (!parsed.success) return c.json({ error: "since must be milliseconds since 1970" }, 400);
    const read = (session: string) => journal.read(session);
    const { since } = parsed.data;
    const now = loop.now();
    const incidents = incidentViews({ state: loop.state, now }, { all: true, since });
    const summary = summaryOf(journal.sessions(), read, since, now, loop.state.rules.settingsFor);
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
