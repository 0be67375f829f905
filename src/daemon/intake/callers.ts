/** Finds the agent of a hook or report: by rouse session, name, process, or folder. */

import type { SessionJudge } from "../../core/session-judge.js";
import { isInnerAgent } from "../../sensors/process/inner-agent.js";
import type { Loop } from "../loop.js";

export interface Caller {
  session?: string | undefined;
  agent?: string | undefined;
  pid?: number | undefined;
  /** The process of the caller, a descendant of the agent's process. */
  process?: number | undefined;
  /** The program's own id of its conversation. */
  conversation?: string | undefined;
  cwd?: string | undefined;
  kind?: string | undefined;
}

/** Headers that a `rouse` command sends about its caller. */
export function callerOf(request: { header: (name: string) => string | undefined }): Caller {
  return {
    session: request.header("x-rouse-session"),
    agent: request.header("x-rouse-agent"),
    process: Number(request.header("x-rouse-pid")) || undefined,
  };
}

/** Null if no agent or several agents match: a report for the wrong agent is worse than none. */
export function findCaller(
  loop: Loop,
  caller: Caller,
  isInner: typeof isInnerAgent = isInnerAgent,
): SessionJudge | null {
  let alive = loop.sessions().filter((judge) => judge.session.endedAt === null);
  const only = (fits: (judge: SessionJudge) => boolean): SessionJudge | null => {
    const found = alive.filter(fits);
    return found.length === 1 ? (found[0] ?? null) : null;
  };
  if (caller.session) {
    const judge = only((w) => w.session.id === caller.session);
    if (!judge || !isInside(judge, caller, isInner)) return judge;
    alive = alive.filter((other) => other !== judge);
  }
  if (caller.agent) return only((w) => w.session.name === caller.agent);
  return (
    only((w) => caller.pid !== undefined && w.session.pid === caller.pid) ??
    only((w) => caller.conversation !== undefined && w.evidence.session.id === caller.conversation) ??
    only((w) => isInFolder(w, caller))
  );
}

/** The folder counts only for an agent without better identification: another agent may work in the same folder. */
function isInFolder({ session, evidence }: SessionJudge, { cwd, kind, pid, conversation }: Caller): boolean {
  if (cwd === undefined || session.workspace !== cwd || (kind !== undefined && session.kind !== kind)) return false;
  return (
    (pid === undefined || session.pid === null) && (conversation === undefined || evidence.session.id === undefined)
  );
}

/** Another agent, started by the agent of this session: its reports are not about the outer one. */
function isInside(
  { session, evidence }: SessionJudge,
  { process, conversation }: Caller,
  isInner: typeof isInnerAgent,
): boolean {
  if (session.pid === null || process === undefined) return false;
  // The same conversation is the same agent. That covers most hooks without reading the process table.
  if (conversation !== undefined && conversation === evidence.session.id) return false;
  return isInner(session.pid, process);
}
