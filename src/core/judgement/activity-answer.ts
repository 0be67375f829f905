/**
 * The answer to rouse's own prompt, before its content is known. Streamed text, its tokens and the end of its turn
 * carry no words, and an agent that merely acknowledges shows all of them. They count as soon as the answer is more
 * than an acknowledgement.
 */

import type { Signal } from "../signal.js";
import { isNoise } from "./noise.js";

/** Held signals of an answer to rouse's own prompt; null while none is expected. */
export interface PendingAnswer {
  chars: number;
  held: Signal[];
}

/** An acknowledgement is shorter than this, in characters and in tokens. */
const ACKNOWLEDGES_CHARS = 200;
const ACKNOWLEDGES_TOKENS = 80;
const HELD_MAX = 4;
const WORDLESS: ReadonlySet<Signal["kind"]> = new Set<Signal["kind"]>(["delta", "tokens"]);
/** Signals that prove by themselves that the answer is work. */
const WORK: ReadonlySet<Signal["kind"]> = new Set<Signal["kind"]>([
  "tool_start",
  "tool_end",
  "commit",
  "test",
  "checkpoint",
  "file",
]);

/** The pending answer after this signal, and the signals that count now. */
export function takeAnswer(
  answer: PendingAnswer | null,
  signal: Signal,
): { answer: PendingAnswer | null; counts: readonly Signal[] } {
  const isAsked = signal.kind === "message" && signal.role === "user";
  if (isAsked) return { answer: signal.own ? { chars: 0, held: [] } : null, counts: [signal] };
  if (answer === null) return { answer, counts: [signal] };
  const isSaid = signal.kind === "message" && !isNoise(signal.preview);
  const chars = answer.chars + (signal.kind === "delta" ? signal.chars : 0);
  const isLong = chars > ACKNOWLEDGES_CHARS || (signal.kind === "tokens" && signal.output > ACKNOWLEDGES_TOKENS);
  if (isSaid || isLong || WORK.has(signal.kind)) return { answer: null, counts: [...answer.held, signal] };
  const isHeld = WORDLESS.has(signal.kind) || (signal.kind === "turn" && signal.phase === "end");
  if (!isHeld) return { answer: { ...answer, chars }, counts: [signal] };
  return { answer: { chars, held: [...answer.held, signal].slice(-HELD_MAX) }, counts: [] };
}
