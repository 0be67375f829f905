/** Applies one event to the incidents of the node, and returns what has to be saved and shown because of it. */
import { isAdopted } from "./agent.js";
import type { Effect } from "./effects.js";
import { applyToIncidents, type IncidentInput } from "./incidents/fold.js";
import { progressOf } from "./incidents/progress.js";
import { lastActivityAt } from "./judgement/evidence/last-activity.js";
import { endedByHuman } from "./judgement/rules/by-exit.js";
import type { NodeState } from "./node-state.js";
import type { Policy } from "./policy/policy.js";
import type { SessionJudge } from "./session-judge.js";

/** Saved even if no incident changed: an intent or an outcome must survive a crash. */
const ALWAYS_SAVED: ReadonlySet<IncidentInput["kind"]> = new Set<IncidentInput["kind"]>([
  "intended",
  "done",
  "renamed",
  "acked",
  "explained",
  "silenced",
  "unsilenced",
  "feedback",
  "missed",
]);

export function applyEvent(state: NodeState, event: IncidentInput): Effect[] {
  const changes = applyToIncidents(state.incidents, event);
  if (changes.length === 0 && !ALWAYS_SAVED.has(event.kind)) return [];
  return [{ kind: "save" }, { kind: "incidents", event, changes }];
}

/** The assessment of a session, as an event. */
export function assessedEvent({ rules }: NodeState, judge: SessionJudge, policy: Policy, now: number): IncidentInput {
  const { session, assessment, evidence } = judge;
  // Every state is unknown because the user switched judging off; an ended session cannot be unobserved; and one that
  // ended without an exit is not watched any more.
  const isOver = session.endedAt !== null && (judge.judgingError !== null || evidence.exit === null);
  const isUnasked = judge.settings.isJudging === false || isOver;
  if (isUnasked) return { kind: "forgotten", at: now, agent: session.name };
  return {
    kind: "assessed",
    agent: session.name,
    session: session.id,
    program: session.kind,
    account: rules.accountOf(session),
    isAdopted: isAdopted(session),
    assessment,
    activeAt: lastActivityAt(evidence),
    progress: progressOf(evidence),
    confirmMs: policy.confirmMs,
    outageMs: policy.outageMs,
    endedByHuman: endedByHuman(evidence),
    isOver: evidence.exit !== null,
    spend: judge.spend,
  };
}
