/** The contents of a message. `due.ts` decides when it is sent. */

import { type ActionName, resultOf, usesBudget } from "../action.js";
import type { AgentSession } from "../agent.js";
import { awakeMs } from "../awake.js";
import { type Settings, settingOf } from "../defaults.js";
import { digest } from "../digest.js";
import { type Incident, type IncidentState, isOpen } from "../incidents/incident.js";
import type { Problem } from "../incidents/problem.js";
import type { Assessment } from "../judgement/assess.js";
import { lastActivityAt } from "../judgement/evidence/last-activity.js";
import { openPrompt } from "../judgement/evidence/prompts.js";
import type { Evidence } from "../judgement/evidence/state.js";
import { turnStatus } from "../judgement/evidence/turn.js";
import { questionOf } from "../judgement/question.js";
import { type Move, moveOf } from "../move.js";
import { traitsOf } from "../policy/problems.js";
import { forOutput } from "../text/for-output.js";
import { joinSentences } from "../text/sentences.js";
import { SECOND } from "../text/time.js";
import { fitMessage } from "./fit.js";
import type { CommonPayload, Message, MessageType, Payloads } from "./message.js";
import { type SuggestionContext, suggestionsFor } from "./suggest.js";

/** The current knowledge about an agent. */
export interface AgentSnapshot {
  session: AgentSession;
  evidence: Evidence;
  assessment: Assessment;
  /** The settings of its working directory. */
  settings?: Settings;
}

export interface NotifyRules {
  /** A limit is reported after this time. */
  patienceMs: (agent: string) => number;
  /** The possible actions: nothing else is suggested. */
  can: (session: AgentSession) => readonly ActionName[];
  /** It works for an orchestrator: its finished turns are reported. */
  isWorker: (session: AgentSession) => boolean;
  /** If the user configured the workers, only these are reported. */
  isNotified: (session: AgentSession) => boolean;
  /** The orchestrator itself: no messages about it. */
  isReceiver: (session: AgentSession) => boolean;
}

export interface DueMessage extends Message {
  subject: string;
  edge: string;
  /** The same question from another source: recorded, but not sent again. */
  isKnown?: true;
}

export const subjectOf = ({ id, reopened }: Pick<Incident, "id" | "reopened">): string => `${id}.${reopened}`;

export function typeOf(problem: Problem): MessageType {
  if (problem === "needs_input") return "worker.needs_input";
  if (problem === "unknown") return "watchdog.blind";
  // The agent is neither stuck nor failed.
  if (problem === "over_budget") return "worker.escalated";
  return traitsOf(problem).state === "stuck" || problem === "rate_limited" ? "worker.stuck" : "worker.error";
}

export function makeProblem(
  incidentState: IncidentState,
  type: MessageType,
  edge: string,
  incident: Incident,
  view: AgentSnapshot,
  rules: NotifyRules,
  now: number,
): DueMessage {
  const about = aboutIncident(incident, view, type, rules);
  const subject = subjectOf(incident);
  const tail = outputTail(view);
  const long = problemDuration(incident, view, now);
  switch (type) {
    case "worker.needs_input": {
      const prompt = openPrompt(view.evidence.prompts);
      return makeMessage(
        type,
        edge,
        subject,
        about,
        {
          prompt_type: prompt?.prompt ?? "input",
          prompt_preview: forOutput(questionOf(view.evidence) || (incident.reasons[0] ?? ""), 600),
        },
        now,
      );
    }
    case "watchdog.blind":
      return makeMessage(type, edge, subject, about, { ...long, reason: forOutput(incident.reasons[0] ?? "") }, now);
    case "worker.escalated":
      return makeMessage(
        type,
        edge,
        subject,
        about,
        {
          ...long,
          reason: forOutput(joinSentences(incident.reasons), 600),
          done: doneOf(incidentState, incident, now),
          last_output_preview: previewOf(tail),
        },
        now,
      );
    case "worker.error": {
      const { failures, progress } = view.evidence;
      const stated = failures.error ?? failures.shownError ?? progress.reading?.failure;
      const context = stated?.text || joinSentences(incident.reasons.slice(0, 2));
      return makeMessage(
        type,
        edge,
        subject,
        about,
        { ...long, error_context: forOutput(context, 600), output_tail: tail },
        now,
      );
    }
    default:
      return makeMessage(
        "worker.stuck",
        edge,
        subject,
        about,
        {
          ...long,
          intervals_stuck: Math.floor(long.duration_secs / settingOf(view.settings, "poll_interval_secs")),
          last_output_preview: previewOf(tail),
          until: incident.until === null ? null : iso(incident.until),
        },
        now,
      );
  }
}

