/** Which session works on a claim: the one that claimed the task, or one that resumed it. */
import { isUnseen } from "../core/agent-decisions.js";
import type { SessionJudge } from "../core/session-judge.js";
import type { Claim } from "../hub/hub.js";

export interface Sessions {
  /** By id, or by name: a live session first. */
  find(nameOrId: string): SessionJudge | null;
}

/** A session that rouse cannot see renews its claim by its checkpoints alone. */
export function holderOf(sessions: Sessions, { agent, session }: Pick<Claim, "agent" | "session">): string | null {
  const own = sessions.find(session);
  if (!own || own.session.id !== session || isUnseen(own)) return null;
  if (isLiving(own)) return session;
  const later = sessions.find(agent);
  return later && isLiving(later) && later.session.name === agent ? later.session.id : null;
}

const isLiving = ({ session, evidence }: SessionJudge): boolean => session.endedAt === null && evidence.exit === null;

export const knowsClaim = (sessions: Sessions, session: string, task: number): boolean =>
  sessions.find(session)?.evidence.checkpoint.claims.has(String(task)) ?? true;

/** What living sessions hold, as far as their judgement knows. */
export const knownClaims = (sessions: readonly SessionJudge[]): { session: string; agent: string; task: number }[] =>
  sessions
    .filter(isLiving)
    .flatMap(({ session, evidence }) =>
      [...evidence.checkpoint.claims.keys()].flatMap((task) =>
        /^[1-9]\d{0,9}$/.test(task) ? [{ session: session.id, agent: session.name, task: Number(task) }] : [],
      ),
    );
