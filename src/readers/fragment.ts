/**
 * One frame, copied by a human, without chrome, colours or time: what does its last statement say?
 *
 * The fragment is taken as the live tail of a program's screen. Rows are read from below, because only the lowest
 * statement is current; the first content that is no statement ends the search, so that words further up mean nothing.
 */
import {
  CHROME,
  FRAGMENT_RULES,
  type FragmentRule,
  LIMIT_MENU,
  QUOTED,
  SHELL_COMMAND,
  SPINNER_ROW,
  TALKS_ABOUT,
  TOOL_HEADER,
  VENDOR_OPTION,
} from "../agents/fragments.js";
import { generic } from "../agents/generic.js";
import { type Pattern, pattern } from "../agents/pattern.js";
import type { AgentProfile } from "../agents/profile.js";
import { closingOf } from "../core/closing.js";
import type { Cause, State } from "../core/states.js";
import { repeatsItself } from "./fragment-repeat.js";
import { readResetTime } from "./reset-time.js";
import { compileProfile } from "./screen/compiled.js";
import { findDialog } from "./screen/dialog.js";
import { isBlank, joinRows } from "./screen/screen-text.js";
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

const ROWS_MAX = 200;
const ROW_MAX = 2000;
/** A statement of a program wraps, or carries a body, over at most so many rows. */
const STATEMENT_ROWS_MAX = 14;

const all = (sources: readonly string[]): Pattern[] => sources.map(pattern);
const rules = FRAGMENT_RULES.map((rule) => ({ rule, when: pattern(rule.when) }));
const chrome = all(CHROME);
const quoted = all(QUOTED);
const [spinner, talksAbout, shellCommand, toolHeader, vendorOption, limitMenu] = all([
  SPINNER_ROW,
  TALKS_ABOUT,
  SHELL_COMMAND,
  TOOL_HEADER,
  VENDOR_OPTION,
  LIMIT_MENU,
]) as [Pattern, Pattern, Pattern, Pattern, Pattern, Pattern];

const verdict = (state: State, cause: Cause | null = null, until: number | null = null): FragmentVerdict => ({
  state,
  cause,
  until,
});

export function judgeFragment(profile: AgentProfile, text: string, look: FragmentLook): FragmentVerdict {
  const rows = rowsOf(text);
  return (
    byMenu(profile, rows, look) ??
    byStatement(rows, look) ??
    (repeatsItself(rows) ? verdict("stuck", "loop") : byClosing(rows, false))
  );
}

const ESCAPES = /\u001b(?:\[[0-9;?]{0,32}[A-Za-z]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\))/g;

function rowsOf(text: string): string[] {
  const rows = text
    .slice(-ROWS_MAX * ROW_MAX)
    .replace(ESCAPES, "")
    .split(/\r?\n/);
  return rows.slice(-ROWS_MAX).map((row) => row.slice(0, ROW_MAX).replaceAll("\u00a0", " ").trimEnd());
}

const GLYPH = /^[\s│┃▌]{0,12}(?:[●⏺■✕✗✘✖×⚡ℹ⚠⎿└╰•◦·✢✳✶✻✽∗✦△▲❌⛔🔴◆*!\u2800-\u28ff]\ufe0f?\s{0,4}){0,2}/u;
const STAMP = /^\[\d{4}-\d{2}-\d{2}T[\d:.]{5,16}Z?\] /;

/** A statement as its words: without glyph and frame, rows joined, typography made plain. */
function wordsOf(rows: readonly string[]): string {
  const [first = "", ...more] = rows;
  return [first.replace(GLYPH, "").replace(STAMP, ""), ...more.map((row) => joinRows([row]))]
    .join(" ")
    .replace(/[’‘]/g, "'")
    .replace(/[∙•⋅]/g, "·")
    .replace(/\s+/g, " ")
    .replace(/[\s│┃]+$/, "")
    .trim();
}

const isChrome = (row: string): boolean => chrome.some((p) => p.test(row));
const isQuoted = (row: string): boolean => quoted.some((p) => p.test(row));
const ALARMS: ReadonlySet<FragmentRule["says"]> = new Set(["limit", "failure", "prompt", "stuck"]);

interface Statement {
  rule: FragmentRule;
  text: string;
  from: number;
}

