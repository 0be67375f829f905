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
    only(
      (w) =>
        caller.cwd !== undefined &&
        w.session.workspace === caller.cwd &&
        (caller.kind === undefined || w.session.kind === caller.kind),
    )
  );
}
