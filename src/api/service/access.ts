/** What a client may do beyond its rights: which agents it may report about, and which inboxes it owns. */
import { type OwnRights, ownRights } from "../../config/own-rights.js";
import type { AgentSession } from "../../core/agent.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { Client } from "../../daemon/http/tokens.js";
import { compilePattern } from "../../programs/shared/pattern.js";
import { ApiError } from "../error.js";
import { type Identity, identify } from "../identity.js";
import type { ServiceContext } from "./context.js";

/** Messages that could not be handled belong to the same owner. */
const DEAD = /\.dead$/;

export class AccessService {
  readonly #context: Pick<ServiceContext, "loop" | "config">;

  constructor(context: Pick<ServiceContext, "loop" | "config">) {
    this.#context = context;
  }

  identify(client: Client): Promise<Identity> {
    return identify(this.#context.loop, client);
  }
}

/** Throws unless the client may report about this agent: itself, an agent that its token names, or any with a right of its own. */
export function checkReporter({ inside, isInner, scope, rights, token }: Identity, { id, name }: AgentSession): void {
  if (inside?.session.id === id && !isInner) return;
  if (scope.agents.includes(name) || rights.has("report_any")) return;
  const agent = sanitize(name, 80);
  const create = `\`rouse token create NAME --right report --agent ${agent}\``;
  if (inside && token === null)
    throw new ApiError(
      "identity",
      `this client runs inside ${sanitize(inside.session.name, 80)} and may report only about it; to report about ${agent}, run the command in another terminal`,
    );
  throw new ApiError(
    "identity",
    token === null
      ? `to report about ${agent}, this client needs the right report_any`
      : `this token may not report about ${agent}; create one that names it: ${create}`,
  );
}

/**
 * Throws unless the client owns the inbox. It belongs to the agents with its tag or name and to tokens created for it, the
 * one of `orchestratorTag` also to orchestrators; to the user belong all.
 */
export function checkOwner(identity: Identity, tag: string, orchestratorTag: string): void {
  const { inside, token, scope, rights, name } = identity;
  const inbox = tag.replace(DEAD, "");
  const isUser = inside === null && (token === null || rights.has("admin"));
  const own = token === null ? [inside?.session.name, ...(inside?.session.tags ?? [])] : scope.inboxes;
  if (isUser || own.includes(inbox) || (inbox === orchestratorTag && isOrchestrator(identity, ownRights()))) return;
  const shown = sanitize(inbox, 80);
  throw new ApiError(
    "identity",
    token === null
      ? `${sanitize(name, 80)} does not own the inbox ${shown}: only an agent with that tag, an orchestrator (right control) or you acknowledge its messages`
      : `this token does not own the inbox ${shown}; create one for it: \`rouse token create NAME --right report --inbox ${shown}\``,
  );
}

/** A client with control. Inside of a watched agent only if that is no worker, or has the orchestrator's tag too. */
function isOrchestrator({ rights, inside }: Identity, own: OwnRights): boolean {
  if (!rights.has("control")) return false;
  return inside === null || inside.session.tags.includes(own.orchestratorTag) || !isWorker(inside.session, own);
}

function isWorker({ tags, name }: AgentSession, { workerTags, workerPattern }: OwnRights): boolean {
  return (
    tags.some((tag) => workerTags.includes(tag)) || (workerPattern !== "" && compilePattern(workerPattern).test(name))
  );
}
