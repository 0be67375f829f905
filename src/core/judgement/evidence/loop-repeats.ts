/**
 * Repeats among finished tool calls: one mechanism for identical calls, cycles of any length, an edit and its undo, one
 * error with different arguments, and paging in circles.
 *
 * Every finished call is either *new* (its call and outcome were not seen since the world last changed) or a
 * *repeat*. A new one starts a new *run*; repeats extend the run. Within a run each outcome gathers weight, and a loop is
 * reported when one of them reaches the weight of four equal rounds: in a cycle of five that is the fourth lap. Two
 * slower rules complement it: a long run in which no single outcome weighs that much (a file paged twice), and an
 * outcome that recurs *among* new ones.
 *
 * A repeat with an explanation weighs less. That is how spacing and known waits turn a loop into a poll.
 */
import { digest } from "../../digest.js";
import type { InfraClass, Source, ToolClass, ToolEndSignal, ToolStartSignal } from "../../signal.js";
import { rememberBounded } from "./bounded.js";
import { isReadAgain, type Pages } from "./loop-pages.js";

/** A call with its result; without `end` if the source shows no results. */
export interface FinishedCall {
  start: ToolStartSignal;
  end?: ToolEndSignal | undefined;
  round: number;
}

export interface RepeatEntry {
  tool: string;
  source: Source;
  /** The last call that was counted here. */
  call: string;
  isError: boolean;
  /** True for an error with any arguments, false for one call with one outcome. */
  anyCall: boolean;
  /** The result before normalising. */
  text: string | undefined;
  lastAt: number;
  lastRound: number;
  /** Rounds between the last two. */
  period: number;
  run: Tally;
  among: Tally;
  runNumber: number;
}

/** Counted rounds, their weight, and the time of the first. */
interface Tally {
  weight: number;
  rounds: number;
  since: number;
  firstRound: number;
}

export interface RepeatReport {
  rule: "run" | "circle" | "among";
  key: string;
  entry: RepeatEntry;
  rounds: number;
  since: number;
  until: number;
}

export interface Repeats {
  entries: Map<string, RepeatEntry>;
  pages: Pages;
  /** States that the workspace has had: digests of edits, files and test results. */
  states: Map<string, true>;
  /** Outcomes since the last user message; a compaction does not clear them. */
  outcomes: Map<string, true>;
  run: { number: number; weight: number; rounds: number; lastRound: number; since: number };
  lastEndAt: number;
  /** The last round with a deliberate wait, and the last that may have changed the world silently. */
  waitRound: number;
  actRound: number;
  backgroundUntil: number;
  reported: RepeatReport | undefined;
}

const ENTRIES_MAX = 512;
const STATES_MAX = 1024;

/** Report at the fourth equal round. Half of the honest repeats in real transcripts end at three. */
export const REPORT = 4;
/** The longest cycle whose first lap counts although its results were new. */
const PERIOD_MAX = 6;
/** Rounds without anything new after which even distinct calls are a circle; a new result subtracts three. */
const REPORT_CIRCLE = 16;
const NEW_TAKES_BACK = 3;
/** An outcome among new ones needs more rounds, and at least every third round. */
const REPORT_AMONG = 8;
const REPORT_AMONG_ERROR = 6;
const AMONG_SHARE = 3;
/** An outcome among others is over after this many rounds without it. */
const AMONG_OVER = 4;

/** Weights of one repeat; a plain one weighs 1. */
const WEIGHT = {
  /** No result is visible, so the outcome may have changed: reported at the fifth. */
  noResult: 0.75,
  /** The same error from a different call: reported at the fifth. */
  anyCall: 0.75,
  /** A success that is equal only after normalising may still be progress: reported at the seventh. */
  noisy: 0.5,
  /** Among others, if a new command in between may have changed something. */
  afterAct: 0.5,
  /** A quick poll is reported at the 20th round, a slow one after 150: a ceiling, not a rule. */
  fastPoll: 0.16,
  poll: 0.02,
  /** A model rarely thinks for a minute between two equal calls; an external schedule sets the pace. */
  spaced: 0.1,
  scheduled: 0,
};
const POLL_MS = 10_000;
/** Longer than a model thinks between two equal calls or messages: a heartbeat or a schedule sets the pace. */
export const SPACED_MS = 50_000;
const SCHEDULED_MS = 120_000;
/** How long background work is assumed to run: its end is not always visible. */
const BACKGROUND_MS = 30 * 60_000;

/**
 * External failures repeat by nature: an outage, never a loop. A rejected login is not among them: retries do not fix
 * it.
 */
