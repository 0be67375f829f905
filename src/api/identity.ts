/**
 * Who sends a request, as far as this machine can verify it: the user, a token, or a watched agent. A client of the socket
 * runs in an agent if its process does; an agent that hides its environment is still found by its parents.
 */
import { ownRights } from "../config/own-rights.js";
import type { SessionJudge } from "../core/session-judge.js";
import { sanitize } from "../core/text/sanitize.js";
import type { Client, Right, TokenScope } from "../daemon/http/tokens.js";
import { type Caller, enclosingAgent, isInnerOf, outerAgents } from "../daemon/intake/callers.js";
import type { Loop } from "../daemon/loop.js";
import type { AuditOrigin } from "../store/audit-entry.js";
import { ApiError } from "./error.js";

export interface Identity {
  /** Sender of its messages. */
  name: string;
  /** For records: `user`, `user (NAME)` for a program of the user, `agent NAME`, `token NAME`. */
  author: string;
  /** The interface of the request. */
  origin: AuditOrigin;
  rights: ReadonlySet<Right | "hook">;
  /** Digest of its token; null over the socket. */
  token: string | null;
  scope: TokenScope;
  /** The watched agent that it runs in; null outside of all agents. */
  inside: SessionJudge | null;
  /** The agents that this one runs in. */
  outer: readonly SessionJudge[];
  /** It belongs to a second agent program inside of that agent. */
  isInner: boolean;
  caller: Caller;
}

/** The name of clients of the socket that give none. */
export const USER = "user";
const NAME_MAX = 80;
const NO_SCOPE: TokenScope = { agents: [], inboxes: [] };

/** `process` is looked up: do not call it for a request that only reads. */
export async function identify(loop: Loop, client: Client): Promise<Identity> {
  const known = (await client.process?.()) ?? null;
  if (known === "unknown")
    throw new ApiError(
      "identity",
      "rouse cannot tell which process sends this request; keep the connection open until the response arrives",
    );
  const { process: claimed, ...said } = client.caller ?? {};
  const pids = known ?? (claimed === undefined ? [] : [claimed]);
  // A connection that several processes hold comes from inside of an agent if one of them is inside.
  for (const process of pids) {
    const inside = enclosingAgent(loop, { ...said, process });
    if (inside) return identityOf(client, { ...said, process }, inside, outerAgents(loop, inside, { process }));
  }
  const [process] = pids;
  const caller: Caller = { ...said, ...(process === undefined ? {} : { process }) };
  return identityOf(client, caller, enclosingAgent(loop, said));
}

/** Of a client that only reads: where it runs does not matter. */
export const unverified = (client: Client): Identity => identityOf(client, client.caller ?? {}, null);

function identityOf(
  client: Client,
  caller: Caller,
  inside: SessionJudge | null,
  outer: readonly SessionJudge[] = [],
): Identity {
  const { token = null, scope = NO_SCOPE, origin = "socket" } = client;
  const agent = inside?.session.name;
  return {
    name: token === null ? (agent ?? caller.agent ?? client.name) : client.name,
    author: authorOf(client, agent),
    origin,
    rights: token === null && inside !== null ? rightsInside(client.rights) : client.rights,
    token,
    scope,
    inside,
    outer,
    isInner: inside !== null && isInnerOf(inside, caller),
    caller,
  };
}

function authorOf({ name, token }: Client, agent: string | undefined): string {
  const shown = sanitize(name, NAME_MAX);
  if (token !== undefined)
    return `token ${shown}${agent === undefined ? "" : ` in agent ${sanitize(agent, NAME_MAX)}`}`;
  if (agent !== undefined) return `agent ${sanitize(agent, NAME_MAX)}`;
  return shown === USER ? USER : `${USER} (${shown})`;
}

/** The socket gives the user all rights, and an agent those that the user's own file gives to orchestrators. */
function rightsInside(given: Client["rights"]): Client["rights"] {
  const granted: readonly string[] = ownRights().rights;
  return new Set([...given].filter((right) => granted.includes(right)));
}
