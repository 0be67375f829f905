/**
 * The actions that rouse can take, and their records. An action is recorded as an *intent* before it runs and as an
 * *outcome* after it; both together are an *action record*. All of it is plain data: stored, replayed and counted.
 */
import type { Problem } from "./states.js";

export interface ActionTraits {
  /** It changes what the agent sees or does; all other actions only report or record. */
  controls: boolean;
  /** Work may be lost: needs permission, two kinds of evidence and a healthy observer; never in the user's own terminal. */
  destructive: boolean;
  /** It starts a session: counts as a restart, and needs the old session to be gone. */
  starts: boolean;
  /** It types text into a composer. */
  types: boolean;
  /** If the agent works after it, it does so in a new turn. */
  startsTurn: boolean;
  /** After this time without an outcome, the result is unknown. */
  deadlineMs: number;
}

const NO: ActionTraits = {
  controls: false,
  destructive: false,
  starts: false,
  types: false,
  startsTurn: false,
  deadlineMs: 30_000,
};
const CONTROL: ActionTraits = { ...NO, controls: true, startsTurn: true };

export type ActionName =
  | "nudge"
  | "interrupt"
  | "end_child"
  | "stop"
  | "resume"
  | "restart"
  | "continue"
  | "release"
  | "block"
  | "run"
  | "escalate";

export const ACTIONS: Readonly<Record<ActionName, ActionTraits>> = {
  /** Text, a gap, one Enter. */
  nudge: { ...CONTROL, types: true, deadlineMs: 45_000 },
  /** The program's own key that ends a turn. */
  interrupt: CONTROL,
  /** Ends one hung command below the agent, never the agent. */
  end_child: { ...CONTROL, destructive: true, startsTurn: false },
  /** Writes a checkpoint, sends SIGTERM, then kills the process group; verifies that nothing keeps working. */
  stop: { ...CONTROL, destructive: true, deadlineMs: 90_000 },
  /** Starts the same session again in the same place. */
  resume: { ...CONTROL, starts: true, deadlineMs: 180_000 },
  /** Stop and start again. */
  restart: { ...CONTROL, destructive: true, starts: true, deadlineMs: 270_000 },
  /** A new session takes over the task. */
  continue: { ...CONTROL, starts: true, deadlineMs: 180_000 },
  /** Releases the agent's claims. */
  release: NO,
  /** Marks the task as blocked. */
  block: NO,
  /** A command from the user's configuration. */
  run: { ...NO, deadlineMs: 60_000 },
  /** The recovery plan has ended. Never counted, never limited. */
  escalate: NO,
};
export const ACTION_NAMES: readonly ActionName[] = Object.keys(ACTIONS) as ActionName[];

/** What must be observed after an action for it to count as successful. */
export const PROOFS = [
  "turn_started",
  "turn_ended",
  "progress", // the model writes, a tool ends, a file changes: see `evidence/proof.ts`
  "process_gone",
  "process_started",
  "child_gone",
  "none",
] as const;
export type Proof = (typeof PROOFS)[number];

/** Which text is typed. The wording is part of the effect, and each text carries rouse's mark. */
export const NUDGE_TEXTS = ["continue", "repeating", "report", "are_you_there"] as const;
export type NudgeText = (typeof NUDGE_TEXTS)[number];

export interface Action {
  /** Deterministic: the same decision has the same id, so it cannot run twice. */
  id: string;
  do: ActionName;
  incident: string;
  agent: string;
  session: string;
  problem: Problem;
  /** Attempt number in this incident, from 1. */
  attempt: number;
  deadlineMs: number;
  proof: Proof;
  /** How long to wait for the proof before the next action. */
  waitMs: number;
  say?: NudgeText;
  /** The program has forgotten its task, so the text repeats it. */
  task?: string;
  /** For `run`: an argument array. */
  command?: readonly string[];
}

/** Recorded before the action. */
export interface Intent {
  /** The id of the action. */
  id: string;
  at: number;
  incident: string;
  agent: string;
  /** The session, since several may have had this name; missing in records of older versions. */
  session?: string;
  /** Its name when the action was taken; missing in records of older versions. */
  problem?: Problem;
  do: ActionName;
  deadlineMs: number;
  proof: Proof;
  waitMs: number;
}

export function intentOf(action: Action, at: number): Intent {
  const { id, incident, agent, session, problem, do: name, deadlineMs, proof, waitMs } = action;
  return { id, at, incident, agent, session, problem, do: name, deadlineMs, proof, waitMs };
}

export type OutcomeResult =
  | "done" // it was carried out, as far as the effect can see
  | "refused" // a precondition did not hold: nothing was done
  | "failed" // it was tried and did not work
  | "unknown"; // it may or may not have happened

/** Recorded after the action. */
export interface ActionOutcome {
  intent: string;
  at: number;
  result: OutcomeResult;
  reason: string;
  /** For the user, if the reason is not enough: the history of a failed task, one line per session. */
  details?: readonly string[];
  /** Whether the action's proof was observed; null while pending or if there is none. */
  proven: boolean | null;
}

export interface ActionRecord extends Intent {
  outcome: ActionOutcome | null;
}

/** Refusals cost nothing. Everything else counts, including unknown outcomes. */
export const usesBudget = ({ outcome }: ActionRecord): boolean => outcome?.result !== "refused";

/** An intent without an outcome after its deadline is unknown, for example after a crash of rouse. */
export function resultOf(record: ActionRecord, now: number): OutcomeResult | "pending" {
  if (record.outcome) return record.outcome.result;
  return now - record.at < record.deadlineMs ? "pending" : "unknown";
}
