/**
 * Agents that rouse cannot see, such as one in a sandbox or on another machine: created by their first report or checkpoint,
 * with a token that has a pattern for their names. They belong to that token; no other token reports about them.
 */
import { type AgentSession, createSession, NO_PROFILE } from "../../core/agent.js";
import { isReservedName } from "../../core/reserved.js";
import { sanitize } from "../../core/text/sanitize.js";
import { matchesName } from "../../daemon/http/name-pattern.js";
import type { Loop } from "../../daemon/loop.js";
import { newSessionId } from "../../terminal/registry.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";

/** Running agents of one token. */
export const AGENTS_PER_TOKEN = 1000;
/** An agent without any report for this long has ended; its next report is a new session. */
export const SILENT_MS: number = 24 * 3_600_000;
/** Not allowed in the name of a token, which the id of a session starts with. */
const MARK = ":";

type Sessions = Pick<Loop, "sessions" | "register" | "ingest" | "now">;

/** The session was created by reports with this token. */
export const isOfToken = ({ origin, id }: Pick<AgentSession, "origin" | "id">, token: string): boolean =>
  origin === "report" && id.startsWith(`${token}${MARK}`);

export class UnseenAgents {
  readonly #loop: Sessions;

  constructor(loop: Sessions) {
    this.#loop = loop;
  }

  /**
   * The session that a report with this token is about, or that it is the first one of a new agent. Null if the token creates
   * no agents, or may report about this one for another reason. Throws `ApiError` for every other name.
   */
  find({ name: token, token: digest, scope, rights }: Identity, agent: string): AgentSession | "new" | null {
    const { pattern, agents } = scope;
    if (digest === null || pattern === undefined || agents.includes(agent)) return null;
    const known = this.#loop.sessions().filter(({ session }) => session.name === agent);
    const isOwn = matchesName(pattern, agent) && !isReservedName(agent);
    const living = known.find(({ session }) => session.endedAt === null && isOfToken(session, token));
    if (isOwn && living) return living.session;
    if (rights.has("report_any") && known.length > 0) return null;
    if (!isOwn)
      throw new ApiError(
        "identity",
        `this token reports only about agents named ${pattern}, not about ${shown(agent)}`,
      );
    if (known.some(({ session }) => !isOfToken(session, token)))
      throw new ApiError(
        "identity",
        `the name ${shown(agent)} belongs to an agent that this token did not create; choose another name`,
      );
    return "new";
  }

  /** Registers a new agent before anything is awaited, so that two first reports are about one agent. */
  async create({ name: token }: Identity, agent: string): Promise<AgentSession> {
    const own = this.#loop
      .sessions()
      .filter(({ session }) => session.endedAt === null && isOfToken(session, token))
      .map(({ session }) => session);
    const known = own.find(({ name }) => name === agent);
    if (known) return known;
    if (own.length >= AGENTS_PER_TOKEN)
      throw new ApiError("full", `this token has ${AGENTS_PER_TOKEN} agents already; it creates no more`);
    const at = this.#loop.now();
    const id = `${token}${MARK}${newSessionId()}`;
    const session = createSession({ id, name: agent, kind: NO_PROFILE, origin: "report", startedAt: at });
    this.#loop.register(session);
    const text = "only its reports and checkpoints are known";
    const sight = { kind: "sight", at, source: "observer", seen: false, since: at, text, byReports: true } as const;
    await this.#loop.ingest(session.id, null, [sight]);
    return session;
  }
}

/** Agents that stopped reporting long ago give way to new ones. */
export function endSilentAgents(loop: Pick<Loop, "sessions" | "register">, now: number): void {
  for (const { session, lastAliveAt } of loop.sessions())
    if (session.origin === "report" && session.endedAt === null && now - lastAliveAt > SILENT_MS)
      loop.register({ ...session, endedAt: now });
}

const shown = (name: string): string => sanitize(name, 80);
