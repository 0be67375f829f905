/** The context of all services, and how they find an agent. */
import { localZone } from "../../config/local-zone.js";
import { unknownAgent } from "../../config/unknown-agent.js";
import type { AgentSession } from "../../core/agent.js";
import type { SessionJudge } from "../../core/session-judge.js";
import { endedText } from "../../core/text/when.js";
import type { DaemonParts } from "../../daemon/parts.js";
import type { AgentControl } from "../agent-control.js";
import { checkControl } from "../check-control.js";
import { ApiError } from "../error.js";
import type { OrderLog } from "../order-log.js";
import type { ScreenKeeper } from "../terminals/screen-keeper.js";
import type { Watchdogs } from "../watchdogs.js";

export interface ServiceContext extends DaemonParts {
  agentControl: AgentControl;
  orders: OrderLog;
  watchdogs: Watchdogs;
  screens: ScreenKeeper;
}

type Sessions = Pick<ServiceContext, "loop">;

/** By session id, by name, or by the id of its tmux pane if only one has it. */
export function findAgent({ loop }: Sessions, id: string): SessionJudge {
  const found = loop.find(id);
  if (found) return found;
  const alive = loop.sessions().filter(({ session }) => session.endedAt === null);
  const inPane = alive.filter(({ session }) => session.pane?.id === id);
  if (inPane[0] && inPane.length === 1) return inPane[0];
  if (inPane.length > 1) throw new ApiError("unknown", `${id} is a pane of several tmux servers: use a name`);
  throw new ApiError(
    "unknown",
    unknownAgent(
      id,
      alive.map(({ session }) => session.name),
    ),
  );
}

/** Known agents that a request names in any field, also by an incident. */
export function concernedAgents(
  { loop }: Sessions,
  { agent, what, agents, incident }: Readonly<Record<string, unknown>>,
): SessionJudge[] {
  const of = loop.incidents.incidents.find(({ id }) => typeof incident === "string" && id.startsWith(incident));
  const names = [agent, what, ...(Array.isArray(agents) ? agents : []), of?.agent ?? incident];
  return names.flatMap((name) => (typeof name === "string" ? (loop.find(name) ?? []) : []));
}

export function livingAgent(context: Sessions, id: string): AgentSession {
  const { session, evidence } = findAgent(context, id);
  const endedAt = session.endedAt ?? evidence.exit?.at ?? null;
  if (endedAt === null) return session;
  throw new ApiError("refused", endedText(session.name, endedAt, context.loop.now(), localZone()));
}

/** Throws `ApiError` if clients may not type into this agent. */
export function controllableAgent(context: Pick<ServiceContext, "loop" | "permission">, id: string): AgentSession {
  const session = livingAgent(context, id);
  const objection = checkControl(session, context.permission.grants, context.loop.now());
  if (objection !== null) throw new ApiError("refused", objection);
  return session;
}

export const knownAgents = ({ loop }: Sessions): string[] => [
  ...new Set(loop.sessions().map(({ session }) => session.name)),
];

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
