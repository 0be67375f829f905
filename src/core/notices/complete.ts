/** Which finished turns are results for an orchestrator, and their text. */
import type { AgentSession } from "../agent.js";
import type { Assessment } from "../judgement/assess.js";
import { owesMarker } from "../judgement/evidence/completion.js";
import type { Evidence } from "../judgement/evidence/state.js";
import { promptedBy } from "../judgement/evidence/turn.js";
import { rowsAfterOwnText } from "../judgement/noise.js";
import { forOutput } from "../text/for-output.js";
import { HOUR } from "../text/time.js";
import type { Payloads } from "./message.js";

/** An older result was sent before a restart, or is outdated. */
const FRESH_MS: number = 24 * HOUR;

interface Finished {
  session: AgentSession;
  evidence: Evidence;
  assessment: Assessment;
}

/** Null if the turn is not finished, or belongs to a user at the terminal. The payload is lazy: most results were sent before. */
export function completionOf(
  { session, evidence, assessment }: Finished,
  { isWorker }: { isWorker: (session: AgentSession) => boolean },
  now: number,
): { subject: string; payload: () => Payloads["worker.complete"] } | null {
  if (assessment.state !== "complete") return null;
  const { report, turn, message, exit } = evidence;
  const reported = report?.state === "complete" ? report : null;
  const at = reported?.at ?? turn.endedAt ?? exit?.at ?? now;
  if (now - at > FRESH_MS) return null;
  // A turn without its required marker is not finished; a marker that never comes is a problem of its own. An exited agent gives none.
  const owes = owesMarker(evidence.completion);
  if (owes && !exit) return null;
  const by = promptedBy(turn);
  const isWork = session.origin === "spawn" || isWorker(session);
  const isAsked = session.task !== null || by === "client" || (isWork && by === null);
  if (!reported && !isAsked) return null;
  const shown = rowsAfterOwnText(evidence.progress.reading?.tail ?? []);
  const said = reported?.text || message?.preview || shown.slice(-2).join(" ");
  return {
    subject: `${session.id}.${turn.turns}`,
    payload: () => ({ outcome: outcomeOf(reported !== null, evidence), completion_message: forOutput(said, 600) }),
  };
}

/** The agent's own report, the requested marker or a clean exit is success; the end of a turn alone does not show its result. */
function outcomeOf(isReported: boolean, { completion, exit }: Evidence): Payloads["worker.complete"]["outcome"] {
  if (exit && (exit.signal !== null || (exit.code ?? 0) !== 0)) return "failure";
  if (isReported) return "success";
  return completion.asked ? (completion.given ? "success" : "unknown") : exit?.code === 0 ? "success" : "unknown";
}
