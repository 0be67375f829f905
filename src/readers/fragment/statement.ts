/** Finds the lowest statement of a program in a fragment, and proves that it is the program's own. */
import type { FragmentRule } from "../../agents/fragment-rule.js";
import { SPINNER_ROW, TALKS_ABOUT } from "../../agents/fragment-shapes.js";
import { FRAGMENT_RULES } from "../../agents/fragments.js";
import { type Pattern, pattern } from "../../agents/pattern.js";
import type { AgentProfile } from "../../agents/profile.js";
import { compileProfile } from "../screen/compiled.js";
import { rowOf } from "../screen/row.js";
import { indentOf, isBlank, isListing, isMessage, isQuoted, isShown, isToolHeader, wordsOf } from "./rows.js";

export interface Statement {
  rule: FragmentRule;
  /** Its words, see `wordsOf`. */
  text: string;
  /** Its first row. */
  from: number;
}

type Says = FragmentRule["says"];

const RULES: readonly { rule: FragmentRule; when: Pattern }[] = FRAGMENT_RULES.map((rule) => ({
  rule,
  when: pattern(rule.when),
}));
const spinner = pattern(SPINNER_ROW);
const talksAbout = pattern(TALKS_ABOUT);
const ALARMS: ReadonlySet<Says> = new Set<Says>(["limit", "failure", "prompt", "stuck", "throttle"]);
const FOOT: ReadonlySet<Says> = new Set<Says>(["throttle", "retry", "compacting", "busy"]);

export const isAlarm = (rule: FragmentRule): boolean => ALARMS.has(rule.says);
export const isSpinner = (row: string): boolean => spinner.test(row);

/** Do these words have the shape of one of these statements? */
export function hasShape(text: string, ...says: Says[]): boolean {
  return RULES.some(({ rule, when }) => says.includes(rule.says) && when.test(text));
}

/** A row below the place to type can only say what the program does. */
export function footStatement(row: string): Statement | null {
  const text = wordsOf([row]);
  const rule = RULES.find(({ rule, when }) => FOOT.has(rule.says) && when.test(text))?.rule;
  return rule ? { rule, text, from: 0 } : null;
}

/** A statement wraps, or carries the body of an answer, over at most so many rows. */
const STATEMENT_ROWS_MAX = 40;
const UNNAMED_FAILURE: FragmentRule = { says: "failure", when: "" };

/**
 * What may be the last row of a longer statement: "Resets in 3h" is a panel's row or belongs to the limit that it is about,
 * and what is tried again in 28 s may have been refused for its rate.
 */
const WHOLE: Partial<Record<Says, Says>> = { panel: "limit", retry: "throttle" };

/** The statement whose last row is right above `end`. */
export function lowestStatement(profile: AgentProfile, rows: readonly string[], end: number): Statement | null {
  let tail: Statement | null = null;
  for (let from = end - 1; from >= 0 && end - from <= STATEMENT_ROWS_MAX && !isBlank(rows[from]); from--) {
    const row = rows[from] as string;
    if (isToolHeader(row)) return tail;
    const text = wordsOf(rows.slice(from, end));
    const match = RULES.find(({ rule, when }) => when.test(text) && isOwn(rule, rows, from, end, text));
    const whole = match && WHOLE[match.rule.says];
    if (match && (tail ? WHOLE[tail.rule.says] === match.rule.says : !whole)) return { rule: match.rule, text, from };
    if (match && whole) tail ??= { rule: match.rule, text, from };
    if (tail) continue;
    if (isErrorRow(profile, row) && isOwn(UNNAMED_FAILURE, rows, from, end, text)) {
      return { rule: UNNAMED_FAILURE, text, from };
    }
    // The body of an error may look like a quotation; it hangs on a bracket that opens above.
    const above = rows.slice(Math.max(0, end - STATEMENT_ROWS_MAX), from);
    if (isQuoted(row) && !above.some((one) => one.includes("{") || /\[[^\]]{0,400}$/.test(one))) return null;
    if (end - from > 1 && /^\s{0,2}[●⏺✦✻]/.test(row)) return null;
  }
  return tail;
}

