/** From a rendered screen to the facts that it states, region by region. One look, without a clock. */
import type { ScreenReading } from "../../core/signal.js";
import type { CompiledProfile } from "./compiled.js";
import type { Layout } from "./layout.js";
import { Layouts } from "./layouts.js";
import { numbersOf } from "./numbers.js";
import type { Range } from "./regions.js";
import { ReplyReader, tailOf } from "./reply.js";
import type { Row } from "./row.js";
import { clockedTool } from "./running-tool.js";
import { type ColourAsked, indentOf, isDrawnAlike, type ScreenText, wordsIn } from "./screen-text.js";
import { count, type Stating, stateRow } from "./statements.js";

export interface Look {
  at: number;
  /** When the limit that a text speaks of ends, in milliseconds since 1970. */
  until: (text: string) => number | undefined;
  /** Does this row's clock run? */
  ticking: (row: Row) => boolean;
  /** Did this row's clock run of late? */
  ran?: (row: Row) => boolean;
  /** Does this row begin with a sign that turns? */
  turning?: (row: Row) => boolean;
  /** Did a clock run so many rows above the composer a moment ago, and may this row be its next text? */
  inherits?: (row: Row, above: number) => boolean;
  /** Is this a row that the program keeps right above its composer? */
  isStanding?: (row: Row) => boolean;
  /** This stands above the composer's first row. Is it another row from now on that the program keeps there? */
  stood?: (rows: readonly Row[], top: number) => boolean;
  /** Signs before which the program was seen to wait for its human: it adds to them. */
  signs?: Set<string>;
  /** A clock runs so many rows above the composer. */
  clockStands?: (above: number) => void;
}

export type Facts = Omit<ScreenReading, "moving">;

/** What was worked out at the looks before, for a reader that looks again and again. */
export class ScreenMemory {
  readonly layouts: Layouts;
  readonly replies: ReplyReader;
  constructor(profile: CompiledProfile) {
    this.layouts = new Layouts(profile);
    this.replies = new ReplyReader(profile);
  }
}

export function readFacts(
  profile: CompiledProfile,
  screen: ScreenText,
  look: Look,
  { layouts, replies }: ScreenMemory = new ScreenMemory(profile),
): Facts {
  const { layout, kept } = layouts.of(screen, look);
  if (kept?.stated && isDrawnAlike(screen, kept.stated.colours)) {
    const now = counted(profile, kept.stated, layout, screen, look);
    if (now) return now;
  }
  const stated = state(profile, screen, look, kept ? layouts.restated(kept, screen, look) : layout, replies);
  if (kept && isCountable(profile, stated.facts)) kept.stated = stated;
  return stated.facts;
}

/** What a look stated. */
export interface Stated {
  facts: Facts;
  /** How far above the composer a clock ran; 0 where none did. */
  clock: number;
  /** What was said of the reply hangs on how these rows are drawn, too. */
  colours: readonly ColourAsked[];
}

/** Does a look at the same layout state the same but for what it counts? Not where the agent rests, nor of a limit's end. */
const isCountable = ({ profile }: CompiledProfile, { dialog, busy, limit }: Facts): boolean =>
  (dialog !== undefined || (busy === true && !profile.bareMessages)) && !limit;

/** What was stated of the same layout, with the numbers of now; null where a rule that fitted does so no longer. */
function counted(
  { says }: CompiledProfile,
  { facts, clock }: Stated,
  { regions, status, foot }: Layout,
  screen: ScreenText,
  look: Look,
): Facts | null {
  if (clock > 0) look.clockStands?.(clock);
  const now = { ...facts, tail: tailOf(screen.rows, regions.replyEnd) };
  const anew: Stating = {};
  for (const matches of [status, foot]) {
    for (const match of matches) {
      const row = screen.rows[match.y] as Row;
      if (match.rule.fact === "busy") count(now, numbersOf(row));
      if (match.rule.fact !== "retry" && match.rule.fact !== "background") continue;
      const groups = says(row).groupsOf(match.rule);
      if (!groups) return null;
      const below = matches === status ? hangingBelow(screen.rows, match.y, regions.status[1]) : "";
      stateRow(anew, { rule: match.rule, groups, text: row.text, row }, look, below);
    }
  }
  return Object.assign(now, anew);
}

function state(
  profile: CompiledProfile,
  screen: ScreenText,
  look: Look,
  { composer, dialog, regions, status, foot, last, messageEnd }: Layout,
  replies: ReplyReader,
): Stated {
  const reply = replies.read(screen, regions.replyEnd);
  const facts: Facts = {
    reply: reply.digest,
    lastLine: reply.lastLine,
    busy: null,
    composer: composer ? (composer.draft === "" ? "empty" : "draft") : "hidden",
  };
  if (dialog)
    facts.dialog = { prompt: dialog.prompt, question: dialog.question, ...(dialog.limit ? { limit: true } : {}) };
  for (const match of status) stateRow(facts, match, look, hangingBelow(screen.rows, match.y, regions.status[1]));
  for (const matches of [foot, last]) for (const match of matches) stateRow(facts, match, look);
  const clock = clockIn(screen.rows, regions.status, look);
  if (clock > 0) {
    facts.busy = true;
    look.clockStands?.(clock);
  }
  if (profile.profile.bareMessages) {
    const isBelow = look.turning !== undefined && screen.rows.slice(...regions.foot).some(look.turning);
    if (isBelow || regions.isReplyTurning) facts.busy = true;
    if (facts.busy && !facts.tool) Object.assign(facts, clockedTool(screen.rows, regions.status, look, isBelow));
  }
  if (facts.busy === null && composer) facts.busy = false;
  if (facts.busy !== true && composer) {
    Object.assign(facts, replies.closing(screen, messageEnd));
  }
  if (reply.replying) facts.replying = true;
  if (reply.repeats && facts.busy !== false) facts.repeats = reply.repeats;
  facts.tail = reply.tail;
  return { facts, clock, colours: replies.colours };
}

/** How far above the end of these rows the lowest clock runs; 0 where none does. */
function clockIn(rows: readonly Row[], [from, to]: Range, { ticking }: Look): number {
  for (let y = to - 1; y >= from; y--) if (ticking(rows[y] as Row)) return to - y;
  return 0;
}

/** What hangs below a row of the status: the reason for what it says. */
function hangingBelow(rows: readonly Row[], y: number, end: number): string {
  const below = y + 1 < end ? rows[y + 1] : undefined;
  return below && !below.isBlank && indentOf(below) > indentOf(rows[y] as Row) ? wordsIn(below) : "";
}
