/**
 * Incidents as a fold: assessments, deeds and what people say go in, and the book of incidents changes. Nothing else
 * changes it, so that the book can be made again out of what was stored.
 */
import type { ActionName, Intent, Outcome } from "../action.js";
import type { Assessment } from "../assess.js";
import { awakeMs, takeAsleep } from "../awake.js";
import { MINUTE, SECOND } from "../defaults.js";
import { CONFIDENCE } from "../evidence/verdict.js";
import { PERIOD_MAX_MS } from "../policy/policy.js";
import { say } from "../say.js";
import type { NightSpend } from "../spending.js";
import { needsConfirming, type Trouble, troubleOf } from "../trouble.js";
import { follows } from "./chain.js";
import {
  type Feedback,
  type FeedbackCount,
  type Incident,
  type Incidents,
  incidentId,
  isOpen,
  type Phase,
  type Silence,
} from "./incident.js";
import { escalateOutage, joinOutage, leaveOutage } from "./outage.js";
import { overBudgetId } from "./over-budget.js";
import { type Progress, progressAt } from "./progress.js";

export type IncidentInput =
  | Assessed
  | { kind: "intended"; intent: Intent }
  | { kind: "done"; outcome: Outcome }
  | { kind: "escalated"; at: number; incident: string; reason: string; would?: ActionName | null; beyond?: true }
  /** A person gave permission, or asks for another try: whoever was told is asked no longer. */
  | { kind: "reconsidered"; incident: string }
  | { kind: "acked"; at: number; incident: string }
  | { kind: "silenced"; silence: Silence }
  | { kind: "unsilenced"; agent: string | null; trouble: Trouble | null }
  /** Nobody watches this agent any more. */
  | { kind: "forgotten"; at: number; agent: string }
  | { kind: "feedback"; at: number; incident: string; feedback: Feedback }
  /** The machine slept, or nobody looked. */
  | { kind: "gap"; from: number; to: number };

export interface Assessed {
  kind: "assessed";
  agent: string;
  session: string;
  program: string;
  account: string | null;
  assessment: Assessment;
  progress: Progress;
  /** Of the agent's policy: how long a suspicion has to last. */
  confirmMs: number;
  /** Of the same: how long an outage lasts before a human is needed. */
  outageMs: number;
  /** A person ended the session: whatever was wrong with it is theirs. */
  endedByHuman?: boolean;
  /** What the agent used this night; nothing where it has no budget. */
  spend?: NightSpend | null;
}

/** What changed, for those who tell: one entry per incident and step. */
export interface IncidentChange {
  incident: string;
  phase: Phase;
  /** It came back, or the same trouble has another name now. */
  how: "new" | "again" | "renamed" | "step";
}

/** Healthy for so long with progress, and it is over. A state that flickers is not. */
const HOLD_MS: number = 30 * SECOND;
/** Not seen for so long without proof: it lapses. What was tried lately may still take effect. */
const LAPSE_MS: number = 10 * MINUTE;
/** A human who has the keyboard has the trouble too. */
const HANDED_MS: number = MINUTE;
/** The same trouble again within this time after proven progress is the same incident: a nudge buys no new ones. */
const AGAIN_MS: number = 10 * MINUTE;
/** An agent that cannot be seen for so long is told. */
const BLIND_MS = MINUTE;

const ENDED_MAX = 500;
const SILENCES_MAX = 200;
const REASONS_MAX = 6;
const REASON_CHARS = 300;
const CHAIN_MAX = 8;
const FEEDBACK_MAX = 2000;

