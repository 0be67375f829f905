/**
 * A session whose task was given to another one while this machine was cut off. Its writes are refused by the hub, but it could go
 * on working: it is stopped if rouse started it and may act on it, and the user is alerted.
 */
import type { Action } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { sanitize } from "../core/text/sanitize.js";
import { carryOut, type EffectContext } from "../effects/index.js";
import type { AuditTable } from "../store/audit-table.js";
import type { LostClaim } from "../work/claim-keeper.js";
import { auditedEffect } from "./audited-effect.js";
import type { Loop } from "./loop.js";
import type { SecurityAlerts } from "./security-alerts.js";

const STOP_MS = 60_000;

export interface StandDownContext {
  loop: Pick<Loop, "find" | "state" | "now">;
  alerts: Pick<SecurityAlerts, "sendTask">;
  audit: Pick<AuditTable, "intend" | "outcome">;
  effects: EffectContext;
}

export async function standDown(
  { session: id, task, title, claim, taker }: LostClaim,
  context: StandDownContext,
): Promise<void> {
  const { loop, alerts } = context;
  const judge = loop.find(id);
  if (!judge || judge.session.endedAt !== null) return;
  const { session } = judge;
  const canStop = session.origin === "spawn" && loop.state.rules.isAllowed(session, "stale_claim");
  const action: Action = {
    id: `lost-${task}-${claim.fence}`,
    incident: "",
    agent: session.name,
    session: session.id,
    problem: "stale_claim",
    do: "stop",
    attempt: 1,
    deadlineMs: STOP_MS,
    proof: "process_gone",
    waitMs: 0,
  };
  const outcome = canStop ? await stop(action, session, context) : null;
  const name = sanitize(session.name, 60);
  const now =
    taker === null ? "it waits for another session" : `${sanitize(`${taker.agent}@${taker.node}`, 100)} holds it now`;
  alerts.sendTask({
    id: `lost claim ${task} ${claim.fence}`,
    title: `${name} lost task ${task} (${sanitize(title, 60)}) while this machine did not reach the hub`,
    lines: [
      `${now}; what ${name} still reports about it is refused`,
      outcome?.result === "done"
        ? `rouse stopped ${name}`
        : `you can: stop it (rouse stop ${name})${outcome ? `; rouse could not: ${sanitize(outcome.reason, 200)}` : ""}`,
    ],
    agent: session.name,
  });
}

/** The database says that the claim is gone: no other evidence is needed. */
function stop(action: Action, session: AgentSession, { loop, audit, effects }: StandDownContext) {
  const text = `its claim (${action.id}) was given to another session`;
  return auditedEffect(
    audit,
    () => loop.now(),
    { action: "stop", session, text },
    () => carryOut(action, session, { ...effects, isOrder: true }),
  );
}
