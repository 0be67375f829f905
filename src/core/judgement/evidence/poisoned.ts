/**
 * Poisoned context: the service rejects the conversation itself, so every further input gets the same rejection.
 * Detected when two different inputs get the same final rejection without any output in between. A failure of the
 * service (5xx, overload, network) repeats too and is left to `retries.ts`.
 */

import type { ErrorSignal, Signal, Source } from "../../signal.js";
import { formatAgo } from "../../text/duration.js";
import { normaliseResult } from "../normalise.js";
import type { DetectorVerdict } from "./verdict.js";
import { CONFIDENCE } from "./verdict.js";

export interface PoisonedState {
  /** Digest of the last user input. */
  input: string | null;
  /** The current rejection, and the input that got it first. */
  rejection: { words: string; input: string; since: number; source: Source; again: boolean; text: string } | null;
}

export interface PoisonedVerdict extends DetectorVerdict {
  cause: "poisoned_context";
}

export function createPoisoned(): PoisonedState {
  return { input: null, rejection: null };
}

export function takePoisoned(state: PoisonedState, signal: Signal): void {
  switch (signal.kind) {
    case "message":
      if (signal.newSession || signal.role === "assistant") state.rejection = null;
      if (signal.role === "user") state.input = signal.digest;
      break;
    case "delta":
    case "tool_start":
    case "tool_end":
      state.rejection = null;
      break;
    case "compaction":
      if (signal.phase === "end") state.rejection = null;
      break;
    case "error":
      if (signal.final && isRejection(signal)) takeRejection(state, signal);
      break;
    default:
  }
}

export function poisonedVerdict(state: PoisonedState, now: number): PoisonedVerdict | null {
  const { rejection } = state;
  if (rejection === null || !rejection.again) return null;
  const text = rejection.text ? `: ${rejection.text}` : "";
  const reason = `Two different inputs got the same rejection, the first ${formatAgo(now - rejection.since)} (${rejection.source})${text}`;
  return { cause: "poisoned_context", since: rejection.since, confidence: CONFIDENCE.high, reason };
}

function takeRejection(state: PoisonedState, signal: ErrorSignal): void {
  const input = state.input;
  if (input === null) return;
  const before = state.rejection;
  const text = (signal.text ?? "").slice(0, 200);
  // Each rejection contains its own request id.
  const words = text === "" ? signal.digest : normaliseResult(text);
  if (before === null || before.words !== words) {
    state.rejection = { words, input, since: signal.at, source: signal.source, again: false, text };
  } else if (before.input !== input) before.again = true;
}

/** A 400 means that the request itself is invalid. */
function isRejection(signal: ErrorSignal): boolean {
  if (signal.cause === "poisoned_context") return true;
  return signal.cause === "api" && /\b400\b|invalid.request/i.test((signal.text ?? "").slice(0, 400));
}
