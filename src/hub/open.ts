/** Opens the hub that the configuration names. */
import { join } from "node:path";
import type { Hub } from "./hub.js";
import { openSqliteStore } from "./sqlite/store.js";
import { StoredHub } from "./stored-hub.js";

export interface HubOptions {
  /** The state folder, which holds `hub.db`. */
  state: string;
  /** The name of this node. */
  node: string;
  now?: () => number;
  allowNetworkFileSystem?: boolean;
}

export async function openHub({ state, ...options }: HubOptions): Promise<Hub> {
  return new StoredHub(await openSqliteStore({ path: join(state, "hub.db"), ...options }));
}
