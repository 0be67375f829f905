/** A menu at the bottom of a fragment. */
import { LIMIT_MENU, VENDOR_OPTION } from "../../agents/fragment-shapes.js";
import { generic } from "../../agents/generic.js";
import { pattern } from "../../agents/pattern.js";
import type { AgentProfile } from "../../agents/profile.js";
import type { PromptKind } from "../../core/states.js";
import { compileProfile } from "../screen/compiled.js";
import { findDialog, NO, YES } from "../screen/dialog.js";
import { rowOf } from "../screen/row.js";
import { joinRows } from "../screen/screen-text.js";
import { indentOf, isChrome, isShown } from "./rows.js";

export interface Menu {
  prompt: PromptKind;
  /** It is about a limit: it waits for the limit more than for a human. */
  limit: boolean;
}

const OPTION = /^[\s│┃]{0,12}(?:([❯›●▸▶►→>◉])\s{1,3}|[○◯]\s{1,3})?(\d{1,2})[.)]\s{1,3}\S/;
const KEY_HINT = /\b(?:enter|return|esc|tab|ctrl|arrow|press|navigate|shift)\b|[↑↓]/i;
const BELOW_MAX = 4;
const OPTIONS_ROWS_MAX = 24;
const QUESTION_ROWS_MAX = 12;
const vendorOption = pattern(VENDOR_OPTION);
const limitMenu = pattern(LIMIT_MENU);

/** One option is selected, or the options are ones that only a program offers; below them stand hints at most. */
export function findMenu(profile: AgentProfile, rows: readonly string[]): Menu | null {
  const last = rows.findLastIndex((row) => OPTION.test(row));
  if (last < 0) return unnumbered(rows);
  const below = rows.slice(last + 1).filter((row) => !isChrome(row));
  if (below.length > BELOW_MAX || !below.every((row) => KEY_HINT.test(row.slice(0, 400)) || indentOf(row) > 4))
    return null;
  const first = firstOption(rows, last);
  if (isShown(rows, first)) return null;
  const options = rows.slice(first, last + 1).filter((row) => OPTION.test(row));
  const selected = options.filter((row) => OPTION.exec(row)?.[1] !== undefined).length;
  const isOffer = options.some((row) => vendorOption.test(row));
  if (selected > 1 || !(isOffer || (selected === 1 && options.length > 1))) return null;
  const block = joinRows(rows.slice(Math.max(0, first - QUESTION_ROWS_MAX)).map(rowOf));
  const known = compileProfile(profile).dialogs.find((d) => !d.limit && d.when.test(block))?.prompt;
  const prompt = known ?? findDialog(compileProfile(generic), rows.map(rowOf))?.prompt ?? "confirmation";
  return { prompt, limit: limitMenu.test(block) };
}

/** Options without numbers: one is pointed at, another stands beside it, and the last row names the keys. */
function unnumbered(rows: readonly string[]): Menu | null {
  const foot = rows.findLastIndex((row) => !isChrome(row));
  if (foot < 0) return null;
  const answered = answers(rows, foot);
  if (answered) return answered;
  if (!KEY_HINT.test((rows[foot] as string).slice(0, 400)) || isShown(rows, foot)) return null;
  const dialog = findDialog(compileProfile(generic), rows.slice(0, foot + 1).map(rowOf));
  return dialog && { prompt: dialog.prompt, limit: dialog.limit };
}

const ANSWER = /^[\s│┃|]{0,12}(?:([❯›▸▶►→>●◉])\s{1,3}|[○◯]\s{1,3})?(\S.{0,200}?)[\s│┃|]{0,200}$/;
const ANSWER_KEY = /\((?:[a-z]|esc|enter)\)$/;
const ANSWERS_MAX = 8;

/** Rows that begin with yes and have a no among them: one of them is pointed at, or each names its key. */
function answers(rows: readonly string[], foot: number): Menu | null {
  for (let first = foot - 1; first >= 0 && foot - first < ANSWERS_MAX; first--) {
    const options = rows.slice(first, foot + 1).map((row) => ANSWER.exec(row.slice(0, 400)) ?? []);
    const labels = options.map(([, , label]) => label ?? "");
    if (labels.includes("")) return null;
    const isPointed = options.filter(([, sign]) => sign !== undefined).length === 1;
    if (!YES.test(labels[0] ?? "") || !labels.some((label) => NO.test(label))) continue;
    if (!isPointed && !labels.every((label) => ANSWER_KEY.test(label))) continue;
    if (isShown(rows, first)) return null;
    const block = joinRows(rows.slice(Math.max(0, first - QUESTION_ROWS_MAX), first).map(rowOf));
    const asked = compileProfile(generic).dialogs.find((d) => !d.limit && d.when.test(block));
    return { prompt: asked?.prompt ?? "permission", limit: false };
  }
  return null;
}

function firstOption(rows: readonly string[], last: number): number {
  let first = last;
  for (let y = last; y >= 0 && last - y < OPTIONS_ROWS_MAX; y--) {
    const number = OPTION.exec(rows[y] as string)?.[2];
    if (number === undefined) continue;
    first = y;
    if (number === "1") break;
  }
  return first;
}
