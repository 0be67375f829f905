/**
 * Proof of progress, the only thing that ends an incident. Stricter than the progress sources of a live stream, which
 * also see the echo of rouse's own input.
 */

import type { ScreenReading, Signal } from "../../signal.js";
import { isMeaningfulProgress } from "../guard.js";

export interface ProofState {
  /** Last output of the model, or last result: a file, a commit, a test, a checkpoint. */
  workAt: number | null;
  tokens: number | null;
  reply: string | null;
}

export function createProof(): ProofState {
  return { workAt: null, tokens: null, reply: null };
}

export function takeProof(proof: ProofState, signal: Signal): void {
  const model = isModel(proof, signal);
  if (model || isMeaningfulProgress(signal)) proof.workAt = Math.max(proof.workAt ?? signal.at, signal.at);
}

function isModel(proof: ProofState, signal: Signal): boolean {
  switch (signal.kind) {
    case "delta":
    case "tool_start":
      return true;
    case "tool_end":
      return !signal.interrupted && !signal.refused && signal.raw !== "";
    case "message":
      return signal.role === "assistant" && !signal.own;
    case "tokens":
      return signal.output > 0;
    case "screen":
      return writes(proof, signal.reading);
    default:
      return false;
  }
}

/** The counter increased, or the agent's text grew. The first check is a baseline. */
function writes(proof: ProofState, { tokens, reply, replying, busy }: ScreenReading): boolean {
  const counted = tokens !== undefined && proof.tokens !== null && tokens > proof.tokens;
  const wrote = replying === true && busy !== false && proof.reply !== null && reply !== proof.reply;
  if (tokens !== undefined) proof.tokens = tokens;
  proof.reply = reply;
  return counted || wrote;
}
