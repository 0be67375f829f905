/**
 * The fleet as this node knows it: every node with its lease, every agent with its last row. Made from the answers of the hub;
 * the agents of a node whose lease has lapsed are `unknown`, whatever their last row says.
 */
import { sanitize } from "../core/text/sanitize.js";
import type { AgentRow, FollowAnswer, NodeRow } from "../hub/fleet.js";

/** `joined`: has not started yet; `stopped`: was shut down in order; `lost`: its lease has lapsed. */
export type NodeState = "live" | "lost" | "stopped" | "joined";

export interface FleetNodeView {
  name: string;
  state: NodeState;
  /** Since when it is lost or stopped; null otherwise. */
  since: number | null;
  version: string;
  agents: number;
}

export interface FleetAgent {
  node: string;
  row: AgentRow;
  nodeState: NodeState;
  /** Since when its node is lost or stopped. */
  lostAt: number | null;
}

/** Followed again from the start after this time: rows of removed agents are kept for a day. */
const WHOLE_AFTER_MS = 12 * 3_600_000;

export class Roster {
  readonly #nodes = new Map<string, NodeRow>();
  readonly #agents = new Map<string, Map<string, AgentRow>>();
  #since = 0;
  #brake = 0;
  #reachableSince: number | null = null;

  /** What to ask for. `awayMs`: time since the last answer. */
  request(awayMs: number): { since: number; known: Record<string, number> } {
    if (awayMs > WHOLE_AFTER_MS) this.#clear();
    const known = [...this.#nodes.values()].map(({ id, rev }) => [id, rev] as const);
    return { since: this.#since, known: Object.fromEntries(known) };
  }

  take({ now, nodes, agents, brake, reachableSince }: FollowAnswer): void {
    this.#since = now;
    this.#brake = brake;
    this.#reachableSince = reachableSince;
    for (const row of agents) {
      const { node, ...agent } = row;
      const ofNode = this.#agents.get(node) ?? new Map<string, AgentRow>();
      if (agent.body === null) ofNode.delete(agent.id);
      else ofNode.set(agent.id, agent);
      this.#agents.set(node, ofNode);
    }
    for (const row of nodes) {
      if (row.leftAt === null) this.#nodes.set(row.id, row);
      else {
        this.#nodes.delete(row.id);
        this.#agents.delete(row.id);
      }
    }
  }

  get brake(): number {
    return this.#brake;
  }

  get reachableSince(): number | null {
    return this.#reachableSince;
  }

  /** The hub's time of the last answer; 0 before the first. */
  get hubTime(): number {
    return this.#since;
  }

  /** `hubNow`: the database's time now. */
  nodes(hubNow: number): FleetNodeView[] {
    return [...this.#nodes.values()]
      .map((row) => ({
        name: row.id,
        ...stateOf(row, hubNow),
        version: sanitize(row.version, 40),
        agents: this.#agents.get(row.id)?.size ?? 0,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  agents(hubNow: number): FleetAgent[] {
    return [...this.#agents].flatMap(([node, rows]) => {
      const row = this.#nodes.get(node);
      if (!row) return [];
      const { state: nodeState, since: lostAt } = stateOf(row, hubNow);
      return [...rows.values()].map((one) => ({ node, row: one, nodeState, lostAt }));
    });
  }

  #clear(): void {
    this.#nodes.clear();
    this.#agents.clear();
    this.#since = 0;
  }
}

function stateOf({ leaseUntil, stoppedAt }: NodeRow, hubNow: number): { state: NodeState; since: number | null } {
  if (stoppedAt !== null) return { state: "stopped", since: stoppedAt };
  if (leaseUntil === null) return { state: "joined", since: null };
  return leaseUntil < hubNow ? { state: "lost", since: leaseUntil } : { state: "live", since: null };
}
