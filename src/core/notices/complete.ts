/** Which finished turns are results for an orchestrator, and what they say. */
import type { AgentSession } from "../agent.js";
import type { Assessment } from "../judgement/assess.js";
import type { Evidence } from "../judgement/evidence/state.js";
import { forOutput } from "../text/for-output.js";
import { HOUR } from "../text/time.js";
import type { Payloads } from "./message.js";

/** A result that is older was told by an earlier life, or concerns nobody any more. */
const FRESH_MS: number = 24 * HOUR;
/** Keys so shortly before a turn began are those that began it. */
const TYPED_BEFORE_MS = 5000;

interface Finished {
  session: AgentSession;
  evidence: Evidence;
  assessment: Assessment;
}

/** Null where the turn is not finished, or belongs to a human who sits before it. Most are asked for again and told before. */
export function completionOf(
  { session, evidence, assessment }: Finished,
  { isWorker }: { isWorker: (session: AgentSession) => boolean },
  now: number,
): { subject: string; payload: () => Payloads["worker.complete"] } | null {
  if (assessment.state !== "complete") return null;
  const { report, turn, humanAt, message, exit } = evidence;
  const reported = report?.state === "complete" ? report : null;
  const began = turn.startedAt ?? session.startedAt;
  const at = reported?.at ?? turn.endedAt ?? exit?.at ?? now;
  if (now - at > FRESH_MS) return null;
  // Until the marker comes, the turn's end is none; where it never does, that is a problem of its own. Who is gone gives none.
  const owes = evidence.completion.asked && !evidence.completion.given;
  if (owes && !exit) return null;
  const byHuman = humanAt !== null && humanAt >= began - TYPED_BEFORE_MS;
  const isAsked = session.task !== null || ((session.origin === "spawn" || isWorker(session)) && !byHuman);
  if (!reported && !isAsked) return null;
  const said = reported?.text || message?.preview || (evidence.progress.reading?.tail ?? []).slice(-2).join(" ");
  return {
    subject: `${session.id}.${turn.turns}`,
    payload: () => ({ outcome: outcomeOf(reported !== null, owes, exit), completion_message: forOutput(said, 600) }),
  };
}

/** The agent's own word and a clean exit are success; that a turn ended without the word it owes says nothing of what came of it. */
function outcomeOf(isReported: boolean, owes: boolean, exit: Evidence["exit"]): Payloads["worker.complete"]["outcome"] {
  if (exit && (exit.signal !== null || (exit.code ?? 0) !== 0)) return "failure";
  return isReported || (exit?.code === 0 && !owes) ? "success" : "unknown";
}
