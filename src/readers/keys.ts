/** Keys that a user typed into a terminal, without the terminal's own answers to queries. */
import type { InputSignal } from "../core/signal.js";

// Sent by the terminal, not by a user: device and version reports, cursor position, focus, status, colours.
const ANSWERS =
  /\u001b(?:\[[?>=]?[\d;]*[cRnIOy]|\[[?>=][\d;]*u|P[^\u001b]{0,200}\u001b\\|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)|\[\d*;\d*;\d*[tM])/g;

const TYPED_MAX = 100_000;
const LEAVES = /^\s*\/(?:exit|quit)\s*\r?$/;

/** Null if the user typed none of it. */
export function readKeys(text: string, at: number): InputSignal | null {
  const typed = typedIn(text);
  if (typed === "") return null;
  const quits = /[\u0003\u0004]/.test(typed) || LEAVES.test(typed);
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

// Keys without a text of their own (arrows, Enter, Ctrl-C, edges of a paste, mouse), except those that encode a
// character: `ESC [ 27 ; 5 ; 97 ~` is Ctrl-A.
const NAMED_KEY = /\u001b(?:\[(?!27;)[0-?]{0,40}[@-~]|O[@-~])|[\u0000-\u001f\u007f]/g;

/**
 * The kinds and number of keys, without text: a user also types passwords. `readKeys` gives the same result for it as
 * for the keys themselves.
 */
export function maskKeys(text: string): string {
  const typed = typedIn(text);
  if (LEAVES.test(typed)) return typed;
  let masked = "";
  let from = 0;
  for (const { 0: key, index } of typed.matchAll(NAMED_KEY)) {
    masked += "*".repeat(index - from) + key;
    from = index + key.length;
  }
  return masked + "*".repeat(typed.length - from);
}

// Keys as newer terminals encode them on request of a program: `ESC [ 99 ; 5 u` is Ctrl-C, `… : 3 u` a released key.
const SPELLED = /\u001b\[(\d{1,8})(?::[\d:]{0,20})?(?:;(\d{1,3})?(?::(\d))?)?(?:;[\d:]{0,40})?u/g;
const CTRL = 5;

function typedIn(text: string): string {
  return text
    .slice(0, TYPED_MAX)
    .replace(ANSWERS, "")
    .replace(SPELLED, (_, code: string, modifiers = "1", event = "1") =>
      event === "3" ? "" : oldKey(+code, +modifiers),
    );
}

/** The byte that an older terminal would send; a star for a plain character. */
function oldKey(code: number, modifiers: number): string {
  if (modifiers === CTRL && code >= 97 && code <= 122) return String.fromCharCode(code - 96);
  // With Shift or Alt, Enter starts a line and submits nothing.
  return modifiers === 1 && [9, 13, 27, 127].includes(code) ? String.fromCharCode(code) : "*";
}
