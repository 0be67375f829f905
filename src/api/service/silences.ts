/** Silences: an agent, a problem, or one problem of one agent. */
import { nearestName } from "../../config/suggest.js";
import type { IncidentState, Silence } from "../../core/incidents/incident.js";
import { isPipelineProblem } from "../../core/incidents/pipeline.js";
import { PROBLEMS, type Problem } from "../../core/incidents/problem.js";
import { sanitize } from "../../core/text/sanitize.js";
import { ApiError } from "../error.js";
import { iso, knownAgents, type ServiceContext } from "./context.js";

export interface SilencesView {
  silences: { agent: string | null; problem: Problem | null; since: string; until: string }[];
}

export class SilenceService {
  readonly #context: Pick<ServiceContext, "loop">;

  constructor(context: Pick<ServiceContext, "loop">) {
    this.#context = context;
  }

  list(): SilencesView {
    const { loop } = this.#context;
    const now = loop.now();
    return {
      silences: loop.incidents.silences
        .filter(({ until }) => until > now)
        .map(({ agent, problem, at, until }) => ({
          agent: agent === null ? null : sanitize(agent, 80),
          problem,
          since: iso(at),
          until: iso(until),
        })),
    };
  }

  /** `for_secs` null ends it. */
  set({ what, problem, for_secs }: { what: string; problem: Problem | null; for_secs: number | null }): SilencesView {
    const { loop } = this.#context;
    const now = loop.now();
    const target = targetOf(what, problem, [...knownAgents(this.#context), ...pipelinesIn(loop.incidents)]);
    loop.apply({ kind: "unsilenced", ...target });
    if (for_secs !== null)
      loop.apply({ kind: "silenced", silence: { ...target, at: now, until: now + for_secs * 1000 } });
    return this.list();
  }
}

const pipelinesIn = ({ incidents }: IncidentState): string[] => [
  ...new Set(incidents.flatMap(({ agent, problem }) => (isPipelineProblem(problem) ? agent : []))),
];

const LISTED_MAX = 20;

function targetOf(
  what: string,
  problem: Problem | null,
  agents: readonly string[],
): Pick<Silence, "agent" | "problem"> {
  if (agents.includes(what)) return { agent: what, problem };
  if ((PROBLEMS as readonly string[]).includes(what) && problem === null)
    return { agent: null, problem: what as Problem };
  const shown = agents.map((name) => sanitize(name, 80));
  const agentsText = shown.length === 0 ? "no agents are known" : `agents: ${shown.slice(0, LISTED_MAX).join(", ")}`;
  const near =
    nearestName(what, [...shown, ...PROBLEMS]) ?? `${agentsText}; \`rouse policy show default\` lists the problems`;
  const asked = JSON.stringify(sanitize(what, 80));
  throw new ApiError("unknown", `${asked} is neither a known agent nor a problem; ${near}`);
}
