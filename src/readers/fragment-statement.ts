/** Finds the lowest statement of a program in a fragment, and proves that it is the program's own. */
import { FRAGMENT_RULES, type FragmentRule, SPINNER_ROW, TALKS_ABOUT } from "../agents/fragments.js";
import { type Pattern, pattern } from "../agents/pattern.js";
import type { AgentProfile } from "../agents/profile.js";
import { isBlank, isListing, isMessage, isQuoted, isShown, isToolHeader, wordsOf } from "./fragment-rows.js";
import { compileProfile } from "./screen/compiled.js";
import { rowOf } from "./screen/row.js";

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

/** The statement whose last row is right above `end`. */
export function lowestStatement(profile: AgentProfile, rows: readonly string[], end: number): Statement | null {
  for (let from = end - 1; from >= 0 && end - from <= STATEMENT_ROWS_MAX && !isBlank(rows[from]); from--) {
    const row = rows[from] as string;
    if (isToolHeader(row)) return null;
    const text = wordsOf(rows.slice(from, end));
    const match = RULES.find(({ rule, when }) => when.test(text) && isOwn(rule, rows, from, end, text));
    if (match) return { rule: match.rule, text, from };
    if (isErrorRow(profile, row) && isOwn(UNNAMED_FAILURE, rows, from, end, text)) {
      return { rule: UNNAMED_FAILURE, text, from };
    }
    // The body of an error may look like a quotation; it hangs on a bracket that opens above.
    const above = rows.slice(Math.max(0, end - STATEMENT_ROWS_MAX), from);
    if (isQuoted(row) && !above.some((one) => one.includes("{"))) return null;
    if (end - from > 1 && /^\s{0,2}[●⏺✦✻]/.test(row)) return null;
  }
  return null;
}

/** The row has the mark that the program gives to its errors alone. */
function isErrorRow(profile: AgentProfile, row: string): boolean {
  return compileProfile(profile)
    .says(rowOf(row))
    .last.some(({ rule }) => rule.fact === "failure" && rule.fallback !== undefined);
}

const EXPLANATION_ROWS_MAX = 12;
const STACK_ROWS_MAX = 60;

/** A question with its explanation, command or buttons below; a crash with its stack below. */
export function explainedStatement(rows: readonly string[], end: number): Statement | null {
  for (let from = end - 1; from >= 0 && end - from <= STACK_ROWS_MAX; from--) {
    const row = rows[from] as string;
    if (isBlank(row)) continue;
    const text = wordsOf([row]);
    const isNear = end - from <= EXPLANATION_ROWS_MAX;
    const match = RULES.find(
      ({ rule, when }) =>
        (isNear ? isPrompt(rule) || isCrash(rule) : isCrash(rule)) &&
        when.test(text) &&
        isOwn(rule, rows, from, end, text),
    );
    if (match) return { rule: match.rule, text, from };
    if (isMessage(row) || isToolHeader(row) || isSpinner(row)) return null;
    if (isNear && isListing(row) && !/^\s*\d+: 0x/.test(row)) return null;
  }
  return null;
}

const isPrompt = (rule: FragmentRule): boolean => rule.says === "prompt";
const isCrash = (rule: FragmentRule): boolean => rule.says === "failure" && rule.cause === "crash" && !rule.common;

/** Is the statement the program's own? Only what would disturb somebody has to prove it. */
function isOwn(rule: FragmentRule, rows: readonly string[], from: number, end: number, text: string): boolean {
  const row = rows[from] as string;
  if (rule.says === "busy") return end - from === 1 && (isSpinner(row) || !isQuoted(row));
  if (!isAlarm(rule)) return rule.says === "panel" || !isQuoted(row);
  return !isQuoted(row) && !talksAbout.test(text.slice(0, 400)) && !isShown(rows, from);
}
