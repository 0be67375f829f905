/**
 * What stood as a human began to leave, or an end was ordered. A program that goes paints a last screen, drops its dialog, clears its title and
 * may end its turn: none of that is work, and none of it is a result.
 */
import type { InputSignal } from "../../signal.js";
import { openPrompt } from "./prompts.js";
import type { Evidence, LeavingEvidence } from "./state.js";

/** Keys to leave that follow each other so soon are one leave: most programs want two. */
export const LEAVING_MS = 15_000;

/** Somebody means the program to end: a human, or whoever ordered it. What rouse ends for a policy is to go on. */
export const isLeave = ({ by, quits, ordered }: InputSignal): boolean =>
  quits === true && (by === "human" || ordered === true);

/** Copies of the parts that a leave-taking changes. */
export function asStood(evidence: Evidence, at: number): LeavingEvidence {
  const { leaving, quitAt, turn, prompts, failures, retries, progress, message } = evidence;
  if (leaving && quitAt !== null && at - quitAt < LEAVING_MS) return leaving;
  const leftOpen = openPrompt(prompts) !== null;
  return {
    turn: { ...turn, record: { ...turn.record } },
    prompts: { ...prompts, open: { ...prompts.open }, leftOpen },
    failures: { ...failures },
    retries: { ...retries },
    progress: { ...progress },
    message,
  };
}
