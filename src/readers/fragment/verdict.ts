/** From a statement of a fragment to the verdict. */
import { PAYLOADS } from "../../agents/fragment-shapes.js";
import { generic } from "../../agents/generic.js";
import { pattern } from "../../agents/pattern.js";
import type { Cause, State } from "../../core/states.js";
import { readResetTime } from "../reset-time/reset-time.js";
import { durationMs, tokenCount } from "../screen/numbers.js";
import { classifyVendorError, finalCause, knownVendorError } from "../vendor-errors.js";
import { isBlank, isToolHeader, wordsOf } from "./rows.js";
import { hasShape, lowestStatement, type Statement } from "./statement.js";

export interface FragmentLook {
  at: number;
  /** IANA zone for clock times without one. */
  zone: string;
}

export interface FragmentVerdict {
  state: State;
  cause: Cause | null;
  until: number | null;
}

export function verdict(state: State, cause: Cause | null = null, until: number | null = null): FragmentVerdict {
  return { state, cause, until };
}

export function limited(text: string, look: FragmentLook): FragmentVerdict {
  return verdict("rate_limited", "limit", readResetTime(text, look.at, look.zone)?.until ?? null);
}

/** `above`: the rows over the statement. */
export function conclude({ rule, text }: Statement, above: readonly string[], look: FragmentLook): FragmentVerdict {
  switch (rule.says) {
    case "limit":
      return limited(text, look);
    case "failure":
      // "Error running the compaction: you've hit your usage limit" is a limit.
      return rule.cause && knownVendorError({ text })?.kind !== "limit"
        ? verdict("error", rule.cause)
        : failed(explained(text, above), look);
    case "prompt":
      return verdict("needs_input", rule.prompt);
    case "stuck":
      return verdict("stuck", rule.cause);
    case "throttle":
    case "retry":
      return isThrottled(text, above, look) ? throttled(text, look) : verdict("waiting", "retry");
    case "compacting":
      return verdict("waiting", "compaction");
    case "busy":
      if (asksWithin(above)) return verdict("needs_input", "input");
      if (isOverdue(text)) return verdict("stuck", "tool_hang");
      return isSilent(text, above) ? verdict("stuck", "silent_stream") : verdict("working");
    case "interrupted":
    case "panel":
      return verdict("idle");
    case "ended":
      return verdict("complete");
    case "notice":
      return verdict("unknown");
  }
}

/** Programs call a throttle of theirs a limit too; it is none of the user's. */
const NOT_A_LIMIT = /not your usage limit|temporarily limiting/i;

function failed(text: string, look: FragmentLook): FragmentVerdict {
  const known = classifyVendorError({ text });
  const isRate = (known.kind === "retry" && known.infra === "rate") || /resource_exhausted/i.test(text);
  if (known.kind === "limit" || (isRate && !NOT_A_LIMIT.test(text))) return limited(text, look);
  return verdict("error", finalCause(known));
}

/** A failure that names no cause ("failed to get a response, tried 5 times") has that of the failure right above it. */
function explained(text: string, above: readonly string[]): string {
  if (knownVendorError({ text })) return text;
  const foot = above.findLastIndex((row) => !isBlank(row));
  const before = foot < 0 ? null : lowestStatement(generic, above, foot + 1);
  return before?.rule.says === "failure" || before?.rule.says === "limit" ? before.text : text;
}

/** A client that tries again waits; one that was told its rate is too high waits for a limit. */
function isThrottled(text: string, above: readonly string[], look: FragmentLook): boolean {
  if (NOT_A_LIMIT.test(text)) return false;
  if (hasShape(text, "limit")) return true;
  if (hasShape(text, "throttle")) {
    // Without its own promise to try again, which is worded like a reset.
    const said = text.replace(/\bretry(?:ing\b| (?:in|after)\b).{0,2000}$/i, "");
    return failed(said, look).state === "rate_limited";
  }
  // The failure may stand in a block of its own above the row that says when it is tried again.
  const foot = above.findLastIndex((row) => !isBlank(row));
  const failure = foot < 0 || !/^retry/i.test(text) ? null : lowestStatement(generic, above, foot + 1);
  return failure?.rule.says === "failure" && failed(failure.text, look).state === "rate_limited";
}

/** "retrying 2/5 in 400ms": the next try is the end of this limit as far as anybody knows. */
function throttled(text: string, look: FragmentLook): FragmentVerdict {
  const told = limited(text, look);
  const delay = told.until === null ? durationMs(/\bin (?=[\d.])(.{1,24})/.exec(text)?.[1] ?? "") : null;
  return delay === null ? told : { ...told, until: look.at + delay };
}

const SILENT_AFTER_MS = 15 * 60_000;

/** A turn of hours in which fewer tokens came than one answer has, where no tool is shown at work. */
const SPARSE_AFTER_MS = 3 * 3_600_000;
const SPARSE_PER_HOUR = 100;
const TOOL_ROWS = 10;

/** A quarter of an hour without a single token is no thought: the longest honest silence on record was half of it. */
function isSilent(text: string, above: readonly string[]): boolean {
  const tokens = tokenCount(text);
  const ms = durationMs(text) ?? 0;
  if (tokens === 0 || tokens === null) return tokens === 0 && ms >= SILENT_AFTER_MS;
  const isSparse = ms >= SPARSE_AFTER_MS && tokens < (ms / 3_600_000) * SPARSE_PER_HOUR;
  return isSparse && !above.slice(-TOOL_ROWS).some((row) => isToolHeader(row) || /\bRunning\b/.test(row));
}

/** What it runs waits for somebody at the terminal. */
function asksWithin(above: readonly string[]): boolean {
  const foot = above.findLastIndex((row) => !isBlank(row));
  return foot >= 0 && lowestStatement(generic, above, foot + 1)?.rule.within === true;
}

/** It has run for twice the time after which it is to be ended. */
function isOverdue(text: string): boolean {
  const [, ran = "", allowed = ""] = /\(([\dhms .]{2,24}) · timeout ([\dhms .]{2,24})\)/.exec(text) ?? [];
  const allowedMs = durationMs(allowed);
  return allowedMs !== null && (durationMs(ran) ?? 0) >= 2 * allowedMs;
}

/** The last event of a headless run: done, unless its words are those of a limit or an error. */
function byResult(event: string, look: FragmentLook): FragmentVerdict {
  const said = wordsOf([/"result": ?"([^"]{1,400})"/.exec(event)?.[1] ?? ""]);
  return hasShape(said, "limit", "failure") ? failed(said, look) : verdict("complete");
}

const payloads = PAYLOADS.map(({ says, when }) => ({ says, when: pattern(when) }));

/** A record of the program instead of its screen: what it reports counts as if it stood there. */
export function byPayload(text: string, look: FragmentLook): FragmentVerdict | null {
  const whole = text.trim();
  if (!/^[{"]/.test(whole)) return null;
  const last = whole.slice(whole.lastIndexOf("\n") + 1);
  if (last.startsWith("{") && /"type": ?"result"/.test(last) && /"is_error": ?false/.test(last))
    return byResult(last, look);
  for (const { says, when } of payloads) {
    const groups = when.groups(whole);
    if (!groups) continue;
    if (says === "limit") return limited(whole, look);
    if (hasShape(wordsOf([groups.text ?? ""]), "limit", "failure")) return failed(whole, look);
  }
  return null;
}