/** The row that tells of the next try, where this is the reason that hangs below it. */
export function retriedAbove(rows: readonly string[], { rule, from }: Statement): Statement | null {
  if (rule.says !== "failure" || from === 0 || !/^\s*[⎿└]/.test(rows[from] as string)) return null;
  const above = footStatement(rows[from - 1] as string);
  return above?.rule.says === "retry" ? above : null;
}

/** The row has the mark that the program gives to its errors alone. A frame's colour is not known here. */
function isErrorRow(profile: AgentProfile, row: string): boolean {
  return compileProfile(profile)
    .says(rowOf(row))
    .last.some(({ rule }) => rule.fact === "failure" && rule.fallback !== undefined && !rule.redFrame);
}

const EXPLANATION_ROWS_MAX = 16;
const STACK_ROWS_MAX = 60;

const CROSS = /^\s{0,4}[■✕✗✘✖×⚠❌]\ufe0f?\s/;

/** The rows below hang from it: they explain it, over as many blocks as they like. */
function isHung(rows: readonly string[], from: number, end: number): boolean {
  const indent = indentOf(rows[from] as string) + 2;
  return rows.slice(from + 1, end).every((row) => isBlank(row) || indentOf(row) >= indent);
}

/** One of the causes below an error, numbered. */
const CHAIN = /^\s{1,8}\d{1,2}: \S/;

/** A question with its explanation, command or buttons below; a crash with its stack below. */
export function explainedStatement(rows: readonly string[], end: number): Statement | null {
  for (let from = end - 1; from >= 0 && end - from <= STACK_ROWS_MAX; from--) {
    const row = rows[from] as string;
    if (isBlank(row)) continue;
    const text = wordsOf([row]);
    const isNear = end - from <= EXPLANATION_ROWS_MAX;
    const isCrossed = CROSS.test(row) && isHung(rows, from, end);
    const match = RULES.find(
      ({ rule, when }) =>
        (isCrash(rule) || (isNear && (isPrompt(rule) || rule.heads || (isCrossed && isFailure(rule))))) &&
        when.test(text) &&
        isOwn(rule, rows, from, end, text),
    );
    if (match && (match.rule.heads || isFailure(match.rule)))
      return { rule: match.rule, text: wordsOf(rows.slice(from, end)), from };
    if (match) return { rule: match.rule, text, from };
    if (isMessage(row) || isToolHeader(row) || isSpinner(row)) return null;
    if (isNear && isListing(row) && !CHAIN.test(row)) return null;
  }
  return null;
}

const isFailure = (rule: FragmentRule): boolean =>
  rule.says === "limit" || (rule.says === "failure" && rule.cause !== "crash");
const isPrompt = (rule: FragmentRule): boolean => rule.says === "prompt";
const isCrash = (rule: FragmentRule): boolean => rule.says === "failure" && rule.cause === "crash" && !rule.common;

/** Is the statement the program's own? Only what would disturb somebody has to prove it. */
function isOwn(rule: FragmentRule, rows: readonly string[], from: number, end: number, text: string): boolean {
  const row = rows[from] as string;
  if (rule.says === "busy") return end - from === 1 && (isSpinner(row) || !isQuoted(row));
  if (!isAlarm(rule)) return rule.says === "panel" || !isQuoted(row);
  if (rule.within) return end - from === 1 && !isQuoted(row);
  // What stands in a body is the provider's word.
  const said = text.slice(0, 600).replace(/[{[].{0,600}(?:[}\]]|$)/, "");
  // A program that dies in the middle of a prompt leaves its sign before the first word.
  const isQuotation = isQuoted(row) && !(isCrash(rule) && row.startsWith("› "));
  return !isQuotation && (rule.heads === true || !talksAbout.test(said)) && !isShown(rows, from);
}