const OUTAGE: ReadonlySet<InfraClass | undefined> = new Set<InfraClass>(["rate", "overload", "network", "refused"]);
/** Tool classes that change nothing. */
const ONLY_CHECKS: ReadonlySet<ToolClass> = new Set<ToolClass>([
  "instant",
  "web",
  "sleep",
  "background",
  "question",
  "plan",
]);
const NOTHING = digest("");

export function createRepeats(): Repeats {
  return {
    entries: new Map(),
    pages: new Map(),
    states: new Map(),
    outcomes: new Map(),
    run: { number: 0, weight: 0, rounds: 0, lastRound: 0, since: 0 },
    lastEndAt: Number.NEGATIVE_INFINITY,
    waitRound: Number.NEGATIVE_INFINITY,
    actRound: Number.NEGATIVE_INFINITY,
    backgroundUntil: Number.NEGATIVE_INFINITY,
    reported: undefined,
  };
}

/** Records a finished call. True if its outcome is new since the last user message. */
export function takeFinished(repeats: Repeats, call: FinishedCall): boolean {
  const { start, end, round } = call;
  const endedAt = end?.at ?? start.at;
  const isNew = !end?.interrupted && !(end && !end.ok && OUTAGE.has(end.infra)) && judge(repeats, call);
  if (waits(start)) repeats.waitRound = round;
  if (start.background || start.class === "subagent") repeats.backgroundUntil = endedAt + BACKGROUND_MS;
  repeats.lastEndAt = Math.max(repeats.lastEndAt, endedAt);
  return isNew;
}

/** Records the current state of the world. A new state is progress and clears every repeat. */
export function reachState(repeats: Repeats, state: string): boolean {
  if (repeats.states.has(state)) return false;
  rememberBounded(repeats.states, state, true, STATES_MAX);
  forgetRepeats(repeats);
  return true;
}

export function forgetRepeats(repeats: Repeats): void {
  repeats.entries.clear();
  repeats.pages.clear();
  repeats.reported = undefined;
  repeats.run = { number: repeats.run.number + 1, weight: 0, rounds: 0, lastRound: 0, since: 0 };
}

function judge(repeats: Repeats, call: FinishedCall): boolean {
  const { start, end, round } = call;
  // An edit and its undo have the same effect, so the undo repeats the edit.
  const what = start.class === "edit" ? `edit ${start.effect ?? start.after ?? start.call}` : sameCall(call);
  if (start.class === "edit" && end?.ok) reachState(repeats, what);
  const key = `${what} ${end?.outcome ?? "?"}`;
  const errorKey = end && !end.ok && end.error && end.error !== NOTHING ? `error ${end.error}` : undefined;

  const file = start.span?.file ?? start.subject;
  const readAgain = end?.ok && start.span && file ? isReadAgain(repeats.pages, file, start.span) : false;
  const isKnown = repeats.entries.has(key) || readAgain || (errorKey !== undefined && repeats.entries.has(errorKey));
  if (!isKnown) beginRun(repeats, round);
  else lengthenRun(repeats, call, repeats.entries.get(key));

  const reported = count(repeats, key, call, false);
  // A failing test is a result, not an error: other tests with the same failure are not a repeat.
  const byError = errorKey !== undefined && start.class !== "test" && start.class !== "build";
  const reportedError = byError ? count(repeats, errorKey, call, true) : undefined;
  report(repeats, reported ?? reportedError ?? reportedCircle(repeats, call, key), round);
  if (!isKnown && end?.ok && !ONLY_CHECKS.has(start.class)) repeats.actRound = round;
  if (isKnown || repeats.outcomes.has(key)) return false;
  rememberBounded(repeats.outcomes, key, true, STATES_MAX);
  return true;
}

/** The normalised call, if it has an outcome: two calls without output may concern two different files or folders. */
function sameCall({ start, end }: FinishedCall): string {
  return start.near !== undefined && end !== undefined && end.outcome !== NOTHING ? start.near : start.call;
}

function beginRun(repeats: Repeats, round: number): void {
  const { number, weight, rounds, since } = repeats.run;
  const left = repeats.reported ? 0 : Math.max(0, weight - NEW_TAKES_BACK);
  repeats.run = { number: number + 1, weight: left, rounds: left > 0 ? rounds : 0, lastRound: round, since };
  if (repeats.reported?.rule !== "among") repeats.reported = undefined;
}

function lengthenRun(repeats: Repeats, call: FinishedCall, entry: RepeatEntry | undefined): void {
  const { run } = repeats;
  if (run.lastRound === call.round) return;
  if (run.rounds === 0) run.since = call.start.at;
  run.lastRound = call.round;
  run.rounds++;
  run.weight += weigh(repeats, call, entry);
}

