/** Finds the agent of a hook or report: by its process, rouse session, name, conversation, or folder. */

import type { SessionJudge } from "../../core/session-judge.js";
import { enclosingSession, enclosingSessions } from "../../sensors/process/enclosing.js";
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

/** What can be read about processes; tests replace it. */
export interface ProcessFacts {
  enclosing: typeof enclosingSession;
  isInner: typeof isInnerAgent;
}

const SYSTEM: ProcessFacts = { enclosing: enclosingSession, isInner: isInnerAgent };
/** Agents that the daemon started are found by their own process; anything else below it belongs to no agent. */
const OUTSIDE: ReadonlySet<number> = new Set([process.pid]);

const living = (loop: Loop): SessionJudge[] => loop.sessions().filter(({ session }) => session.endedAt === null);

/**
 * The agent that a client runs in. Its process decides; what the client says about itself counts only if the process belongs
 * to no agent.
 */
export function enclosingAgent(
  loop: Loop,
  { session: claimed, process: pid }: Pick<Caller, "session" | "process">,
  { enclosing }: Pick<ProcessFacts, "enclosing"> = SYSTEM,
): SessionJudge | null {
  const alive = living(loop);
  const sessions = alive.map(({ session }) => session);
  const id = (pid === undefined ? null : enclosing(pid, sessions, OUTSIDE))?.id ?? claimed;
  return alive.find(({ session }) => session.id === id) ?? null;
}

/** The agents around that agent: one of them has started it, or a process between them. */
export function outerAgents(
  loop: Loop,
  { session: { id } }: SessionJudge,
  { process: pid }: Pick<Caller, "process">,
): SessionJudge[] {
  if (pid === undefined) return [];
  const alive = living(loop);
  const around = enclosingSessions(
    pid,
    alive.map(({ session }) => session),
    OUTSIDE,
  );
  return around.flatMap((one) => (one.id === id ? [] : (alive.find(({ session }) => session === one) ?? [])));
}

/** Another agent program stands between this agent and the process: what that one reports is not about this agent. */
export function isInnerOf(
  { session }: SessionJudge,
  { process: pid }: Pick<Caller, "process">,
  { isInner }: Pick<ProcessFacts, "isInner"> = SYSTEM,
): boolean {
  return session.pid !== null && pid !== undefined && isInner(session.pid, pid);
}

/** Null if no agent or several agents match: a report for the wrong agent is worse than none. */
export function findCaller(loop: Loop, caller: Caller, facts: ProcessFacts = SYSTEM): SessionJudge | null {
  let alive = living(loop);
  const only = (fits: (judge: SessionJudge) => boolean): SessionJudge | null => {
    const found = alive.filter(fits);
    return found.length === 1 ? (found[0] ?? null) : null;
  };
  const around = enclosingAgent(loop, caller, facts);
  if (around) {
    // The same conversation is the same agent. That covers most hooks without reading command lines.
    const isSame = caller.conversation !== undefined && caller.conversation === around.evidence.session.id;
    if (isSame || !isInnerOf(around, caller, facts)) return around;
    alive = alive.filter((other) => other !== around);
  } else if (caller.session) return null;
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
