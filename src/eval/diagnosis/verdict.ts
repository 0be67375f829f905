/** What one arm of the benchmark says about one incident. */
import type { DiagnosisFacts } from "../../diagnosis/context.js";

export interface Verdict {
  /** One of the menu; null: it abstains. */
  cause: string | null;
  /** Actions on the pipeline with their targets, as in the labels. */
  actions: readonly string[];
  sendsMessage: boolean;
  /** Null: unknown, or it costs nothing. */
  costUsd: number | null;
  /** Null: no model was asked. */
  tookMs: number | null;
}

/** The first action on the pipeline; a message goes with it or stands alone. */
export const topAction = ({ actions, sendsMessage }: Verdict): string =>
  actions[0] ?? (sendsMessage ? "send_slack" : "none");

/** The first finding, in the order in which a diagnosis shows them. Rules alert, and never act on a pipeline. */
export function verdictOfRules({ incidents, problems }: DiagnosisFacts): Verdict {
  const cause = incidents[0]?.problem ?? problems[0]?.kind ?? "none";
  return { cause, actions: [], sendsMessage: cause !== "none", costUsd: null, tookMs: null };
}
