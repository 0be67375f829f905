/** From a rendered screen to the facts that it states, region by region. One look, without a clock. */
import { infraOf } from "../../core/normalise.js";
import type { InfraClass, ScreenReading } from "../../core/signal.js";
import type { ErrorCause } from "../../core/states.js";
import { knownVendorError } from "../vendor-errors.js";
import type { CompiledProfile, CompiledRule } from "./compiled.js";
import type { Layout, Match } from "./layout.js";
import { Layouts } from "./layouts.js";
import { Memo } from "./memo.js";
import { durationMs, tokenCount } from "./numbers.js";
import type { Range } from "./regions.js";
import { ReplyReader, tailOf } from "./reply.js";
import { type ColourAsked, isBlank, isDrawnAlike, joinRows, type ScreenText } from "./screen-text.js";
import { showsClock } from "./ticks.js";

export interface Look {
  at: number;
  /** When the limit that a text speaks of ends, in milliseconds since 1970. */
  until: (text: string) => number | undefined;
  /** Does this row's clock run? */
  ticking: (row: string) => boolean;
  /** Did this row's clock run of late? */
  ran?: (row: string) => boolean;
  /** Does this row begin with a sign that turns? */
  turning?: (row: string) => boolean;
  /** Did a clock run so many rows above the composer a moment ago, and may this row be its next text? */
  inherits?: (row: string, above: number) => boolean;
  /** Is this a row that the program keeps right above its composer? */
  isStanding?: (row: string) => boolean;
  /** This stands above the composer's first row. Is it another row from now on that the program keeps there? */
  stood?: (rows: readonly string[], top: number) => boolean;
  /** A clock runs so many rows above the composer. */
  clockStands?: (above: number) => void;
}

export type Facts = Omit<ScreenReading, "moving">;

/** `node test.mjs 41s`, `1 command · 41s…`, `node test.mjs (ctrl+f to focus)`: what stands beside a running tool's name comes and goes. */
const BESIDE_NAME =
  /\s(?:[·•] )?(?:\(?\d[\d.]{0,5}[hms](?: \d{1,2}[hms]){0,2}\)?(?:…|\.\.\.)?|\((?:ctrl|esc|tab|shift)\b[^()]{0,40}\))$/i;
const BESIDE_MAX = 4;

/** Its name alone. One by one from the end: a pattern of many could be made to try for ever. */
function nameIn(text: string): string {
  let name = text.trimEnd();
  for (let n = 0; n < BESIDE_MAX && BESIDE_NAME.test(name.slice(-80)); n++) {
    name = (name.slice(0, -80) + name.slice(-80).replace(BESIDE_NAME, "")).trimEnd();
  }
  return name;
}

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
  if (kept?.stated && isDrawnAlike(screen, kept.stated.colours)) return counted(kept.stated, layout, screen, look);
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

/** Does a look at the same layout state the same but for what it counts? Not where words hang on the numbers. */
const isCountable = ({ profile }: CompiledProfile, facts: Facts): boolean =>
  (facts.dialog !== undefined || (facts.busy === true && !profile.bareMessages)) &&
  !facts.limit &&
  !facts.retry &&
  facts.background === undefined;

/** What was stated of the same layout, with the numbers of now. */
function counted({ facts, clock }: Stated, { regions, status, foot }: Layout, screen: ScreenText, look: Look): Facts {
  if (clock > 0) look.clockStands?.(clock);
  const now = { ...facts, tail: tailOf(screen.rows, regions.replyEnd) };
  for (const matches of [status, foot]) {
    for (const { rule, y } of matches) if (rule.fact === "busy") count(now, screen.rows[y] as string);
  }
  return now;
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
  facts.tail = reply.tail;
  return { facts, clock, colours: replies.colours };
}

/** How far above the end of these rows the lowest clock runs; 0 where none does. */
function clockIn(rows: readonly string[], [from, to]: Range, { ticking }: Look): number {
  for (let y = to - 1; y >= from; y--) if (ticking(rows[y] as string)) return to - y;
  return 0;
}

/** What hangs below a row of the status: the reason for what it says. */
function hangingBelow(rows: readonly string[], y: number, end: number): string {
  const indent = (row: string): number => row.search(/\S/);
  const below = rows[y + 1] ?? "";
  return y + 1 < end && !isBlank(below) && indent(below) > indent(rows[y] as string) ? joinRows([below]) : "";
}

/** What a command printed so far may stand below its clock. */
const CLOCK_ABOVE_MAX = 12;
/** A model that thinks may have a clock of its own, too. */
const THINKS = /\b(?:think|thought|reason)/i;

/**
 * Above the status line, in a block of its own, another clock runs: that of a tool, whose name stands beside or over it. Where
 * the status line stands below the composer, any clock above it is one. What turns by itself is a status line.
 */
