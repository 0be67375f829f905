/** Whose hook or report is this? By the session that rouse gave it, by its name, by its process, by its folder. */
import type { Loop } from "./loop.js";
import type { Watched } from "./watched.js";

export interface Caller {
  session?: string | undefined;
  agent?: string | undefined;
  pid?: number | undefined;
  /** The program's own id of its conversation. */
  conversation?: string | undefined;
  cwd?: string | undefined;
  kind?: string | undefined;
}

/** Null when nobody fits, or when several would: a report for the wrong agent is worse than none. */
export function findCaller(loop: Loop, caller: Caller): Watched | null {
  const alive = loop.sessions().filter((watched) => watched.session.endedAt === null);
  const only = (fits: (watched: Watched) => boolean): Watched | null => {
    const found = alive.filter(fits);
    return found.length === 1 ? (found[0] ?? null) : null;
  };
  if (caller.session) return only((w) => w.session.session === caller.session);
  if (caller.agent) return only((w) => w.session.name === caller.agent);
  return (
    only((w) => caller.pid !== undefined && w.session.pid === caller.pid) ??
    only((w) => caller.conversation !== undefined && w.evidence.session.id === caller.conversation) ??
    only((w) => isInFolder(w, caller))
  );
}

/** The folder counts only for an agent of which nothing better is known: another one may work beside it. */
function isInFolder({ session, evidence }: Watched, { cwd, kind, pid, conversation }: Caller): boolean {
  if (cwd === undefined || session.workspace !== cwd || (kind !== undefined && session.kind !== kind)) return false;
  return (
    (pid === undefined || session.pid === null) && (conversation === undefined || evidence.session.id === undefined)
  );
}
