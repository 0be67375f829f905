import type { SleepSpans } from "../../awake.js";
import type { ExitSignal, InputSignal, SessionSignal, Source } from "../../signal.js";
import type { State } from "../../states.js";
import type { Traits } from "../../traits.js";
import type { ActivityState } from "../activity.js";
import type { BurnState } from "./burn.js";
import type { CheckpointState } from "./checkpoint.js";
import type { CompletionState } from "./completion.js";
import type { ErrorsState } from "./errors.js";
import type { FailuresEvidence } from "./failures.js";
import type { FingerprintState } from "./fingerprint.js";
import type { LifecycleState } from "./lifecycle.js";
import type { LoopState } from "./loop.js";
import type { LostResultState } from "./lost-result.js";
import type { PoisonedState } from "./poisoned.js";
import type { ProgressEvidence } from "./progress.js";
import type { PromptsEvidence } from "./prompts.js";
import type { ProofState } from "./proof.js";
import type { RequestState } from "./request.js";
import type { RetriesState } from "./retries.js";
import type { SpendState } from "./spend.js";
import type { SpinState } from "./spin.js";
import type { ToolsEvidence } from "./tools.js";
import type { TurnEvidence } from "./turn.js";

export interface Evidence {
  traits: Traits;
  session: Partial<SessionSignal>;
  /** The first signal. */
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
  /** `rouse` and `client` mean on request. */
  quitBy: InputSignal["by"] | null;
  /** By a command to stop it (`rouse stop`, an API client), not by keys. */
  quitOrdered: boolean;
  /** The evidence when the exit was asked for; what a program shows while it exits is neither work nor a result. */
  leaving: LeavingEvidence | null;
  /** When rouse last stopped it for a recovery plan, which continues after the exit. */
  stoppedAt: number | null;
  /** When rouse last typed, for a plan or on an order. */
  rouseTypedAt: number | null;
  exit: ExitSignal | null;
  /** The program's own supervisor runs the session, or did; null if none was seen. */
  supervisor: { id: string; holds: boolean } | null;
  /** Since when changes in its workspace are reported, including the hour before; null if it is not watched. */
  workspaceFrom: number | null;
  /** rouse cannot observe it: time of the last signal, and why. */
  blind: { since: number; text: string; at: number; byReports?: true } | null;
  /** The agent's own report with `rouse report`. */
  report: { state: Extract<State, "working" | "error" | "complete" | "needs_input">; text: string; at: number } | null;
  /** Time of its last report, heartbeats included. */
  reportedAt: number | null;
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
  request: RequestState;
}
export type LeavingEvidence = Pick<Evidence, "turn" | "prompts" | "failures" | "retries" | "progress" | "message">;
