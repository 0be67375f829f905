/**
 * What rouse may do, and what it keeps of it. A touch is recorded as an *intent* before it is made and as an *outcome*
 * after it; the two together are a *action*. All of it is plain data: it is stored, replayed and counted.
 */
import type { Problem } from "./states.js";

export interface ActionTraits {
  /** It changes what the agent sees or does; everything else only tells or keeps books. */
  controls: boolean;
  /** Work may be lost: permission, two kinds of evidence, a healthy observer, never a human's own terminal. */
  destructive: boolean;
  /** It begins a session: counted as a restart, and only once the old one is gone. */
  starts: boolean;
  /** It puts text into a composer. */
  types: boolean;
  /** After so long without an outcome, nobody knows what became of it. */
  deadlineMs: number;
}

const NO: ActionTraits = { controls: false, destructive: false, starts: false, types: false, deadlineMs: 30_000 };
const CONTROL: ActionTraits = { ...NO, controls: true };

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
  end_child: { ...CONTROL, destructive: true },
  /** Checkpoint, ask, then end the process group; proves that nothing works on. */
  stop: { ...CONTROL, destructive: true, deadlineMs: 90_000 },
  /** The same session again, in the same place. */
  resume: { ...CONTROL, starts: true, deadlineMs: 180_000 },
  /** Stop and start again. */
  restart: { ...CONTROL, destructive: true, starts: true, deadlineMs: 270_000 },
  /** A new session takes over the task. */
  continue: { ...CONTROL, starts: true, deadlineMs: 180_000 },
  /** Gives the agent's claims back. */
  release: NO,
  /** Marks the task as blocked. */
  block: NO,
  /** A command of the user's own configuration. */
  run: { ...NO, deadlineMs: 60_000 },
  /** The recovery plan has ended: a human. Never counted, never limited. */
  escalate: NO,
};
export const ACTION_NAMES: readonly ActionName[] = Object.keys(ACTIONS) as ActionName[];

/** What has to be seen after an action, so that it counts as having worked. */
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

/** Which of rouse's texts is typed; the words stand with the effect, each with rouse's mark. */
export const NUDGE_TEXTS = ["continue", "repeating", "report", "are_you_there"] as const;
export type NudgeText = (typeof NUDGE_TEXTS)[number];

export interface Action {
  /** Deterministic: the same decision gives the same id, so that it cannot be carried out twice. */
  id: string;
  do: ActionName;
  incident: string;
  agent: string;
  session: string;
  problem: Problem;
  /** The how-manieth of its kind in this incident, from 1. */
  attempt: number;
  deadlineMs: number;
  proof: Proof;
  /** So long the proof is waited for, before anything else is done. */
  waitMs: number;
  say?: NudgeText;
  /** Of `run`: an argument array. */
  command?: readonly string[];
}

/** Recorded before the touch. */
export interface Intent {
  /** That of the action. */
  id: string;
  at: number;
  incident: string;
  agent: string;
  /** Who was touched, of all that had this name; books of older versions do not say. */
  session?: string;
  do: ActionName;
  deadlineMs: number;
  proof: Proof;
  waitMs: number;
}

export function intentOf(action: Action, at: number): Intent {
  const { id, incident, agent, session, do: name, deadlineMs, proof, waitMs } = action;
  return { id, at, incident, agent, session, do: name, deadlineMs, proof, waitMs };
}

export type OutcomeResult =
  | "done" // the touch was made, and landed as far as the effect can see
  | "refused" // a precondition did not hold: nothing was touched
  | "failed" // it was tried and did not work
  | "unknown"; // it may or may not have happened

/** Recorded after the touch. */
export interface ActionOutcome {
  intent: string;
  at: number;
  result: OutcomeResult;
  reason: string;
  /** Whether the action's proof was seen; null where it is still waited for or there is none. */
  proven: boolean | null;
}

export interface ActionRecord extends Intent {
  outcome: ActionOutcome | null;
}

/** Refusals cost nothing. All else counts, also what may not have happened. */
export const usesBudget = ({ outcome }: ActionRecord): boolean => outcome?.result !== "refused";

/** An intent whose deadline has passed without a word is unknown, as after a crash of rouse itself. */
export function resultOf(record: ActionRecord, now: number): OutcomeResult | "pending" {
  if (record.outcome) return record.outcome.result;
  return now - record.at < record.deadlineMs ? "pending" : "unknown";
}