function byStatement(rows: readonly string[], look: FragmentLook): FragmentVerdict | null {
  let end = rows.length;
  let ended = false;
  let noticed = false;
  while (end > 0) {
    if (isChrome(rows[end - 1] as string)) {
      end--;
      continue;
    }
    const found = lowestStatement(rows, end) ?? explainedPrompt(rows, end);
    if (found === null) break;
    end = found.from;
    if (found.rule.says === "notice") noticed = true;
    else if (found.rule.says === "ended") ended = true;
    else if (!ended || ALARMS.has(found.rule.says)) return conclude(found, look);
  }
  if (ended) return byClosing(rows.slice(0, end), true);
  return noticed ? verdict("unknown") : null;
}

function lowestStatement(rows: readonly string[], end: number): Statement | null {
  for (let from = end - 1; from >= 0 && end - from <= STATEMENT_ROWS_MAX && !isBlank(rows[from]); from--) {
    const row = rows[from] as string;
    if (toolHeader.test(row)) return null;
    const text = wordsOf(rows.slice(from, end));
    const match = rules.find(({ rule, when }) => when.test(text) && isAbout(rule, rows, from, end, text));
    if (match) return { rule: match.rule, text, from };
    if (isQuoted(row) && !rows.slice(Math.max(0, end - STATEMENT_ROWS_MAX), from).some((above) => above.includes("{")))
      return null;
    if (end - from > 1 && /^\s{0,2}[●⏺✦✻]/.test(row)) return null;
  }
  return null;
}

const EXPLANATION_ROWS_MAX = 12;

/** A question of the program with its explanation, its command or its buttons below. */
function explainedPrompt(rows: readonly string[], end: number): Statement | null {
  for (let from = end - 1; from >= 0 && end - from <= EXPLANATION_ROWS_MAX; from--) {
    const row = rows[from] as string;
    if (isBlank(row)) continue;
    const text = wordsOf([row]);
    const match = rules.find(
      ({ rule, when }) => rule.says === "prompt" && when.test(text) && isAbout(rule, rows, from, end, text),
    );
    if (match) return { rule: match.rule, text, from };
    if (MESSAGE.test(row) || spinner.test(row) || DIFF.test(row) || CODE.test(row)) return null;
  }
  return null;
}

/** Is the statement the program's own? Only what would disturb somebody has to prove it. */
function isAbout(rule: FragmentRule, rows: readonly string[], from: number, end: number, text: string): boolean {
  const row = rows[from] as string;
  if (rule.says === "busy") return end - from === 1 && (spinner.test(row) || !isQuoted(row));
  if (!ALARMS.has(rule.says)) return !isQuoted(row);
  if (isQuoted(row) || talksAbout.test(text.slice(0, 400)) || isShown(rows, from)) return false;
  return (
    !rule.common || rows.slice(Math.max(0, from - 2), from).every((above) => isBlank(above) || !toolHeader.test(above))
  );
}

