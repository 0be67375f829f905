/**
 * What a policy would have done: `step` over inputs on which rouse did not act. Each action counts as successful as far as
 * its own proof goes (the turn ended, the process is gone) and changes nothing else.
 */

import { ACTION_NAMES, type ActionName, type ActionRecord, type NudgeText } from "./action.js";
import { type AgentSession, createSession } from "./agent.js";
import type { Effect } from "./effects.js";
import type { IncidentState } from "./incidents/incident.js";
import type { Problem } from "./incidents/problem.js";
import type { Assessment } from "./judgement/assess.js";
import type { PeriodSpend } from "./judgement/period-spend.js";
import { createNodeState, type NodeState } from "./node-state.js";
import type { Policy, SessionOrigin } from "./policy/policy.js";
import type { Situation } from "./policy/situation.js";
import { type JudgingOptions, SessionJudge } from "./session-judge.js";
import { step, takeAssessment } from "./step.js";
import type { StepInput } from "./step-input.js";
import { OBSERVE_ONLY } from "./step-rules.js";

export interface SimulatedAction {
  at: number;
  do: ActionName;
  problem: Problem;
  incident: string;
  say?: NudgeText;
  reason: string;
}

export interface WhatIfOptions {
  policy: Policy;
  origin: SessionOrigin;
  /** Which actions would be possible with the agent; all of them if not given. */
  can?: readonly ActionName[];
  settings?: JudgingOptions;
  /** Incidents of all recordings that count as one machine, and share its budgets. */
  node?: IncidentState[];
}

/** Beside an assumed assessment. */
export interface AssumedFacts {
  spend?: PeriodSpend | null;
  progressAt?: number | null;
}

const OTHER = "another";

export class WhatIf {
  readonly state: NodeState;
  readonly wouldDo: SimulatedAction[] = [];
  readonly origin: SessionOrigin;
  readonly #options: WhatIfOptions;
  #assumed: SessionJudge | null = null;

  constructor(options: WhatIfOptions) {
    const { policy, can = ACTION_NAMES, settings = {}, node = [] } = options;
    this.#options = { ...options, node };
    this.origin = options.origin;
    this.state = createNodeState({
      ...OBSERVE_ONLY,
      settingsFor: () => settings,
      policyOf: () => policy,
      isAllowed: () => true,
      can: () => can,
      whatIf: (situation) => this.#afterActions(situation),
    });
    node.push(this.state.incidents);
  }

  /** One step, with every action that it asks for carried out. */
  take(input: StepInput, now: number): void {
    this.#carryOut(step(this.state, input, now).effects, now);
  }

  /** The consequences of an assessment without observations. Returns the time of the next decision. */
  assess(assessment: Assessment, { spend = null, progressAt = null }: AssumedFacts = {}): number | null {
    const { state } = this;
    this.#assumed ??= new SessionJudge(agentSession(this.origin, "generic", assessment.at), assessment.at, UNGUARDED);
    const judge = this.#assumed;
    state.sessions.set(judge.session.id, judge);
    judge.assessment = assessment;
    judge.spend = spend;
    judge.evidence.proof.workAt = progressAt;
    judge.evidence.proof.turnAt = progressAt;
    judge.evidence.burn.progressAt = progressAt;
    this.#carryOut(takeAssessment(state, judge, assessment.at), assessment.at, false);
    return state.decideAt.get(judge.session.name) ?? null;
  }

  #carryOut(effects: readonly Effect[], now: number, isJudged = true): void {
    for (const effect of effects) {
      if (effect.kind === "incidents" && effect.event.kind === "escalated") {
        const { incident, reason } = effect.event;
        const problem = this.state.incidents.incidents.find(({ id }) => id === incident)?.problem ?? "unknown";
        this.wouldDo.push({ at: now, do: "escalate", problem, incident, reason });
      }
      if (effect.kind !== "run") continue;
      const { action, reason, session } = effect;
      const { do: name, problem, incident, say } = action;
      this.wouldDo.push({ at: now, do: name, problem, incident, ...(say ? { say } : {}), reason });
      const outcome = { intent: action.id, at: now, result: "done" as const, reason: "assumed", proven: true };
      // An assumed assessment is not replaced by a judgement without observations.
      this.take({ kind: "outcome", outcome, session: isJudged ? session.id : "" }, now);
    }
  }

  /** After an interrupt the turn has ended, after a stop the process is gone. Actions on other agents count for budgets. */
  #afterActions(situation: Situation): Situation {
    const { assessment, facts, history, incident, now } = situation;
    const own = history.filter((record) => record.incident === incident.id);
    const isInterrupted = own.at(-1)?.do === "interrupt";
    return {
      ...situation,
      assessment: isInterrupted ? { ...assessment, state: "idle", cause: null } : assessment,
      facts: { ...facts, gone: facts.gone || own.some((record) => record.do === "stop") },
      history: [...history, ...this.#ofOthers(now)],
    };
  }

  /**
   * Recordings are replayed one after the other, so some actions on the others are in the future: they count within the
   * length of a budget period in both directions, so that no period exceeds its budget.
   */
  #ofOthers(now: number): ActionRecord[] {
    const { node = [], policy } = this.#options;
    const { budgets } = policy;
    const reachMs = Math.max(budgets.node.periodMs, budgets.nodeRestarts.periodMs);
    const actions = node.filter((other) => other !== this.state.incidents).flatMap((other) => other.actions);
    return actions
      .filter(({ at }) => at - now < reachMs)
      .map((record) => ({ ...record, agent: OTHER, incident: OTHER }));
  }
}

/** The session of an agent that is replayed or assumed. */
export const agentSession = (origin: SessionOrigin, kind: string, startedAt: number): AgentSession =>
  createSession({ id: "recording", name: "agent", kind, origin, startedAt });

/** Nothing was observed, so activity shows nothing either. */
const UNGUARDED: JudgingOptions = { isGuarded: false };
