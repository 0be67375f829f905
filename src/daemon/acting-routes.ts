/** Routes about acting: incidents and what people say of them, permission, and a recovery by hand. */
import type { Context, Hono } from "hono";
import * as z from "zod";
import { otherNames } from "../config/suggest.js";
import type { AgentSession } from "../core/agent.js";
import type { Incident, Silence } from "../core/incident/incident.js";
import { plain } from "../core/plain.js";
import { HANDS_OFF, TROUBLES, type Trouble } from "../core/trouble.js";
import { findIncident, incidentView, incidentViews } from "./incident-view.js";
import { lineOf } from "./line.js";
import type { Loop } from "./loop.js";
import type { LoopSetup } from "./loop-setup.js";
import { grantFor } from "./permission.js";
import { recoveryView } from "./recovery-view.js";
import { waitingJson } from "./slow-answers.js";
import type { Tuning } from "./tuning.js";
import { viewOf } from "./view.js";

export interface ActingRouteOptions extends Pick<LoopSetup, "recovery" | "permission"> {
  loop: Pick<Loop, "sessions" | "find" | "now" | "take" | "apply" | "incidents" | "state">;
  tuning: Tuning;
}

const YEAR_MS = 366 * 86_400_000;
const forMs = z.number().positive().max(YEAR_MS);
const troubles = z.enum(TROUBLES as [Trouble, ...Trouble[]]);

const whichSchema = z.object({
  all: z.enum(["yes", "no"]).default("no"),
  since: z.coerce.number().min(0).max(8.64e15).nullable().default(null),
  agent: z.string().max(200).optional(),
});
const allowSchema = z.object({
  agents: z.union([z.literal("all"), z.array(z.string().min(1).max(200)).min(1).max(200)]),
  allowed: z.boolean(),
  except: z.array(troubles).max(TROUBLES.length).default([]),
  for_ms: forMs.nullable().default(null),
});
const silenceSchema = z.object({
  what: z.string().min(1).max(200),
  trouble: troubles.nullable().default(null),
  /** Null ends it. */
  for_ms: forMs.nullable(),
});
const feedbackSchema = z.object({ feedback: z.enum(["false-alarm", "right"]) });
const recoverSchema = z.object({ dry_run: z.boolean().default(false), restart: z.boolean().default(false) });

const bad = (c: Context, error: string) => c.json({ error }, 400);
const missing = (c: Context, error: string) => c.json({ error }, 404);

export function addActingRoutes(app: Hono, options: ActingRouteOptions): void {
  const { recovery, permission, loop, tuning } = options;
  const source = () => ({ state: loop.state, now: loop.now() });
  /** Answers with the incident as it is afterwards. */
  const about = (c: Context, act: (incident: Incident) => void) => {
    const incident = findIncident(loop.incidents, c.req.param("id") ?? "", knownAgents(options));
    if (typeof incident === "string") return missing(c, incident);
    act(incident);
    return c.json(incidentView(incident, source()));
  };

  app.get("/v1/incidents", (c) => {
    const parsed = whichSchema.safeParse(c.req.query());
    if (!parsed.success) return bad(c, "all must be yes or no, and since milliseconds since 1970");
    const { all, since, agent } = parsed.data;
    const isKnown = agent === undefined || loop.incidents.incidents.some((one) => one.agent === agent);
    if (!isKnown && !knownAgents(options).includes(agent)) return missing(c, unknownAgent(agent, knownAgents(options)));
    const which = { all: all === "yes", since, ...(agent === undefined ? {} : { agent }) };
    return c.json({ incidents: incidentViews(source(), which) });
  });
  app.get("/v1/line", (c) => {
    const now = loop.now();
    const agents = loop.sessions().map((watched) => viewOf(watched, now));
    return c.json(lineOf(agents, incidentViews(source(), { all: false, since: null })));
  });
  app.get("/v1/incidents/:id", (c) => about(c, () => {}));
  app.post("/v1/incidents/:id/ack", (c) =>
    about(c, ({ id }) => loop.apply({ kind: "acked", at: loop.now(), incident: id })),
  );
  app.post("/v1/incidents/:id/feedback", async (c) => {
    const parsed = feedbackSchema.safeParse(await c.req.json().catch(() => null));
    if (!parsed.success) return bad(c, "the feedback must be false-alarm or right");
    return about(c, ({ id, agent }) => {
      loop.apply({ kind: "feedback", at: loop.now(), incident: id, feedback: parsed.data.feedback });
      tuning.learn(loop.incidents.feedback);
      loop.take({ kind: "retune", agent });
    });
  });

  app.get("/v1/silences", (c) => c.json(silencesView(loop.incidents.silences, loop.now())));
  app.post("/v1/silences", async (c) => {
    const parsed = silenceSchema.safeParse(await c.req.json().catch(() => null));
    if (!parsed.success) return bad(c, "the body must be {what, trouble, for_ms}");
    const { what, trouble, for_ms } = parsed.data;
    const now = loop.now();
    const whom = silenceOf(what, trouble, knownAgents(options));
    if (typeof whom === "string") return missing(c, whom);
    loop.apply({ kind: "unsilenced", ...whom });
    if (for_ms !== null) loop.apply({ kind: "silenced", silence: { ...whom, at: now, until: now + for_ms } });
    return c.json(silencesView(loop.incidents.silences, now));
  });

  app.get("/v1/allow", (c) => c.json(allowView(options)));
  app.post("/v1/allow", async (c) => {
    const parsed = allowSchema.safeParse(await c.req.json().catch(() => null));
    if (!parsed.success) return bad(c, "the body must be {agents, allowed, except, for_ms}");
    const { agents, allowed, except, for_ms } = parsed.data;
    const now = loop.now();
    permission.take({ agents, allowed, except, until: for_ms === null ? null : now + for_ms }, now);
    loop.take({ kind: "reconsider" });
    return c.json(allowView(options));
  });

  app.post("/v1/sessions/:name/recover", async (c) => {
    const parsed = recoverSchema.safeParse(await c.req.json().catch(() => null));
    if (!parsed.success) return bad(c, "the body must be {dry_run, restart}");
    const watched = loop.find(c.req.param("name"));
    if (!watched) return missing(c, unknownAgent(c.req.param("name"), knownAgents(options)));
    const { dry_run, restart } = parsed.data;
    const recovering = recovery.recover(watched, restart ? "restart" : "ladder", dry_run);
    return waitingJson(recovering.then((found) => recoveryView(watched, found, dry_run)));
  });
}

