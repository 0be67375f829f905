/** Cuts a screen into its regions: reply, status, composer or dialog, foot. See `programs/shared/profile.ts`. */
import type { CompiledProfile } from "./compiled.js";
import type { Composer } from "./composer.js";
import { isToolOutput, MESSAGE_ROWS_MAX } from "./message.js";
import { oncePerRow, type ScreenRow } from "./row.js";
import { showsClock } from "./row-clocks.js";
import type { CompiledRule } from "./row-patterns.js";
import type { ScreenCheck } from "./screen-check.js";
import { footOf, indentOf, isBlank, isDrawn, joinRows, type ScreenText } from "./screen-text.js";
import { isBare } from "./static-rows.js";

export type Range = readonly [from: number, to: number];

export interface Regions {
  /** Rows above this one are reply; noise and status are left out. */
  replyEnd: number;
  status: Range;
  foot: Range;
  /** The sign before the streaming text turns. */
  isReplyTurning?: true;
}

/** A list of tasks below the spinner can be long, but not longer than this. */
const STATUS_ROWS_MAX = 16;
const QUEUE_BLOCKS_MAX = 8;
const NOTE_ROWS_MAX = 4;
const hasLetter = oncePerRow((row) => /\p{L}/u.test(row));

export function regionsOf(
  profile: CompiledProfile,
  rows: readonly ScreenRow[],
  composer: Composer | null,
  dialogTop: number | null,
  { ticking, turning, inherits, isStatic }: Pick<ScreenCheck, "ticking" | "turning" | "inherits" | "isStatic">,
): Regions {
  const foot = footOf(rows);
  if (dialogTop !== null) return { replyEnd: trimmed(profile, rows, dialogTop), status: [0, 0], foot: [0, 0] };
  const end = composer ? composer.top : foot + 1;
  let statusTop = end;
  let isReplyTurning: true | undefined;
  // A full-screen program has its composer at the bottom, and a short reply far above it.
  let lowest = end;
  while (lowest > 0 && isBlank(rows[lowest - 1])) lowest--;
  for (let y = lowest - 1; y >= 0 && y >= lowest - STATUS_ROWS_MAX; y--) {
    const row = rows[y] as ScreenRow;
    if (row.isBlank) continue;
    if (turning?.(row) && !showsClock(row)) {
      // The sign before the streaming text, or before its header, turns too: it belongs to the reply, and the text is
      // below it.
      if (isProse(row)) {
        isReplyTurning = true;
        break;
      }
      if (statusTop < end && hasTextBetween(rows, y, statusTop)) break;
    }
    // A running tool is in the reply, right above the spinner on a full screen, and its clock runs too.
    const says = profile.says(row);
    if (says.isTool) break;
    const states = says.status.some(({ rule }) => !rule.live || y === foot);
    const isClock = ticking(row) || (!says.isMessage && says.last.length === 0 && inherits?.(row, end - y) === true);
    if (states || isClock) statusTop = y;
    // Everything above a message of the agent is older than the message.
    else if (says.isMessage) break;
  }
  return {
    replyEnd: withoutQueue(
      profile,
      rows,
      trimmed(profile, rows, isStatic ? withoutStatic(rows, statusTop, isStatic) : statusTop),
    ),
    status: [statusTop, end],
    ...(isReplyTurning && { isReplyTurning }),
    foot: composer ? [composer.bottom + 1, foot + 1] : [0, 0],
  };
}

const WORD = /\p{L}{2,}/gu;
const PROSE_WORDS = 8;
const STATUS_WORDS = /…|\.\.\.|\b(?:esc|ctrl|tip)\b/i;

/** Is this a sentence rather than a status line? */
const isProse = oncePerRow((row) => !STATUS_WORDS.test(row) && (row.match(WORD)?.length ?? 0) >= PROSE_WORDS);

/** Is there text between both rows, in a block of its own? */
function hasTextBetween(rows: readonly ScreenRow[], y: number, below: number): boolean {
  const between = rows.slice(y + 1, below);
  const first = between.findIndex((row) => !row.isBlank);
  return first > 0 && between.slice(first).some(isBlank);
}

/** The end above the row that the program keeps there, if it keeps one. */
function withoutStatic(rows: readonly ScreenRow[], end: number, isStatic: (row: ScreenRow) => boolean): number {
  let y = end - 1;
  while (y >= 0 && isBare(rows[y] as ScreenRow)) y--;
  return y >= 0 && isStatic(rows[y] as ScreenRow) ? y : end;
}

/** Text that a user typed during the turn waits below the reply. It is not progress of the agent. */
function withoutQueue(profile: CompiledProfile, rows: readonly ScreenRow[], end: number): number {
  if (profile.profile.queued === null) return end;
  let bottom = end;
  for (let block = 0; block < QUEUE_BLOCKS_MAX && bottom > 0; block++) {
    const start = topOf(rows, bottom);
    if (!hasQueued(profile, rows, start, bottom)) break;
    bottom = trimmed(profile, rows, start);
  }
  return bottom;
}

function hasQueued({ says }: CompiledProfile, rows: readonly ScreenRow[], from: number, to: number): boolean {
  for (let y = from; y < to; y++) if (says(rows[y] as ScreenRow).isQueued) return true;
  return false;
}

