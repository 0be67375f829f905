/**
 * The evidence at the time the user started to quit the program, or rouse stopped it. A program that exits redraws
 * its screen, drops its dialog, clears its title and may end its turn: none of that is work or a result.
 */
import type { InputSignal } from "../../signal.js";
import { openPrompt } from "./prompts.js";
import type { Evidence, LeavingEvidence } from "./state.js";

/** Quit keys in such quick succession are one attempt: most programs want two. */
export const LEAVING_MS = 15_000;

/** The end is intended: by the user, a client or an order. A stop for a policy is meant to be followed by a restart. */
export const isLeave = ({ by, quits, ordered }: InputSignal): boolean =>
  quits === true && (by !== "rouse" || ordered === true);

/** Copies of the parts that an exit changes. */
export function evidenceBeforeExit(evidence: Evidence, at: number): LeavingEvidence {
  const { leaving, turn, prompts, failures, retries, progress, message } = evidence;
  const askedAt = Math.max(evidence.quitAt ?? 0, evidence.stoppedAt ?? 0);
  if (leaving && at - askedAt < LEAVING_MS) return leaving;
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
