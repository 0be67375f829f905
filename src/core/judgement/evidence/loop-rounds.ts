/**
 * Which model round a tool call belongs to.
 *
 * Calls of one reply are one round and count once, however many they are: a fan-out is a set. Where the source names
 * no round, calls that start before any result of the batch has come are one. A source that shows no results at all
 * would make a single endless batch of that, so as long as no result was ever seen, calls a second apart are rounds
 * of their own.
 *
 * A retried stream plays the reply again. Calls that had no result yet are forgotten, so that the replay takes their
 * place; calls that had one are dropped when they come again, each once, until a call comes that is not among them.
 */
import type { ToolStartSignal } from "../../signal.js";
import { rememberBounded } from "./bounded.js";

export interface OpenCall {
  start: ToolStartSignal;
  round: number;
}

export interface Rounds {
  current: number;
  /** A result of the current round has come. */
  answered: boolean;
  /** Some result has ever come. */
  showsResults: boolean;
  lastStartAt: number;
  open: Map<string, OpenCall>;
  /** Ids that were seen, so that a second source does not count a call twice. */
  ids: Map<string, true>;
  /** Rounds by the source's own name. */
  names: Map<string, number>;
  /** The last calls that have a result. */
  done: Map<string, true>;
  /** Calls that a retried stream may show again. */
  replayed: Set<string>;
}

const OPEN_MAX = 128;
const IDS_MAX = 512;
const NAMES_MAX = 16;
const DONE_MAX = 64;
const ROUND_GAP_MS = 1000;

export function createRounds(): Rounds {
  return {
    current: 0,
    answered: false,
    showsResults: false,
    lastStartAt: Number.NEGATIVE_INFINITY,
    open: new Map(),
    ids: new Map(),
    names: new Map(),
    done: new Map(),
    replayed: new Set(),
  };
}

/** The call with its round; undefined for one that is known or replayed. */
export function startCall(rounds: Rounds, start: ToolStartSignal): OpenCall | undefined {
  if (rounds.ids.has(start.id)) return undefined;
  rememberBounded(rounds.ids, start.id, true, IDS_MAX);
  if (rounds.replayed.delete(start.call)) return undefined;
  rounds.replayed.clear();
  const call: OpenCall = { start, round: roundOf(rounds, start) };
  rounds.lastStartAt = start.at;
  rememberBounded(rounds.open, start.id, call, OPEN_MAX);
  return call;
}

/** The call that this result belongs to, if its start was seen. */
export function endCall(rounds: Rounds, id: string): OpenCall | undefined {
  const call = rounds.open.get(id);
  if (!call) return undefined;
  rounds.open.delete(id);
  rounds.showsResults = true;
  if (call.round === rounds.current) rounds.answered = true;
  rememberBounded(rounds.done, call.start.call, true, DONE_MAX);
  return call;
}

/** The stream of the current reply begins again. */
export function replayRound(rounds: Rounds): void {
  for (const id of rounds.open.keys()) rounds.ids.delete(id);
  rounds.open.clear();
  rounds.replayed = new Set(rounds.done.keys());
}

function roundOf(rounds: Rounds, start: ToolStartSignal): number {
  const named = start.round === undefined ? undefined : rounds.names.get(start.round);
  // Some gateways give every reply the same name: a call that comes again after its own result is of another.
  const isReused = named === rounds.current && rounds.answered && rounds.done.has(start.call);
  if (named !== undefined && !isReused) return named;
  const sameBatch = rounds.showsResults ? !rounds.answered : start.at - rounds.lastStartAt < ROUND_GAP_MS;
  if (start.round !== undefined || !sameBatch || rounds.current === 0) {
    rounds.current++;
    rounds.answered = false;
  }
  if (start.round !== undefined) rememberBounded(rounds.names, start.round, rounds.current, NAMES_MAX);
  return rounds.current;
}
