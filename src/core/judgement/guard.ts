/**
 * The guard of every resume: three questions of the agent resume system, which calls them `should_send_resume`,
 * `is_resumer_prompt` and `is_meaningful_progress`.
 */

import type { PerKind } from "../of-kind.js";
import { ofKind } from "../of-kind.js";
import type { Signal } from "../signal.js";
import type { ActivityOptions, ActivitySignal, ActivityState } from "./activity.js";
import { assessActivity } from "./activity.js";
import { isNoise } from "./noise.js";

export { isResumerPrompt, ROUSE_MARK } from "./noise.js";

export interface ResumeAdvice {
  send: boolean;
  /** "Are you there?" is permitted, once per incident. The caller counts. */
  may_ask: boolean;
  reason: string;
}

/** May this session be resumed? An active one is left alone. An unobserved one may be asked but never resumed. */
export function shouldSendResume(
  activity: ActivityState | readonly ActivitySignal[],
  now: number,
  options?: ActivityOptions,
): ResumeAdvice {
  const { known, is_active, confidence, inactivity_minutes, reasons } = assessActivity(activity, now, options);
  const why = reasons.join("; ");
  if (!known) return { send: false, may_ask: true, reason: why };
  const sure = `confidence ${confidence.toFixed(2)}`;
  const last = inactivity_minutes === null ? "never active" : `last activity ${inactivity_minutes.toFixed(1)} min ago`;
  return is_active
    ? { send: false, may_ask: false, reason: `active: ${sure}, ${last} (${why})` }
    : { send: true, may_ask: true, reason: `inactive: ${sure}, ${last} (${why})` };
}

const no = (): boolean => false;
const WORK_ROLES: ReadonlySet<string> = new Set(["workspace", "devlog", "contract"]);

/** Whether a signal is real work. A table, so that the compiler demands an answer for every new kind of signal. */
const IS_PROGRESS: PerKind<boolean> = {
  commit: () => true,
  test: (signal) => signal.ok === true,
  file: (signal) => WORK_ROLES.has(signal.role ?? "workspace"),
  checkpoint: (signal) => !isNoise(signal.text),
  tool_end: (signal) => signal.ok && signal.raw !== "" && !signal.refused && !signal.interrupted && !signal.infra,
  message: (signal) =>
    signal.role === "assistant" &&
    !signal.own &&
    (signal.marker === true || signal.closing === "result") &&
    !isNoise(signal.preview),
  report: (signal) => !signal.heartbeat && typeof signal.text === "string" && !isNoise(signal.text),
  session: no,
  status: no,
  turn: no,
  tool_start: no,
  delta: no,
  repetition: no,
  request: no,
  tokens: no,
  retry: no,
  limit: no,
  error: no,
  prompt: no,
  compaction: no,
  screen: no,
  output: no,
  process: no,
  exit: no,
  claim: no,
  queue: no,
  input: no,
  gap: no,
  sight: no,
  habits: no,
  supervisor: no,
};

/** Real work, in contrast to acknowledgements, heartbeats, repaints and recovery prompts. */
export function isMeaningfulProgress(signal: Signal): boolean {
  return ofKind(IS_PROGRESS, signal, false);
}
