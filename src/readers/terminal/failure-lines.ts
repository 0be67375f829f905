/**
 * Failures that a program without a profile prints as lines. The form of a line counts, never a word inside a sentence:
 * a time or a name in brackets, a sign, then the failure itself.
 */
import { errorKey, infraOf, normaliseResult } from "../../core/judgement/normalise.js";
import type { InfraClass } from "../../core/signal.js";
import type { ErrorCause } from "../../core/states.js";
import { infraOfVendor, knownVendorError } from "../records/vendor-errors.js";
import { oncePerRow, type ScreenRow } from "./row.js";

export interface FailureLine {
  /** A limit or an overload: the same request may pass later. */
  isLimit: boolean;
  /** Missing if the line names no known cause. */
  cause?: ErrorCause;
  text: string;
}

const LINE_MAX = 400;
/** `2026-03-02T09:00:00Z`, `[12:30:01]`, `[agent]`, `worker-1:`, at most three of them; or a bar with its progress. */
const LEAD =
  /^\s{0,4}(?:[░▒▓█━─=#]{5,60}\s{1,2}(?:\d{1,3}%\s{1,2})?(?:\d{1,6}\/\d{1,6}\s{1,2})?)?(?:(?:\[[^\]]{1,40}\]|\d{4}-\d\d-\d\d(?:[T ][\d:.,]{5,16}(?:Z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d:\d\d(?:[.,]\d{1,6})?|[a-z][\w.-]{0,24}:(?! \w+ing\b))\s{1,3}){0,3}(?:[✕✗✘✖×⨯❌🚫⚠!■●][\uFE0F]?\s{1,2})?/u;
/** `Error: …`, `TypeError: …`, `ERROR (agent): …`, `fatal: …`, `panic: …`. */
const NAMED =
  /^(?:uncaught |unhandled |unexpected |fatal |internal )?(?:(?:[\w.]{0,40}|[A-Z]\w{1,20} (?:\w{1,20} )?)(?:Error|Exception|error|ERROR)|fatal|FATAL|panic|PANIC)(?: ?[[(][\w .:/-]{1,40}[\])])?(?: \d{3})?: ?\S/;
const LEVEL = /^(?:ERROR|FATAL|CRITICAL)\b[\s:|-]{1,4}\S/;
const NPM = /^npm (?:ERR!|error) \S/;
const FAILED =
  /^(?:build|compilation|command|request|process|script|job|task|api call|connection|agent|step|run)(?: [\w"'./-]{1,30}){0,3} (?:(?:failed|aborted)(?: with | after | in | \(|:|[.!]?$)|exited with (?:exit )?(?:code|status) [1-9])/i;
/** A provider's refusal by itself. */
const LIMITED =
  /^(?:(?:api|llm|model|provider|anthropic|openai|claude|codex|gemini|http|server|request)\b[ :]{1,3}){0,2}(?:error\W{1,3})?(?:was |is |got |received )?(?:http )?(?:(?:status|code|error)(?: code)?\W{1,3})?(?:429\b|529\b|rate[ _-]?limit(?:ed|_error| exceeded| reached| hit| error)|too many requests|overloaded(?:_error)?\b|quota exceeded|(?:usage|session|daily|weekly) limit (?:reached|exceeded|hit)|(?:you['’]ve |you have )?(?:hit|reached|exceeded) your .{0,24}\b(?:limit|quota))/i;
/** `Authentication failed`, with a sign before it or alone. */
const REFUSED =
  /^(?:authentication|authorization|login|api key|payment|quota|request|connection) (?:\w{1,12} ){0,2}(?:failed|refused|rejected|required|invalid|expired|exceeded|timed out|error)(?:: |[.!]?$)/i;
/** `401 Incorrect API key.`, `Error Incorrect API key.`, if a provider words its errors so. */
const LABELLED = /^(?:Error|[45]\d\d) [A-Z]/;
/** A provider's error as it came: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`. */
const OBJECT = /^\{\s?"(?:type":\s?"error",\s?"error|error)":\s?\{.{0,300}?"message":\s?"([^"]{1,300})"/;
const STATUS = /^(?:http(?:\/\d(?:\.\d)?)?|status(?: code)?|response)\W{1,3}[45]\d\d\b/i;

/** A line without its time, name and sign. */
export const withoutLead = (line: string): string => line.slice(0, LINE_MAX).replace(LEAD, "").trim();

/** The failure that a line states; null if it states none. */
export function failureIn(line: string): FailureLine | null {
  const text = withoutLead(line);
  const message = OBJECT.exec(text)?.[1];
  const isLimit = LIMITED.test(message ?? text);
  const isNamed = message !== undefined || [NAMED, LEVEL, NPM, FAILED, REFUSED, STATUS].some((form) => form.test(text));
  if (!isLimit && !isNamed && !LABELLED.test(text)) return null;
  const known = knownVendorError({ text });
  if (!isLimit && !isNamed && (known === null || !WORDED.test(text))) return null;
  if (isLimit || known?.kind === "limit")
    return { isLimit: known?.kind !== "error" || known.cause !== "billing", ...causeOf(known), text };
  return { isLimit: known?.kind === "retry" && known.infra === "rate", ...causeOf(known), text };
}

/** A bare number may count something. */
const WORDED =
  /\b(?:error|fail|invalid|incorrect|unauthor|forbidden|denied|reject|refused|expired|limit|exceeded|quota|unavailable|overload|time)/i;

const causeOf = (known: ReturnType<typeof knownVendorError>): { cause?: ErrorCause } =>
  known?.kind === "error" ? { cause: known.cause } : known?.kind === "retry" ? { cause: "api" } : {};

/** A field of an error that is printed as an object: `status: 401,`, `"message": "…"`. */
const FIELD =
  /^\s+"?(status(?:_?code)?|code|type|message|reason|detail)"?: (?:'([^']{0,300})'|"([^"]{0,300})"|(\d{3})),?$/i;
const ENTRY = /^\s+(?:"?[\w$-]{1,40}"?|\[\w{1,20}\]): .{0,400}[,{[}\]]$/;
const INNER = /\bmessage"?: (?:'([^']{1,300})'|"([^"]{1,300})")/;

/** The name and value of such a field; without a value for any other entry of an object, null for another row. */
export const fieldOf = oncePerRow((row): { name: string; value: string } | null => {
  const [, name = "", single, double, number = ""] = FIELD.exec(row) ?? [];
  if (name !== "") return { name: name.toLowerCase(), value: single ?? double ?? number };
  if (!ENTRY.test(row)) return null;
  const [, one, other] = INNER.exec(row) ?? [];
  return { name: "message", value: one ?? other ?? "" };
});

const failureOfRow = oncePerRow((row) => (FIELD.test(row) || ENTRY.test(row) ? null : failureIn(row)));

const BELOW = /^(?:\s{2,}\S|\s*[{}[\]]|node:|Node\.js v\d|\s*\^|(?:done|finished)[.!]?$)/i;
/** A stack trace, or another row that belongs to the failure above it. */
export const belongsAbove = oncePerRow((row) => BELOW.test(row));
const ROWS_MAX = 24;

/** The failure that the last line above row `end` states, whatever belongs to it below; null if it states none. */
export function lastFailure(rows: readonly ScreenRow[], end: number): FailureLine | null {
  for (let y = end - 1; y >= 0 && end - y <= ROWS_MAX; y--) {
    const row = rows[y] as ScreenRow;
    if (row.isBlank) continue;
    const found = failureOfRow(row);
    // Of several lines in a row the first one names the failure.
    if (found) return firstOf(rows, y) ?? found;
    if (!belongsAbove(row)) return null;
  }
  return null;
}

function firstOf(rows: readonly ScreenRow[], y: number): FailureLine | null {
  let first: FailureLine | null = null;
  for (let r = y; r >= 0 && y - r <= ROWS_MAX; r--) {
    const row = rows[r] as ScreenRow;
    const found = row.isBlank ? null : failureOfRow(row);
    if (found) first = found;
    else if (row.isBlank || !belongsAbove(row)) break;
  }
  return first;
}

const LINES_KEPT = 128;
/** Lines that come within this time are one round: a test run prints one error for many tests. */
const ROUND_MS = 2000;
/** A refused key stays refused, so the verdict is an error, and two equal lines are not enough for it. */
const AUTH_ROUNDS = 3;

export interface RepeatedFailure {
  key: string;
  text: string;
  /** A provider's failure of this kind: the program tries again, however it words that. */
  infra?: InfraClass;
}

/**
 * Finds failures that come again and again with nothing new between them. A line that was not printed before is new,
 * also if only a number in it has grown: the program gets somewhere, and an equal failure after it has another key.
 */
export class RepeatedFailures {
  readonly #seen = new Set<string>();
  readonly #rounds = new Map<string, { at: number; count: number }>();
  #epoch = 0;

  take(lines: readonly string[], at: number): RepeatedFailure[] {
    return lines.flatMap((line) => this.#takeLine(line, at));
  }

  #takeLine(line: string, at: number): RepeatedFailure[] {
    const failure = failureIn(line);
    const shape = (failure && errorKey(failure.text)) || shapeOf(line);
    if (!this.#seen.has(shape)) {
      this.#epoch++;
      this.#rounds.clear();
    }
    this.#remember(shape);
    if (failure === null) return [];
    const last = this.#rounds.get(shape);
    const isNew = last === undefined || at - last.at >= ROUND_MS;
    const count = (last?.count ?? 0) + (isNew ? 1 : 0);
    this.#rounds.set(shape, { at, count });
    if (!isNew) return [];
    const infra = infraOf(failure.text) ?? infraOfVendor(failure.text);
    const again = infra !== undefined && count >= (infra === "auth" ? AUTH_ROUNDS : 2) ? { infra } : {};
    if (failure.isLimit && again.infra === undefined) return [];
    return [{ key: `${this.#epoch} ${shape}`, text: failure.text, ...again }];
  }

  #remember(shape: string): void {
    this.#seen.delete(shape);
    this.#seen.add(shape);
    if (this.#seen.size <= LINES_KEPT) return;
    const [oldest] = this.#seen;
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}

const COUNTED = /\b(iteration|loop|cycle|round|pass|run)([ :#]{1,3})\d{1,9}/gi;

/** The line without its times, ids and attempt numbers. */
const shapeOf = (line: string): string => normaliseResult(line.slice(0, LINE_MAX)).replace(COUNTED, "$1$2#");
