/** Takes one input into the state, and names the sessions that have to be judged because of it. */
import type { AgentSession } from "./agent.js";
import { decideAgent, startAction } from "./agent-decisions.js";
import { dueCompletionNotice, takeBackMessages } from "./due-notices.js";
import type { Effect } from "./effects.js";
import { applyEvent } from "./incident-events.js";
import { type Incident, isOpen } from "./incidents/incident.js";
import { isPipelineProblem } from "./incidents/pipeline.js";
import { habitsOf } from "./judgement/learned.js";
import { pauseHabits } from "./judgement/pauses.js";
import { findSession, type NodeState } from "./node-state.js";
import { type JudgeState, SessionJudge } from "./session-judge.js";
import type { Signal } from "./signal.js";
import type { StepInput } from "./step-input.js";

/**
 * Each session is judged at least this often: the recheck time of an assessment does not count unobserved time, so
 * after a gap it may be in the past.
 */
export const FLOOR_MS: number = 10_000;
/** After a gap, as much time again does not count, up to this: agents find their connections closed and start over. */
const GRACE_MS = 60_000;
/** Ended sessions stay in the state this long; the journal keeps them. */
export const ENDED_KEPT_MS: number = 24 * 3_600_000;

export interface Intake {
  /** To be judged, in this order. */
  judge: readonly SessionJudge[];
  effects: Effect[];
}

const NOTHING: readonly SessionJudge[] = [];

export function takeIn(state: NodeState, input: StepInput, now: number): Intake {
  const effects: Effect[] = [];
  return { judge: take(state, input, now, effects), effects };
}

function take(state: NodeState, input: StepInput, now: number, effects: Effect[]): readonly SessionJudge[] {
  switch (input.kind) {
    case "register":
      return register(state, input.session, now, effects);
    case "signals":
      return withSession(state, input.session, (judge) => {
        // A client's next prompt proves that the turn before it is over, however short that end was.
        if (input.signals.some(isClientPrompt)) effects.push(...dueCompletionNotice(state, judge, now, true));
        judge.take(input.signals, now);
        recordLiveness(judge, input.by, now, now, effects);
        return [judge];
      });
    case "alive":
      return withSession(state, input.session, (judge) =>
        recordLiveness(judge, input.by, input.at, now, effects) ? [judge] : NOTHING,
      );
    case "unreadable":
      return withSession(state, input.session, (judge) => {
        judge.unreadableReason = input.reason;
        return NOTHING;
      });
    case "check":
      return withSession(state, input.session, (judge) => [judge]);
    case "retune": {
      const judges = [...state.sessions.values()].filter(({ session }) => session.name === input.agent);
      for (const judge of judges) judge.settings = state.rules.settingsFor(judge.session);
      return judges;
    }
    case "tick":
      return tick(state, now, effects);
    case "pipeline":
      effects.push(...applyEvent(state, { ...input, at: now }));
      return NOTHING;
    case "gap":
      effects.push(...applyEvent(state, input));
      for (const judge of state.sessions.values())
        if (judge.session.endedAt === null) effects.push(gapNote(judge, input, now));
      return NOTHING;
    case "restore":
      state.sessions.set(input.session.id, createJudge(state, input.session, now, input.known));
      return NOTHING;
    case "history":
      return withSession(state, input.session, (judge) => {
        judge.take(input.signals, now);
        for (const by of input.by) judge.recordLiveness(now, by);
        judge.judge(now);
        return NOTHING;
      });
    case "restored":
      return withSession(state, input.session, (judge) => {
        const from = input.unobservedFrom;
        if (from !== null && now > from) effects.push(gapNote(judge, { from, to: now }, now));
        // Heartbeats are not stored: a session that was visible before gets the usual time for its next one.
        if (judge.session.endedAt === null && !judge.evidence.blind) judge.lastAliveAt = now;
        judge.judge(now);
        return NOTHING;
      });
    case "restarted":
      effects.push(...restarted(state, input.unobserved, now));
      return NOTHING;
    case "user":
      effects.push(...applyEvent(state, input.event));
      return NOTHING;
    case "reconsider":
      effects.push(...reconsider(state, now));
      return NOTHING;
    case "retry":
      effects.push(...applyEvent(state, { kind: "reconsidered", incident: input.incident }));
      return NOTHING;
    case "order":
      return withSession(state, input.session, (judge) => {
        effects.push(...startAction(state, input.action, judge, "ordered by a user", now));
        return NOTHING;
      });
    case "outcome":
      state.running.delete(input.outcome.intent);
      effects.push(...applyEvent(state, { kind: "done", outcome: input.outcome }));
      return withSession(state, input.session, (judge) => [judge]);
    case "saved":
      state.saveProblem = null;
      return NOTHING;
    case "not_saved":
      state.saveProblem = input.problem ?? state.saveProblem;
      takeBackMessages(state, input.effects);
      return NOTHING;
  }
}

const isClientPrompt = (signal: Signal): boolean =>
  signal.kind === "input" && signal.by === "client" && signal.submits === true;

function withSession(
  { sessions }: NodeState,
  id: string,
  then: (judge: SessionJudge) => readonly SessionJudge[],
): readonly SessionJudge[] {
  const judge = sessions.get(id);
  return judge ? then(judge) : NOTHING;
}

const createJudge = (
  { rules }: NodeState,
  session: AgentSession,
  now: number,
  known: JudgeState | null = null,
): SessionJudge => new SessionJudge(session, now, rules.settingsFor(session), known);