const CODE =
  /[;{]$|=>|^\s*(?:const|let|var|if|for|return|export|import|def|class|fn|func|pub|expect|it|test|describe)\b.{0,200}[({=:]/;
const DIFF = /^@@ |^\s{0,8}\d{1,6} [+-] |^[+-]\S|^diff --git|^\s{0,8}\d{1,6}(?:[:│|]|→|\t)/;

/** Does something else show this row: a code block, a diff, a tool, a command? */
function isShown(rows: readonly string[], from: number): boolean {
  let start = from;
  while (start > 0 && !isBlank(rows[start - 1])) start--;
  const above = rows.slice(start, from);
  if (above.some((row) => CODE.test(row) || DIFF.test(row))) return true;
  if (rows.slice(0, from).filter((row) => /^\s{0,8}(?:```|~~~)/.test(row)).length % 2 === 1) return true;
  if (above.some((row) => shellCommand.test(row))) return true;
  return isToolOutput(rows, from);
}

const HOOK = /^\s*[⎿└]/;
const OUTPUT_INDENT = 4;

/** Rows under a tool's call are its output, up to the next row that hangs on the turn itself. */
function isToolOutput(rows: readonly string[], from: number): boolean {
  const indent = indentOf(rows[from] as string);
  let hooks = HOOK.test(rows[from] as string) ? 1 : 0;
  if (hooks === 0 && indent < OUTPUT_INDENT) return false;
  for (let y = from - 1; y >= 0 && from - y < 40; y--) {
    const row = rows[y] as string;
    if (isBlank(row)) continue;
    if (toolHeader.test(row)) return hooks < 2;
    if (HOOK.test(row)) hooks++;
    else if (indentOf(row) < indent) return false;
  }
  return false;
}

const indentOf = (row: string): number => row.length - row.trimStart().length;

function conclude({ rule, text }: Statement, look: FragmentLook): FragmentVerdict {
  const until = (): number | null => readResetTime(text, look.at, look.zone)?.until ?? null;
  switch (rule.says) {
    case "limit":
      return verdict("rate_limited", "limit", until());
    case "failure": {
      if (rule.cause) return verdict("error", rule.cause);
      const known = classifyVendorError({ text });
      return known.kind === "limit" ? verdict("rate_limited", "limit", until()) : verdict("error", finalCause(known));
    }
    case "prompt":
      return verdict("needs_input", rule.prompt);
    case "stuck":
      return verdict("stuck", rule.cause);
    case "retry": {
      const reset = rules.some(({ rule, when }) => rule.says === "limit" && when.test(text)) ? until() : null;
      return reset !== null && reset - look.at > LONG_RETRY_MS
        ? verdict("rate_limited", "limit", reset)
        : verdict("waiting", "retry");
    }
    case "compacting":
      return verdict("waiting", "compaction");
    case "busy":
      return verdict("working");
    case "interrupted":
      return verdict("idle");
    case "ended":
      return verdict("complete");
    case "notice":
      return verdict("unknown");
  }
}

/** A client that tries again in so long is waiting for a limit. */
const LONG_RETRY_MS = 10 * 60_000;

const OPTION = /^[\s│┃]{0,12}(?:([❯›●▸▶►→>◉])\s{1,3}|[○◯]\s{1,3})?(\d{1,2})[.)]\s{1,3}\S/;
const KEY_HINT = /\b(?:enter|return|esc|tab|ctrl|arrow|press|navigate|shift)\b|[↑↓]/i;

/** A menu at the bottom: one option is selected, or the options are ones that only a program offers. */
function byMenu(profile: AgentProfile, rows: readonly string[], look: FragmentLook): FragmentVerdict | null {
  const last = rows.findLastIndex((row) => OPTION.test(row));
  const first = last < 0 ? -1 : firstOption(rows, last);
  const options = rows.slice(Math.max(0, first), last + 1);
  const below = rows.slice(last + 1).filter((row) => !isChrome(row));
  if (last < 0 || below.length > 4 || !below.every((row) => KEY_HINT.test(row.slice(0, 400)) || indentOf(row) > 4))
    return null;
  if (isShown(rows, first)) return null;
  const selected = options.filter((row) => OPTION.exec(row)?.[1] !== undefined).length;
  const offered = options.some((row) => vendorOption.test(row));
  if (!(selected === 1 && options.length > 1) && !(offered && selected <= 1)) return null;
  const dialog = findDialog(compileProfile(generic), rows) ?? { prompt: "confirmation" as const };
  const block = joinRows(rows.slice(Math.max(0, first - 12)));
  if (limitMenu.test(block))
    return verdict("rate_limited", "limit", readResetTime(joinRows(rows), look.at, look.zone)?.until ?? null);
  const kind = compileProfile(profile).dialogs.find((d) => !d.limit && d.when.test(block));
  return verdict("needs_input", kind?.prompt ?? dialog.prompt);
}

function firstOption(rows: readonly string[], last: number): number {
  let first = last;
  for (let y = last; y >= 0 && last - y < 24; y--) {
    const number = OPTION.exec(rows[y] as string)?.[2];
    if (number === undefined) continue;
    first = y;
    if (number === "1") break;
  }
  return first;
}

const MESSAGE = /^\s{0,2}[●⏺•✦◆]\s/;

/** How the last message closes, where the fragment ends with one. */
function byClosing(rows: readonly string[], ended: boolean): FragmentVerdict {
  const kept = rows.filter((row) => !isChrome(row) || isBlank(row));
  const start = kept.findLastIndex((row) => MESSAGE.test(row));
  const text = kept
    .slice(Math.max(0, start))
    .map((row) => row.replace(GLYPH, ""))
    .join("\n")
    .trim();
  const isMessage = ended || start >= 0;
  if (text === "") return verdict(ended ? "complete" : "unknown");
  if (!isMessage && (rows.some(isQuoted) || !/\b(?:I|me)\b/.test(text))) return verdict("unknown");
  switch (closingOf(text)) {
    case "question":
      return verdict("needs_input", "input");
    case "promise":
      return ended ? verdict("stuck", "stopped_early") : verdict("unknown");
    case "offer":
      return verdict("complete");
    case "result":
      return verdict(ended ? "complete" : "unknown");
  }
}
