/** Incidents, acknowledgements and feedback. */
import type { Feedback, Incident } from "../../core/incidents/incident.js";
import { type RecoveryScore, scoreRecoveries } from "../../core/incidents/recovery-score.js";
import { findIncident, type IncidentView, incidentView, incidentViews } from "../../daemon/views/incident-view.js";
import { ApiError } from "../error.js";
import { findAgent, knownAgents, type ServiceContext } from "./context.js";

export class IncidentService {
  readonly #context: Pick<ServiceContext, "loop" | "tuning">;

  constructor(context: Pick<ServiceContext, "loop" | "tuning">) {
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

  recoveries(): RecoveryScore[] {
    const { loop } = this.#context;
    return scoreRecoveries(loop.incidents, loop.now());
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
