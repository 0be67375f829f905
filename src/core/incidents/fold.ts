/**
 * Incidents as a fold over assessments, actions and user input. Nothing else changes the incident state, so it can be
 * rebuilt from the stored events.
 */

import type { ActionName, ActionOutcome, Intent } from "../action.js";
import { awakeMs, takeAsleep } from "../awake.js";
import { CONFIDENCE } from "../judgement/evidence/verdict.js";
import { forOutput } from "../text/for-output.js";
import { MINUTE } from "../text/time.js";
import { carryOver } from "./carry-over.js";
import { isSameChain } from "./chain.js";
import {
  type AssessedEvent,
  advancePhase,
  closeIncident,
  HISTORY_MAX,
  type IncidentChange,
  observeIncident,
  openIncident,
  REASON_CHARS,
  renameIncident,
  reopenIncident,
  takeQuiet,
} from "./course.js";
import { takeFeedback } from "./feedback.js";
import {
  type Feedback,
  type Incident,
  type IncidentState,
  isOpen,
  type MissedStall,
  type Opinion,
  type Silence,
} from "./incident.js";
import { newOverBudget, overBudgetOf } from "./over-budget.js";
import { isPipelineProblem, type PipelineEvent, takePipeline } from "./pipeline.js";
import { type Problem, problemOf } from "./problem.js";
import { progressAt } from "./progress.js";

export type IncidentInput =
  | AssessedEvent
  | PipelineEvent
  | { kind: "intended"; intent: Intent }
  | { kind: "done"; outcome: ActionOutcome }
  | { kind: "escalated"; at: number; incident: string; reason: string; wouldDo?: ActionName | null; overBudget?: true }
  /** A user gave permission or asked for another attempt: the escalation is withdrawn. */
  | { kind: "reconsidered"; incident: string }
  /** A model explained these open incidents. */
  | { kind: "explained"; incidents: readonly string[]; opinion: Opinion }
  | { kind: "acked"; at: number; incident: string }
  | { kind: "silenced"; silence: Silence }
  | { kind: "unsilenced"; agent: string | null; problem: Problem | null }
  /** The agent was renamed. */
  | { kind: "renamed"; from: string; to: string }
  /** The agent is no longer watched. */
  | { kind: "forgotten"; at: number; agent: string }
  | { kind: "feedback"; at: number; incident: string; feedback: Feedback }
  /** A user reports a stall that rouse did not. */
  | { kind: "missed"; missed: MissedStall }
  /** The machine slept, or rouse did not observe. */
  | { kind: "gap"; from: number; to: number };

/** The same problem within this time after proven progress reopens the incident, so that its limits still apply. */
const AGAIN_MS: number = 10 * MINUTE;
/** An agent that is unobserved for this long is reported. */
const BLIND_MS = MINUTE;

const SILENCES_MAX = 200;
const MISSED_MAX = 500;

