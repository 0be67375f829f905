/**
 * One frame, copied by a human, without chrome, colours or time: what does its last statement say?
 *
 * The fragment is taken as the live tail of a program's screen. Rows are read from below, because only the lowest
 * statement is current; the first content that is no statement ends the search, so that words further up mean nothing.
 */
import { FRAGMENT_RULES, type FragmentRule, PAYLOADS, SPINNER_ROW, TALKS_ABOUT } from "../agents/fragments.js";
import { generic } from "../agents/generic.js";
import { pattern } from "../agents/pattern.js";
import type { AgentProfile } from "../agents/profile.js";
import { closingOf } from "../core/closing.js";
import type { Cause, State } from "../core/states.js";
import { findMenu } from "./fragment-menu.js";
import { goesInCircles, repeatsItself } from "./fragment-repeat.js";
import {
  indentOf,
  isChrome,
  isListing,
  isMessage,
  isQuoted,
  isShown,
  isToolHeader,
  rowsOf,
  withoutGlyph,
  wordsOf,
} from "./fragment-rows.js";
import { readResetTime } from "./reset-time.js";
import { compileProfile } from "./screen/compiled.js";
import { findComposer } from "./screen/composer.js";
import { durationMs, tokenCount } from "./screen/numbers.js";
import { footOf, isBlank, joinRows } from "./screen/screen-text.js";
import { classifyVendorError, finalCause } from "./vendor-errors.js";

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

/** How the turn stands below the last content: nothing is seen, a place to type, or the mark of its end. */
type End = "unseen" | "composer" | "ended";

const rules = FRAGMENT_RULES.map((rule) => ({ rule, when: pattern(rule.when) }));
const payloads = PAYLOADS.map(({ says, when }) => ({ says, when: pattern(when) }));
const spinner = pattern(SPINNER_ROW);
const talksAbout = pattern(TALKS_ABOUT);
const ALARMS: ReadonlySet<FragmentRule["says"]> = new Set(["limit", "failure", "prompt", "stuck", "throttle"]);

const verdict = (state: State, cause: Cause | null = null, until: number | null = null): FragmentVerdict => ({
  state,
  cause,
  until,
});

export function judgeFragment(profile: AgentProfile, text: string, look: FragmentLook): FragmentVerdict {
  const rows = rowsOf(text);
  const menu = findMenu(profile, rows);
  if (menu?.limit) return limited(joinRows(rows), look);
  if (menu) return verdict("needs_input", menu.prompt);
  const payload = byPayload(text, look);
  if (payload) return payload;
  const composer = composerOf(profile, rows);
  if (composer?.busy) return verdict("working");
  return composer
    ? byStatement(profile, rows.slice(0, composer.top), "composer", look)
    : byStatement(profile, rows, "unseen", look);
}

function limited(text: string, look: FragmentLook): FragmentVerdict {
  return verdict("rate_limited", "limit", readResetTime(text, look.at, look.zone)?.until ?? null);
}

/**
 * The place to type, if the fragment shows it. A frame is proof; a bare sign needs to be empty or to have a footer, and
 * nothing but hints below.
 */
function composerOf(profile: AgentProfile, rows: readonly string[]): { top: number; busy: boolean } | null {
  const foot = footOf(rows);
  for (const one of [profile, generic]) {
    const found = findComposer(compileProfile(one), rows);
    if (found === null) continue;
    const below = rows.slice(found.bottom + 1, foot + 1).filter((row) => !isBlank(row));
    const isHint = (row: string): boolean => isChrome(row) || (indentOf(row) >= 2 && !/^\s*[⎿└●⏺■✕…]/.test(row));
    const isBare = one.composer.bottom === null && !((found.draft === "" || below.length > 0) && below.every(isHint));
    if (!isBare) return { top: found.top, busy: below.some((row) => spinner.test(row) || busy(row)) };
  }
  return null;
}

const busy = (row: string): boolean =>
  rules.some(({ rule, when }) => rule.says === "busy" && when.test(wordsOf([row])));

