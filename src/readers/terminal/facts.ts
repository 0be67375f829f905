/** From a rendered screen to the facts that it states, region by region. One look, without a clock. */
import type { ScreenReading } from "../../core/signal.js";
import type { CompiledProfile } from "./compiled.js";
import { layOut } from "./layout.js";
import type { Range } from "./regions.js";
import { ReplyReader } from "./reply.js";
import type { ScreenRow } from "./row.js";
import { clockedTool } from "./running-tool.js";
import { indentOf, type ScreenText, wordsIn } from "./screen-text.js";
import { stateRow } from "./statements.js";

export interface ScreenCheck {
  at: number;
  /** When the limit that a text speaks of ends, in milliseconds since 1970. */
  until: (text: string) => number | undefined;
  /** Does this row's clock run? */
  ticking: (row: ScreenRow) => boolean;
  /** Did this row's clock run of late? */
  ran?: (row: ScreenRow) => boolean;
  /** Does this row begin with a sign that turns? */
  turning?: (row: ScreenRow) => boolean;
  /** Did a clock run so many rows above the composer a moment ago, and may this row be its next text? */
  inherits?: (row: ScreenRow, above: number) => boolean;
  /** Is this a row that the program keeps right above its composer? */
  isStatic?: (row: ScreenRow) => boolean;
  /** This stands above the composer's first row. Is it another row from now on that the program keeps there? */
  stood?: (rows: readonly ScreenRow[], top: number) => boolean;
  /** Signs before which the program was seen to wait for its human: it adds to them. */
  signs?: Set<string>;
  /** A clock runs so many rows above the composer. */
  clockStands?: (above: number) => void;
}

export type ScreenFacts = Omit<ScreenReading, "moving">;

/** `replies` remembers the checks before, for a reader that checks again and again. */
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
    facts.dialog = { prompt: dialog.prompt, question: dialog.question, ...(dialog.limit ? { limit: true } : {}) };
  for (const match of status) stateRow(facts, match, check, hangingBelow(screen.rows, match.y, regions.status[1]));
  for (const matches of [foot, last]) for (const match of matches) stateRow(facts, match, check);
  const clock = clockIn(screen.rows, regions.status, check);
  if (clock > 0) {
    facts.busy = true;
    check.clockStands?.(clock);
  }
  if (profile.profile.bareMessages) {
    const isBelow = check.turning !== undefined && screen.rows.slice(...regions.foot).some(check.turning);
    if (isBelow || regions.isReplyTurning) facts.busy = true;
    if (facts.busy && !facts.tool) Object.assign(facts, clockedTool(screen.rows, regions.status, check, isBelow));
  }
  if (facts.busy === null && composer) facts.busy = false;
  if (facts.busy !== true && composer) {
    Object.assign(facts, replies.closing(screen, messageEnd));
  }
  if (reply.replying) facts.replying = true;
  if (reply.repeats && facts.busy !== false) facts.repeats = reply.repeats;
  facts.tail = reply.tail;
  return facts;
}

/** How far above the end of these rows the lowest clock runs; 0 where none does. */
function clockIn(rows: readonly ScreenRow[], [from, to]: Range, { ticking }: ScreenCheck): number {
  for (let y = to - 1; y >= from; y--) if (ticking(rows[y] as ScreenRow)) return to - y;
  return 0;
}

/** What hangs below a row of the status: the reason for what it says. */
function hangingBelow(rows: readonly ScreenRow[], y: number, end: number): string {
  const below = y + 1 < end ? rows[y + 1] : undefined;
  return below && !below.isBlank && indentOf(below) > indentOf(rows[y] as ScreenRow) ? wordsIn(below) : "";
}
