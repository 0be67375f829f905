/**
 * All evidence from the signals of one session. `takeSignal` folds in one signal; each part keeps its own bounded state
 * and ignores unrelated signals, so the cost of a signal does not grow with history.
 */

import type { Settings } from "../../defaults.js";
import type { Signal } from "../../signal.js";
import { PLAIN_TRAITS, type Traits } from "../../traits.js";
import { createActivity } from "../activity.js";
import { createBurn } from "./burn.js";
import { createCheckpoint } from "./checkpoint.js";
import { createCompletion, takeCompletion } from "./completion.js";
import { createErrors } from "./errors.js";
import { createFailures } from "./failures.js";
import { createFingerprint } from "./fingerprint.js";
import { foldsFor } from "./folds.js";
import { evidenceBeforeExit, isLeave } from "./leaving.js";
import { createLifecycle } from "./lifecycle.js";
import { createLoop } from "./loop.js";
import { createLostResult } from "./lost-result.js";
import { createPoisoned } from "./poisoned.js";
import { createProgress } from "./progress.js";
import { createPrompts } from "./prompts.js";
import { createProof } from "./proof.js";
import { createRequest, takeRequest } from "./request.js";
import { createRetries } from "./retries.js";
import { createSpend } from "./spend.js";
import { createSpin } from "./spin.js";
import type { Evidence } from "./state.js";
import { createTools } from "./tools.js";
import { createTurn, type TurnEvidence } from "./turn.js";

export function createEvidence(traits: Traits = PLAIN_TRAITS): Evidence {
  return {
    traits,
    session: {},
    first: null,
    asleep: [],
    turn: createTurn(traits),
    tools: createTools(),
    prompts: createPrompts(traits),
    failures: createFailures(),
    progress: createProgress(),
    message: null,
    compacting: null,
    humanAt: null,
    quitAt: null,
    quitBy: null,
    quitOrdered: false,
    leaving: null,
    stoppedAt: null,
    rouseTypedAt: null,
    exit: null,
    supervisor: null,
    workspaceFrom: null,
    blind: null,
    report: null,
    reportedAt: null,
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
    request: createRequest(),
  };
}

/**
 * A record of an earlier run of the same conversation. It tells what the conversation is about and what was asked for,
 * never what this process does: its turns are over, its tools are dead, and its results were reported then.
 */
export function takeHistory(evidence: Evidence, signal: Signal): void {
  if (signal.kind === "session") takeOwn(evidence, signal);
  if (signal.kind !== "message") return;
  takeCompletion(evidence.completion, signal);
  takeRequest(evidence.request, signal);
}

/** `settings` are those of the judgement: samples that caused an alarm are not learned from. */
export function takeSignal(evidence: Evidence, signal: Signal, settings: Settings = {}): void {
  // A record may arrive late, but output in the terminal after the exit is not the program's work.
  if (evidence.exit !== null && signal.kind === "screen") return;
  if (isLate(evidence.turn, signal) || isTypedByRouse(evidence, signal)) return;
  if (signal.kind !== "habits") evidence.first ??= { at: signal.at, source: signal.source };
  for (const fold of foldsFor(signal.kind)) fold(evidence, signal, settings);
  takeOwn(evidence, signal);
}

/**
 * A headless run writes its transcript in batches: lines that arrive after the end in the stream belong to the ended
 * turn.
 */
const LATE_MS = 5000;
const OF_A_TURN: ReadonlySet<Signal["kind"]> = new Set<Signal["kind"]>(["turn", "message", "delta", "tool_start"]);

function isLate({ statuses: { stream } }: TurnEvidence, { kind, source, at }: Signal): boolean {
  if (source !== "transcript" || stream === undefined || stream.status === "active" || !OF_A_TURN.has(kind))
    return false;
  return at - stream.at < LATE_MS;
}

/** A program may log its keys, or its prompts, in its own folder. */
const LOGGED_MS = 5000;

function isTypedByRouse({ rouseTypedAt }: Evidence, { kind, at }: Signal): boolean {
  return kind === "file" && rouseTypedAt !== null && Math.abs(at - rouseTypedAt) <= LOGGED_MS;
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
      // A screen from before the compaction may arrive after the record of its start.
      else if (signal.reading.busy !== null && signal.at >= (evidence.compacting?.at ?? 0)) evidence.compacting = null;
      return;
    case "input":
      if (signal.by === "human") evidence.humanAt = signal.at;
      else evidence.rouseTypedAt = signal.at;
      if (signal.quits !== true) return;
      evidence.leaving = evidenceBeforeExit(evidence, signal.at);
      if (!isLeave(signal)) {
        evidence.stoppedAt = signal.at;
        return;
      }
      evidence.quitAt = signal.at;
      evidence.quitBy = signal.by;
      evidence.quitOrdered = signal.ordered === true;
      return;
    case "report":
      evidence.reportedAt = Math.max(evidence.reportedAt ?? 0, signal.at);
      // A report that was stored meanwhile may arrive after a newer one.
      if (signal.state && signal.at >= (evidence.report?.at ?? 0))
        evidence.report = { state: signal.state, text: signal.text ?? "", at: signal.at };
      return;
    case "turn":
      if (signal.phase === "start") evidence.report = null;
      return;
    case "exit":
      evidence.exit = signal;
      return;
    case "supervisor":
      evidence.supervisor = { id: signal.id, holds: signal.holds };
      return;
    case "sight":
      if (signal.seen) evidence.blind = null;
      else
        evidence.blind ??= {
          since: signal.since ?? signal.at,
          text: signal.text ?? "",
          at: signal.at,
          ...(signal.byReports ? { byReports: true } : {}),
        };
      return;
    default:
      return;
  }
}