export function makeMessage<T extends MessageType>(
  type: T,
  edge: string,
  subject: string,
  about: CommonPayload,
  payload: Payloads[T],
  at: number,
): DueMessage {
  return {
    key: digest(`${subject} ${edge}`),
    subject,
    edge,
    type,
    at,
    payload: fitMessage<CommonPayload>({ ...about, ...payload }) as DueMessage["payload"],
  };
}

export const aboutIncident = (
  incident: Incident,
  view: AgentSnapshot,
  type: MessageType,
  rules: NotifyRules,
): CommonPayload => ({
  ...aboutUnseen(incident),
  move: YOURS.has(type) || isEscalated(incident) ? "you" : moveOf(view.assessment),
  task: view.session.task === null ? null : forOutput(view.session.task, 200),
  suggested_actions: suggestionsFor(type, suggestionContextOf(view, incident.problem, rules)),
});

/** It was escalated before its first message was due, as after a crash without permission. */
const isEscalated = (incident: Incident): boolean => isOpen(incident) && incident.escalated !== null;

/** rouse has nothing left to try, or cannot see the agent. */
const YOURS: ReadonlySet<MessageType> = new Set<MessageType>(["worker.escalated", "watchdog.blind"]);

const moveOfProblem = (problem: Problem): Move =>
  moveOf({ state: traitsOf(problem).state ?? "unknown", cause: problem });

function suggestionContextOf(
  { session, evidence }: AgentSnapshot,
  problem: Problem | null,
  { can }: NotifyRules,
): SuggestionContext {
  const hasDialog = openPrompt(evidence.prompts) !== null;
  const status = turnStatus(evidence.turn)?.status;
  const isFree = !hasDialog && status !== "active" && status !== "blocked";
  return { session, problem, can: can(session), hasDialog, isFree };
}

/** For an agent that is no longer watched. */
export const aboutUnseen = ({ id, agent, session, kind, problem, confidence, reasons }: Incident): CommonPayload => ({
  worker_id: session,
  worker_name: forOutput(agent, 80),
  worker_kind: forOutput(kind, 40),
  task: null,
  incident_id: id,
  cause: problem,
  move: moveOfProblem(problem),
  confidence: Math.round(confidence * 100) / 100,
  reasons: reasons.map((reason) => forOutput(reason)),
  suggested_actions: [],
});

export const aboutSession = (
  { session, assessment, evidence }: AgentSnapshot,
  type: MessageType,
  rules: NotifyRules,
): CommonPayload => ({
  worker_id: session.id,
  worker_name: forOutput(session.name, 80),
  worker_kind: forOutput(session.kind, 40),
  task: session.task === null ? null : forOutput(session.task, 200),
  incident_id: null,
  cause: null,
  move: moveOf(assessment),
  confidence: Math.round(assessment.confidence * 100) / 100,
  reasons: assessment.reasons.map((reason) => forOutput(reason)),
  suggested_actions: suggestionsFor(type, suggestionContextOf({ session, assessment, evidence }, null, rules)),
});

/**
 * A stuck agent counts from its last activity, an unobserved one from its last sign of life. A loop stays active, and an
 * error has its own start, so these count from the detection. Sleep and earlier unobserved time do not count.
 */
export function problemDuration(
  { problem, since }: Pick<Incident, "problem" | "since">,
  { evidence }: Pick<AgentSnapshot, "evidence">,
  now: number,
): { last_activity: string | null; duration_secs: number } {
  const last = lastActivityAt(evidence);
  const type = typeOf(problem);
  const from = type === "worker.stuck" ? last : type === "watchdog.blind" ? (evidence.blind?.since ?? null) : null;
  return {
    last_activity: last === null ? null : iso(last),
    duration_secs: toSeconds(awakeMs(evidence.asleep, Math.min(from ?? since, since), now)),
  };
}

export function outputTail({ evidence, settings }: AgentSnapshot): string[] {
  const lines = settingOf(settings, "output_preview_lines");
  return lines > 0 ? (evidence.progress.reading?.tail ?? []).slice(-lines).map((line) => forOutput(line)) : [];
}

/** In one line: no answer of the API has line breaks in its texts. */
export const previewOf = (tail: readonly string[]): string => tail.join(" · ");

/** rouse's actions, oldest first. */
export const doneOf = ({ actions }: IncidentState, { id }: Pick<Incident, "id">, now: number): string[] =>
  actions
    .filter((record) => record.incident === id && usesBudget(record))
    .slice(-10)
    .map((record) => `${record.do}: ${resultOf(record, now)}`);

export const toSeconds = (ms: number): number => Math.max(0, Math.round(ms / SECOND));
const iso = (ms: number): string => new Date(ms).toISOString();