export function takeIncidents(book: Incidents, input: IncidentInput): IncidentChange[] {
  switch (input.kind) {
    case "assessed":
      return [...takeAssessed(book, input), ...takeSpending(book, input)];
    case "intended":
      return takeIntent(book, input.intent);
    case "done": {
      const deed = book.deeds.find(({ id }) => id === input.outcome.intent);
      // The first word counts: an outcome that arrives twice, or late after a look, changes nothing.
      if (deed && deed.outcome === null)
        deed.outcome = { ...input.outcome, reason: say(input.outcome.reason, REASON_CHARS) };
      return [];
    }
    case "escalated":
      return withIncident(book, input.incident, (incident) => {
        if (incident.escalated) return [];
        incident.escalated = {
          at: input.at,
          reason: say(input.reason, REASON_CHARS),
          would: input.would ?? null,
          ...(input.beyond ? { beyond: true } : {}),
        };
        return [step(incident, "escalated")];
      });
    case "reconsidered":
      return withIncident(book, input.incident, (incident) => {
        if (!isOpen(incident) || !incident.escalated) return [];
        incident.escalated = null;
        const tried = book.deeds.some((deed) => deed.incident === incident.id);
        return [step(incident, tried ? "acting" : incident.confirmedAt === null ? "told" : "confirmed")];
      });
    case "acked":
      return withIncident(book, input.incident, (incident) => {
        incident.ackedAt ??= input.at;
        return [];
      });
    case "silenced":
      book.silences = [...book.silences.filter(({ until }) => until > input.silence.at), input.silence].slice(
        -SILENCES_MAX,
      );
      return [];
    case "unsilenced":
      book.silences = book.silences.filter(({ agent, trouble }) => agent !== input.agent || trouble !== input.trouble);
      return [];
    case "forgotten":
      return openOf(book, input.agent).flatMap((incident) => end(book, incident, "lapsed", input.at));
    case "feedback":
      return takeFeedback(book, input.incident, input.feedback, input.at);
    case "gap":
      takeAsleep(book.asleep, { kind: "gap", source: "observer", at: input.to, from: input.from, to: input.to });
      return [];
  }
}

function takeAssessed(book: Incidents, input: Assessed): IncidentChange[] {
  const { agent, assessment } = input;
  const now = assessment.at;
  const trouble = troubleOf(assessment);
  const open = openOf(book, agent).filter((incident) => incident.trouble !== "over_budget");
  if (trouble !== "unknown") book.blind = book.blind.filter((entry) => entry.agent !== agent);
  else if (!book.blind.some((entry) => entry.agent === agent)) book.blind.push({ agent, since: now });
  if (input.endedByHuman) return open.flatMap((incident) => end(book, incident, "lapsed", now));
  if (trouble === null) return open.flatMap((incident) => takeQuiet(book, incident, input));
  // What cannot be seen neither goes on nor ends; only a blindness that lasts is a trouble of its own.
  if (trouble === "unknown" && (open.some((incident) => incident.trouble !== "unknown") || !isBlind(book, agent, now)))
    return [];
  const same = open.find((incident) => incident.trouble === trouble) ?? open.find((i) => follows(i.trouble, trouble));
  const ours = open.find((incident) => endedByUs(book, incident, input.session, trouble));
  const incident = ours ?? same;
  // What another trouble hides is not seen any more either: it ends as it would without one, or it would never end.
  const others = open.filter((other) => other !== incident).flatMap((other) => takeQuiet(book, other, input));
  if (incident)
    return [...others, ...(incident === ours ? [] : rename(incident, trouble)), ...see(book, incident, input)];
  const again = lastEnded(book, input, trouble);
  if (again) return [...others, ...reopen(again, trouble, now), ...see(book, again, input)];
  return [...others, ...begin(book, input, trouble)];
}

/** Beside the state, and never instead of it. The night's end, or another budget, ends it without a word of recovery. */
function takeSpending(book: Incidents, input: Assessed): IncidentChange[] {
  const { agent, assessment } = input;
  const spend = input.spend && input.spend.over.length > 0 && !input.endedByHuman ? input.spend : null;
  const id = spend && overBudgetId(agent, spend);
  const before = openOf(book, agent).filter((open) => open.trouble === "over_budget" && open.id !== id);
  const ended = before.flatMap((incident) => end(book, incident, "lapsed", assessment.at));
  if (!spend || id === null) return ended;
  const reasons = [...spend.over, ...(spend.doubt === null ? [] : [spend.doubt])];
  const said: Assessed = {
    ...input,
    assessment: { ...assessment, level: "act", confidence: CONFIDENCE.high, until: spend.night.to, reasons },
  };
  const known = book.incidents.find((incident) => incident.id === id);
  if (!known) return [...ended, ...begin(book, said, "over_budget", id)];
  return isOpen(known) ? [...ended, ...see(book, known, said)] : ended;
}

