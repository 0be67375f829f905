/**
 * One frame, copied by a human, without chrome, colours or time: what does its last statement say?
 *
 * The fragment is taken as the live tail of a program's screen. Rows are read from below, because only the lowest
 * statement is current; the first content that is no statement ends the search, so that words further up mean nothing.
 * A menu outranks everything: it waits beside a running spinner too.
 */
import type { AgentProfile } from "../../agents/profile.js";
import { closingOf } from "../../core/closing.js";
import type { State } from "../../core/states.js";
import { compileProfile } from "../screen/compiled.js";
import { rowOf } from "../screen/row.js";
import { joinRows } from "../screen/screen-text.js";
import { composerOf, hasDied, withoutFooter } from "./foot.js";
import { findMenu } from "./menu.js";
import { failsAgain, goesInCircles, repeatsItself } from "./repeat.js";
import { isBlank, isChrome, isMessage, isQuoted, rowsOf, withoutGlyph } from "./rows.js";
import { explainedStatement, isAlarm, isSpinner, lowestStatement, retriedAbove } from "./statement.js";
import { byPayload, conclude, type FragmentLook, type FragmentVerdict, limited, verdict } from "./verdict.js";

/** How the turn stands below the last content: nothing is seen, a place to type, or the mark of its end. */
type End = "unseen" | "composer" | "ended";

export function judgeFragment(profile: AgentProfile, text: string, look: FragmentLook): FragmentVerdict {
  const rows = rowsOf(text);
  const menu = findMenu(profile, rows);
  if (menu?.limit) return limited(joinRows(rows.map(rowOf)), look);
  if (menu) return verdict("needs_input", menu.prompt);
  const payload = byPayload(text, look);
  if (payload) return payload;
  const composer = composerOf(profile, rows);
  if (composer === null && hasDied(rows)) return verdict("error", "crash");
  if (composer === null) return byStatement(profile, withoutFooter(rows), "unseen", look);
  const above = rows.slice(0, composer.top);
  return composer.foot ? conclude(composer.foot, above, look) : byStatement(profile, above, "composer", look);
}

/** So many rows of a footer may stand below a spinner of dots, which nothing but a program at work draws. */
const SPINNING_ROWS = 10;

function byStatement(profile: AgentProfile, rows: readonly string[], seen: End, look: FragmentLook): FragmentVerdict {
  const { says } = compileProfile(profile);
  let end = rows.length;
  let turn = seen;
  let quiet: State | null = null;
  /** A remark, and the row above it: of what it stands below without a gap it says when to try again. */
  let remark: { text: string; from: number } | null = null;
  while (end > 0) {
    const row = rows[end - 1] as string;
    const found = isChrome(row) ? null : (lowestStatement(profile, rows, end) ?? explainedStatement(rows, end));
    if (found === null) {
      if (!isChrome(row) && !says(rowOf(row)).isNoise) break;
      end--;
      continue;
    }
    const { rule, from } = found;
    const retried = retriedAbove(rows, found);
    if (retried) return conclude(retried, rows.slice(0, from - 1), look);
    if (rule.says === "ended") turn = "ended";
    else if (rule.says === "notice" || rule.says === "panel") {
      quiet ??= rule.says === "panel" ? "idle" : "unknown";
      remark = found;
    } else if (isAlarm(rule) && goesInCircles(rows.slice(0, end))) return verdict("stuck", "loop");
    else if (rule.says === "busy" && failsAgain(rows.slice(0, from))) return verdict("stuck", "loop");
    else if (turn !== "ended" || isAlarm(rule)) {
      const text = remark?.from === end ? `${found.text} ${remark.text}` : found.text;
      return conclude({ ...found, text }, rows.slice(0, from), look);
    }
    end = from;
  }
  const rest = rows.slice(0, end);
  if (rest.slice(-SPINNING_ROWS).some((row) => isSpinner(row) && /^\s{0,8}[\u2801-\u28ff]/.test(row)))
    return verdict("working");
  if (repeatsItself(rest)) return verdict("stuck", "loop");
  if (turn === "unseen" && isCommandAnswer(rest)) return verdict("idle");
  return quiet && turn === "unseen" ? verdict(quiet) : byClosing(rest, turn);
}

/** What the program itself says to a command of a human's, below it: no turn runs. */
function isCommandAnswer(rows: readonly string[]): boolean {
  const last = rows.findLastIndex((row) => !isBlank(row));
  return /^\s{0,4}⎿ /.test(rows[last] ?? "") && /^\s{0,2}[>❯] \/[a-z-]{2,30}$/.test(rows[last - 1] ?? "");
}

/** How the last message closes, where the fragment ends with one. */
function byClosing(rows: readonly string[], turn: End): FragmentVerdict {
  const start = rows.findLastIndex(isMessage);
  // What a human asked is no question of the agent's.
  const asked = rows.findLastIndex((row) => /^\s{0,2}[>❯›] \S/.test(row));
  const text = rows
    .slice(Math.max(0, start, asked + 1))
    .map(withoutGlyph)
    .join("\n")
    .trim();
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
