/** What has to act next: the one question of every list of agents, and its order. */
import type { Cause, ErrorCause, Problem, PromptKind, State, StuckCause, WaitCause } from "./states.js";

/**
 * In the order of every list. `you`: a user or an orchestrator; `none`: the agent should act and does not, which is a
 * stall; `provider`: the service behind the model; `child`: a command, a subagent or background work.
 */
export const MOVES = ["you", "none", "provider", "child", "agent"] as const;
export type Move = (typeof MOVES)[number];

const STUCK: Readonly<Record<StuckCause, Move>> = {
  silent_stream: "none",
  frozen_screen: "none",
  tool_hang: "none",
  waiting_on_stdin: "you",
  loop: "none",
  repeated_error: "none",
  retry_storm: "none",
  no_progress: "none",
  no_checkpoint: "none",
  stale_claim: "none",
  no_completion_signal: "none",
  stopped_early: "none",
  lost_result: "none",
  compaction: "none",
  never_started: "none",
  never_exited: "none",
};

const ERROR: Readonly<Record<ErrorCause, Move>> = {
  auth: "you",
  billing: "you",
  api: "none",
  context_full: "you",
  poisoned_context: "you",
  policy_refusal: "you",
  crash: "none",
  exit_code: "none",
  disk_full: "you",
  unreachable: "provider",
};

const WAITING: Readonly<Record<WaitCause, Move>> = {
  tool: "child",
  subagent: "child",
  background: "child",
  retry: "provider",
  compaction: "agent",
  timer: "agent",
};

const NEEDS_INPUT: Readonly<Record<PromptKind, Move>> = {
  permission: "you",
  confirmation: "you",
  input: "you",
  plan: "you",
  trust: "you",
  login: "you",
};

interface Cell {
  /** Without a cause, or with one that is not in the row. */
  move: Move;
  byCause?: Readonly<Partial<Record<Cause | Problem, Move>>>;
}

/** One row per state, one cell per cause. */
const TABLE: Readonly<Record<State, Cell>> = {
  starting: { move: "agent" },
  idle: { move: "you" },
  working: { move: "agent" },
  waiting: { move: "agent", byCause: WAITING },
  needs_input: { move: "you", byCause: NEEDS_INPUT },
  rate_limited: { move: "provider" },
  stuck: { move: "none", byCause: STUCK },
  error: { move: "none", byCause: ERROR },
  complete: { move: "you" },
  gone: { move: "none", byCause: ERROR },
  unknown: { move: "you" },
};

interface Verdict {
  state: State;
  cause: Cause | Problem | null;
  /** The dialog of a limit that stays until a user answers it. */
  asksUser?: true;
}

export function moveOf({ state, cause, asksUser }: Verdict): Move {
  if (asksUser) return "you";
  const { move, byCause } = TABLE[state];
  return (cause === null ? undefined : byCause?.[cause]) ?? move;
}

interface Ranked {
  name: string;
  state: State;
  move: Move;
  /** ISO 8601. */
  since: string;
}

/** A result and an agent without work can wait, so they come after the stalls. */
const CALM: readonly State[] = ["complete", "idle"];

/** Whether the user has to act next, and not only may: a result and an idle agent can wait. */
export const needsUser = ({ move, state }: Pick<Ranked, "move" | "state">): boolean =>
  move === "you" && !CALM.includes(state);

/** The order of every list: by move, then the longest wait first. */
export function compareByMove(a: Ranked, b: Ranked): number {
  const order =
    rankOf(a) - rankOf(b) ||
    CALM.indexOf(a.state) - CALM.indexOf(b.state) ||
    (a.move === "agent" ? 0 : Date.parse(a.since) - Date.parse(b.since));
  return order || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

const rankOf = ({ move, state }: Ranked): number => MOVES.indexOf(CALM.includes(state) ? "none" : move);
