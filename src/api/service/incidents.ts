/** Incidents, acknowledgements and feedback. */
import type { Feedback, Incident } from "../../core/incidents/incident.js";
import type { Problem } from "../../core/incidents/problem.js";
import { type RecoveryScore, scoreRecoveries } from "../../core/incidents/recovery-score.js";
import { type Figures, type LapsedClaim, stallFigures } from "../../core/incidents/stall-figures.js";
import { sanitize } from "../../core/text/sanitize.js";
import { DAY } from "../../core/text/time.js";
import { findIncident, type IncidentView, incidentView, incidentViews } from "../../daemon/views/incident-view.js";
import { lapsedClaims } from "../../work/lapsed-claims.js";
import { ApiError } from "../error.js";
import { findAgent, knownAgents, type ServiceContext } from "./context.js";

export interface MissedView {
  agent: string;
  at: string;
  problem: Problem | null;
}

export type FiguresView = Omit<Figures, "falseAlarms"> & { false_alarms: number };

export interface MetricsView {
  since: string;
  until: string;
  overall: FiguresView;
  by_cause: (FiguresView & { cause: string })[];
  by_agent: (FiguresView & { agent: string })[];
  /** Named by their Monday. */
  by_week: (FiguresView & { week: string })[];
  recoveries: RecoveryScore[];
}

const WEEK: number = 7 * DAY;
const figuresView = ({ falseAlarms, ...same }: Figures): FiguresView => ({ ...same, false_alarms: falseAlarms });

/** Local midnight. */
function mondayOf(at: number): Date {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - ((day.getDay() + 6) % 7));
}

const two = (n: number): string => String(n).padStart(2, "0");
const dayText = (day: Date): string => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;

export class IncidentService {
  readonly #context: Pick<ServiceContext, "loop" | "tuning" | "journal" | "hub">;

  constructor(context: Pick<ServiceContext, "loop" | "tuning" | "journal" | "hub">) {
    this.#context = context;
  }

  list({
    agent,
    all,
    since,
  }: {
    agent?: string | undefined;
    all: boolean;
    since?: number | undefined;
  }): IncidentView[] {
    const { loop } = this.#context;
    const name = agent === undefined ? undefined : this.#agentName(agent);
    const which = { all, since: since ?? null, ...(name === undefined ? {} : { agent: name }) };
    return incidentViews({ state: loop.state, now: loop.now() }, which);
  }

  show(incident: string): IncidentView {
    return this.#view(this.#find(incident));
  }

  ack(incident: string): IncidentView {
    const { loop } = this.#context;
    const found = this.#find(incident);
    loop.apply({ kind: "acked", at: loop.now(), incident: found.id });
    return this.#view(this.#find(found.id));
  }

  feedback(incident: string, feedback: Feedback): IncidentView {
    const { loop, tuning } = this.#context;
    const found = this.#find(incident);
    loop.apply({ kind: "feedback", at: loop.now(), incident: found.id, feedback });
    tuning.learn(loop.incidents.feedback);
    loop.take({ kind: "retune", agent: found.agent });
    return this.#view(this.#find(found.id));
  }

  /** A stall that rouse did not report: counts against its detection rate. */
  missed({
    agent,
    at,
    problem = null,
  }: {
    agent: string;
    at?: number | undefined;
    problem?: Problem | null | undefined;
  }): MissedView {
    const { loop } = this.#context;
    const name = this.#agentName(agent);
    const when = Math.floor(Math.min(at ?? loop.now(), loop.now()));
    loop.apply({ kind: "missed", missed: { agent: name, at: when, problem } });
    return { agent: sanitize(name, 80), at: new Date(when).toISOString(), problem };
  }

  async metrics(weeks: number): Promise<MetricsView> {
    const { loop, journal } = this.#context;
    const since = mondayOf(loop.now() - (weeks - 1) * WEEK).getTime();
    const found = stallFigures({
      state: loop.incidents,
      lapsed: await this.#lapsed(since),
      runs: journal.sessions().map(({ name, id, startedAt }) => ({ agent: name, session: id, startedAt })),
      since,
      weekOf: (at) => dayText(mondayOf(at)),
    });
    const rows = (groups: ReadonlyMap<string, Figures>, field: string): object[] =>
      [...groups].map(([name, figures]) => ({ [field]: sanitize(name, 80), ...figuresView(figures) }));
    return {
      since: new Date(since).toISOString(),
      until: new Date(loop.now()).toISOString(),
      overall: figuresView(found.overall),
      by_cause: rows(found.byCause, "cause") as MetricsView["by_cause"],
      by_agent: rows(found.byAgent, "agent") as MetricsView["by_agent"],
      by_week: rows(found.byWeek, "week") as MetricsView["by_week"],
      recoveries: scoreRecoveries(loop.incidents, loop.now()),
    };
  }

  /** Without an answer of the hub, the incidents alone count. */
  async #lapsed(since: number): Promise<LapsedClaim[]> {
    const { hub } = this.#context;
    if (!hub.isUsed()) return [];
    return hub.open().then(
      (store) => lapsedClaims(store, hub.node, since),
      () => [],
    );
  }

  /** An agent that is no longer known may still have incidents. */
  #agentName(agent: string): string {
    const isKnown = this.#context.loop.incidents.incidents.some((incident) => incident.agent === agent);
    return isKnown ? agent : findAgent(this.#context, agent).session.name;
  }

  #find(word: string): Incident {
    const found = findIncident(this.#context.loop.incidents, word, knownAgents(this.#context));
    if (typeof found === "string") throw new ApiError("unknown", found);
    return found;
  }

  #view(incident: Incident): IncidentView {
    const { loop } = this.#context;
    return incidentView(incident, { state: loop.state, now: loop.now() });
  }
}