/** Counts the call under this key, once per round. Returns a report if one is due. */
function count(repeats: Repeats, key: string, call: FinishedCall, anyCall: boolean): RepeatReport | undefined {
  const { start, end, round } = call;
  const known = repeats.entries.get(key);
  const first = { weight: 1, rounds: 1, since: start.at, firstRound: round };
  if (!known) {
    const entry: RepeatEntry = {
      tool: start.tool,
      source: start.source,
      call: start.call,
      isError: end?.ok === false,
      anyCall,
      text: end?.stable ?? end?.raw,
      lastAt: start.at,
      lastRound: round,
      period: 1,
      run: first,
      among: { ...first },
      runNumber: repeats.run.number,
    };
    rememberBounded(repeats.entries, key, entry, ENTRIES_MAX);
    return undefined;
  }
  if (known.lastRound === round) return undefined;
  const weight = weigh(repeats, call, known);
  // The lap before the run counts for a cycle, but not for an error that was followed by something new.
  const counts = anyCall || round - known.lastRound > PERIOD_MAX ? 0 : 1;
  const before = { weight: counts, rounds: counts, since: counts ? known.lastAt : start.at, firstRound: round };
  if (known.runNumber !== repeats.run.number) known.run = before;
  if (round - known.among.firstRound >= AMONG_SHARE * (known.among.rounds + 1)) known.among = { ...before };
  known.run.weight += weight;
  known.among.weight += repeats.actRound > known.lastRound ? weight * WEIGHT.afterAct : weight;
  for (const tally of [known.run, known.among]) tally.rounds++;
  known.runNumber = repeats.run.number;
  known.period = round - known.lastRound;
  known.lastRound = round;
  known.lastAt = start.at;
  known.call = start.call;
  known.text = end?.stable ?? end?.raw;
  rememberBounded(repeats.entries, key, known, ENTRIES_MAX);
  return reportedOf(key, known, end?.at ?? start.at);
}

function reportedOf(key: string, entry: RepeatEntry, until: number): RepeatReport | undefined {
  const of = (rule: RepeatReport["rule"], { rounds, since }: Tally): RepeatReport => ({
    rule,
    key,
    entry,
    rounds,
    since,
    until,
  });
  if (entry.run.weight >= REPORT) return of("run", entry.run);
  if (entry.among.weight >= (entry.isError ? REPORT_AMONG_ERROR : REPORT_AMONG)) return of("among", entry.among);
  return undefined;
}

function reportedCircle(repeats: Repeats, call: FinishedCall, key: string): RepeatReport | undefined {
  const { weight, rounds, since } = repeats.run;
  const entry = weight < REPORT_CIRCLE ? undefined : repeats.entries.get(key);
  if (!entry) return undefined;
  return { rule: "circle", key: "", entry, rounds, since, until: call.end?.at ?? call.start.at };
}

/** A reported repeat stays reported: another one replaces it only if it has the same key or a run starts within it. */
function report(repeats: Repeats, found: RepeatReport | undefined, round: number): void {
  const { reported } = repeats;
  if (found && (!reported || reported.key === found.key || (reported.rule === "among" && found.rule === "run")))
    repeats.reported = found;
  else if (reported?.rule === "among" && round - reported.entry.lastRound > AMONG_OVER) repeats.reported = undefined;
  else if (found && reported) reported.until = found.until;
}

function weigh(repeats: Repeats, { start, end, round }: FinishedCall, entry: RepeatEntry | undefined): number {
  const idleMs = start.at - repeats.lastEndAt;
  const waitedSince = entry ? repeats.waitRound >= entry.lastRound : repeats.waitRound === round - 1;
  // A check of background work succeeds; a repeated error next to it is not a check. A subagent does not check itself.
  const isCheck = !start.background && start.class !== "subagent" && !start.nested;
  const behind = isCheck && start.at < repeats.backgroundUntil && end?.ok !== false;
  // A query for a missing background task waits for nothing.
  const isLost = start.class === "background" && end?.ok === false;
  if (!isLost && (waits(start) || waitedSince || behind)) {
    return entry && start.at - entry.lastAt < POLL_MS ? WEIGHT.fastPoll : WEIGHT.poll;
  }
  if (idleMs >= SCHEDULED_MS) return WEIGHT.scheduled;
  if (idleMs >= SPACED_MS) return WEIGHT.spaced;
  if (!end) return WEIGHT.noResult;
  if (entry?.anyCall) return WEIGHT.anyCall;
  // An edit and its undo are two calls but one repeat.
  const isOther = entry?.call !== start.call && start.class !== "edit";
  if (end.ok && entry && (isOther || entry.text !== (end.stable ?? end.raw))) return WEIGHT.noisy;
  return 1;
}

function waits(start: ToolStartSignal): boolean {
  return start.poll === true || start.class === "sleep" || start.class === "background";
}
