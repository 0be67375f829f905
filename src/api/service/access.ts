/** What a client may do beyond its rights: about which agents, with which inboxes, and from inside of a watched agent. */
import { type OwnRights, ownRights } from "../../config/own-rights.js";
import type { AgentSession } from "../../core/agent.js";
import { openPrompt } from "../../core/judgement/evidence/prompts.js";
import type { SessionJudge } from "../../core/session-judge.js";
import { sanitize } from "../../core/text/sanitize.js";
import { matchesName } from "../../daemon/http/name-pattern.js";
import type { Client } from "../../daemon/http/tokens.js";
import { compilePattern } from "../../programs/shared/pattern.js";
import type { AuditAuthor } from "../../store/audit-entry.js";
import { ApiError } from "../error.js";
import type { FromInside } from "../from-inside.js";
import { type Identity, identify } from "../identity.js";
import { actionOf, orderText } from "../order-log.js";
import { concernedAgents, findAgent, type ServiceContext } from "./context.js";
import { isOfToken } from "./unseen-agents.js";

/** Messages that could not be handled belong to the same owner. */
const DEAD = /\.dead$/;

export interface AccessRequest {
  operation: string;
  fromInside: FromInside;
  input: Readonly<Record<string, unknown>>;
}

export class AccessService {
  readonly #context: Pick<ServiceContext, "loop" | "orders" | "securityAlerts">;

  constructor(context: Pick<ServiceContext, "loop" | "orders" | "securityAlerts">) {
    this.#context = context;
  }

  identify(client: Client): Promise<Identity> {
    return identify(this.#context.loop, client);
  }

  /** Throws if a watched agent asks for what only its user may do. The attempt is recorded, and announced if it is about a dialog. */
  checkInside(request: AccessRequest, identity: Identity): void {
    const { inside } = identity;
    const { fromInside, input } = request;
    if (inside === null || fromInside === "allowed") return;
    const isToAgent = fromInside !== "refused" && fromInside !== "orchestrators" && typeof input.agent === "string";
    const target = isToAgent ? findAgent(this.#context, String(input.agent)).session : null;
    const objection = insideObjection(fromInside, identity, target, ownRights());
    if (objection === null) return;
    const about = concernedAgents(this.#context, input);
    this.#record(request, identity, about[0] ?? inside, objection);
    const asking = [...about, inside].find(({ evidence }) => openPrompt(evidence.prompts) !== null);
    if (asking) this.#context.securityAlerts.dialogAttempt(inside, asking, request.operation);
    throw new ApiError("identity", `${objection}; run the command in another terminal`);
  }

  #record({ operation, input }: AccessRequest, by: AuditAuthor, about: SessionJudge, reason: string): void {
    const { orders } = this.#context;
    const { name: agent, id: session } = about.session;
    const order = { action: actionOf(operation), agent, session, text: orderText(input) };
    try {
      orders.finish(orders.begin(by, order), "refused", reason);
    } catch {
      // A full disk: the refusal stands, and the journal reports its own errors.
    }
  }
}

/** Why a client inside of an agent may not do this; null if it may. `target`: the agent that it is about, if there is one. */
export function insideObjection(
  fromInside: FromInside,
  identity: Pick<Identity, "inside" | "outer" | "rights">,
  target: AgentSession | null,
  own: OwnRights,
): string | null {
  const { inside, outer, rights } = identity;
  // The report itself is checked with its subject, which may be left out.
  if (inside === null || fromInside === "allowed" || fromInside === "itself") return null;
  const name = sanitize(inside.session.name, 80);
  if (fromInside === "refused" || (target === null && fromInside !== "orchestrators"))
    return `refused inside of the watched agent ${name}`;
  const isSelf = [inside, ...outer].some(({ session }) => session.id === target?.id);
  if (isSelf && fromInside === "workers")
    return `refused inside of ${name}: an agent may not type into, recover or stop itself`;
  if (!rights.has("control"))
    return `refused inside of the watched agent ${name}: it lacks the right control (mcp.rights in your own configuration)`;
  if (isSelf) return null;
  if (!isOrchestrator(identity, own)) return `refused inside of ${name}: it is a worker itself`;
  if (target === null || isWorker(target, own)) return null;
  const tags = own.workerTags.map((tag) => sanitize(tag, 40)).join(", ");
  return `refused inside of ${name}: it may control only workers (tags: ${tags}), and ${sanitize(target.name, 80)} is not one`;
}

/** Throws unless the client may report about this agent: itself, an agent that its token names, or any with a right of its own. */
export function checkReporter(identity: Identity, session: AgentSession): void {
  const { inside, isInner, scope, rights, token } = identity;
  const { id, name } = session;
  if (inside?.session.id === id && !isInner) return;
  if (token !== null && isOfToken(session, identity.name) && matchesName(scope.pattern ?? "", name)) return;
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

/** A client with control. Inside of watched agents only if none of them is a worker without the orchestrator's tag. */
function isOrchestrator(
  { rights, inside, outer }: Pick<Identity, "inside" | "outer" | "rights">,
  own: OwnRights,
): boolean {
  if (!rights.has("control")) return false;
  const around = inside === null ? [] : [inside, ...outer];
  return around.every(({ session }) => session.tags.includes(own.orchestratorTag) || !isWorker(session, own));
}

function isWorker({ tags, name }: AgentSession, { workerTags, workerPattern }: OwnRights): boolean {
  return (
    tags.some((tag) => workerTags.includes(tag)) || (workerPattern !== "" && compilePattern(workerPattern).test(name))
  );
}