export function applyToIncidents(incidentState: IncidentState, input: IncidentInput): IncidentChange[] {
  switch (input.kind) {
    case "assessed":
      return [...takeAssessed(incidentState, input), ...takeSpending(incidentState, input)];
    case "pipeline":
      return takePipeline(incidentState, input);
    case "intended":
      return takeIntent(incidentState, input.intent);
    case "done": {
      const record = incidentState.actions.find(({ id }) => id === input.outcome.intent);
      // The first outcome counts: a repeated or late one changes nothing.
      if (record && record.outcome === null) record.outcome = boundedOutcome(input.outcome);
      return [];
    }
    case "escalated":
      return withIncident(incidentState, input.incident, (incident) => {
        if (incident.escalated) return [];
        incident.escalated = {
          at: input.at,
          reason: forOutput(input.reason, REASON_CHARS),
          wouldDo: input.wouldDo ?? null,
          ...(input.overBudget ? { overBudget: true } : {}),
        };
        if (input.wouldDo && !input.overBudget) {
          const step = { at: input.at, do: input.wouldDo, problem: incident.problem };
          incident.withheld = [...(incident.withheld ?? []), step].slice(-HISTORY_MAX);
        }
        return [advancePhase(incident, "escalated")];
      });
    case "reconsidered":
      return withIncident(incidentState, input.incident, (incident) => {
        if (!isOpen(incident) || !incident.escalated) return [];
        incident.escalated = null;
        const tried = incidentState.actions.some((record) => record.incident === incident.id);
        return [advancePhase(incident, tried ? "acting" : incident.confirmedAt === null ? "suspected" : "confirmed")];
      });
    case "acked":
      return withIncident(incidentState, input.incident, (incident) => {
        incident.ackedAt ??= input.at;
        return [];
      });
    case "explained":
      for (const id of input.incidents)
        withIncident(incidentState, id, (incident) => {
          // The update goes out with one of them.
          const message = id === input.incidents[0] ? input.opinion.message : null;
          if (isOpen(incident)) incident.opinion = boundedOpinion({ ...input.opinion, message });
          return [];
        });
      return [];
    case "silenced":
      incidentState.silences = [
        ...incidentState.silences.filter(({ until }) => until > input.silence.at),
        input.silence,
      ].slice(-SILENCES_MAX);
      return [];
    case "unsilenced":
      incidentState.silences = incidentState.silences.filter(
        ({ agent, problem }) => agent !== input.agent || problem !== input.problem,
      );
      return [];
    case "renamed":
      carryOver(incidentState, input.from, input.to);
      return [];
    case "forgotten":
      return openOf(incidentState, input.agent).flatMap((incident) =>
        closeIncident(incidentState, incident, "closed", input.at),
      );
    case "feedback":
      return withIncident(incidentState, input.incident, (incident) => {
        takeFeedback(incidentState, incident, input.feedback, input.at);
        return [];
      });
    case "missed":
      incidentState.missed = [...incidentState.missed.filter(isOther(input.missed)), input.missed].slice(-MISSED_MAX);
      return [];
    case "gap":
      takeAsleep(incidentState.asleep, {
        kind: "gap",
        source: "observer",
        at: input.to,
        from: input.from,
        to: input.to,
      });
      return [];
  }
}

const isOther =
  (missed: MissedStall) =>
  ({ agent, at }: MissedStall): boolean =>
    agent !== missed.agent || at !== missed.at;

function takeAssessed(incidentState: IncidentState, input: AssessedEvent): IncidentChange[] {
  const { agent, assessment } = input;
  const now = assessment.at;
  const problem = problemOf(assessment);
  const open = openOf(incidentState, agent).filter((incident) => incident.problem !== "over_budget");
  if (problem !== "unknown") incidentState.blind = incidentState.blind.filter((entry) => entry.agent !== agent);
  else if (!incidentState.blind.some((entry) => entry.agent === agent)) incidentState.blind.push({ agent, since: now });
  if (input.endedByHuman) return open.flatMap((incident) => closeIncident(incidentState, incident, "closed", now));
  const isOver = input.isOver === true || assessment.state === "gone";
  const quiet = (incident: Incident): IncidentChange[] =>
    takeQuiet(incidentState, incident, input, isOver && !stoppedByUs(incidentState, incident, input.session));
  if (problem === null) return open.flatMap(quiet);
  // An unobserved problem neither continues nor ends; only lasting unobserved time is a problem of its own.
  if (
    problem === "unknown" &&
    (open.some((incident) => incident.problem !== "unknown") || !isBlind(incidentState, agent, now))
  )
    return [];
  const same =
    open.find((incident) => incident.problem === problem) ?? open.find((i) => isSameChain(i.problem, problem));
  const ours = open.find((incident) => endedByUs(incidentState, incident, input.session, problem));
  const incident = ours ?? same;
  // A problem that another one hides counts as not seen, or it would never end.
  const others = open.filter((other) => other !== incident).flatMap(quiet);
  if (incident)
    return [
      ...others,
      ...(incident === ours ? [] : renameIncident(incident, problem)),
      ...observeIncident(incidentState, incident, input),
    ];
  const again = lastEnded(incidentState, input, problem);
  if (again)
    return [...others, ...reopenIncident(again, problem, input), ...observeIncident(incidentState, again, input)];
  return [...others, ...openIncident(incidentState, input, problem)];
}

