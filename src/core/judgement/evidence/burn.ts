/**
 * Token burn: tokens and cost per hour, and whether they produce progress.
 *
 * "Without progress" counts output tokens, not input: with a cached context every round re-reads 100 k tokens and more,
 * so a sum of both would accuse a healthy agent after four rounds. 100 k output tokens are one and a half times the
 * longest single reply (64 k). The other measure is minutes in which the model wrote or used a tool: an hour-long
 * build, a wait or a sleep adds nothing.
 */
import { settingOf } from "../../defaults.js";
import type { Signal, Source, TokensSignal } from "../../signal.js";
import { SOURCES } from "../../signal.js";
import { formatDuration } from "../../text/duration.js";
import { HOUR, MINUTE } from "../../text/time.js";
import { isMeaningfulProgress } from "../guard.js";
import { rememberBounded } from "./bounded.js";
import type { DetectorOptions, DetectorVerdict } from "./verdict.js";
import { CONFIDENCE, turnEdge } from "./verdict.js";
import type { WorldState } from "./world.js";
import { createWorld, takeWorld } from "./world.js";

interface Bucket {
  /** Number of the bucket since 1970. */
  slot: number;
  input: number;
  output: number;
  costUsd: number;
}

export interface BurnState {
  /** A ring over the last hour. */
  buckets: Bucket[];
  /** Index in `SOURCES` of the best source that counts tokens: the same tokens from two sources are not added up. */
  rank: number;
  active: boolean;
  /** The last meaningful progress, or the first activity if there was none. */
  progressAt: number | null;
  outputSince: number;
  activeMinutes: number;
  lastMinute: number;
  /** The last source that showed model output. */
  source: Source;
  world: WorldState;
  outcomes: Map<string, true>;
}

export interface BurnRates {
  tokens_per_hour: number;
  input_per_hour: number;
  output_per_hour: number;
  cost_usd_per_hour: number;
}

export interface BurnVerdict extends DetectorVerdict, BurnRates {
  cause: "no_progress";
  output_tokens: number;
  active_minutes: number;
}

const BUCKET_MS: number = 5 * MINUTE;
const BUCKETS: number = HOUR / BUCKET_MS;
const OUTCOMES_MAX = 128;
/** An agent that deliberately waits and checks again is polling: its minutes do not count, its tokens do. */
const WAITS: ReadonlySet<string> = new Set(["sleep", "background", "subagent"]);

export function createBurn(): BurnState {
  return {
    buckets: emptyHour(),
    rank: SOURCES.length,
    active: false,
    progressAt: null,
    outputSince: 0,
    activeMinutes: 0,
    lastMinute: Number.NEGATIVE_INFINITY,
    source: "transcript",
    world: createWorld(),
    outcomes: new Map(),
  };
}

export function takeBurn(state: BurnState, signal: Signal): void {
  const edge = turnEdge(signal);
  if (edge !== null) state.active = edge === "start";
  const counted = signal.kind === "tokens" && countTokens(state, signal);
  if (isProgress(state, signal)) {
    state.progressAt = signal.at;
    state.outputSince = 0;
    state.activeMinutes = 0;
    state.lastMinute = Math.floor(signal.at / MINUTE);
    return;
  }
  if (signal.kind === "tool_start" && WAITS.has(signal.class)) {
    state.activeMinutes = 0;
    return;
  }
  if (!isWriting(signal)) return;
  state.progressAt ??= signal.at;
  state.source = signal.source;
  if (counted && signal.kind === "tokens") state.outputSince += amount(signal.output);
  const minute = Math.floor(signal.at / MINUTE);
  if (minute > state.lastMinute) {
    state.lastMinute = minute;
    state.activeMinutes += 1;
  }
}

/** Of the last hour, in steps of five minutes. */
export function burnRates(state: BurnState, now: number): BurnRates {
  const oldest = Math.floor(now / BUCKET_MS) - BUCKETS;
  let [input, output, costUsd] = [0, 0, 0];
  for (const bucket of state.buckets) {
    if (bucket.slot <= oldest || bucket.slot > oldest + BUCKETS) continue;
    input += bucket.input;
    output += bucket.output;
    costUsd += bucket.costUsd;
  }
  return {
    tokens_per_hour: input + output,
    input_per_hour: input,
    output_per_hour: output,
    cost_usd_per_hour: costUsd,
  };
}

export function burnVerdict(state: BurnState, now: number, options?: DetectorOptions): BurnVerdict | null {
  if (!(options?.turnActive ?? state.active) || state.progressAt === null) return null;
  const tooMany = state.outputSince >= settingOf(options, "burn_output_tokens");
  const tooLong = state.activeMinutes >= settingOf(options, "burn_active_minutes");
  if (!tooMany && !tooLong) return null;
  const rates = burnRates(state, now);
  return {
    ...rates,
    cause: "no_progress",
    since: state.progressAt,
    confidence: CONFIDENCE.medium,
    output_tokens: state.outputSince,
    active_minutes: state.activeMinutes,
    reason:
      `No new outcome for ${formatDuration(now - state.progressAt)}, despite ${state.activeMinutes} min of work and ` +
      `${state.outputSince} tokens written (${state.source}), ${rates.tokens_per_hour} tokens in the last hour`,
  };
}

/** A turn started by the user is new work. A tool result is progress if it was not seen recently. */
function isProgress(state: BurnState, signal: Signal): boolean {
  const changed = takeWorld(state.world, signal);
  if (changed || (signal.kind === "turn" && signal.byUser)) return true;
  if (signal.kind !== "tool_end") return signal.kind !== "file" && isMeaningfulProgress(signal);
  if (signal.edgeOnly) return false;
  if (!isMeaningfulProgress(signal)) return false;
  const known = state.outcomes.has(signal.outcome);
  rememberBounded(state.outcomes, signal.outcome, true, OUTCOMES_MAX);
  return !known;
}

function isWriting(signal: Signal): boolean {
  if (signal.kind === "tokens") return signal.output > 0;
  return signal.kind === "delta" || signal.kind === "tool_start" || signal.kind === "tool_end";
}

function countTokens(state: BurnState, signal: TokensSignal): boolean {
  const rank = SOURCES.indexOf(signal.source);
  if (rank < 0 || rank > state.rank) return false;
  if (rank < state.rank) {
    state.rank = rank;
    state.buckets = emptyHour();
    state.outputSince = 0;
  }
  const slot = Math.floor(signal.at / BUCKET_MS);
  const place = ((slot % BUCKETS) + BUCKETS) % BUCKETS;
  const held = state.buckets[place];
  if (held !== undefined && held.slot > slot) return false;
  const bucket = held?.slot === slot ? held : { slot, input: 0, output: 0, costUsd: 0 };
  bucket.input += amount(signal.input);
  bucket.output += amount(signal.output);
  bucket.costUsd += amount(signal.costUsd);
  state.buckets[place] = bucket;
  return true;
}

function emptyHour(): Bucket[] {
  return Array.from({ length: BUCKETS }, () => ({ slot: Number.NEGATIVE_INFINITY, input: 0, output: 0, costUsd: 0 }));
}

function amount(value: number | undefined): number {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? value : 0;
}
