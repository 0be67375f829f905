/** Something that rouse does to an agent outside of a recovery plan: a line in the audit trail before it, its outcome after it. */
import type { AgentSession } from "../core/agent.js";
import { type EffectResult, refusedResult } from "../effects/keys/terminal-session.js";
import { type AuditTable, rouse } from "../store/audit-table.js";

export interface RecordedEffect {
  action: string;
  session: Pick<AgentSession, "id" | "name">;
  text: string;
}

/** It is not carried out if it cannot be recorded. */
export async function auditedEffect<Result extends Pick<EffectResult, "result" | "reason">>(
  audit: Pick<AuditTable, "intend" | "outcome">,
  now: () => number,
  { action, session, text }: RecordedEffect,
  run: () => Promise<Result>,
): Promise<Result | EffectResult> {
  let line: number;
  try {
    line = audit.intend({ ...rouse(now()), action, agent: session.name, session: session.id, text });
  } catch (error) {
    return refusedResult(`nothing was done, because it cannot be recorded: ${(error as Error).message}`);
  }
  const done = await run();
  audit.outcome(line, { at: now(), result: done.result, reason: done.reason });
  return done;
}
