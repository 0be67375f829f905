/** Decides about every open incident of one agent, and requests the resulting actions. */

import { type Action, intentOf } from "./action.js";
import type { Effect } from "./effects.js";
import { applyEvent } from "./incident-events.js";
import { type Incident, isOpen, silencedUntil } from "./incidents/incident.js";
import { budgetHoldUntil } from "./incidents/over-budget.js";
import { onlyReports } from "./judgement/rules/by-own-reports.js";
import type { NodeState } from "./node-state.js";
import { decide } from "./policy/decide.js";
import { type ActionFacts, actionFactsOf, guardFrom } from "./policy/facts.js";
import { outageSlot } from "./policy/outage-queue.js";
import type { Situation } from "./policy/situation.js";
import { unpermittedActions } from "./policy/unpermitted.js";
import type { SessionJudge } from "./session-judge.js";

export function decideAgent(state: NodeState, judge: SessionJudge, now: number): Effect[] {
  const agent = judge.session.name;
  state.decideAt.delete(agent);
  if (judge.judgingError !== null) return [];
  const effects: Effect[] = [];
  for (const incident of state.incidents.incidents.filter((one) => one.agent === agent && isOpen(one))) {
    if (isBusy(state, agent)) break;
    const decision = decide(situationOf(state, incident, judge, now));
    if (!decision.action) decideAgainAt(state, agent, decision.recheckAt);
    else if (decision.action.do === "escalate") {
      const { reason, wouldDo, overBudget } = decision;
      const escalated = {
        kind: "escalated",
        at: now,
        incident: incident.id,
        reason,
        wouldDo: wouldDo?.do ?? null,
      } as const;
      effects.push(...applyEvent(state, overBudget ? { ...escalated, overBudget } : escalated));
    } else effects.push(...startAction(state, decision.action, judge, decision.reason, now));
  }
  return effects;
}

/** Records the intent and requests the action, in this order. */
export function startAction(
  state: NodeState,
  action: Action,
  { session }: SessionJudge,
  reason: string,
  now: number,
): Effect[] {
  state.running.set(action.id, session.name);
  return [
    ...applyEvent(state, { kind: "intended", intent: intentOf(action, now) }),
    { kind: "run", action, session, reason },
  ];
}

/** An action is in progress, by rouse or by a user's order. */
export function isBusy({ running, userRecovers }: NodeState, agent: string): boolean {
  if (running.size === 0 && userRecovers.size === 0) return false;
  return [...running.values()].includes(agent) || [...userRecovers].some(({ session }) => session.name === agent);
}

function decideAgainAt({ decideAt }: NodeState, agent: string, at: number | null): void {
  if (at !== null) decideAt.set(agent, Math.min(at, decideAt.get(agent) ?? at));
}

/** The current input of a decision about this incident. */
export function situationOf(state: NodeState, incident: Incident, judge: SessionJudge, now: number): Situation {
  const { incidents, rules } = state;
  const situation: Situation = {
    policy: rules.policyOf(judge.session),
    assessment: judge.assessment,
    incident,
    history: incidents.actions,
    unpermitted: unpermittedActions(incidents),
    outageQueue: outageSlot(incidents, incident.outage),
    facts: factsFor(state, incident, judge, now),
    asleep: incidents.asleep,
    now,
  };
  return rules.whatIf?.(situation) ?? situation;
}

function factsFor(state: NodeState, incident: Incident, judge: SessionJudge, now: number): ActionFacts {
  const { incidents, rules } = state;
  const { session, evidence } = judge;
  const actions = incidents.actions.filter((record) => record.incident === incident.id);
  return {
    ...actionFactsOf(evidence, guardFrom(incident, actions), now, judge.settings, session.origin),
    wokeAt: wokeAt(state, judge),
    origin: session.origin,
    allowed: rules.isAllowed(session, incident.problem),
    can: rules.can(session),
    gone: evidence.exit !== null || session.endedAt !== null,
    unseen: isUnseen(judge),
    scheduledAt: scheduledAt(rules, incident),
    observerHealthy: canObserve(state, judge),
    silencedUntil: silencedUntil(incidents, incident, now),
    heldUntil: budgetHoldUntil(incidents, incident.agent),
  };
}

/** Neither its process nor its terminal or records can be read. */
export function isUnseen({ session, evidence }: Pick<SessionJudge, "session" | "evidence">): boolean {
  const { pid, hostSocket, pane } = session;
  const { seen, reading } = evidence.progress;
  const isRead = (seen.stream ?? seen.transcript ?? seen.hook) !== undefined || reading !== null;
  return pid === null && hostSocket === null && pane === null && !isRead;
}

/** Confirmed incidents about checkpoints wait for the user's schedule. */
function scheduledAt({ nextScheduledCheck }: NodeState["rules"], { problem, confirmedAt }: Incident): number | null {
  const isAboutCheckpoints = problem === "no_checkpoint" || problem === "stale_claim";
  return isAboutCheckpoints && confirmedAt !== null ? (nextScheduledCheck?.(confirmedAt) ?? null) : null;
}

/** rouse is healthy, can store its intents, and can see this agent. */
function canObserve({ rules, saveProblem }: NodeState, judge: SessionJudge): boolean {
  const { evidence, unreadableReason } = judge;
  const isVisible = evidence.blind === null || (isUnseen(judge) && onlyReports(evidence));
  return rules.isObserverHealthy() && saveProblem === null && isVisible && unreadableReason === null;
}

/** When rouse last started to observe again; a transcript that existed before it was read is no gap. */
function wokeAt({ incidents }: NodeState, { visibleAgainAt }: SessionJudge): number | null {
  const woke = incidents.asleep.at(-1)?.to ?? null;
  return woke === null || visibleAgainAt === null ? (woke ?? visibleAgainAt) : Math.max(woke, visibleAgainAt);
}
