/** The judgement alone: pure functions over signals and a given `now`. Runs in Node, a browser or a worker. */
export { type ActivityAssessment, assessActivity, createActivity, takeActivity } from "./activity.js";
export { type Assessment, assess, RULESET } from "./assess.js";
export { DEFAULTS, type Defaults } from "./defaults.js";
export { burnRates } from "./evidence/burn.js";
export { createEvidence, type Evidence, take } from "./evidence/evidence.js";
export { isMeaningfulProgress, isResumerPrompt, ROUSE_MARK, shouldSendResume } from "./guard.js";
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
export { addEntry, type TimelineEntry } from "./timeline.js";
export { PLAIN_TRAITS, type Traits } from "./traits.js";
