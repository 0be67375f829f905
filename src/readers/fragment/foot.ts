/** How a fragment ends: with a place to type, with a footer of a user's own, or with the prompt of a shell. */
import { EMPTY_COMPOSER, SHELL_PROMPT } from "../../agents/fragment-shapes.js";
import { generic } from "../../agents/generic.js";
import { pattern } from "../../agents/pattern.js";
import type { AgentProfile } from "../../agents/profile.js";
import { compileProfile } from "../screen/compiled.js";
import { findComposer } from "../screen/composer.js";
import { rowOf } from "../screen/row.js";
import { indentOf, isBlank, isChrome } from "./rows.js";
import { footStatement, type Statement } from "./statement.js";

/** What some programs draw before a draft is, without a frame, a row of a list or a spinner. */
const NO_SIGN = /^\s{0,4}[*!] \S/;
const emptyComposer = pattern(EMPTY_COMPOSER);
const shellPrompt = pattern(SHELL_PROMPT);

interface Place {
  top: number;
  /** What the rows below it say. */
  foot: Statement | null;
}

/**
 * The place to type, if the fragment shows it. A frame is proof; a bare sign needs to be empty or to have a footer, and
 * nothing but hints below.
 */
export function composerOf(profile: AgentProfile, rows: readonly string[]): Place | null {
  const foot = rows.findLastIndex((row) => !isBlank(row));
  for (const one of [profile, generic]) {
    const found = findComposer(compileProfile(one), rows.map(rowOf));
    if (found === null || NO_SIGN.test(rows[found.top] as string)) continue;
    const below = rows.slice(found.bottom + 1, foot + 1).filter((row) => !isBlank(row));
    const isFooter = below.every((row) => isChrome(row) || (indentOf(row) >= 1 && !/^\s*[⎿└●⏺■✕✗✘✖×⚠…]/.test(row)));
    const isFramed = one.composer.bottom !== null || isBoxed(rows, found);
    const isProven = isFramed || (isFooter && (found.draft === "" || below.length > 0));
    if (!isProven) continue;
    const said = below.map(footStatement).filter((one) => one !== null);
    return { top: found.top, foot: said[0] ?? null };
  }
  return foot >= 0 && emptyComposer.test(rows[foot] as string) ? { top: foot, foot: null } : null;
}

/** Its first row or the one above opens a box, and its last row or the one below closes it. */
function isBoxed(rows: readonly string[], { top, bottom }: { top: number; bottom: number }): boolean {
  const opens = [rows[top - 1], rows[top]].some((row) => /^\s{0,4}[╭┌]─/.test(row ?? ""));
  return opens && [rows[bottom], rows[bottom + 1]].some((row) => /^\s{0,4}[╰└]─/.test(row ?? ""));
}

const TRACE_ROW = /^\s{1,8}(?:File ".{1,300}", line \d|at \S.{0,300}:\d{1,7}:\d)/;
const EXCEPTION = /^(?:(?:\w{1,40}\.){0,6}\w{0,60}(?:Error|Exception|Interrupt)\b|Node\.js v\d)/;

/** A trace and its exception, and then the prompt of a shell: the program died of it. */
export function hasDied(rows: readonly string[]): boolean {
  const said = rows.filter((row) => !isBlank(row));
  if (!shellPrompt.test(said.at(-1) ?? "")) return false;
  const [above = "", last = ""] = said.slice(-3, -1);
  return said.slice(0, -1).some((row) => TRACE_ROW.test(row)) && (EXCEPTION.test(last) || TRACE_ROW.test(above + last));
}

const FOOTER_ROWS_MAX = 3;
const FOOTER_ROW = /^ {2,8}\S.{0,200} [│|·] /;

/** Without the rows of a user's own making below the lower rule of a composer, of which nothing else was copied. */
export function withoutFooter(rows: readonly string[]): readonly string[] {
  const rule = rows.findLastIndex((row) => /^\s?[─━]{20,}\s*$/.test(row));
  const below = rule < 0 ? [] : rows.slice(rule + 1).filter((row) => !isBlank(row));
  const isFooter = below.length > 0 && below.length <= FOOTER_ROWS_MAX && below.every((row) => FOOTER_ROW.test(row));
  return isFooter ? rows.slice(0, rule) : rows;
}