function byPayload(text: string, look: FragmentLook): FragmentVerdict | null {
  const whole = text.trim();
  if (!/^[{"]/.test(whole)) return null;
  for (const { says, when } of payloads) {
    const groups = when.groups(whole);
    if (!groups) continue;
    if (says === "limit") return limited(whole, look);
    const said = groups["text"] ?? groups["text2"] ?? "";
    const words = wordsOf([said]);
    if (rules.some(({ rule, when: head }) => (rule.says === "limit" || rule.says === "failure") && head.test(words)))
      return failed(whole, look);
  }
  return null;
}

interface Statement {
  rule: FragmentRule;
  text: string;
  from: number;
}

function byStatement(profile: AgentProfile, rows: readonly string[], seen: End, look: FragmentLook): FragmentVerdict {
  const noise = compileProfile(profile).noise;
  let end = rows.length;
  let turn = seen;
  let quiet: State | null = null;
  while (end > 0) {
    const row = rows[end - 1] as string;
    const found = isChrome(row) ? null : (lowestStatement(profile, rows, end) ?? explained(rows, end));
    if (found === null) {
      if (!isChrome(row) && !noise.some((p) => p.test(row))) break;
      end--;
      continue;
    }
    const { says } = found.rule;
    if (says === "ended") turn = "ended";
    else if (says === "notice" || says === "panel") quiet ??= says === "panel" ? "idle" : "unknown";
    else if (turn !== "ended" || ALARMS.has(says)) {
      return ALARMS.has(says) && goesInCircles(rows.slice(0, end))
        ? verdict("stuck", "loop")
        : conclude(found, rows, look);
    }
    end = found.from;
  }
  const rest = rows.slice(0, end);
  if (rest.slice(-SPINNING_ROWS).some((row) => /^\s{0,8}[\u2801-\u28ff]\s/.test(row))) return verdict("working");
  if (repeatsItself(rest)) return verdict("stuck", "loop");
  return quiet && turn === "unseen" ? verdict(quiet) : byClosing(rest, turn);
}

/** So many rows of a footer may stand below a spinner of dots, which nothing but a program at work draws. */
const SPINNING_ROWS = 10;

/** A statement of a program wraps, or carries a body, over at most so many rows. */
const STATEMENT_ROWS_MAX = 40;

function lowestStatement(profile: AgentProfile, rows: readonly string[], end: number): Statement | null {
  for (let from = end - 1; from >= 0 && end - from <= STATEMENT_ROWS_MAX && !isBlank(rows[from]); from--) {
    const row = rows[from] as string;
    if (isToolHeader(row)) return null;
    const text = wordsOf(rows.slice(from, end));
    const match = rules.find(({ rule, when }) => when.test(text) && isOwn(rule, rows, from, end, text));
    if (match) return { rule: match.rule, text, from };
    if (isErrorRow(profile, row) && isOwn({ says: "failure", when: "" }, rows, from, end, text))
      return { rule: { says: "failure", when: "" }, text, from };
    // The body of an error may look like a quotation; it hangs on a bracket that opens above.
    if (isQuoted(row) && !rows.slice(Math.max(0, end - STATEMENT_ROWS_MAX), from).some((above) => above.includes("{")))
      return null;
    if (end - from > 1 && /^\s{0,2}[●⏺✦✻]/.test(row)) return null;
  }
  return null;
}

/** The row has the mark that the program gives to its errors alone. */
function isErrorRow(profile: AgentProfile, row: string): boolean {
  return compileProfile(profile).rules.last.some(
    (rule) => rule.fact === "failure" && rule.fallback !== undefined && rule.when.test(row),
  );
}

const EXPLANATION_ROWS_MAX = 12;
const STACK_ROWS_MAX = 60;

/** A question with its explanation, command or buttons below; a crash with its stack below. */
function explained(rows: readonly string[], end: number): Statement | null {
  for (let from = end - 1; from >= 0 && end - from <= STACK_ROWS_MAX; from--) {
    const row = rows[from] as string;
    if (isBlank(row)) continue;
    const text = wordsOf([row]);
    const isNear = end - from <= EXPLANATION_ROWS_MAX;
    const match = rules.find(
      ({ rule, when }) =>
        ((rule.says === "prompt" && isNear) || (rule.says === "failure" && rule.cause === "crash" && !rule.common)) &&
        when.test(text) &&
        isOwn(rule, rows, from, end, text),
    );
    if (match) return { rule: match.rule, text, from };
    if (isMessage(row) || isToolHeader(row) || spinner.test(row)) return null;
    if (isNear && isListing(row) && !/^\s*\d+: 0x/.test(row)) return null;
  }
  return null;
}

/** Is the statement the program's own? Only what would disturb somebody has to prove it. */
function isOwn(rule: FragmentRule, rows: readonly string[], from: number, end: number, text: string): boolean {
  const row = rows[from] as string;
  if (rule.says === "busy") return end - from === 1 && (spinner.test(row) || !isQuoted(row));
  if (!ALARMS.has(rule.says)) return rule.says === "panel" || !isQuoted(row);
  return !isQuoted(row) && !talksAbout.test(text.slice(0, 400)) && !isShown(rows, from);
}

function conclude({ rule, text, from }: Statement, rows: readonly string[], look: FragmentLook): FragmentVerdict {
  switch (rule.says) {
    case "limit":
      return limited(text, look);
    case "failure":
      return rule.cause ? verdict("error", rule.cause) : failed(text, look);
    case "prompt":
      return verdict("needs_input", rule.prompt);
    case "stuck":
      return verdict("stuck", rule.cause);
    case "throttle":
    case "retry":
      return retrying(rule, text, rows.slice(0, from), look);
    case "compacting":
      return verdict("waiting", "compaction");
    case "busy":
      return isSilent(text) ? verdict("stuck", "silent_stream") : verdict("working");
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

/** A client that tries again waits; one that was told its rate is too high waits for a limit. */
function retrying(rule: FragmentRule, text: string, above: readonly string[], look: FragmentLook): FragmentVerdict {
  const waiting = verdict("waiting", "retry");
  if (NOT_A_LIMIT.test(text)) return waiting;
  if (rule.says === "throttle") {
    // Without its own promise to try again, which is worded like a reset.
    const said = text.replace(/\bretry(?:ing\b| (?:in|after)\b).{0,2000}$/i, "");
    return failed(said, look).state === "rate_limited" ? throttled(text, look) : waiting;
  }
  // The failure may stand in a block of its own above the row that says when it is tried again.
  const head = footOf(above);
  const failure = head < 0 || !/^retry/i.test(text) ? null : lowestStatement(generic, above, head + 1);
  return failure?.rule.says === "failure" && failed(failure.text, look).state === "rate_limited"
    ? throttled(text, look)
    : waiting;
}

/** "retrying 2/5 in 400ms": the next try is the end of this limit as far as anybody knows. */
function throttled(text: string, look: FragmentLook): FragmentVerdict {
  const told = limited(text, look);
  const delay = told.until === null ? durationMs(/\bin (?=[\d.])(.{1,24})/.exec(text)?.[1] ?? "") : null;
  return delay === null ? told : { ...told, until: look.at + delay };
}

const SILENT_AFTER_MS = 15 * 60_000;

/** A quarter of an hour without a single token is no thought: the longest honest silence on record was half of it. */
function isSilent(text: string): boolean {
  return tokenCount(text) === 0 && (durationMs(text) ?? 0) >= SILENT_AFTER_MS;
}

/** How the last message closes, where the fragment ends with one. */
function byClosing(rows: readonly string[], turn: End): FragmentVerdict {
  const start = rows.findLastIndex(isMessage);
  const text = rows.slice(Math.max(0, start)).map(withoutGlyph).join("\n").trim();
  const over = turn === "ended" ? "complete" : turn === "composer" ? (start >= 0 ? "complete" : "idle") : "unknown";
  if (text === "") return verdict(over);
  if (turn !== "ended" && start < 0 && (rows.some(isQuoted) || !/\b(?:I|me)\b/.test(text))) return verdict(over);
  switch (closingOf(text)) {
    case "question":
      // Where nothing says that the turn is over, the question itself has to be the end.
      return turn !== "unseen" || /[?？][\s"')*_]{0,8}$/.test(text)
        ? verdict("needs_input", "input")
        : verdict("unknown");
    case "promise":
      return turn === "ended" ? verdict("stuck", "stopped_early") : verdict("unknown");
    case "offer":
      return verdict("complete");
    case "result":
      return verdict(over);
  }
}