/** Exists beside the state. The end of the night, or another budget, closes it without a recovery notice. */
function takeSpending(incidentState: IncidentState, input: AssessedEvent): IncidentChange[] {
  const { agent, assessment } = input;
  const spend = input.spend && input.spend.over.length > 0 && !input.endedByHuman ? input.spend : null;
  const known = spend && overBudgetOf(incidentState, agent, spend);
  const before = openOf(incidentState, agent).filter((open) => open.problem === "over_budget" && open !== known);
  const ended = before.flatMap((incident) => closeIncident(incidentState, incident, "closed", assessment.at));
  if (!spend) return ended;
  const reasons = [...spend.over, ...(spend.doubt === null ? [] : [spend.doubt])];
  const said: AssessedEvent = {
    ...input,
    assessment: { ...assessment, level: "act", confidence: CONFIDENCE.high, until: spend.period.to, reasons },
  };
  if (!known)
    return [
      ...ended,
      ...openIncident(incidentState, said, "over_budget", newOverBudget(incidentState, agent, spend, assessment.at)),
    ];
  return isOpen(known) ? [...ended, ...observeIncident(incidentState, known, said)] : ended;
}

const openOf = (incidentState: IncidentState, agent: string): Incident[] =>
  incidentState.incidents.filter(
    (incident) => incident.agent === agent && isOpen(incident) && !isPipelineProblem(incident.problem),
  );

const isBlind = (incidentState: IncidentState, agent: string, now: number): boolean =>
  awakeMs(incidentState.asleep, incidentState.blind.find((entry) => entry.agent === agent)?.since ?? now, now) >=
  BLIND_MS;

/**
 * If rouse itself stopped the process, the recovery plan of the original problem continues. The exit of a session that was
 * started in its place is a problem of its own.
 */
function endedByUs(incidentState: IncidentState, incident: Incident, session: string, problem: Problem): boolean {
  return (
    (problem === "crash" || problem === "exit_code" || problem === "gone") &&
    stoppedByUs(incidentState, incident, session)
  );
}

function stoppedByUs(incidentState: IncidentState, incident: Incident, session: string): boolean {
  return incidentState.actions.some(
    (record) =>
      record.incident === incident.id &&
      (record.do === "stop" || record.do === "restart") &&
      (record.session ?? session) === session &&
      record.outcome?.result !== "refused",
  );
}

/** Ended, and back too soon or without a recovery in between. */
function lastEnded(
  incidentState: IncidentState,
  { agent, assessment, progress }: AssessedEvent,
  problem: Problem,
): Incident | undefined {
  return incidentState.incidents.findLast((incident) => {
    if (incident.agent !== agent || incident.endedAt === null || !isSameChain(incident.problem, problem)) return false;
    if (incident.phase === "recovered") return assessment.at - incident.endedAt <= AGAIN_MS;
    return (progressAt(progress, incident.problem) ?? 0) <= incident.seenAt;
  });
}

function takeIntent(incidentState: IncidentState, intent: Intent): IncidentChange[] {
  if (incidentState.actions.some(({ id }) => id === intent.id)) return [];
  incidentState.actions.push({ ...intent, outcome: null });
  return withIncident(incidentState, intent.incident, (incident) =>
    incident.phase === "suspected" || incident.phase === "confirmed" ? [advancePhase(incident, "acting")] : [],
  );
}

function withIncident(
  incidentState: IncidentState,
  id: string,
  then: (incident: Incident) => IncidentChange[],
): IncidentChange[] {
  const incident = incidentState.incidents.find((candidate) => candidate.id === id);
  return incident ? then(incident) : [];
}

const OPINION_CHARS = 1000;

const boundedOpinion = ({ id, at, text, message }: Opinion): Opinion => ({
  id,
  at,
  text: forOutput(text, OPINION_CHARS),
  message: message === null ? null : forOutput(message, OPINION_CHARS),
});

const DETAILS_MAX = 40;

function boundedOutcome({ details, ...outcome }: ActionOutcome): ActionOutcome {
  const reason = forOutput(outcome.reason, REASON_CHARS);
  if (!details) return { ...outcome, reason };
  return { ...outcome, reason, details: details.slice(0, DETAILS_MAX).map((line) => forOutput(line, REASON_CHARS)) };
}
