/** The daemon's face on its own socket: views out, reports and hooks in. The socket's file mode is the guard. */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as z from "zod";
import { otherNames } from "../config/suggest.js";
import { plain, plainJsonText } from "../core/plain.js";
import { redact } from "../core/redact.js";
import { parseSignal } from "../readers/signal-schema.js";
import { callerOf, findCaller } from "./callers.js";
import { failureText } from "./failure.js";
import type { Hooks } from "./hooks.js";
import { BODY_MAX } from "./host-routes.js";
import { type IncidentView, incidentViews } from "./incident-view.js";
import type { Loop } from "./loop.js";
import { lostAgents } from "./lost.js";
import { viewOf } from "./view.js";
import { parseRules, type WatchRules } from "./watch-rules.js";
import { type Why, whyOf } from "./why.js";

const NOTHING_QUOTED = /\/shutdown$/;

/** What `rouse why` is told: the verdict, and the open incidents of the agent. */
export type WhyAnswer = Why & { incidents: IncidentView[] };

export interface RouteOptions {
  loop: Loop;
  hooks: Hooks;
  version: string;
  /** Begins nothing more; what must not be cut off has ended. */
  atRest: () => Promise<void>;
  /** Ends the daemon, politely. */
  shutDown: () => void;
  /** Watches by these rules too; returns all that hold. */
  watch: (rules: WatchRules) => Promise<WatchRules>;
}

export function makeRoutes({ loop, hooks, version, atRest, shutDown, watch }: RouteOptions): Hono {
  const app = new Hono();
  app.use("*", bodyLimit({ maxSize: BODY_MAX, onError: (c) => c.json({ error: "the body is too large" }, 413) }));
  app.use("*", async (c, next) => {
    await next();
    // A stream of events is made safe where it is written. After a shutdown there is nobody to finish a stream: its answer
    // quotes nothing, and leaves at once.
    if (!c.res.headers.get("content-type")?.startsWith("application/json") || NOTHING_QUOTED.test(c.req.path)) return;
    // Names, tasks, commands and what is quoted of a screen are as somebody wrote them: whoever prints an answer must not
    // print them raw, nor the secrets in them. Piece by piece: an answer that takes long shows that it is under way.
    const leave = (text: string): string => plainJsonText(redact(text));
    const body = c.res.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TransformStream<string, string>({ transform: (text, to) => to.enqueue(leave(text)) }))
      .pipeThrough(new TextEncoderStream());
    c.res = new Response(body ?? null, { status: c.res.status, headers: c.res.headers });
  });
  app.onError((error, c) => c.json({ error: failureText(error) }, 500));
  let firstTick: { after_ms: number; cpu_ms: number } | null = null;
  loop.subscribe(({ kind }) => {
    if (kind === "tick") firstTick ??= sinceStart();
  });
  app.get("/v1/health", (c) =>
    c.json({
      ok: true,
      version,
      pid: process.pid,
      ticks: loop.ticks,
      since_tick_ms: loop.tickedAt === null ? null : loop.now() - loop.tickedAt,
      judging: firstTick,
      sessions: loop.sessions().length,
    }),
  );
  app.post("/v1/shutdown", async (c) => {
    await atRest();
    setImmediate(shutDown);
    return c.json({ ok: true });
  });
  app.get("/v1/sessions", (c) => {
    const now = loop.now();
    const lost = lostAgents(loop).map(({ session }) => session.session);
    return c.json({ agents: loop.sessions().map((watched) => viewOf(watched, now)), lost });
  });
  app.get("/v1/sessions/:name", (c) => {
    const watched = loop.find(c.req.param("name"));
    return watched ? c.json(viewOf(watched, loop.now())) : c.json(notFound(c.req.param("name"), loop), 404);
  });
  app.get("/v1/sessions/:name/why", (c) => {
    const watched = loop.find(c.req.param("name"));
    if (!watched) return c.json(notFound(c.req.param("name"), loop), 404);
    const now = loop.now();
    const { name } = watched.session;
    const incidents = incidentViews({ state: loop.state, now }, { all: false, since: null, agent: name });
    return c.json({ ...whyOf(watched, now), incidents } satisfies WhyAnswer);
  });
  app.post("/v1/watch", async (c) => {
    const rules = parseRules(await c.req.json().catch(() => null));
    return rules ? c.json(await watch(rules)) : c.json({ error: "the body must be {programs, tags, names}" }, 400);
  });
  app.post("/v1/report", async (c) => {
    const body: unknown = await c.req.json().catch(() => null);
    const parsed = reportSchema.safeParse(body);
    if (!parsed.success) return c.json({ error: "the body is no report" }, 400);
    const { agent, cwd, ...report } = parsed.data;
    // A name that is given outranks what the environment says.
    const watched = findCaller(loop, agent === undefined ? { ...callerOf(c.req), cwd } : { agent });
    if (!watched) return c.json({ error: "no watched agent fits this report; name it with --name" }, 404);
    const signal = parseSignal({ kind: "report", at: loop.now(), source: "report", ...report });
    if (!signal) return c.json({ error: "the body is no report" }, 400);
    await loop.ingest(watched.session.session, null, [signal]);
    return c.json({ ok: true, agent: watched.session.name });
  });
  app.post("/v1/hooks/:program", async (c) => {
    const payload: unknown = await c.req.json().catch(() => null);
    const { session, process: pid } = callerOf(c.req);
    const taken = hooks.take(c.req.param("program"), payload, { session, pid });
    if (!taken) return c.json({ error: "no watched agent fits this hook" }, 404);
    await taken.stored;
    return c.json({ ok: true });
  });
  return app;
}

const reportSchema = z.object({
  state: z.enum(["working", "error", "complete", "needs_input"]).optional(),
  text: z.string().max(2000).optional(),
  heartbeat: z.literal(true).optional(),
  agent: z.string().max(200).optional(),
  cwd: z.string().max(4000).optional(),
});

function notFound(name: string, loop: Pick<Loop, "sessions">): { error: string } {
  const running = loop.sessions().flatMap(({ session }) => (session.endedAt === null ? [plain(session.name, 80)] : []));
  return { error: `no agent called ${JSON.stringify(plain(name, 80))} is known; ${otherNames(name, running)}` };
}

/** How long after the start of the process, and with how much work. */
function sinceStart(): { after_ms: number; cpu_ms: number } {
  const { user, system } = process.cpuUsage();
  return { after_ms: Math.round(performance.now()), cpu_ms: Math.round((user + system) / 1000) };
}
