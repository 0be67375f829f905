/**
 * One service, of which the HTTP API, MCP and the library are thin faces: what rouse knows, what agents report, and what
 * clients order. Nothing here knows how it was asked.
 */
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { otherNames } from "../config/suggest.js";
import type { AgentSession } from "../core/agent.js";
import { openPrompt } from "../core/evidence/prompts.js";
import { plain } from "../core/plain.js";
import type { SessionJudge } from "../core/session-judge.js";
import type { PromptKind } from "../core/states.js";
import { findCaller } from "../daemon/callers.js";
import type { Client } from "../daemon/http/tokens.js";
import { type IncidentView, incidentViews } from "../daemon/incident-view.js";
import { lostAgents } from "../daemon/lost.js";
import { type MessageView, messageView, PAYLOAD_MAX, sayable } from "../daemon/message-routes.js";
import type { DaemonParts } from "../daemon/parts.js";
import { type Summary, summaryOf } from "../daemon/summary.js";
import { type SessionView, viewOf } from "../daemon/view.js";
import { type Why, whyOf } from "../daemon/why.js";
import { parseSignal } from "../readers/signal-schema.js";
import type { Events } from "./events.js";
import { untouchable } from "./may-touch.js";
import { readPane } from "./pane.js";
import { ApiProblem } from "./problem.js";
import type { Touching, TouchResult } from "./touching.js";
import type { Watchdogs, WatchdogView } from "./watchdogs.js";

export interface ServiceParts extends DaemonParts {
  events: Events;
  touching: Touching;
  watchdogs: Watchdogs;
}

export interface AgentStatus extends SessionView {
  /** What other calls take for this agent; its name will do as well. */
  pane_id: string;
  is_awaiting_input: boolean;
  is_awaiting_confirmation: boolean;
  /** The question, word for word; null where nobody is asked. */
  prompt: { type: PromptKind; text: string; since: string } | null;
}

export interface AgentFilter {
  tag?: string | undefined;
  name?: string | undefined;
  health?: "healthy" | "unhealthy" | undefined;
  /** Those that ended, too. */
  ended?: boolean | undefined;
}

export interface Report {
  state?: "working" | "error" | "complete" | "needs_input" | undefined;
  text?: string | undefined;
  heartbeat?: boolean | undefined;
}

export interface Sent {
  tag: string;
  type: string;
  payload: unknown;
  /** The same key is the same message. */
  key?: string | undefined;
}

/** Prompts that are answered with yes or no; the others want words. */
const CONFIRMED: ReadonlySet<string> = new Set<PromptKind>(["confirmation", "permission", "plan", "trust"]);
const PIECE_MS = 10;

export class Service {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  health(): Record<string, unknown> {
    const { loop, version, journal } = this.#parts;
    const { pending, failures } = journal.stats();
    return {
      ok: true,
      version,
      ticks: loop.ticks,
      since_tick_ms: loop.tickedAt === null ? null : loop.now() - loop.tickedAt,
      agents: loop.sessions().filter(({ session }) => session.endedAt === null).length,
      journal: { pending, failures },
    };
  }

  agents({ tag, name, health, ended }: AgentFilter): SessionView[] {
    const { loop } = this.#parts;
    const now = loop.now();
    const lost = new Set(health === "unhealthy" ? lostAgents(loop) : []);
    return loop
      .sessions()
      .filter((watched) => ended === true || watched.session.endedAt === null || lost.has(watched))
      .filter(({ session }) => tag === undefined || session.tags.includes(tag))
      .filter(({ session }) => name === undefined || session.name === name)
      .map((watched) => viewOf(watched, now))
      .filter(({ healthy }) => health === undefined || healthy === (health === "healthy"));
  }

