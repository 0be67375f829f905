/** Keys that went into a terminal: what a human typed, without the terminal's own answers to queries. */
import type { InputSignal } from "../core/signal.js";

// Answers of a terminal, not of a human: device and version reports, cursor position, focus, status, colours.
const ANSWERS =
  /\u001b(?:\[[?>=]?[\d;]*[cRnIOuy]|P[^\u001b]{0,200}\u001b\\|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)|\[\d*;\d*;\d*[tM])/g;

/** Null when nothing of it came from a human. */
export function readKeys(text: string, at: number): InputSignal | null {
  const typed = text.slice(0, 100_000).replace(ANSWERS, "");
  if (typed === "") return null;
  const quits = /[\u0003\u0004]/.test(typed) || /^\s*\/(?:exit|quit)\s*\r?$/.test(typed);
  const interrupts = typed === "\u001b" || typed === "\u001b\u001b" || typed.includes("\u0003");
  return {
    kind: "input",
    at,
    source: "human",
    by: "human",
    bytes: typed.length,
    ...(quits ? { quits } : {}),
    ...(interrupts ? { interrupts } : {}),
    ...(/[\r\n]/.test(typed) ? { submits: true } : {}),
  };
}