const openOf = (book: Incidents, agent: string): Incident[] =>
  book.incidents.filter((incident) => incident.agent === agent && isOpen(incident));

const isBlind = (book: Incidents, agent: string, now: number): boolean =>
  awakeMs(book.asleep, book.blind.find((entry) => entry.agent === agent)?.since ?? now, now) >= BLIND_MS;

function begin(
  book: Incidents,
  input: Assessed,
  trouble: Trouble,
  id: string = incidentId(input.agent, trouble, input.assessment.at),
): IncidentChange[] {
  const { agent, session, program, account, assessment } = input;
  const incident: Incident = {
    id,
    agent,
    session,
    kind: program,
    account,
    trouble,
    chain: [],
    phase: "told",
    openedAt: assessment.at,
    since: assessment.at,
    confirmedAt: null,
    escalated: null,
    endedAt: null,
    seenAt: assessment.at,
    quietSince: null,
    level: assessment.level,
    confidence: assessment.confidence,
    until: assessment.until,
    reasons: [],
    outage: null,
    ackedAt: null,
    feedback: null,
    reopened: 0,
  };
  book.incidents.push(incident);
  forget(book, assessment.at);
  return [{ incident: incident.id, phase: "told", how: "new" }, ...see(book, incident, input)];
}

/** The trouble is there: its words are brought up to date, and after the confirm window it is certain. */
function see(
  book: Incidents,
  incident: Incident,
  { assessment, session, account, confirmMs, outageMs }: Assessed,
): IncidentChange[] {
  const now = assessment.at;
  incident.session = session;
  incident.account = account ?? incident.account;
  incident.seenAt = now;
  if (incident.quietSince !== null) incident.returned = (incident.returned ?? 0) + 1;
  incident.quietSince = null;
  incident.level = assessment.level;
  incident.confidence = assessment.confidence;
  incident.until = assessment.until;
  incident.reasons = assessment.reasons.slice(0, REASONS_MAX).map((reason) => say(reason, REASON_CHARS));
  joinOutage(book, incident);
  escalateOutage(book, incident, outageMs, now);
  if (incident.confirmedAt !== null || now < confirmsAt(book, incident, now, confirmMs)) return [];
  incident.confirmedAt = now;
  return [step(incident, "confirmed")];
}

/** When the suspicion has lasted long enough, in awake time. */
export function confirmsAt(
  book: Pick<Incidents, "asleep">,
  incident: Incident,
  now: number,
  confirmMs: number,
): number {
  if (!needsConfirming(incident.trouble)) return now;
  return now + Math.max(0, confirmMs - awakeMs(book.asleep, incident.since, now));
}

/**
 * A process that rouse ended itself is gone by our hand: the ladder of the trouble that led there goes on. Whoever was
 * started in its place dies a death of its own, though that may be the first that is seen of it.
 */
function endedByUs(book: Incidents, incident: Incident, session: string, trouble: Trouble): boolean {
  if (trouble !== "crash" && trouble !== "exit_code" && trouble !== "gone") return false;
  return book.deeds.some(
    (deed) =>
      deed.incident === incident.id &&
      (deed.do === "stop" || deed.do === "restart") &&
      (deed.session ?? session) === session &&
      deed.outcome?.result !== "refused",
  );
}

function rename(incident: Incident, trouble: Trouble): IncidentChange[] {
  if (incident.trouble === trouble) return [];
  incident.chain = [...incident.chain, incident.trouble].slice(-CHAIN_MAX);
  incident.trouble = trouble;
  return [{ incident: incident.id, phase: incident.phase, how: "renamed" }];
}

/** Ended, and back too soon, or back without ever having been mended. */
function lastEnded(book: Incidents, { agent, assessment, progress }: Assessed, trouble: Trouble): Incident | undefined {
  return book.incidents.findLast((incident) => {
    if (incident.agent !== agent || incident.endedAt === null || !follows(incident.trouble, trouble)) return false;
    if (incident.phase === "resolved") return assessment.at - incident.endedAt <= AGAIN_MS;
    return (progressAt(progress, incident.trouble) ?? 0) <= incident.seenAt;
  });
}

