/** The fleet as this node knows it, and commands for agents of other nodes. */
import { randomUUID } from "node:crypto";
import { compareByMove } from "../../core/move.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { NodeInFleet } from "../../daemon/fleet.js";
import { type AgentBody, readBody, readState } from "../../fleet/agent-body.js";
import type { FleetAgent, NodeState } from "../../fleet/roster.js";
import type { CommandResult, CommandVerb, FleetCommand } from "../../hub/fleet.js";
import { HubError } from "../../hub/hub-error.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import { iso, isoOrNull, type ServiceContext } from "./context.js";
import { kindOfHubError } from "./hub-errors.js";

export interface FleetAgentView extends Omit<AgentBody, "incidents"> {
  /** NAME@NODE */
  id: string;
  name: string;
  node: string;
  session: string;
  state: ReturnType<typeof readState>;
  since: string;
  incidents: (AgentBody["incidents"][number] & { agent: string })[];
}

export interface FleetNodeRecord {
  name: string;
  state: NodeState | "unknown";
  is_self: boolean;
  since: string | null;
  version: string;
  agents: number;
  /** Whether this node carries out its commands. */
  accepts_commands: boolean;
}

export interface FleetView {
  node: string;
  hub: { reachable: boolean; silent_secs: number | null; error: string | null; waiting: number };
  /** Number of nodes that were lost together; 0: tasks of lost nodes are taken over. */
  brake: number;
  nodes: FleetNodeRecord[];
  agents: FleetAgentView[];
}

export interface CommandView {
  id: string;
  agent: string;
  verb: CommandVerb;
  result: CommandResult;
  reason: string;
}

/** A command that no daemon has begun by then is not carried out any more. */
const EXPIRES_MS = 20_000;
/** The longest plan; the outcome is then unknown here, and stays in the hub. */
const PATIENCE_MS = 300_000;
const POLL_MS = 300;

export class FleetService {
  readonly #context: Pick<ServiceContext, "fleet" | "config">;

  constructor(context: Pick<ServiceContext, "fleet" | "config">) {
    this.#context = context;
  }

  show(): FleetView {
    const { node, feed } = this.#fleet();
    const { active, silentMs, error, waiting } = node.contact();
    const { roster } = node;
    // Cut off from the hub, this node knows nothing about the others' leases.
    const hubNow = active ? node.hubNow() : roster.hubTime;
    const silence = silentMs === null ? null : Math.round(silentMs / 1000);
    const accepted = this.#context.config.fleet.accept_commands_from;
    const own = feed.rows();
    const nodes = roster.nodes(hubNow).map(
      ({ since, ...one }): FleetNodeRecord => ({
        ...one,
        state: active || one.name === node.node ? one.state : "unknown",
        is_self: one.name === node.node,
        since: isoOrNull(since),
        agents: one.name === node.node ? own.length : one.agents,
        accepts_commands: accepted.includes(one.name),
      }),
    );
    const others = roster.agents(hubNow).filter((one) => one.node !== node.node);
    const mine = own.map((row): FleetAgent => ({ node: node.node, row, nodeState: "live", lostAt: null }));
    const unseen = active ? null : `the hub has not answered this node for ${formatDuration(silentMs ?? 0)}`;
    const agents = [
      ...mine.flatMap((one) => agentView(one, null) ?? []),
      ...others.flatMap((one) => agentView(one, unseen ?? lostText(one, hubNow)) ?? []),
    ].sort(compareByMove);
    return {
      node: node.node,
      hub: { reachable: active, silent_secs: silence, error, waiting },
      brake: roster.brake,
      nodes,
      agents,
    };
  }

  /** NAME@NODE. */
  agent(name: string): FleetAgentView {
    const found = this.show().agents.find(({ id }) => id === name);
    if (found) return found;
    throw new ApiError(
      "unknown",
      `no agent ${JSON.stringify(sanitize(name, 120))} in this fleet; see \`rouse status --fleet\``,
    );
  }

  /** Sends a command to the agent's node, and waits for its outcome there. */
  async command(
    client: Identity,
    { agent: id, verb, ...args }: { agent: string; verb: CommandVerb; dry_run: boolean; restart: boolean },
  ): Promise<CommandView> {
    const { node } = this.#fleet();
    const { node: target, session } = this.agent(id);
    if (target === node.node)
      throw new ApiError("bad", `${sanitize(id, 120)} runs on this machine: use its name without @${target}`);
    const author = sanitize(client.author, 120);
    const order = { id: randomUUID(), node: target, verb, agent: session, args, author, expiresMs: EXPIRES_MS };
    const sent = await orRefused(() => node.hub().send(order));
    const ended = await this.#outcome(sent);
    return { id: sent.id, agent: id, verb, result: ended.result ?? "unknown", reason: sanitize(reasonOf(ended), 600) };
  }

  async #outcome(sent: FleetCommand): Promise<Pick<FleetCommand, "result" | "reason" | "node">> {
    const { node } = this.#fleet();
    const began = performance.now();
    let lost = "";
    while (performance.now() - began < PATIENCE_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      try {
        const command = await node.hub().command(sent.id);
        if (command.result !== null) return command;
      } catch (error) {
        lost = (error as Error).message;
      }
    }
    return { node: sent.node, result: "unknown", reason: lost || `${sent.node} has not reported the outcome` };
  }

  #fleet(): NodeInFleet {
    const { fleet } = this.#context;
    if (fleet) return fleet;
    throw new ApiError("refused", "this machine is in no fleet; join one with `rouse fleet join`");
  }
}

function reasonOf({ result, reason, node }: Pick<FleetCommand, "result" | "reason" | "node">): string {
  return result === "expired" ? `the daemon of ${node} did not take it in time, and will not carry it out` : reason;
}

function lostText({ node, nodeState, lostAt }: FleetAgent, hubNow: number): string | null {
  if (nodeState === "live") return null;
  const since = lostAt === null ? "" : ` for ${formatDuration(Math.max(0, hubNow - lostAt))}`;
  return nodeState === "stopped"
    ? `rouse is stopped on ${node}${since}`
    : `the node ${node} has been unreachable${since}`;
}

/** `unseen`: why nothing is known about it now; its last state is then only a hint. */
function agentView({ node, row }: FleetAgent, unseen: string | null): FleetAgentView | null {
  const body = readBody(row.body);
  if (body === null) return null;
  const name = sanitize(row.name, 80);
  const id = `${name}@${node}`;
  const last = readState(row.state);
  const incidents = body.incidents.map((incident) => ({ ...incident, agent: id }));
  const view = { ...body, id, name, node, session: row.id, state: last, since: iso(row.since), incidents };
  if (unseen === null || body.ended_at !== null) return view;
  const reasons = [`${unseen}; its last state there was ${last}`];
  return { ...view, state: "unknown", cause: null, move: "none", doing: "", question: null, healthy: false, reasons };
}

async function orRefused<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof HubError ? new ApiError(kindOfHubError(error.code), error.message) : error;
  }
}
