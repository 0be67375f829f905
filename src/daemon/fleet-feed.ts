/** Puts the agents of this node into the backlog of the fleet: one row per agent, only when something changed that others see. */
import { isQuestion } from "../core/incidents/problem.js";
import type { SessionJudge } from "../core/session-judge.js";
import { redact } from "../core/text/redact.js";
import type { AgentBody } from "../fleet/agent-body.js";
import type { AgentBacklog } from "../fleet/backlog.js";
import type { AgentRow } from "../hub/fleet.js";
import type { Loop } from "./loop.js";
import { incidentViews } from "./views/incident-view.js";
import { viewOf } from "./views/view.js";

/** Written at once. */
const URGENT: ReadonlySet<string> = new Set(["stuck", "needs_input", "error", "gone"]);
/** An agent that ended stays visible for this time, and as long as it has an open incident. */
const ENDED_MS = 10 * 60_000;
const INCIDENTS_MAX = 4;
const TEXT_MAX = 160;

type Judged = Pick<Loop, "state" | "sessions" | "now" | "incidents" | "subscribe">;

export class FleetFeed {
  readonly #loop: Judged;
  readonly #backlog: AgentBacklog;
  /** What was said of each agent; ages in texts do not count. */
  readonly #said = new Map<string, string>();
  readonly #states = new Map<string, string>();

  constructor(loop: Judged, backlog: AgentBacklog) {
    this.#loop = loop;
    this.#backlog = backlog;
    this.#all();
    loop.subscribe((event) => {
      if (event.kind === "assessed" && URGENT.has(event.judge.assessment.state)) this.#put(event.judge);
      if (event.kind === "tick") this.#all();
    });
  }

  /** The agents of this node now. */
  rows(): AgentRow[] {
    return this.#loop.sessions().flatMap((judge) => (this.#isShown(judge) ? [this.#rowOf(judge)] : []));
  }

  /** Every second: a change of any kind is seen, and one that did not last that long is nobody's concern. */
  #all(): void {
    const seen = new Set<string>();
    for (const judge of this.#loop.sessions()) {
      if (!this.#isShown(judge)) continue;
      seen.add(judge.session.id);
      this.#put(judge);
    }
    for (const id of this.#said.keys()) {
      if (seen.has(id)) continue;
      this.#said.delete(id);
      this.#states.delete(id);
      this.#backlog.remove(id, this.#loop.now());
    }
  }

  #isShown({ session }: SessionJudge): boolean {
    if (session.endedAt === null || this.#loop.now() - session.endedAt < ENDED_MS) return true;
    return this.#loop.incidents.incidents.some((one) => one.session === session.id && one.endedAt === null);
  }

  #put(judge: SessionJudge): void {
    const { id } = judge.session;
    const { state } = judge.assessment;
    const key = this.#keyOf(judge);
    if (this.#said.get(id) === key) return;
    this.#said.set(id, key);
    const isUrgent = URGENT.has(state) && this.#states.get(id) !== state;
    this.#states.set(id, state);
    this.#backlog.put(this.#rowOf(judge), isUrgent);
  }

  #keyOf(judge: SessionJudge): string {
    const { session, assessment, since } = judge;
    const open = this.#loop.incidents.incidents.filter((one) => one.session === session.id && one.endedAt === null);
    const incidents = open.map((one) => [one.id, one.problem, one.phase, one.ackedAt]);
    const { state, cause, level, until } = assessment;
    const { name, tags, task, endedAt } = session;
    return JSON.stringify([
      state,
      cause,
      level,
      until,
      since,
      name,
      tags,
      task,
      endedAt,
      isQuestion(assessment),
      incidents,
    ]);
  }

  #rowOf(judge: SessionJudge): AgentRow {
    const { loop, now } = { loop: this.#loop, now: this.#loop.now() };
    const view = viewOf(judge, now, loop.incidents);
    const which = { all: false, since: null, agent: judge.session.name };
    const incidents = incidentViews({ state: loop.state, now }, which).filter(
      ({ session }) => session === view.session,
    );
    const short = (text: string): string => redact(text).slice(0, TEXT_MAX);
    const body: AgentBody = {
      kind: view.kind,
      tags: view.tags.slice(0, 20),
      task: view.task,
      cause: view.cause,
      move: view.move,
      question: view.question === null ? null : short(view.question),
      until: view.until,
      doing: short(view.doing).slice(0, 120),
      reasons: view.reasons.slice(0, 2).map(short),
      last_activity: view.last_activity,
      healthy: view.healthy,
      ended_at: view.ended_at,
      incidents: incidents.slice(0, INCIDENTS_MAX).map(({ id, problem, phase, opened_at, reasons }) => ({
        id,
        problem,
        phase,
        opened_at,
        reason: short(reasons[0] ?? ""),
      })),
    };
    const text = JSON.stringify(body);
    return { id: view.session, name: view.name, state: view.state, since: Date.parse(view.since), body: text };
  }
}