/** Moves an end upwards over blank rows and the program's own noise, including the continuation rows of a long note. */
function trimmed(profile: CompiledProfile, rows: readonly ScreenRow[], end: number): number {
  let y = end;
  while (y > 0) {
    const row = rows[y - 1] as ScreenRow;
    if (row.isBlank || profile.says(row).isNoise) y--;
    else {
      const top = topOf(rows, y);
      const first = rows[top] as ScreenRow;
      if (y - top > NOTE_ROWS_MAX || !hasLetter(first) || !profile.says(first).isNoise) break;
      y = top;
    }
  }
  return y;
}

/** The first row of the block that ends above `end`. */
function topOf(rows: readonly ScreenRow[], end: number): number {
  let top = end;
  while (top > 0 && !isBlank(rows[top - 1])) top--;
  return top;
}

/** A provider's answer, printed as JSON, has a dozen rows. */
const BLOCK_ROWS_MAX = 14;

export interface LastMatch {
  rule: CompiledRule;
  groups: Record<string, string>;
  text: string;
  y: number;
}

/**
 * The lowest block of the reply. Blocks above it are read too as long as everything below is the program's own chrome,
 * because "done at 3:27" is below the error that ended the turn. The same words further up mean nothing.
 */
export function lastRows(
  profile: CompiledProfile,
  screen: ScreenText,
  regions: Regions,
): { matches: LastMatch[]; replyEnd: number } {
  const matches: LastMatch[] = [];
  let end = regions.replyEnd;
  for (let block = 0; block < 4 && end > 0; block++) {
    const start = topOf(screen.rows, end);
    const found = matchBlock(profile, screen, start, end);
    matches.push(...found.matches);
    if (found.ownChrome) end = trimmed(profile, screen.rows, found.from);
    else if (profile.profile.bareMessages && isTrace(screen.rows, start, end))
      end = trimmed(profile, screen.rows, start);
    else break;
  }
  if (matches.length === 0) matches.push(...cutOff(profile, screen, regions.replyEnd));
  return { matches, replyEnd: end };
}

/** The program's statement that the last message was cut off, which it may draw above that message. */
function cutOff(profile: CompiledProfile, { rows }: ScreenText, end: number): LastMatch[] {
  for (let y = end - 1; y > 0 && end - y <= MESSAGE_ROWS_MAX; y--) {
    if (!profile.says(rows[y] as ScreenRow).isMessage) continue;
    const row = rows[y - 1] as ScreenRow;
    const hit = profile.says(row).last.find(({ rule }) => rule.above);
    return hit ? [{ ...hit, text: row.text, y: y - 1 }] : [];
  }
  return [];
}

/** A line of a stack trace: some programs print it below the error. */
const isCall = oncePerRow((row) => /^\s+at \S.{0,300}:\d/.test(row));
const CALLS_WANTED = 2;

const isTrace = (rows: readonly ScreenRow[], start: number, end: number): boolean =>
  rows.slice(start, end).filter(isCall).length >= CALLS_WANTED;

/** Matches the rows of one block from below. The block is the program's own if its lowest statement matched. */
function matchBlock(
  profile: CompiledProfile,
  screen: ScreenText,
  start: number,
  end: number,
): { matches: LastMatch[]; ownChrome: boolean; from: number } {
  const matches: LastMatch[] = [];
  let from = end;
  for (let y = end - 1; y >= start; y--) {
    const says = profile.says(screen.rows[y] as ScreenRow);
    for (const { rule, groups } of says.last) {
      if (rule.above || !isDrawn(screen, y, rule) || (rule.alone && hasOutput(screen.rows, y))) continue;
      if (rule.opens && joinRows(screen.rows, "", start, y) !== "") continue;
      if (rule.unsaid && isSaid(profile, screen.rows, y)) continue;
      const text = joinRows(screen.rows, " ", y, from);
      const said =
        groups.text === undefined ? text : [groups.text, joinRows(screen.rows, " ", y + 1, from)].join(" ").trim();
      matches.push({ rule, groups: groups.text === undefined ? groups : { ...groups, text: said }, text, y });
      from = y;
      break;
    }
    // Text above a message is older than the message, even without an empty row between them.
    if (from > y && (says.isMessage || end - y > BLOCK_ROWS_MAX)) break;
  }
  return { matches, ownChrome: matches.some((m) => m.rule.fact !== "tool"), from };
}

/** Is row `y` a later row of a message that starts with its sign? */
function isSaid(profile: CompiledProfile, rows: readonly ScreenRow[], y: number): boolean {
  const { text } = rows[y] as ScreenRow;
  const hangs = /^ {2}[⎿└] /.test(text) && !isBlank(rows[y - 1]);
  // A tool's output is attached right below its row, and is not part of the message above it.
  if (hangs || !text.startsWith("  ")) return false;
  for (let r = y - 1; r >= 0 && y - r <= MESSAGE_ROWS_MAX; r--) {
    const row = rows[r] as ScreenRow;
    // Text in the column of the sign is not part of the message: some programs indent everything.
    if (profile.says(row).isMessage)
      return indentOf(rows[y] as ScreenRow) > indentOf(row) && !isToolOutput(rows[r + 1]);
    if (!row.isBlank && !row.text.startsWith("  ")) return false;
  }
  return false;
}

const STILL = /(?:…|\.\.\.)\s*$/;

/** Is a tool's output attached below its row `y`? Its call may be too long for one row. */
function hasOutput(rows: readonly ScreenRow[], y: number): boolean {
  for (let r = y + 1; !isBlank(rows[r]); r++) {
    if (isToolOutput(rows[r])) return !STILL.test((rows[r] as ScreenRow).text);
  }
  return false;
}
