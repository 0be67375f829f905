/** A recovery that a user ordered: runs the steps without pause, up to the first step that has to wait. */

import { ACTIONS, type Action, type ActionOutcome } from "../core/action.js";
import { isBusy, situationOf } from "../core/agent-decisions.js";
import { type Incident, isOpen } from "../core/incidents/incident.js";
import { problemOf } from "../core/incidents/problem.js";
import { type Decision, decide } from "../core/policy/decide.js";
import { manualSituation } from "../core/policy/manual-situation.js";
import type { SessionJudge } from "../core/session-judge.js";
import type { Loop } from "./loop.js";

export interface Recovery {
  incident: Incident | null;
  steps: { action: Action; outcome: ActionOutcome }[];
  /** Why it stopped there. */
  reason: string;
  /** The next action, or the action that would have been taken. */
  next: Action | null;
  recheckAt: number | null;
}

export interface RecoveryEffects {
  decide: (incident: Incident) => Decision;
  /** Stores the intent, acts, and stores the outcome. */
  act: (action: Action) => Promise<ActionOutcome>;
  sleepUntil: (at: number) => Promise<void>;
}

/** No recovery plan is longer. */
const STEPS_MAX = 8;
/** Longest wait for the effect of a step; anything longer is left to the next check. */
const STEP_WAIT_MS = 15_000;

async function runRecovery(
  { judgingError }: Pick<SessionJudge, "judgingError">,
  incident: Incident | null,
  { isDry, canType }: { isDry: boolean; canType: boolean },
  effects: RecoveryEffects,
): Promise<Recovery> {
  const steps: Recovery["steps"] = [];
  const ends = (reason: string, next: Action | null = null, recheckAt: number | null = null): Recovery => ({
    incident,
    steps,
    reason,
    next,
    recheckAt,
  });
  if (judgingError !== null) return ends(`judging this session failed: ${judgingError}`);
  if (!incident) return ends("the agent has no problem");
  while (steps.length < STEPS_MAX) {
    const decision = effects.decide(incident);
    const { action, reason } = decision;
    if (!action) {
      const { recheckAt, wouldDo } = decision;
      const last = steps.at(-1)?.outcome;
      if (!last?.proven || recheckAt === null || recheckAt - last.at > STEP_WAIT_MS)
        return ends(reason, wouldDo, recheckAt);
      await effects.sleepUntil(recheckAt);
      continue;
    }
    if (action.do === "escalate") return ends(reason, decision.wouldDo);
    if (isDry) return ends(reason, action);
    if (!canType && ACTIONS[action.do].types)
      return ends("the next step types into the agent, which a command of another node may not do", action);
    const outcome = await effects.act(action);
    steps.push({ action, outcome });
    if (outcome.result !== "done") return ends(outcome.reason);
  }
  return ends("too many steps for one recovery; run it again");
}

/** The agent's open incident about its present problem, else its latest; a budget is nothing to recover from. */
function openIncident(loop: Loop, { session, assessment }: SessionJudge): Incident | null {
  const open = loop.incidents.incidents.filter(
    (one) => one.agent === session.name && isOpen(one) && one.problem !== "over_budget",
  );
  return open.find(({ problem }) => problem === problemOf(assessment)) ?? open.at(-1) ?? null;
}

/** Recoveries that users ask for, one at a time per agent. */
export class UserRecovery {
  readonly #loop: Loop;

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  /**
   * Continues the recovery plan, or restarts the agent, up to the first step that has to wait. Null while an action on the
   * agent is in progress. A command of another node may not type.
   */
  async recover(
    judge: SessionJudge,
    how: "plan" | "restart",
    isDry: boolean,
    canType = true,
  ): Promise<Recovery | null> {
    const { state } = this.#loop;
    if (isBusy(state, judge.session.name)) return null;
    state.userRecovers.add(judge);
    try {
      const incident = openIncident(this.#loop, judge);
      if (incident && !isDry) this.#loop.take({ kind: "retry", incident: incident.id });
      return await runRecovery(
        judge,
        incident,
        { isDry, canType },
        {
          decide: (about) => decide(manualSituation(situationOf(state, about, judge, this.#loop.now()), how)),
          act: (action) => this.#loop.order(action, judge.session.id),
          sleepUntil: (at) => this.#sleepUntil(at),
        },
      );
    } finally {
      state.userRecovers.delete(judge);
    }
  }

  /** On the daemon's own clock. */
  #sleepUntil(at: number): Promise<void> {
    return new Promise((resolve) => {
      const end = this.#loop.subscribe(({ kind }, now) => {
        if (kind !== "tick" || now < at) return;
        end();
        resolve();
      });
    });
  }
}