const knownAgents = ({ loop }: Pick<ActingRouteOptions, "loop">): string[] => [
  ...new Set(loop.sessions().map(({ session }) => session.name)),
];

const unknownAgent = (name: string, agents: readonly string[]): string =>
  `no agent called ${JSON.stringify(plain(name, 80))} is known; ${otherNames(
    name,
    agents.map((one) => plain(one, 80)),
  )}`;

/** An agent, a trouble, or one trouble of one agent. */
function silenceOf(
  what: string,
  trouble: Trouble | null,
  agents: readonly string[],
): Pick<Silence, "agent" | "trouble"> | string {
  if (agents.includes(what)) return { agent: what, trouble };
  if ((TROUBLES as readonly string[]).includes(what) && trouble === null)
    return { agent: null, trouble: what as Trouble };
  return `${unknownAgent(what, agents)}. Nor is it a trouble: those are ${TROUBLES.join(", ")}`;
}

export interface SilencesView {
  silences: { agent: string | null; trouble: Trouble | null; since: string; until: string }[];
}

function silencesView(silences: readonly Silence[], now: number): SilencesView {
  return {
    silences: silences
      .filter(({ until }) => until > now)
      .map(({ agent, trouble, at, until }) => ({
        agent: agent === null ? null : plain(agent, 80),
        trouble,
        since: new Date(at).toISOString(),
        until: new Date(until).toISOString(),
      })),
  };
}

export interface AllowView {
  /** What holds for all that rouse starts; null when nothing was said. */
  all: { allowed: boolean; except: Trouble[]; until: string | null } | null;
  /** Those that run, and those that something was said of. */
  agents: {
    agent: string;
    origin: AgentSession["origin"] | null;
    allowed: boolean;
    except: Trouble[];
    until: string | null;
    /** Said of it by name, or of all that rouse starts. */
    by: "name" | "all" | null;
  }[];
  /** Troubles that only a human can answer, whatever is allowed. */
  never: Trouble[];
}

function allowView({ permission, loop }: Pick<ActingRouteOptions, "permission" | "loop">): AllowView {
  const now = loop.now();
  const { grants } = permission;
  const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  const isOver = (until: number | null): boolean => until !== null && until <= now;
  const running = loop.sessions().filter(({ session }) => session.endedAt === null);
  const origins = new Map(running.map(({ session }) => [session.name, session.origin]));
  const named = Object.entries(grants.agents).flatMap(([name, { until }]) => (isOver(until) ? [] : [name]));
  const names = [...new Set([...origins.keys(), ...named])].sort();
  return {
    all:
      grants.all === null || isOver(grants.all.until)
        ? null
        : { allowed: grants.all.allowed, except: grants.all.except, until: iso(grants.all.until) },
    agents: names.map((name) => {
      const origin = origins.get(name) ?? null;
      const grant = grantFor(grants, { name, origin: origin ?? "transcript" }, now);
      return {
        agent: plain(name, 80),
        origin,
        allowed: grant?.allowed ?? false,
        except: grant?.except ?? [],
        until: iso(grant?.until ?? null),
        by: grant === null ? null : named.includes(name) ? "name" : "all",
      };
    }),
    never: [...HANDS_OFF],
  };
}
