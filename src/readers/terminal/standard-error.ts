/**
 * Reads the standard error of a headless program. It shows retries, which an event stream may not report (Gemini CLI),
 * and is often the only source for the reason of a failure.
 */
import { digest } from "../../core/digest.js";
import { infraOf } from "../../core/judgement/normalise.js";
import type { Signal } from "../../core/signal.js";
import { textHead } from "../records/text.js";
import { finalCause, knownVendorError } from "../records/vendor-errors.js";
import { readResetTime } from "../reset-time/reset-time.js";

const TEXT_MAX = 4096;
const LINE_MAX = 400;
/** `Attempt 2 failed with status 500. Retrying with backoff...`; a stack follows below it. */
const TRIES = /^(?!\s)(?=.{0,200}\bretrying\b).{0,200}?\battempt #?(?<attempt>\d{1,3})\b/i;

export class StandardError {
  #text = "";
  /** The line that is not complete yet. */
  #line = "";

  push(text: string, at: number): Signal[] {
    this.#text = (this.#text + text).slice(-TEXT_MAX);
    const lines = (this.#line + text).split("\n");
    this.#line = (lines.pop() ?? "").slice(0, LINE_MAX);
    return lines.flatMap((line) => tryIn(line.slice(0, LINE_MAX), at));
  }

  lastWords(at: number, zone: string): Signal[] {
    return lastWordsOf(this.#text, at, zone);
  }
}

function tryIn(line: string, at: number): Signal[] {
  const attempt = TRIES.exec(line)?.groups?.attempt;
  if (attempt === undefined) return [];
  const infra = infraOf(line);
  return [
    {
      kind: "retry",
      at,
      source: "stream",
      attempt: Number(attempt),
      text: textHead(line),
      ...(infra ? { infra } : {}),
    },
  ];
}

const LINES = 20;

/** The lowest line that the table of vendor texts contains, as a limit or a final error; nothing if there is none. */
function lastWordsOf(stderr: string, at: number, zone: string): Signal[] {
  for (const line of stderr.split("\n").slice(-LINES).reverse()) {
    const text = line.trim();
    const known = text === "" ? null : knownVendorError({ text });
    if (!known) continue;
    if (known.kind !== "limit") {
      return [
        {
          kind: "error",
          at,
          source: "stream",
          cause: finalCause(known),
          final: true,
          digest: digest(text),
          text: textHead(text),
        },
      ];
    }
    const until = readResetTime(text, at, zone)?.until;
    return [
      {
        kind: "limit",
        at,
        source: "stream",
        level: "hit",
        text: textHead(text),
        ...(until === undefined ? {} : { until }),
      },
    ];
  }
  return [];
}
