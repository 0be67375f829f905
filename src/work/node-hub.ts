/**
 * This node's connection to the hub. It is opened with the first use and joined once; after an error that may pass, the next
 * use connects again.
 */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Hub } from "../hub/hub.js";
import { HubError } from "../hub/hub-error.js";
import { hubFile, openHub } from "../hub/open.js";
import type { SourceSync } from "./sources/source-sync.js";
import { withSources } from "./sources/sourced-hub.js";

export interface NodeHubOptions {
  /** The state folder. */
  state: string;
  /** Address of the PostgreSQL of a fleet; empty: this machine's own SQLite. */
  url?: string;
  node: string;
  /** Stays the same over restarts of this installation. */
  instance: string;
  version: string;
  allowNetworkFileSystem?: boolean;
  log?: (line: string) => void;
  now?: () => number;
  /** Trackers that tasks come from. */
  sources?: SourceSync;
}

export class NodeHub {
  readonly node: string;
  readonly #options: NodeHubOptions;
  #hub: Promise<Hub> | null = null;
  #isClosed = false;

  constructor(options: NodeHubOptions) {
    this.#options = options;
    this.node = options.node;
  }

  /** Throws `HubError`. */
  open(): Promise<Hub> {
    if (this.#isClosed) return Promise.reject(new HubError("closed", "rouse is shutting down"));
    this.#hub ??= this.#join().catch((error: unknown) => {
      this.#hub = null;
      throw error;
    });
    return this.#hub;
  }

  /** Whether there is anything in it: one machine has no hub before its first task. */
  isUsed(): boolean {
    const { url = "", state, sources } = this.#options;
    return this.#hub !== null || sources?.isUsed() === true || url !== "" || existsSync(hubFile(state));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const hub = await this.#hub?.catch(() => null);
    await hub?.close();
  }

  async #join(): Promise<Hub> {
    const { instance, version, sources, ...options } = this.#options;
    const hub = await openHub(options);
    try {
      await hub.join({ instance, version });
      return sources ? withSources(hub, sources) : hub;
    } catch (error) {
      await hub.close();
      throw error;
    }
  }
}

/** The name of this machine in the hub: the configured one, else its host name. */
export const nodeName = (configured: string): string => configured || hostname().split(".")[0] || "node";

export const instanceFile = (state: string): string => join(state, "node.key");
