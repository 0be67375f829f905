/**
 * What a policy would have done: the fold and `decide` over assessments that nobody acts on. Each action is taken to have
 * worked as far as its own proof goes (the turn ended, the process is gone) and to have changed nothing else.
 */
import { ACTION_NAMES, type ActionName, type Deed, intentOf, type NudgeText } from "./action.js";
import type { Assessment } from "./assess.js";
import { decide } from "./decide.js";
import type { Evidence } from "./evidence/evidence.js";
import { type Facts, factsOf, guardFrom } from "./facts.js";
import type { Assessed } from "./incident/course.js";
import { takeIncidents } from "./incident/fold.js";
import { createIncidents, type Incident, type Incidents, isOpen } from "./incident/incident.js";
import { type Progress, progressOf } from "./incident/progress.js";
import type { Origin, Policy } from "./policy/policy.js";
import type { Trouble } from "./trouble.js";

export interface Would {
  at: number;
  do: ActionName;
  trouble: Trouble;
  incident: string;
  say?: NudgeText;
  reason: string;
}

export interface Rehearsal {
  policy: Policy;
  origin: Origin;
  program: string;
  /** What could be done with such an agent at all. */
  can: readonly ActionName[];
  /** The books of all that are taken to run on one machine, this one among them: they share its budgets. */
  node: Incidents[];
  book: Incidents;
  would: Would[];
}

export interface RehearsalOptions {
  can?: readonly ActionName[];
  node?: Incidents[];
}

const AGENT = "agent";
const OTHER = "another";
/** Reasons may stay away for long; decisions are asked for again at the latest after this. */
const ASK_AGAIN_MS = 3_600_000;

export function createRehearsal(
  policy: Policy,
  origin: Origin,
  program: string,
  { can = ACTION_NAMES, node = [] }: RehearsalOptions = {},
): Rehearsal {
  const book = createIncidents();
  node.push(book);
  return { policy, origin, program, can, node, book, would: [] };
}

/**
 * What would be done with the others of the machine. They are played one after the other, so that some of it lies ahead: it
 * counts as far as a budget reaches, in either direction, and then no stretch of time can hold more than its budget.
 */
function ofOthers({ node, book, policy: { budgets } }: Rehearsal, now: number): Deed[] {
  const reachMs = Math.max(budgets.node.periodMs, budgets.nodeRestarts.periodMs);
  const deeds = node.filter((other) => other !== book).flatMap((other) => other.deeds);
  return deeds.filter(({ at }) => at - now < reachMs).map((deed) => ({ ...deed, agent: OTHER, incident: OTHER }));
}

/** Takes an assessment in, with the evidence behind it. Returns when to ask again if nothing else happens. */
export function rehearse(rehearsal: Rehearsal, assessment: Assessment, evidence: Evidence): number | null {
  const { book } = rehearsal;
  for (const span of evidence.asleep.slice(-1)) takeIncidents(book, { kind: "gap", ...span });
  const isOver = evidence.exit !== null;
  const factsFor = (incident: Incident): Partial<Facts> => ({
    ...factsOf(evidence, guardFrom(incident, book.deeds), assessment.at),
    gone: isOver,
  });
  return rehearseWith(rehearsal, assessment, progressOf(evidence), factsFor, { isOver });
}

export function rehearseWith(
  rehearsal: Rehearsal,
  assessment: Assessment,
  progress: Progress,
  factsFor: (incident: Incident) => Partial<Facts>,
  more: Pick<Assessed, "spend" | "isOver"> = {},
): number | null {
  const { policy, program, book } = rehearsal;
  const now = assessment.at;
  const { confirmMs, outageMs } = policy;
  takeIncidents(book, {
    kind: "assessed",
    agent: AGENT,
    session: AGENT,
    program,
    account: null,
    assessment,
    progress,
    confirmMs,
    outageMs,
    ...more,
  });
  let next: number | null = null;
  for (const incident of book.incidents.filter(isOpen)) {
    const at = step(rehearsal, incident, assessment, factsFor(incident));
    if (at !== null && at > now) next = Math.min(next ?? at, at);
  }
  return next;
}

/** Everything is allowed, and nothing stands in the way. */
export const UNHINDERED: Omit<Facts, "origin"> = {
  allowed: true,
  can: ACTION_NAMES,
  gone: false,
  humanPresent: false,
  promptOpen: false,
  observerHealthy: true,
  wokeAt: null,
  silencedUntil: null,
  ownTimeoutMs: null,
  resumesItself: false,
  guard: null,
};

function step(rehearsal: Rehearsal, incident: Incident, assessment: Assessment, facts: Partial<Facts>): number | null {
  const { policy, origin, book } = rehearsal;
  const now = assessment.at;
  const last = book.deeds.findLast((deed) => deed.incident === incident.id);
  const stopped = book.deeds.some((deed) => deed.incident === incident.id && deed.do === "stop");
  const decision = decide({
    policy,
    assessment: last?.do === "interrupt" ? { ...assessment, state: "idle", cause: null } : assessment,
    incident,
    history: [...book.deeds, ...ofOthers(rehearsal, now)],
    turn: null,
    facts: { ...UNHINDERED, can: rehearsal.can, ...facts, origin, gone: stopped || (facts.gone ?? false) },
    asleep: book.asleep,
    now,
  });
  if (!decision.action) return decision.recheckAt === null ? null : Math.min(decision.recheckAt, now + ASK_AGAIN_MS);
  const { action, reason } = decision;
  const { say } = action;
  rehearsal.would.push({
    at: now,
    do: action.do,
    trouble: action.trouble,
    incident: action.incident,
    ...(say ? { say } : {}),
    reason,
  });
  if (action.do === "escalate") {
    takeIncidents(book, { kind: "escalated", at: now, incident: incident.id, reason });
    return null;
  }
  takeIncidents(book, { kind: "intended", intent: intentOf(action, now) });
  const outcome = { intent: action.id, at: now, result: "done" as const, reason: "rehearsed", proven: true };
  takeIncidents(book, { kind: "done", outcome });
  return now + 1000;
}
