/**
 * Which parts of the evidence receive a signal. Each part ignores unrelated signals, so all could receive all of them.
 * But the most frequent kinds concern few parts, and calling the others took a fifth of the time of a judgement.
 */

import { takeAsleep } from "../../awake.js";
import type { Settings } from "../../defaults.js";
import type { Signal, SignalKind } from "../../signal.js";
import { takeActivity } from "../activity.js";
import { takeBurn } from "./burn.js";
import { takeCheckpoint } from "./checkpoint.js";
import { takeCompletion } from "./completion.js";
import { takeErrors } from "./errors.js";
import { takeFailures } from "./failures.js";
import { takeFingerprint } from "./fingerprint.js";
import { takeLifecycle } from "./lifecycle.js";
import { takeLoop } from "./loop.js";
import { takeLostResult } from "./lost-result.js";
import { takePoisoned } from "./poisoned.js";
import { takeProgress } from "./progress.js";
import { takePrompts } from "./prompts.js";
import { takeProof } from "./proof.js";
import { takeRequest } from "./request.js";
import { takeRetries } from "./retries.js";
import { takeSpend } from "./spend.js";
import { takeSpin } from "./spin.js";
import type { Evidence } from "./state.js";
import { takeTools } from "./tools.js";
import { takeTurn } from "./turn.js";

type Fold = (evidence: Evidence, signal: Signal, settings?: Settings) => void;

const PARTS = {
  asleep: (evidence, signal) => takeAsleep(evidence.asleep, signal),
  turn: (evidence, signal) => takeTurn(evidence.turn, signal),
  tools: (evidence, signal, settings) => takeTools(evidence.tools, signal, settings),
  prompts: (evidence, signal) => takePrompts(evidence.prompts, signal),
  failures: (evidence, signal) => takeFailures(evidence.failures, signal),
  progress: (evidence, signal) => takeProgress(evidence.progress, signal),
  retries: (evidence, signal) => takeRetries(evidence.retries, signal),
  loop: (evidence, signal) => takeLoop(evidence.loop, signal),
  errors: (evidence, signal) => takeErrors(evidence.errors, signal),
  burn: (evidence, signal) => takeBurn(evidence.burn, signal),
  spend: (evidence, signal) => takeSpend(evidence.spend, signal),
  spin: (evidence, signal) => takeSpin(evidence.spin, signal),
  fingerprint: (evidence, signal) => takeFingerprint(evidence.fingerprint, signal),
  checkpoint: (evidence, signal) => takeCheckpoint(evidence.checkpoint, signal),
  completion: (evidence, signal) => takeCompletion(evidence.completion, signal),
  lostResult: (evidence, signal) => takeLostResult(evidence.lostResult, signal),
  lifecycle: (evidence, signal) => takeLifecycle(evidence.lifecycle, signal),
  poisoned: (evidence, signal) => takePoisoned(evidence.poisoned, signal),
  activity: (evidence, signal, settings) => takeActivity(evidence.activity, signal, settings),
  proof: (evidence, signal) => takeProof(evidence.proof, signal, evidence.turn),
  request: (evidence, signal) => takeRequest(evidence.request, signal),
} satisfies Record<string, Fold>;

type Part = keyof typeof PARTS;

/** Frequent kinds, or kinds that concern few parts. A kind not listed here goes to all parts. */
const CONCERNED: { readonly [K in SignalKind]?: readonly Part[] } = {
  output: ["progress", "fingerprint", "lifecycle", "activity"],
  process: ["tools", "progress", "fingerprint", "lifecycle", "activity"],
  request: ["progress", "fingerprint", "lifecycle", "activity"],
  delta: [
    "failures",
    "progress",
    "retries",
    "loop",
    "burn",
    "fingerprint",
    "lostResult",
    "lifecycle",
    "poisoned",
    "activity",
    "proof",
  ],
  tokens: ["progress", "retries", "burn", "spend", "fingerprint", "lifecycle", "activity", "proof"],
  file: ["loop", "errors", "burn", "spin", "fingerprint", "lifecycle", "activity", "proof"],
  habits: ["tools", "activity"],
  supervisor: [],
};

/** In the order of processing. No part reads the state of another, except that proof belongs to a turn. */
export const ALL: readonly Fold[] = Object.values(PARTS);

const FEW: ReadonlyMap<string, readonly Fold[]> = new Map(
  Object.entries(CONCERNED).map(([kind, parts]) => [kind, parts.map((part) => PARTS[part])]),
);

export const foldsFor = (kind: SignalKind): readonly Fold[] => FEW.get(kind) ?? ALL;
