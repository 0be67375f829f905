/** Activity: one agent's assessment with the guard's answer, and the sorted list of agents that have gone quiet. */

import type { AgentSession } from "../../core/agent.js";
import { ACTIVITY_SOURCES, type ActivitySource } from "../../core/judgement/activity-sources.js";
import { type ResumeAdvice, shouldSendResume } from "../../core/judgement/guard.js";
import { sanitize } from "../../core/text/sanitize.js";
import {
  activitySince,
  type CheckedAgent,
  type CheckOptions,
  checkOf,
  ownActivity,
  stuckSinceIn,
} from "../../daemon/views/check.js";
import { findAgent, iso, isoOrNull, type ServiceContext } from "./context.js";

export interface AgentActivity {
  agent: string;
  session: string;
  /** False if rouse could not see enough to tell. */
  known: boolean;
  is_active: boolean;
  confidence: number;
  last_activity: string | null;
  inactivity_minutes: number | null;
  /** Newest first. */
  signals: { source: ActivitySource; tier: number; at: string; confidence: number }[];
  validation_passed: boolean;
  reasons: string[];
  lookback_minutes: number;
  usual_pause_minutes: number | null;
  /** Whether rouse may nudge or resume it. */
  guard: ResumeAdvice;
}

export interface CheckFilter {
  /** False: the age alone decides. */
  activity?: boolean | undefined;
  warning_hours?: number | undefined;
  critical_hours?: number | undefined;
  auto_resume_hours?: number | undefined;
}

export class ActivityService {
  readonly #context: Pick<ServiceContext, "loop" | "tuning">;

  constructor(context: Pick<ServiceContext, "loop" | "tuning">) {
    this.#context = context;
  }

  get(agent: string): AgentActivity {
    const judge = findAgent(this.#context, agent);
    const now = this.#context.loop.now();
    const since = stuckSinceIn(this.#context.loop.incidents)(judge.session.name);
    const found = activitySince(judge, since, now);
    return {
      agent: sanitize(judge.session.name, 80),
      session: judge.session.id,
      known: found.known,
      is_active: found.is_active,
      confidence: rounded(found.confidence, 100),
      last_activity: isoOrNull(found.last_activity),
      inactivity_minutes: found.inactivity_minutes === null ? null : rounded(found.inactivity_minutes, 10),
      signals: found.signals.map(({ source, at, confidence }) => ({
        source,
        tier: ACTIVITY_SOURCES[source].tier,
        at: iso(at),
        confidence,
      })),
      validation_passed: found.validation_passed,
      reasons: found.reasons,
      lookback_minutes: rounded(found.lookback_minutes, 1),
      usual_pause_minutes: found.usual_pause_minutes === null ? null : rounded(found.usual_pause_minutes, 1),
      guard: shouldSendResume(ownActivity(judge, since), now, judge.settings),
    };
  }

  /** Options that are not given follow the configuration of the folder where each agent works. */
  check({ activity, ...asked }: CheckFilter): CheckedAgent[] {
    const { loop, tuning } = this.#context;
    const optionsOf = (session: AgentSession): CheckOptions => {
      const { check, resume } = tuning.configOf(session);
      return {
        warning_hours: asked.warning_hours ?? check.warning_hours,
        critical_hours: asked.critical_hours ?? check.critical_hours,
        auto_resume_hours: asked.auto_resume_hours ?? check.auto_resume_hours,
        activityCheck: activity ?? resume.validate_activity,
      };
    };
    return checkOf(loop.sessions(), loop.now(), optionsOf, stuckSinceIn(loop.incidents));
  }
}

const rounded = (value: number, per: number): number => Math.round(value * per) / per;