function reopen(incident: Incident, trouble: Trouble, at: number): IncidentChange[] {
  const renamed = rename(incident, trouble);
  incident.endedAt = null;
  incident.confirmedAt = null;
  incident.escalated = null;
  incident.phase = "told";
  // The confirm window counts anew; the id, and all that was tried, stay.
  incident.since = at;
  incident.reopened++;
  return [...renamed, { incident: incident.id, phase: "told", how: "again" }];
}

/** The trouble is not there: over when work is proven to go on and stays so, lapsed when nothing is ever proven. */
function takeQuiet(book: Incidents, incident: Incident, { assessment, progress }: Assessed): IncidentChange[] {
  const now = assessment.at;
  incident.quietSince ??= now;
  const quiet = awakeMs(book.asleep, incident.quietSince, now);
  const tried = book.deeds.findLast((deed) => deed.incident === incident.id && deed.outcome?.result !== "refused");
  const provenAt = progressAt(progress, incident.trouble);
  const proven = provenAt !== null && provenAt > Math.max(incident.seenAt, tried?.at ?? 0);
  if (proven && quiet >= HOLD_MS) return end(book, incident, "resolved", now);
  const handed = assessment.state === "idle" && !tried;
  const idle = awakeMs(book.asleep, Math.max(incident.quietSince, tried?.at ?? 0), now);
  if (!proven && idle >= (handed ? HANDED_MS : LAPSE_MS)) return end(book, incident, "lapsed", now);
  return [];
}

function end(book: Incidents, incident: Incident, phase: "resolved" | "lapsed", at: number): IncidentChange[] {
  incident.endedAt = at;
  const change = step(incident, phase);
  leaveOutage(book, incident, at);
  return [change];
}

function takeIntent(book: Incidents, intent: Intent): IncidentChange[] {
  if (book.deeds.some(({ id }) => id === intent.id)) return [];
  book.deeds.push({ ...intent, outcome: null });
  return withIncident(book, intent.incident, (incident) =>
    incident.phase === "told" || incident.phase === "confirmed" ? [step(incident, "acting")] : [],
  );
}

function takeFeedback(book: Incidents, id: string, feedback: Feedback, at: number): IncidentChange[] {
  return withIncident(book, id, (incident) => {
    // One word per incident: the last one counts, and an earlier one is taken back.
    if (incident.feedback === feedback) return [];
    const said = countOf(book, incident);
    if (incident.feedback !== null) said[COUNT[incident.feedback]] = Math.max(0, said[COUNT[incident.feedback]] - 1);
    said[COUNT[feedback]]++;
    incident.feedback = feedback;
    // Whoever calls it a false alarm has looked: nothing more is done about it.
    if (feedback === "false-alarm") incident.ackedAt ??= at;
    return [];
  });
}

function countOf(book: Incidents, { agent, trouble }: Incident): FeedbackCount {
  const known = book.feedback.find((count) => count.agent === agent && count.trouble === trouble);
  if (known) return known;
  const made: FeedbackCount = { agent, trouble, falseAlarms: 0, right: 0 };
  book.feedback = [...book.feedback, made].slice(-FEEDBACK_MAX);
  return made;
}

const COUNT = { "false-alarm": "falseAlarms", right: "right" } as const;

function withIncident(book: Incidents, id: string, then: (incident: Incident) => IncidentChange[]): IncidentChange[] {
  const incident = book.incidents.find((candidate) => candidate.id === id);
  return incident ? then(incident) : [];
}

function step(incident: Incident, phase: Phase): IncidentChange {
  incident.phase = phase;
  return { incident: incident.id, phase, how: "step" };
}

/** Open incidents are kept, and the latest of those that ended; deeds as long as a budget or an incident may ask for them. */
function forget(book: Incidents, now: number): void {
  const ended = book.incidents.filter((incident) => !isOpen(incident));
  const kept = new Set(ended.slice(-ENDED_MAX));
  book.incidents = book.incidents.filter((incident) => isOpen(incident) || kept.has(incident));
  const ids = new Set(book.incidents.map(({ id }) => id));
  book.deeds = book.deeds.filter((deed) => ids.has(deed.incident) || now - deed.at <= PERIOD_MAX_MS);
  book.outages = book.outages.filter((outage) => isOpen(outage) || outage.members.some((id) => ids.has(id)));
}
