/** Reads the facts of a rendered screen, region by region. One check, without a clock. */
import type { CompiledProfile } from "./compiled.js";
import { type FailureLine, lastFailure } from "./failure-lines.js";
import { lastWords } from "./last-words.js";
import { layOut } from "./layout.js";
import type { Range } from "./regions.js";
import { ReplyReader } from "./reply.js";
import type { ScreenRow } from "./row.js";
import { clockedTool } from "./running-tool.js";
import type { ScreenCheck, ScreenFacts } from "./screen-check.js";
import { footOf, indentOf, type ScreenText, wordsIn } from "./screen-text.js";
import { stateRow } from "./statements.js";

/** `replies` carries state between checks. */
export function readFacts(
  profile: CompiledProfile,
  screen: ScreenText,
  check: ScreenCheck,
  replies: ReplyReader = new ReplyReader(profile),
): ScreenFacts {
  const { composer, dialog, regions, status, foot, last, messageEnd } = layOut(profile, screen, check);
  const reply = replies.read(screen, regions.replyEnd);
  const facts: ScreenFacts = {
    reply: reply.digest,
    lastLine: reply.lastLine,
    busy: null,
    composer: composer ? (composer.draft === "" ? "empty" : "draft") : "hidden",
  };
  if (dialog)
    facts.dialog = {
      prompt: dialog.prompt,
      question: dialog.question,
      ...(dialog.limit ? { limit: true } : {}),
      ...(dialog.userOnly ? { userOnly: true } : {}),
    };
  for (const match of status) stateRow(facts, match, check, hangingBelow(screen.rows, match.y, regions.status[1]));
  for (const matches of [foot, last]) for (const match of matches) stateRow(facts, match, check);
  const clock = clockIn(screen.rows, regions.status, check);
  if (clock > 0) {
    facts.busy = true;
    check.recordClock?.(clock);
  }
  if (profile.profile.bareMessages) {
    const isBelow = check.turning !== undefined && screen.rows.slice(...regions.foot).some(check.turning);
    if (isBelow || regions.isReplyTurning) facts.busy = true;
    if (facts.busy && !facts.tool) Object.assign(facts, clockedTool(screen.rows, regions.status, check, isBelow));
  }
  if (check.caret?.() && !composer && !dialog && facts.busy === null)
    Object.assign(facts, lastStatement(screen.rows, check, replies.marker));
  if (facts.busy === null && composer) facts.busy = false;
  if (facts.busy !== true && composer) {
    Object.assign(facts, replies.closing(screen, messageEnd));
  }
  if (reply.replying) facts.replying = true;
  if (reply.repeats && facts.busy !== false) facts.repeats = reply.repeats;
  if (reply.isMarked) facts.marked = true;
  facts.tail = reply.tail;
  return facts;
}

/** What the last line of a program that only prints states. */
function lastStatement(
  rows: readonly ScreenRow[],
  check: ScreenCheck,
  marker: string,
): Pick<ScreenFacts, "failure" | "marker"> {
  const foot = footOf(rows);
  if (foot >= 0 && marker !== "" && wordsIn(rows[foot] as ScreenRow) === marker) return { marker: true };
  const found = lastFailure(rows, foot + 1);
  return found === null ? {} : { failure: failureFact(found, check) };
}

function failureFact(
  { isLimit, cause, text: words }: FailureLine,
  check: ScreenCheck,
): NonNullable<ScreenFacts["failure"]> {
  const text = words.slice(0, 300);
  const until = isLimit ? check.until(text) : undefined;
  return { ...(isLimit && { limit: true }), ...(until !== undefined && { until }), ...(cause && { cause }), text };
}

/** The reason that a program without a profile gave for its end, and whether its last line states it. */
export function endFact(facts: ScreenFacts, screen: ScreenText, check: ScreenCheck): Pick<ScreenFacts, "failure"> {
  if (facts.marker || facts.dialog || facts.composer !== "hidden") return {};
  const found = lastWords(screen, footOf(screen.rows) + 1);
  if (found === null) return {};
  const isLast = found.isLast || facts.failure !== undefined;
  return { failure: { ...failureFact(found, check), ...(!isLast && { earlier: true }) } };
}

/** How many rows above the end of these rows the lowest clock runs; 0 for none. */
function clockIn(rows: readonly ScreenRow[], [from, to]: Range, { ticking }: ScreenCheck): number {
  for (let y = to - 1; y >= from; y--) if (ticking(rows[y] as ScreenRow)) return to - y;
  return 0;
}

/** The indented row below a status row: the reason for its statement. */
function hangingBelow(rows: readonly ScreenRow[], y: number, end: number): string {
  const below = y + 1 < end ? rows[y + 1] : undefined;
  return below && !below.isBlank && indentOf(below) > indentOf(rows[y] as ScreenRow) ? wordsIn(below) : "";
}
