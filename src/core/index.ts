/** The judgement alone: pure functions over signals and a given `now`. Runs in Node, a browser or a worker. */

export {
  ACTION_NAMES,
  ACTIONS,
  type Action,
  type ActionName,
  type ActionOutcome,
  type ActionRecord,
  type Intent,
  intentOf,
  NUDGE_TEXTS,
  PROOFS,
  type Proof,
} from "./action.js";
export { DEFAULTS, type Defaults } from "./defaults.js";
export type { IncidentChange } from "./incidents/course.js";
export { applyToIncidents, type IncidentInput } from "./incidents/fold.js";
export {
  createIncidentState,
  type Incident,
  type IncidentState,
  type Outage,
  silencedUntil,
} from "./incidents/incident.js";
export { adaptedSettings } from "./incidents/learn.js";
export { PROBLEMS, type Problem, problemOf } from "./incidents/problem.js";
export { progressOf } from "./incidents/progress.js";
export { type ActivityAssessment, assessActivity, createActivity, takeActivity } from "./judgement/activity.js";
export { type Assessment, assess, RULESET } from "./judgement/assess.js";
export { burnRates } from "./judgement/evidence/burn.js";
export { createEvidence, takeSignal } from "./judgement/evidence/evidence.js";
export { EVIDENCE_KINDS, type EvidenceKind } from "./judgement/evidence/evidence-kind.js";
export type { Evidence } from "./judgement/evidence/state.js";
export { isMeaningfulProgress, isResumerPrompt, ROUSE_MARK, shouldSendResume } from "./judgement/guard.js";
export { addEntry, type TimelineEntry } from "./judgement/timeline.js";
export { POLICIES } from "./policy/builtin.js";
export { type Decision, decide } from "./policy/decide.js";
export { type ActionFacts, actionFactsOf, guardFrom } from "./policy/facts.js";
export { outageSlot } from "./policy/outage-queue.js";
export type { Policy, RecoveryStep } from "./policy/policy.js";
export type { Situation } from "./policy/situation.js";
export { SIGNAL_VERSION, type Signal, type SignalKind, SOURCES, type Source, TOOL_CLASSES } from "./signal.js";
export {
  type Cause,
  ERROR_CAUSES,
  PROMPT_KINDS,
  STATES,
  STUCK_CAUSES,
  type State,
  UNHEALTHY,
  WAIT_CAUSES,
} from "./states.js";
export { PLAIN_TRAITS, type Traits } from "./traits.js";
