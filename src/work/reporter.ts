/** The agent that this process runs in, for a report that the daemon gets later: by its parents, and what the environment says. */
import type { RousePaths } from "../config/paths.js";
import { enclosingSession, lineOf } from "../sensors/process/enclosing.js";
import { listSessions } from "../terminal/registry.js";
import type { SpooledReport } from "./spool.js";

export function reporter(paths: Pick<RousePaths, "sessions">): Pick<SpooledReport, "session" | "parents"> {
  const alive = listSessions(paths).filter(({ isAlive }) => isAlive);
  const session = enclosingSession(process.pid, alive)?.id ?? process.env.ROUSE_SESSION ?? null;
  const parents = lineOf(process.pid).map(({ pid, ppid, sid, start }) => ({ pid, ppid, sid, start }));
  return { session, parents };
}