function clockedTool(
  rows: readonly string[],
  [from, to]: Range,
  { ticking, turning, ran }: Look,
  isBelow: boolean,
): Pick<Facts, "tool"> {
  let y = to - 1;
  if (isBelow && ran) {
    const top = Math.max(0, from - CLOCK_ABOVE_MAX);
    while (y >= top && !ran(rows[y] as string)) y--;
    if (y < top) return {};
  } else {
    while (y >= from && !ticking(rows[y] as string)) y--;
    while (y >= from && !isBlank(rows[y])) y--;
    while (y >= from && !ticking(rows[y] as string)) y--;
    if (y < from) return {};
  }
  const row = rows[y] as string;
  if (THINKS.test(row) || (turning?.(row) && !showsClock(row))) return {};
  const beside = nameIn(rows[y] as string);
  const named = /\S\s+\S/.test(beside) ? beside : rows.slice(Math.max(0, y - 3), y).findLast((row) => !isBlank(row));
  const subject = joinRows([named ?? ""]).slice(0, 120);
  return { tool: { class: "shell", ...(subject ? { subject } : {}) } };
}

/** After the count of the tries, when the next one comes. */
const DELAY = /\bin (\d{1,6} ?(?:h|m|s|hours?|minutes?|seconds?)\b)/i;

/** Writes down what one matched row states. The first row to state a fact wins: rows come lowest region first. */
function stateRow(facts: Facts, { rule, groups, text }: Match, look: Look, below = ""): void {
  switch (rule.fact) {
    case "busy":
      facts.busy = true;
      count(facts, text);
      return;
    case "retry": {
      facts.busy = true;
      const said = groups.text ?? text;
      const infra = facts.retry?.infra ?? rule.infra ?? whyRetried.of(said).infra;
      const limit = readLimit(below === "" ? said : `${said} ${below}`, look);
      if (limit && limit.until !== undefined && limit.until - look.at > 10 * 60_000) facts.limit ??= limit;
      const delay = groups.delay ?? DELAY.exec(said)?.[1];
      const delayMs = delay ? durationMs(delay) : null;
      facts.retry = {
        ...facts.retry,
        ...(groups.attempt ? { attempt: Number(groups.attempt) } : {}),
        ...(groups.max ? { max: Number(groups.max) } : {}),
        ...(delayMs !== null ? { delayMs } : {}),
        ...(infra ? { infra } : {}),
        text: facts.retry ? `${facts.retry.text} · ${said}`.slice(0, 300) : said.slice(0, 300),
      };
      return;
    }
    case "limit":
      facts.limit = mergeLimit(
        facts.limit,
        readLimit(groups.text ?? text, look) ?? { text: (groups.text ?? text).slice(0, 300) },
      );
      return;
    case "failure":
      stateFailure(facts, rule, groups.text ?? text, look);
      return;
    case "tool":
      facts.tool ??= {
        class: rule.class ?? "other",
        ...(groups.subject ? { subject: nameIn(groups.subject).slice(0, 120) } : {}),
      };
      return;
    case "compacting":
      facts.compacting = true;
      facts.busy = true;
      return;
    case "background":
      facts.background = Math.min(Number(groups.count ?? 1) || 0, 999);
      return;
    case "ended":
    case "interrupted":
      facts[rule.fact] = true;
      return;
  }
}

/** The numbers of a row that says that it works. */
function count(facts: Facts, text: string): void {
  const elapsed = durationMs(text);
  const tokens = tokenCount(text);
  if (elapsed !== null) facts.elapsed = elapsed / 1000;
  if (tokens !== null) facts.tokens = tokens;
}

/** The same words stand there for many looks while a countdown runs beside them. */
const whyRetried = new Memo<{ infra: InfraClass | undefined }>(64, (said) => ({
  infra: infraOf(said) ?? infraOfVendor(said),
}));

/** Why it retries, in a provider's own words that name no code. */
function infraOfVendor(text: string): InfraClass | undefined {
  const known = knownVendorError({ text });
  if (known?.kind === "retry") return known.infra;
  if (known?.kind !== "error") return undefined;
  return known.cause === "unreachable" ? "refused" : known.cause === "auth" ? "auth" : undefined;
}

const GAVE_UP: Readonly<Record<InfraClass, ErrorCause>> = {
  rate: "api",
  overload: "api",
  network: "api",
  refused: "unreachable",
  auth: "auth",
};

function stateFailure(facts: Facts, rule: CompiledRule, said: string, look: Look): void {
  const known = knownVendorError({ text: said });
  if (known?.kind === "limit") {
    facts.limit = mergeLimit(facts.limit, readLimit(said, look) ?? { text: said.slice(0, 300) });
    return;
  }
  // What would be tried again while a turn runs has been given up when it stands as the turn's last word.
  const cause = known?.kind === "error" ? known.cause : known?.kind === "retry" ? GAVE_UP[known.infra] : rule.fallback;
  if (cause) facts.error ??= { cause, text: said.slice(0, 300) };
}

function readLimit(text: string, look: Look): NonNullable<Facts["limit"]> | null {
  const until = look.until(text);
  if (until === undefined) return null;
  const resumesItself = /continuing automatically/i.test(text);
  return { until, ...(resumesItself ? { resumesItself } : {}), text: text.slice(0, 300) };
}

/** Several rows may speak of one limit: keep the time of whichever has one, and the promise to go on. */
function mergeLimit(a: Facts["limit"], b: NonNullable<Facts["limit"]>): NonNullable<Facts["limit"]> {
  if (!a) return b;
  const until = a.until ?? b.until;
  return {
    ...b,
    ...a,
    ...(until === undefined ? {} : { until }),
    ...(a.resumesItself || b.resumesItself ? { resumesItself: true } : {}),
  };
}
