/** This daemon as a node of a fleet: what it says of its agents, and the commands that it takes. Nothing of it runs without a hub. */
import { FleetNode } from "../fleet/fleet-node.js";
import type { FleetCommand, FleetHub } from "../hub/fleet.js";
import { openFleet } from "../hub/open.js";
import type { FleetAlerts } from "./fleet-alerts.js";
import { FleetFeed } from "./fleet-feed.js";
import type { Loop } from "./loop.js";

export interface NodeInFleet {
  node: FleetNode;
  feed: FleetFeed;
  /** The API carries out commands; set before the node starts. */
  handle: (command: (command: FleetCommand) => Promise<CommandAnswer>) => void;
}

export interface CommandAnswer {
  result: "done" | "refused" | "failed" | "unknown";
  reason: string;
  answer: unknown;
}

export interface FleetSetup {
  loop: Loop;
  /** Address of the hub; empty: no fleet. */
  url: string;
  node: string;
  instance: string;
  version: string;
  alerts: FleetAlerts;
  log: (line: string) => void;
}

const NOT_READY: CommandAnswer = { result: "refused", reason: "the daemon is starting", answer: null };

export function openNode({ loop, url, alerts, ...options }: FleetSetup): NodeInFleet | null {
  if (url === "") return null;
  let handler = async (_command: FleetCommand): Promise<CommandAnswer> => NOT_READY;
  const node = new FleetNode({
    ...options,
    open: () => openFleet(url),
    followed: (roster, hub) => void alerts.take(roster, hub),
    command: async (command, fleet, run) => {
      const answer = await handler(command);
      await keepTrying(() => fleet.finish({ id: command.id, run, ...answer }));
    },
  });
  return {
    node,
    feed: new FleetFeed(loop, node.backlog),
    handle: (next) => {
      handler = next;
    },
  };
}

const TRIES = 20;
const PAUSE_MS = 1_500;

/** The outcome of a command outlives a short absence of the hub. */
async function keepTrying(store: () => Promise<void>): ReturnType<FleetHub["finish"]> {
  for (let tried = 1; ; tried++) {
    try {
      return await store();
    } catch (error) {
      if (tried === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
  }
}
