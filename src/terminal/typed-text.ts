import type { Keys } from "../core/policy/typing-checks.js";
import type { InputSignal } from "../core/signal.js";
import type { AgentProfile } from "../programs/shared/profile.js";
import { readKeys } from "../readers/keys.js";
import type { TypedBy } from "./frames.js";

/**
 * A user's text, reduced to bytes that can only be text: no control byte, no escape sequence, no end mark of a paste,
 * and no line end, since a line end is an Enter and an Enter is a separate action.
 */
const TEXT_CHARS_MAX = 64 * 1024;

export function typedText(text: string): Buffer {
  const line = text
    .slice(0, TEXT_CHARS_MAX)
    .replace(/\r\n|[\r\n\t\u0085\u2028\u2029]/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
  return Buffer.from(line, "utf8");
}

export const ENTER: Buffer = Buffer.from("\r");
/** Programs take bytes that arrive together as a paste, and an Enter in a paste as a line break. */
export const ENTER_AFTER_MS = 80;

const ERASE = "\u007f";
/** As long as the longest text of a client. */
const ERASE_MAX = 10_000;

/** The bytes of keys that rouse presses; empty if the program has no such key. */
export function bytesOfKeys(keys: Keys, profile: AgentProfile): Buffer {
  switch (keys.kind) {
    case "text":
      return typedText(keys.text);
    case "submit":
      return Buffer.from(profile.keys.submit.join(""));
    case "interrupt":
      return Buffer.from(profile.keys.interrupt[keys.press] ?? "");
    case "erase":
      return Buffer.from(ERASE.repeat(Math.min(Math.max(0, Math.floor(keys.chars)), ERASE_MAX)));
  }
}

/** The signal of keys that rouse pressed. Only a client's text may quit the program on purpose. */
export function inputSignal(keys: Keys, bytes: number, by: TypedBy, at: number): InputSignal {
  const text = keys.kind === "text" ? keys.text : "";
  return {
    kind: "input",
    at,
    source: "observer",
    by,
    bytes,
    ...(by === "client" && readKeys(text, at)?.quits ? { quits: true } : {}),
    ...(keys.kind === "submit" ? { submits: true } : {}),
    ...(keys.kind === "interrupt" ? { interrupts: true } : {}),
  };
}
