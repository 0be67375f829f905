/**
 * Which messages are due to orchestrators, as a function of the incidents, the agents and the messages sent before. After
 * a crash it gives the same keys, so nothing is lost and nothing is sent twice.
 *
 * An incident is reported when it is confirmed (a limit after the policy's patience), when its dialog asks another
 * question, when it is escalated after an action, and when it is resolved. A state that lasts less than 5 s is not
 * reported, and neither is a stall of an agent that other sources show as active since then. No message means healthy.
 */

import { usesBudget } from "../action.js";
import { awakeMs } from "../awake.js";
import { digest } from "../digest.js";
import { type Incident, type IncidentState, isOpen, silencedUntil } from "../incidents/incident.js";
import { HUMAN_ONLY } from "../incidents/problem.js";
import { LASTING_MS } from "../judgement/clocks.js";
import { openPrompt } from "../judgement/evidence/prompts.js";
import { normaliseResult } from "../judgement/normalise.js";
import { forOutput } from "../text/for-output.js";
import { SECOND } from "../text/time.js";
import { completionOf } from "./complete.js";
import {
  type AgentSnapshot,
  aboutIncident,
  aboutSession,
  aboutUnseen,
  type DueMessage,
  doneOf,
  makeMessage,
  makeProblem,
  type NotifyRules,
  outputTail,
  previewOf,
  problemDuration,
  subjectOf,
  toSeconds,
  typeOf,
} from "./contents.js";
import { isHeldByActivity } from "./held-back.js";
import type { MessageType, Payloads } from "./message.js";

/** Edges already sent, by subject: an incident and its generation, or a session. */
export interface SentEdges {
  of(subject: string): ReadonlySet<string>;
}

/** An agent with the time at which its present state and cause began. */
export interface JudgedAgent extends AgentSnapshot {
  since: number;
}

/** A dialog may be reported before it is visible: this waits for the text on the screen. */
const PROMPT_SETTLE_MS: number = 2 * SECOND;
/** More questions than this in one incident mean that the dialog cannot be read. */
const PROMPTS_MAX = 50;
/** An escalation this soon after the first message adds nothing. */
const ESCALATED_AFTER_MS: number = 10 * SECOND;

export function dueMessages(
  incidentState: IncidentState,
  seen: (agent: string) => JudgedAgent | null,
  sent: SentEdges,
  rules: NotifyRules,
  now: number,
): DueMessage[] {
  return incidentState.incidents.flatMap((incident) => {
    const view = seen(incident.agent);
    if (view && rules.isReceiver(view.session)) return [];
    if (silencedUntil(incidentState, incident, now) !== null) return [];
    const before = sent.of(subjectOf(incident));
    if (!isOpen(incident)) return overDue(incidentState, incident, view, before, rules, now);
    // Follow-ups are sent if the first message was.
    if (view && before.size === 0 && !rules.isNotified(view.session)) return [];
    return view ? openDue(incidentState, incident, view, before, rules, now) : [];
  });
}

/** The message about a finished turn that an orchestrator asked for. */
export function dueCompletion(
  view: JudgedAgent,
  sent: SentEdges,
  rules: NotifyRules,
  now: number,
  isOver = false,
): DueMessage | null {
  if (rules.isReceiver(view.session) || !rules.isNotified(view.session)) return null;
  if (!isOver && !hasLasted(view, now)) return null;
  const done = completionOf(view, rules, now);
  if (!done || sent.of(done.subject).has("complete")) return null;
  return makeMessage(
    "worker.complete",
    "complete",
    done.subject,
    aboutSession(view, "worker.complete", rules),
    done.payload(),
    now,
  );
}

