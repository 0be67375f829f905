/** Opens the hub that the configuration names: PostgreSQL by its address, else SQLite in the state folder. */
import { hostname } from "node:os";
import { join } from "node:path";
import type { Config } from "../config/keys.js";
import type { RousePaths } from "../config/paths.js";
import type { FleetHub } from "./fleet.js";
import type { Hub } from "./hub.js";
import { StoredFleet } from "./stored-fleet.js";
import { StoredHub } from "./stored-hub.js";

export interface HubOptions {
  /** Address of the PostgreSQL of a fleet; empty: this machine's own SQLite. */
  url?: string;
  /** The state folder, which holds `hub.db`. */
  state: string;
  /** The name of this node; on PostgreSQL the login decides. */
  node: string;
  /** The clock of SQLite; PostgreSQL has its own. */
  now?: () => number;
  allowNetworkFileSystem?: boolean;
  /** What happened to the files of SQLite. */
  log?: (line: string) => void;
}

export function hubOptions({ hub, journal }: Config, { state }: RousePaths): HubOptions {
  const { allow_network_file_system: allowNetworkFileSystem } = journal;
  return { url: hub.url, state, node: hub.node || hostname(), allowNetworkFileSystem };
}

export const hubFile = (state: string): string => join(state, "hub.db");

export async function openHub({ url = "", state, ...options }: HubOptions): Promise<Hub> {
  if (url !== "") {
    const { openPostgresStore } = await import("./postgres/store.js");
    return new StoredHub(await openPostgresStore({ url }));
  }
  const { openSqliteStore } = await import("./sqlite/store.js");
  return new StoredHub(await openSqliteStore({ path: hubFile(state), ...options }));
}

/** A connection of its own: a slow call about tasks must not delay the renewal of the lease. */
const FLEET_TIMEOUT_MS = 4_000;

export async function openFleet(url: string, { timeoutMs = FLEET_TIMEOUT_MS } = {}): Promise<FleetHub> {
  const { openPostgresStore } = await import("./postgres/store.js");
  return new StoredFleet(await openPostgresStore({ url, timeoutMs, connections: 1 }));
}
