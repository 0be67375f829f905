/**
 * Which model round a tool call belongs to.
 *
 * All calls of one reply are one round and count once: a fan-out is a set. If the source names no round, calls that
 * start before the first result of the batch form one. A source without results would turn that into a single endless
 * batch, so until the first result, calls a second apart are separate rounds.
 *
 * A retried stream repeats the reply. Calls without a result are dropped, so that the repetition replaces them. Calls
 * with a result are ignored when they are repeated, each once, until a different call arrives.
 */
import type { ToolStartSignal } from "../../signal.js";
import { rememberBounded } from "./bounded.js";

export interface OpenCall {
  start: ToolStartSignal;
  round: number;
}

export interface Rounds {
  current: number;
  /** The current round has a result. */
  answered: boolean;
  /** The source has shown at least one result. */
  showsResults: boolean;
  lastStartAt: number;
  open: Map<string, OpenCall>;
  /** Known ids, so that a second source does not count a call twice. */
  ids: Map<string, true>;
  /** Rounds by the name that the source gives them. */
  names: Map<string, number>;
  /** The last calls that have a result. */
  done: Map<string, true>;
  /** Calls that a retried stream may repeat. */
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

/** The call with its round; undefined for a known or repeated call. */
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

/** The call of this result, if its start was seen. */
export function endCall(rounds: Rounds, id: string): OpenCall | undefined {
  const call = rounds.open.get(id);
  if (!call) return undefined;
  rounds.open.delete(id);
  rounds.showsResults = true;
  if (call.round === rounds.current) rounds.answered = true;
  rememberBounded(rounds.done, call.start.call, true, DONE_MAX);
  return call;
}

/** The stream of the current reply starts again. */
export function replayRound(rounds: Rounds): void {
  for (const id of rounds.open.keys()) rounds.ids.delete(id);
  rounds.open.clear();
  rounds.replayed = new Set(rounds.done.keys());
}

function roundOf(rounds: Rounds, start: ToolStartSignal): number {
  const named = start.round === undefined ? undefined : rounds.names.get(start.round);
  // Some gateways give every reply the same name: a call repeated after its own result belongs to another round.
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