function openDue(
  incidentState: IncidentState,
  incident: Incident,
  view: JudgedAgent,
  before: ReadonlySet<string>,
  rules: NotifyRules,
  now: number,
): DueMessage[] {
  if (incident.confirmedAt === null || incident.ackedAt !== null || incident.feedback === "false-alarm") return [];
  const due: DueMessage[] = [];
  const type = typeOf(incident.problem);
  const edge = edgeOf(incidentState, incident, view, before, rules, now);
  const isDue = incident.problem === "over_budget" || hasLasted(view, now);
  const isNew = edge !== null && isDue && !before.has(edge);
  const isHeld = isNew && isHeldByActivity(incidentState, incident, view, now);
  if (isNew && !isHeld) {
    const made = makeProblem(incidentState, type, edge, incident, view, rules, now);
    due.push(isSameQuestion(edge, before) ? { ...made, isKnown: true } : made);
  }
  const { escalated } = incident;
  const wasReported = before.size > 0 && [...before].some((one) => one.startsWith(type));
  const tried = (): boolean =>
    incidentState.actions.some((record) => record.incident === incident.id && usesBudget(record));
  if (
    escalated &&
    (wasReported || isHeld) &&
    !before.has("escalated") &&
    (tried() ||
      (!HUMAN_ONLY.has(incident.problem) &&
        incident.problem !== "over_budget" &&
        escalated.at - incident.confirmedAt > ESCALATED_AFTER_MS))
  )
    due.push(
      makeMessage(
        "worker.escalated",
        "escalated",
        subjectOf(incident),
        aboutIncident(incident, view, "worker.escalated", rules),
        {
          ...problemDuration(incident, view, now),
          reason: forOutput(escalated.reason),
          done: doneOf(incidentState, incident, now),
          last_output_preview: previewOf(outputTail(view)),
        },
        now,
      ),
    );
  return due;
}

/** The state is more than a moment. After an exit it cannot change any more. */
const hasLasted = ({ since, evidence }: JudgedAgent, now: number): boolean =>
  evidence.exit !== null || now - since >= LASTING_MS;

/** The edge to report now; null for none. */
function edgeOf(
  incidentState: IncidentState,
  incident: Incident,
  { evidence }: AgentSnapshot,
  before: ReadonlySet<string>,
  rules: NotifyRules,
  now: number,
): string | null {
  if (incident.quietSince !== null) return null;
  const type = typeOf(incident.problem);
  if (incident.problem === "rate_limited")
    return awakeMs(incidentState.asleep, incident.since, now) >= rules.patienceMs(incident.agent) ? type : null;
  if (type !== "worker.needs_input") return type;
  const asked = `${type} ${incident.returned ?? 0}`;
  const prompt = openPrompt(evidence.prompts);
  if (!prompt) return `${asked} turn`;
  if (now - prompt.at < PROMPT_SETTLE_MS || before.size >= PROMPTS_MAX) return null;
  return `${asked} ${prompt.source} ${digest(normaliseResult(prompt.question))}`;
}

/** A question is reported once across sources; a different one from the same source is a new question. */
function isSameQuestion(edge: string, before: ReadonlySet<string>): boolean {
  const [type, returned, source] = edge.split(" ");
  if (type !== "worker.needs_input") return false;
  const sent = [...before].filter((one) => one.startsWith(`${type} ${returned} `));
  return sent.length > 0 && !sent.some((one) => one.startsWith(`${type} ${returned} ${source} `));
}

function overDue(
  incidentState: IncidentState,
  incident: Incident,
  view: AgentSnapshot | null,
  before: ReadonlySet<string>,
  rules: NotifyRules,
  now: number,
): DueMessage[] {
  const was = [...before].findLast((edge) => edge.startsWith("worker.") || edge.startsWith("watchdog."));
  // The end of the night is not a recovery.
  if (incident.problem === "over_budget") return [];
  if (was === undefined || before.has("recovered") || incident.endedAt === null) return [];
  const about = view ? aboutIncident(incident, view, "worker.recovered", rules) : aboutUnseen(incident);
  const payload: Payloads["worker.recovered"] = {
    was: was.split(" ", 1)[0] as MessageType,
    proven: incident.phase === "recovered",
    duration_secs: toSeconds(incident.endedAt - incident.since),
    done: doneOf(incidentState, incident, now),
  };
  return [makeMessage("worker.recovered", "recovered", subjectOf(incident), about, payload, now)];
}
