/**
 * Everything that the signals of one session say so far. `takeSignal` folds one signal in; each part keeps its own bounded
 * state and ignores what does not concern it, so the cost of a signal does not grow with history.
 */

import type { SleepSpans } from "../../awake.js";
import type { Settings } from "../../defaults.js";
import type { ExitSignal, SessionSignal, Signal, Source } from "../../signal.js";
import type { State } from "../../states.js";
import { PLAIN_TRAITS, type Traits } from "../../traits.js";
import { type ActivityState, createActivity } from "../activity.js";
import { type BurnState, createBurn } from "./burn.js";
import { type CheckpointState, createCheckpoint } from "./checkpoint.js";
import { type CompletionState, createCompletion } from "./completion.js";
import { createErrors, type ErrorsState } from "./errors.js";
import { createFailures, type FailuresEvidence } from "./failures.js";
import { createFingerprint, type FingerprintState } from "./fingerprint.js";
import { foldsFor } from "./folds.js";
import { asStood, isLeave, type LeavingEvidence } from "./leaving.js";
import { createLifecycle, type LifecycleState } from "./lifecycle.js";
import { createLoop, type LoopState } from "./loop.js";
import { createLostResult, type LostResultState } from "./lost-result.js";
import { createPoisoned, type PoisonedState } from "./poisoned.js";
import { createProgress, type ProgressEvidence } from "./progress.js";
import { createPrompts, type PromptsEvidence } from "./prompts.js";
import { createProof, type ProofState } from "./proof.js";
import { createRetries, type RetriesState } from "./retries.js";
import { createSpend, type SpendState } from "./spend.js";
import { createSpin, type SpinState } from "./spin.js";
import { createTools, type ToolsEvidence } from "./tools.js";
import { createTurn, type TurnEvidence } from "./turn.js";

export interface Evidence {
  traits: Traits;
  session: Partial<SessionSignal>;
  /** The first signal of all. */
  first: { at: number; source: Source } | null;
  asleep: SleepSpans;
  turn: TurnEvidence;
  tools: ToolsEvidence;
  prompts: PromptsEvidence;
  failures: FailuresEvidence;
  progress: ProgressEvidence;
  message: { closing: "question" | "offer" | "promise" | "result"; at: number; source: Source; preview: string } | null;
  compacting: { at: number; source: Source } | null;
  humanAt: number | null;
  quitAt: number | null;
  /** Rouse: by somebody's order. */
  quitBy: "human" | "rouse" | null;
  /** What stood as a human began to leave; what a program paints and says while it goes is no work and no result. */
  leaving: LeavingEvidence | null;
  /** When rouse itself last typed. */
  touchedAt: number | null;
  exit: ExitSignal | null;
  /** From when on changes in its workspace are told, and those of the hour before; null where nobody watches it. */
  workspaceFrom: number | null;
  /** rouse does not see it: since when it was not heard of, and why. */
  blind: { since: number; text: string; at: number } | null;
  /** What the agent said of itself with `rouse report`. */
  report: { state: Extract<State, "working" | "error" | "complete" | "needs_input">; text: string; at: number } | null;
  retries: RetriesState;
  loop: LoopState;
  errors: ErrorsState;
  burn: BurnState;
  spend: SpendState;
  spin: SpinState;
  fingerprint: FingerprintState;
  checkpoint: CheckpointState;
  completion: CompletionState;
  lostResult: LostResultState;
  lifecycle: LifecycleState;
  poisoned: PoisonedState;
  activity: ActivityState;
  proof: ProofState;
}

export function createEvidence(traits: Traits = PLAIN_TRAITS): Evidence {
  return {
    traits,
    session: {},
    first: null,
    asleep: [],
    turn: createTurn(),
    tools: createTools(),
    prompts: createPrompts(),
    failures: createFailures(),
    progress: createProgress(),
    message: null,
    compacting: null,
    humanAt: null,
    quitAt: null,
    quitBy: null,
    leaving: null,
    touchedAt: null,
    exit: null,
    workspaceFrom: null,
    blind: null,
    report: null,
    retries: createRetries(),
    loop: createLoop(),
    errors: createErrors(),
    burn: createBurn(),
    spend: createSpend(),
    spin: createSpin(),
    fingerprint: createFingerprint(),
    checkpoint: createCheckpoint(),
    completion: createCompletion(),
    lostResult: createLostResult(),
    lifecycle: createLifecycle(),
    poisoned: createPoisoned(),
    activity: createActivity(),
    proof: createProof(),
  };
}

/** `loadSettings` are those by which it is judged: what was alarmed on is nothing to learn from. */
export function takeSignal(evidence: Evidence, signal: Signal, settings: Settings = {}): void {
  // A record may come late; what a terminal shows after its program has ended is nobody's work.
  if (evidence.exit !== null && signal.kind === "screen") return;
  if (isLate(evidence.turn, signal)) return;
  if (signal.kind !== "habits") evidence.first ??= { at: signal.at, source: signal.source };
  for (const fold of foldsFor(signal.kind)) fold(evidence, signal, settings);
  takeOwn(evidence, signal);
}

/** A headless run writes its transcript in batches: what of it comes after the stream told the end is of the turn that ended. */
const LATE_MS = 5000;
const OF_A_TURN: ReadonlySet<Signal["kind"]> = new Set<Signal["kind"]>(["turn", "message", "delta", "tool_start"]);

function isLate({ words: { stream } }: TurnEvidence, { kind, source, at }: Signal): boolean {
  if (source !== "transcript" || stream === undefined || stream.word === "active" || !OF_A_TURN.has(kind)) return false;
  return at - stream.at < LATE_MS;
}

function takeOwn(evidence: Evidence, signal: Signal): void {
  switch (signal.kind) {
    case "session":
      if (signal.source === "workspace") evidence.workspaceFrom ??= signal.at;
      evidence.session = { ...evidence.session, ...signal };
      return;
    case "message":
      if (signal.role === "assistant" && signal.closing) {
        evidence.message = {
          closing: signal.closing,
          at: signal.at,
          source: signal.source,
          preview: signal.preview ?? "",
        };
      } else if (signal.role === "user") {
        evidence.message = null;
      }
      return;
    case "compaction":
      evidence.compacting = signal.phase === "start" ? { at: signal.at, source: signal.source } : null;
      return;
    case "screen":
      if (signal.reading.compacting) evidence.compacting ??= { at: signal.at, source: signal.source };
      // What was on the screen before it began may come after the record that it did.
      else if (signal.reading.busy !== null && signal.at >= (evidence.compacting?.at ?? 0)) evidence.compacting = null;
      return;
    case "input":
      if (signal.by === "human") evidence.humanAt = signal.at;
      else evidence.touchedAt = signal.at;
      if (!isLeave(signal)) return;
      evidence.leaving = asStood(evidence, signal.at);
      evidence.quitAt = signal.at;
      evidence.quitBy = signal.by;
      return;
    case "report":
      if (signal.state) evidence.report = { state: signal.state, text: signal.text ?? "", at: signal.at };
      return;
    case "turn":
      if (signal.phase === "start") evidence.report = null;
      return;
    case "exit":
      evidence.exit = signal;
      return;
    case "sight":
      if (signal.seen) evidence.blind = null;
      else evidence.blind ??= { since: signal.since ?? signal.at, text: signal.text ?? "", at: signal.at };
      return;
    default:
      return;
  }
}