function register(state: NodeState, session: AgentSession, now: number, effects: Effect[]): readonly SessionJudge[] {
  const known = state.sessions.get(session.id);
  if (!known) {
    const before = findSession(state, session.name);
    const judge = createJudge(state, session, now);
    state.sessions.set(session.id, judge);
    if (before) effects.push(...keepHabits(judge, before, now));
    return NOTHING;
  }
  const { name, workspace } = known.session;
  known.session = session;
  if (name !== session.name) rename(state, known, name, effects);
  // A pane's program may change to another folder, in which another project's settings apply.
  if (name !== session.name || workspace !== session.workspace) known.settings = state.rules.settingsFor(session);
  return NOTHING;
}

/** The habits of an agent apply to its next session, if that is the same program. */
function keepHabits(judge: SessionJudge, before: SessionJudge, now: number): Effect[] {
  const { tools, activity } = before.evidence;
  const habits = [...pauseHabits(activity.pauses), ...habitsOf(tools.learned)];
  if (habits.length === 0 || before.session.kind !== judge.session.kind) return [];
  const noted = note(judge, { kind: "habits", at: now, source: "observer", habits }, now);
  judge.judge(now);
  return [noted];
}

/** It stays the same agent: its ended sessions, incidents and actions get the new name too. */
function rename(state: NodeState, judge: SessionJudge, from: string, effects: Effect[]): void {
  const { name: to } = judge.session;
  for (const earlier of state.sessions.values()) {
    if (earlier.session.name !== from || earlier.session.endedAt === null) continue;
    earlier.session = { ...earlier.session, name: to };
    effects.push({ kind: "put_session", session: earlier.session });
  }
  for (const [action, agent] of state.running) if (agent === from) state.running.set(action, to);
  moveKey(state.latest, from, to);
  moveKey(state.decideAt, from, to);
  effects.push(...applyEvent(state, { kind: "renamed", from, to }), { kind: "renamed", from, to });
}

function moveKey<Value>(map: Map<string, Value>, from: string, to: string): void {
  const value = map.get(from);
  map.delete(from);
  if (value !== undefined) map.set(to, value);
}

/** True if the session became visible or invisible because of it. */
function recordLiveness(
  judge: SessionJudge,
  by: Parameters<SessionJudge["recordLiveness"]>[1],
  at: number,
  now: number,
  effects: Effect[],
): boolean {
  judge.recordLiveness(at, by);
  return checkVisibility(judge, now, effects);
}

function checkVisibility(judge: SessionJudge, now: number, effects: Effect[]): boolean {
  const changed = judge.checkVisibility(now);
  if (!changed) return false;
  const { blind } = judge.evidence;
  if (blind) {
    // Unobserved time accuses no agent.
    effects.push(gapNote(judge, { from: blind.since, to: now }, now));
    judge.visibleAgainAt = now;
  }
  effects.push(note(judge, changed, now));
  return true;
}

function tick(state: NodeState, now: number, effects: Effect[]): readonly SessionJudge[] {
  const due: SessionJudge[] = [];
  // A decision is made from the present assessment, so that the ages in its reason are those of its own time.
  const decides = [...state.decideAt].flatMap(([agent, at]) => (at <= now ? (state.latest.get(agent) ?? []) : []));
  for (const judge of state.sessions.values()) {
    const { recheckAt, at } = judge.assessment;
    const isDue = (recheckAt !== null && recheckAt <= now) || now - at >= FLOOR_MS || decides.includes(judge);
    if (checkVisibility(judge, now, effects) || isDue) due.push(judge);
  }
  return due;
}

/** A gap in observation: time in it counts for no clock. */
function gapNote(judge: SessionJudge, { from, to }: { from: number; to: number }, now: number): Effect {
  const graceMs = Math.min(GRACE_MS, to - from);
  return note(judge, { kind: "gap", at: now, source: "observer", from, to, graceMs }, now);
}

/** rouse's own record: known at once, and stored, so that it is known after a restart. */
function note(judge: SessionJudge, signal: Signal, now: number): Effect {
  judge.take([signal], now);
  return { kind: "append", session: judge.session.id, signal };
}

/** Incidents of agents that are not known any more cannot end by themselves. */
function restarted(state: NodeState, unobserved: { from: number; to: number } | null, now: number): Effect[] {
  const effects: Effect[] = [];
  if (unobserved) {
    const { from, to } = unobserved;
    // Whatever the clocks show, observation has only just started again.
    effects.push(...applyEvent(state, { kind: "gap", from: Math.min(from, to - 1), to }));
  }
  const agents = new Set([...state.sessions.values()].map(({ session }) => session.name));
  const isOrphan = ({ agent, problem }: Incident): boolean => !agents.has(agent) && !isPipelineProblem(problem);
  const orphans = state.incidents.incidents.filter((incident) => isOpen(incident) && isOrphan(incident));
  for (const { agent } of orphans) effects.push(...applyEvent(state, { kind: "forgotten", at: now, agent }));
  return effects;
}

function reconsider(state: NodeState, now: number): Effect[] {
  const effects: Effect[] = [];
  for (const incident of state.incidents.incidents.filter((one) => isOpen(one) && one.escalated?.wouldDo)) {
    const judge = state.latest.get(incident.agent);
    if (!judge || !state.rules.isAllowed(judge.session, incident.problem)) continue;
    effects.push(...applyEvent(state, { kind: "reconsidered", incident: incident.id }));
    effects.push(...decideAgent(state, judge, now));
  }
  return effects;
}
