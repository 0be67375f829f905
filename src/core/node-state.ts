/** Everything that rouse knows on one node, and the rules that it decides by. */

import type { ActionName } from "./action.js";
import type { AgentSession } from "./agent.js";
import { createIncidentState, type IncidentState } from "./incidents/incident.js";
import type { Problem } from "./incidents/problem.js";
import type { BudgetPeriod } from "./judgement/period-spend.js";
import type { AlertRules, AlertState } from "./notices/alert.js";
import type { NotifyRules } from "./notices/contents.js";
import type { Policy } from "./policy/policy.js";
import type { Situation } from "./policy/situation.js";
import type { JudgingOptions, SessionJudge } from "./session-judge.js";

/** What the user configured and what the caller knows of the machine, as functions of data. */
export interface StepRules {
  settingsFor: (session: AgentSession) => JudgingOptions;
  policyOf: (session: AgentSession) => Policy;
  isAllowed: (session: AgentSession, problem: Problem) => boolean;
  /** Which actions are possible with this agent at all. */
  can: (session: AgentSession) => readonly ActionName[];
  /** The account it uses; null if unknown. */
  accountOf: (session: AgentSession) => string | null;
  /** rouse itself observes, stores and keeps up. */
  isObserverHealthy: () => boolean;
  /** The budget period at this moment, for periods that start at this hour of the local day. */
  periodAt: (now: number, startHour: number) => BudgetPeriod;
  messages: NotifyRules;
  alerts: AlertRules;
  /** A time of day as the reader's clock shows it. */
  clock: (at: number) => string;
  /** The first scheduled check of checkpoints after this time; null without a schedule. */
  nextScheduledCheck?: (after: number) => number | null;
  /** What-if: changes what a decision is made from. */
  whatIf?: (situation: Situation) => Situation;
}

export interface NodeState {
  readonly rules: StepRules;
  readonly sessions: Map<string, SessionJudge>;
  readonly incidents: IncidentState;
  /** The last judged session of each agent, by name. */
  readonly latest: Map<string, SessionJudge>;
  /** When to decide about an agent again even if nothing is observed, by name. */
  readonly decideAt: Map<string, number>;
  /** Actions in progress: action id to agent name. */
  readonly running: Map<string, string>;
  /** Sessions that a user is recovering: rouse decides nothing about them meanwhile. */
  readonly userRecovers: Set<SessionJudge>;
  readonly notices: NoticeState;
  /** When the incidents were last handed out to be saved. */
  savedAt: number;
  /** Why the incidents could not be saved the last time; null if they were. */
  saveProblem: string | null;
}

/** What was sent before, so that nothing is sent twice. */
export interface NoticeState {
  /** Edges of messages by subject. */
  readonly sent: Map<string, Set<string>>;
  readonly alerts: Map<string, AlertState>;
}

export function createNodeState(
  rules: StepRules,
  incidents: IncidentState = createIncidentState(),
  notices: NoticeState = { sent: new Map(), alerts: new Map() },
): NodeState {
  return {
    rules,
    sessions: new Map(),
    incidents,
    latest: new Map(),
    decideAt: new Map(),
    running: new Map(),
    userRecovers: new Set(),
    notices,
    savedAt: 0,
    saveProblem: null,
  };
}

/** By id, or by name: a live session first, else the one that started last. */
export function findSession({ sessions }: Pick<NodeState, "sessions">, nameOrId: string): SessionJudge | null {
  const byId = sessions.get(nameOrId);
  if (byId) return byId;
  let found: SessionJudge | null = null;
  for (const candidate of sessions.values()) {
    if (candidate.session.name !== nameOrId) continue;
    if (candidate.session.endedAt === null) return candidate;
    if (!found || candidate.session.startedAt > found.session.startedAt) found = candidate;
  }
  return found;
}

/** Older sessions of an agent are history: nothing is done about the crash of one that runs again. */
export const isCurrent = (state: Pick<NodeState, "sessions">, judge: SessionJudge): boolean =>
  judge.session.endedAt === null || findSession(state, judge.session.name) === judge;
