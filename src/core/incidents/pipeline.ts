/**
 * Problems of a pipeline as incidents: jobs, proposals and locks instead of an agent. Rules elsewhere find them; here they are
 * opened, updated and closed. One incident per pipeline and problem. No agent is to blame and no recovery plan applies, so each
 * one is escalated to the user, with advice.
 */
import { RULESET } from "../judgement/assess.js";
import { CONFIDENCE } from "../judgement/evidence/verdict.js";
import { PIPELINE_PROBLEMS, type PipelineProblem, type Problem } from "../states.js";
import { forOutput } from "../text/for-output.js";
import {
  type AssessedEvent,
  advancePhase,
  closeIncident,
  type IncidentChange,
  observeIncident,
  openIncident,
  REASON_CHARS,
} from "./course.js";
import { type IncidentState, isOpen } from "./incident.js";

export interface PipelineFinding {
  project: string;
  problem: PipelineProblem;
  /** One sentence each. */
  reasons: readonly string[];
  /** What the user can do. */
  advice: string;
}

/** All problems of the pipelines at this time: an open one that is missing has ended. */
export interface PipelineEvent {
  kind: "pipeline";
  at: number;
  found: readonly PipelineFinding[];
}

/** The program of such an incident. */
const PIPELINE = "pipeline";

/** In the place of an agent's name. No agent's name has a colon. */
const pipelineName = (project: string): string => (project === "" ? PIPELINE : `${PIPELINE}:${project}`);

export const isPipelineProblem = (problem: Problem): problem is PipelineProblem =>
  (PIPELINE_PROBLEMS as readonly Problem[]).includes(problem);

export function takePipeline(state: IncidentState, { at, found }: PipelineEvent): IncidentChange[] {
  const isFound = ({ agent, problem }: { agent: string; problem: Problem }): boolean =>
    found.some((one) => pipelineName(one.project) === agent && one.problem === problem);
  const ended = state.incidents.filter((one) => isOpen(one) && isPipelineProblem(one.problem) && !isFound(one));
  return [
    ...ended.flatMap((incident) => closeIncident(state, incident, "closed", at)),
    ...found.flatMap((finding) => takeFinding(state, finding, at)),
  ];
}

function takeFinding(state: IncidentState, { project, problem, reasons, advice }: PipelineFinding, at: number) {
  const agent = pipelineName(project);
  const known = state.incidents.find((one) => one.agent === agent && one.problem === problem && isOpen(one));
  const seen: AssessedEvent = {
    kind: "assessed",
    agent,
    session: "",
    program: PIPELINE,
    account: null,
    assessment: {
      state: "stuck",
      cause: null,
      kinds: [],
      level: "act",
      confidence: CONFIDENCE.high,
      until: null,
      reasons: [...reasons],
      at,
      ruleset: RULESET,
      recheckAt: null,
    },
    progress: { workAt: null, outcomeAt: null, turnAt: null },
    confirmMs: 0,
    outageMs: 0,
  };
  const changes = known ? observeIncident(state, known, seen) : openIncident(state, seen, problem);
  const incident = known ?? state.incidents.at(-1);
  if (!incident) return changes;
  const isNew = incident.escalated === null;
  incident.escalated = {
    at: incident.escalated?.at ?? at,
    reason: forOutput(`needs you: ${advice}`, REASON_CHARS),
    wouldDo: null,
  };
  return isNew ? [...changes, advancePhase(incident, "escalated")] : changes;
}