  status(agent: string): AgentStatus {
    const watched = this.#find(agent);
    const view = viewOf(watched, this.#parts.loop.now());
    const isAsked = view.state === "needs_input";
    const isConfirmed = isAsked && CONFIRMED.has(view.cause ?? "");
    return {
      ...view,
      pane_id: view.session,
      is_awaiting_input: isAsked && !isConfirmed,
      is_awaiting_confirmation: isConfirmed,
      prompt: isAsked ? promptOf(watched, view) : null,
    };
  }

  why(agent: string): Why {
    return whyOf(this.#find(agent), this.#parts.loop.now());
  }

  incidents(which: { agent?: string | undefined; all: boolean; since?: number | undefined }): IncidentView[] {
    const { loop } = this.#parts;
    const { agent, all, since = null } = which;
    return incidentViews(
      { state: loop.state, now: loop.now() },
      { all, since, ...(agent === undefined ? {} : { agent }) },
    );
  }

  async report(
    who: { agent?: string | undefined; cwd?: string | undefined },
    report: Report,
  ): Promise<{ agent: string }> {
    const { loop } = this.#parts;
    const watched = who.agent === undefined ? findCaller(loop, { cwd: who.cwd }) : this.#find(who.agent);
    if (!watched) throw new ApiProblem("unknown", "no watched agent works there; name it: agent");
    if (watched.session.endedAt !== null) throw new ApiProblem("refused", `${watched.session.name} ended`);
    const { heartbeat, ...said } = report;
    if (said.state === undefined && !heartbeat)
      throw new ApiProblem("bad", "a report has a state (working, error, complete, needs_input), or is a heartbeat");
    const signal = parseSignal({
      kind: "report",
      at: loop.now(),
      source: "report",
      ...said,
      ...(heartbeat ? { heartbeat } : {}),
    });
    if (!signal) throw new ApiProblem("bad", "this is no report");
    await loop.ingest(watched.session.session, null, [signal]);
    return { agent: watched.session.name };
  }

  /** What waits in an inbox, oldest first. */
  messages({ tag, after, all, limit }: { tag?: string | undefined; after: number; all: boolean; limit: number }): {
    messages: MessageView[];
    cursor: number;
  } {
    const { journal } = this.#parts;
    const found = journal.messages.read(this.#receiver(tag), after, all, limit);
    return { messages: found.map(messageView), cursor: found.at(-1)?.id ?? after };
  }

  ack(tag: string | undefined, upTo: number): { acked: number } {
    const { journal, loop } = this.#parts;
    return { acked: journal.messages.ack(this.#receiver(tag), upTo, loop.now()) };
  }

  /** The sender is told with it, so that nobody takes an agent's word for rouse's own. */
  send(sender: string, { tag, type, payload, key }: Sent): { cursor: number } {
    const { journal, loop } = this.#parts;
    if (type.startsWith("watchdog."))
      throw new ApiProblem("bad", `${type} is rouse's own; the types of a watchdog that is an agent are worker.*`);
    const safe = sayable(payload);
    if (JSON.stringify(safe).length > PAYLOAD_MAX) throw new ApiProblem("bad", "the payload is larger than 16 kB");
    const message = { receiver: tag, key: key ?? randomUUID(), type, sender: plain(sender, 80), at: loop.now() };
    return { cursor: journal.messages.send({ ...message, payload: safe }) };
  }

  async readPane(agent: string, lines: number): Promise<{ agent: string; pane_id: string; lines: string[] }> {
    const { session } = this.#find(agent);
    const rows = await readPane(session, lines, this.#parts.paths);
    return { agent: session.name, pane_id: session.session, lines: rows };
  }

  async sendInput(client: string, agent: string, text: string, requestId?: string): Promise<TouchResult> {
    const { session } = this.#touchable(agent);
    return unlessRefused(await this.#parts.touching.sendInput({ client, session, requestId }, text));
  }

  async stop(client: string, agent: string, requestId?: string): Promise<TouchResult> {
    const { session } = this.#living(agent);
    if (session.origin !== "spawn")
      throw new ApiProblem(
        "refused",
        `${session.name} was not started by rouse spawn, so it is not rouse's to end: it runs in somebody's terminal`,
      );
    return unlessRefused(await this.#parts.touching.stop({ client, session, requestId }));
  }

  watchdogStart({ name, token }: Client, agent: string, interval_secs: number, message: string): WatchdogView {
    const { session } = this.#touchable(agent);
    return this.#parts.watchdogs.start({
      client: name,
      token: token ?? null,
      session: session.session,
      agent: session.name,
      interval_secs,
      message,
    });
  }

  watchdogStop(agent: string): { stopped: boolean } {
    return { stopped: this.#parts.watchdogs.stop(this.#find(agent).session.session) };
  }

  watchdogs(): WatchdogView[] {
    return this.#parts.watchdogs.list();
  }

  /** In pieces, between which the daemon goes on judging. */
  async summary(since: number): Promise<Summary> {
    const { journal, loop } = this.#parts;
    const work = summaryOf(journal.sessions(), (session) => journal.read(session), since, loop.now());
    for (;;) {
      const until = performance.now() + PIECE_MS;
      let step = work.next();
      while (!step.done && performance.now() < until) step = work.next();
      if (step.done) return step.value;
      await nextTurn();
    }
  }

  #receiver(tag: string | undefined): string {
    return tag ?? this.#parts.config.watchdog.orchestrator_tag;
  }

  /** By session id, by name, or by the id of its tmux pane where only one has it. */
  #find(id: string): SessionJudge {
    const { loop } = this.#parts;
    const found = loop.find(id);
    if (found) return found;
    const alive = loop.sessions().filter(({ session }) => session.endedAt === null);
    const inPane = alive.filter(({ session }) => session.pane?.id === id);
    if (inPane[0] && inPane.length === 1) return inPane[0];
    const names = alive.map(({ session }) => plain(session.name, 80));
    const what = `no agent called ${JSON.stringify(plain(id, 80))} is known; ${otherNames(id, names)}`;
    throw new ApiProblem("unknown", inPane.length > 1 ? `${id} is a pane of several tmux servers: use a name` : what);
  }

  #touchable(agent: string): { session: AgentSession } {
    const { permission, loop } = this.#parts;
    const { session } = this.#living(agent);
    const objection = untouchable(session, permission.grants, loop.now());
    if (objection !== null) throw new ApiProblem("refused", objection);
    return { session };
  }

  #living(agent: string): { session: AgentSession } {
    const found = this.#find(agent);
    if (found.session.endedAt === null) return found;
    throw new ApiProblem("refused", `${found.session.name} ended at ${new Date(found.session.endedAt).toISOString()}`);
  }
}

/** Nothing was touched: the client has to hear that as a no. */
function unlessRefused(result: TouchResult): TouchResult {
  if (result.result === "refused") throw new ApiProblem("refused", `refused, nothing was touched: ${result.reason}`);
  return result;
}

function promptOf({ evidence, since }: SessionJudge, view: SessionView): AgentStatus["prompt"] {
  const open = openPrompt(evidence.prompts);
  return {
    type: (view.cause ?? "input") as PromptKind,
    text: open?.question || (view.reasons[0] ?? ""),
    since: new Date(open?.at ?? since).toISOString(),
  };
}
