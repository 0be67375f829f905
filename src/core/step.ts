/**
 * The product: what rouse does with one input, in order.
 *
 *   take in -> assess -> update incidents -> decide -> determine due notices
 *
 * The live loop, restart, replay, what-if and the simulator all call `step`. It reads no clock, does no I/O and uses no
 * randomness: the same inputs at the same times give the same effects. The state is updated in place and returned.
 */
import { decideAgent } from "./agent-decisions.js";
import { settingOf } from "./defaults.js";
import { dueCompletionNotice, dueIncidentNotices } from "./due-notices.js";
import type { Effect } from "./effects.js";
import { applyEvent, assessedEvent } from "./incident-events.js";
import { hasTurn } from "./incidents/course.js";
import { isOpen } from "./incidents/incident.js";
import { spentBetween } from "./judgement/evidence/spend.js";
import { hasSpendBudget, type PeriodSpend, periodSpend } from "./judgement/period-spend.js";
import { findSession, isCurrent, type NodeState } from "./node-state.js";
import { traitsOf } from "./policy/problems.js";
import type { SessionJudge } from "./session-judge.js";
import type { StepInput } from "./step-input.js";
import { ENDED_KEPT_MS, takeIn } from "./take-in.js";

/**
 * The time when an incident was last seen changes with every check: that alone is saved this often, everything else at
 * once.
 */
const SAVE_EVERY_MS = 30_000;

export interface Step {
  state: NodeState;
  effects: Effect[];
}

export function step(state: NodeState, input: StepInput, now: number): Step {
  const { judge: due, effects } = takeIn(state, input, now);
  for (const judge of due) effects.push(...judgeSession(state, judge, now));
  if (input.kind === "tick") effects.push(...forgetEnded(state, now), ...decideDue(state, now), ...saveDue(state, now));
  if (input.kind === "tick" || isSaved(effects)) effects.push(...dueIncidentNotices(state, now));
  if (isSaved(effects)) state.savedAt = now;
  return { state, effects };
}

/** Assess, update incidents, decide; a finished turn is reported at once. */
function judgeSession(state: NodeState, judge: SessionJudge, now: number): Effect[] {
  // Signals may be stamped later than a tick that came before them.
  const at = Math.max(now, judge.assessment.at);
  const isChanged = judge.judge(at);
  judge.spend = spendOf(state, judge, at);
  const effects: Effect[] = isCurrent(state, judge) ? takeAssessment(state, judge, at) : [];
  if (isChanged) effects.push({ kind: "assessed", judge });
  return effects;
}

/** The second half of a step: what follows from an assessment. */
export function takeAssessment(state: NodeState, judge: SessionJudge, now: number): Effect[] {
  state.latest.set(judge.session.name, judge);
  const event = assessedEvent(state, judge, state.rules.policyOf(judge.session), now);
  const effects = [...applyEvent(state, event), ...closeReplaced(state, judge, now)];
  if (event.kind === "assessed") effects.push(...decideAgent(state, judge, now));
  return [...effects, ...dueCompletionNotice(state, judge, now)];
}

/** Another agent works in the pane of a dead one: that one's problem is over. One of the same name is the same agent. */
function closeReplaced(state: NodeState, { session: { pane, name }, assessment }: SessionJudge, now: number): Effect[] {
  if (pane === null || !hasTurn(assessment)) return [];
  const dead = state.incidents.incidents.filter(
    (incident) => isOpen(incident) && incident.agent !== name && traitsOf(incident.problem).state === "gone",
  );
  return dead.flatMap(({ agent }) => {
    const last = findSession(state, agent);
    const isSame = last?.session.pane?.id === pane.id && last.session.pane.socket === pane.socket;
    if (last?.session.endedAt == null || !isSame) return [];
    return applyEvent(state, { kind: "forgotten", at: now, agent });
  });
}

/** Usage of all sessions of the agent in the present budget period; null without a budget. */
function spendOf({ sessions, rules }: NodeState, { settings, session }: SessionJudge, now: number): PeriodSpend | null {
  if (!hasSpendBudget(settings)) return null;
  const period = rules.periodAt(now, settingOf(settings, "night_starts_hour"));
  const own = [...sessions.values()].filter((other) => other.session.name === session.name);
  return periodSpend(
    own.map(({ evidence }) => spentBetween(evidence.spend, period.from, period.to)),
    period,
    settings,
  );
}

function decideDue(state: NodeState, now: number): Effect[] {
  const due = [...state.decideAt].filter(([, at]) => at <= now).flatMap(([agent]) => state.latest.get(agent) ?? []);
  return due.flatMap((judge) => decideAgent(state, judge, now));
}

function forgetEnded(state: NodeState, now: number): Effect[] {
  const effects: Effect[] = [];
  for (const [id, judge] of state.sessions) {
    const { name, endedAt } = judge.session;
    if (endedAt === null || now - endedAt <= ENDED_KEPT_MS) continue;
    state.sessions.delete(id);
    if (state.latest.get(name)?.session.id !== id) continue;
    state.latest.delete(name);
    state.decideAt.delete(name);
    effects.push(...applyEvent(state, { kind: "forgotten", at: now, agent: name }));
  }
  return effects;
}

function saveDue(state: NodeState, now: number): Effect[] {
  const isMoving = state.saveProblem !== null || state.incidents.incidents.some(isOpen);
  return isMoving && now - state.savedAt >= SAVE_EVERY_MS ? [{ kind: "save" }] : [];
}

const isSaved = (effects: readonly Effect[]): boolean => effects.some(({ kind }) => kind === "save");
