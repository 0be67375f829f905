/**
 * Proof of progress, the only thing that ends an incident. Stricter than the progress sources of a live stream, which
 * also see the echo of rouse's own input.
 */

import type { ScreenReading, Signal } from "../../signal.js";
import { isMeaningfulProgress } from "../guard.js";
import { rowsAfterOwnText } from "../noise.js";
import { isPastStart, type TurnEvidence } from "./turn.js";

export interface ProofState {
  /** Last output of the model, or last result: a file, a commit, a test, a checkpoint. */
  workAt: number | null;
  /** Start of the last turn in which the model wrote something. */
  turnAt: number | null;
  tokens: number | null;
  reply: string | null;
}

export function createProof(): ProofState {
  return { workAt: null, turnAt: null, tokens: null, reply: null };
}

export function takeProof(proof: ProofState, signal: Signal, turn: TurnEvidence): void {
  const model = isModel(proof, signal);
  if (model || isMeaningfulProgress(signal)) proof.workAt = Math.max(proof.workAt ?? signal.at, signal.at);
  // A resumed program draws its old conversation while it starts, which looks like a reply.
  if (!model || (signal.kind === "screen" && !isPastStart(turn))) return;
  const turnAt = Math.max(turn.startedAt ?? 0, turn.record.startAt ?? 0);
  if (turnAt > 0 && signal.at >= turnAt) proof.turnAt = Math.max(proof.turnAt ?? turnAt, turnAt);
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

/** The counter increased, or the agent's text grew below rouse's own. The first check is a baseline. */
function writes(proof: ProofState, { tokens, reply, replying, busy, tail = [] }: ScreenReading): boolean {
  const counted = tokens !== undefined && proof.tokens !== null && tokens > proof.tokens;
  const isNew = proof.reply !== null && reply !== proof.reply;
  const isEcho = tail.length > 0 && rowsAfterOwnText(tail).length === 0;
  const wrote = replying === true && busy !== false && isNew && !isEcho;
  if (tokens !== undefined) proof.tokens = tokens;
  proof.reply = reply;
  return counted || wrote;
}
