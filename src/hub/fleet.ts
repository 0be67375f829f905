/**
 * What a hub on PostgreSQL does for a fleet: leases of nodes, one row per agent, commands for other nodes. All times are the
 * database's. A node writes only for itself, and every write carries its run and a number that grows with each write: the write
 * of an earlier run, and one that was delayed or repeated, is refused.
 */

/** A node is lost this long after its last renewal. */
export const NODE_LEASE_MS = 30_000;
export const NODE_RENEW_MS = 10_000;
/** A node that reached the hub the last time this long ago no longer acts for the fleet. */
export const STAND_DOWN_MS = 20_000;
/** The brake: nothing is taken over while at least this many nodes, and this part of the fleet, lapsed within one lease. */
export const BRAKE_NODES = 3;
export const BRAKE_PART = 0.3;

/** One agent of a node, as other nodes see it. Written by that node: hostile input for all others. */
export interface AgentRow {
  /** Id of the session. */
  id: string;
  name: string;
  state: string;
  since: number;
  /** JSON; null: the agent is not watched any more. */
  body: string | null;
}

export interface StartedNode {
  node: string;
  /** Grows with each start; one run of a node writes at a time. */
  run: number;
  /** The number of its last write. */
  seq: number;
  now: number;
}

export interface FlushRequest {
  run: number;
  seq: number;
  agents: readonly AgentRow[];
  /** Ids of all agents of the node, with the first write of a run: those of earlier runs are gone. Null: others stay. */
  keep: readonly string[] | null;
}

export interface NodeRow {
  id: string;
  rev: number;
  version: string;
  /** Of the last renewal. */
  renewedAt: number | null;
  leaseUntil: number | null;
  /** It shut down in order. */
  stoppedAt: number | null;
  /** It is no member any more. */
  leftAt: number | null;
}

export interface FollowAnswer {
  now: number;
  /** Since then, the hub is reached without a gap of `STAND_DOWN_MS`; null: since its first node. */
  reachableSince: number | null;
  /** Nodes that changed since the last answer. */
  nodes: NodeRow[];
  agents: (AgentRow & { node: string })[];
  /** Commands wait for this node. */
  commands: number;
  /** Number of nodes that lapsed together: nothing is taken over. 0: the brake is off. */
  brake: number;
}

export const COMMAND_VERBS = ["stop", "recover"] as const;
export type CommandVerb = (typeof COMMAND_VERBS)[number];

export interface NewCommand {
  id: string;
  node: string;
  verb: CommandVerb;
  agent: string;
  args: Readonly<Record<string, unknown>>;
  /** The user, agent or token that ordered it, as the sending node knows it. */
  author: string;
  /** Not started later than this after it was sent. */
  expiresMs: number;
}

export type CommandResult = "done" | "refused" | "failed" | "unknown" | "expired";

export interface FleetCommand extends Omit<NewCommand, "expiresMs"> {
  /** The node that sent it; the database takes it from the login. */
  sender: string;
  sentAt: number;
  expiresAt: number;
  takenAt: number | null;
  endedAt: number | null;
  result: CommandResult | null;
  reason: string;
  answer: unknown;
}

export interface CommandOutcome {
  id: string;
  run: number;
  result: Exclude<CommandResult, "expired">;
  reason: string;
  answer: unknown;
}

export interface LeaveAnswer {
  /** Tasks that were offered again. */
  released: number[];
}

export interface FleetHub {
  /** Begins a run of this node. Refused while another installation uses its name. */
  start(info: { instance: string; version: string }): Promise<StartedNode>;
  /** Renews the lease, and writes changed agents. */
  flush(request: FlushRequest): Promise<{ now: number }>;
  /** What changed since `since` (the `now` of the last answer; 0: everything), and agents with a higher revision than known. */
  follow(request: { since: number; known: Readonly<Record<string, number>> }): Promise<FollowAnswer>;
  /** The node shuts down in order: no alert about it. */
  stop(run: number): Promise<void>;
  /** Refused while it holds tasks, unless they are to be offered again. */
  leave(options: { release: boolean }): Promise<LeaveAnswer>;

  send(command: NewCommand): Promise<FleetCommand>;
  /** Commands for this node that have not expired; each is given out once. */
  take(run: number): Promise<FleetCommand[]>;
  finish(outcome: CommandOutcome): Promise<void>;
  /** A command that this node sent. */
  command(id: string): Promise<FleetCommand>;

  /** One node at a time may send the alert of this key; false: another one does or did. */
  takeAlert(key: string, holdMs: number): Promise<boolean>;
  settleAlert(key: string): Promise<void>;

  close(): Promise<void>;
}
