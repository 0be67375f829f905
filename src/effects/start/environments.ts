/**
 * The environment that a spawned agent was started with, so that it is restarted with the same one and not with the
 * daemon's. It contains keys and tokens, so it is kept in memory only. It is read from the agent's host, which the agent
 * cannot change.
 */
import type { RousePaths } from "../../config/paths.js";
import type { AgentSession } from "../../core/agent.js";
import { readEnviron } from "../../sensors/process/proc.js";
import { findRecord } from "../../terminal/registry.js";

const KEPT_MAX = 500;

export class Environments {
  readonly #paths: RousePaths;
  readonly #otherwise: NodeJS.ProcessEnv;
  readonly #kept = new Map<string, NodeJS.ProcessEnv>();

  /** `otherwise` is used if an agent's environment is unknown: the daemon's own. */
  constructor(paths: RousePaths, otherwise: NodeJS.ProcessEnv) {
    this.#paths = paths;
    this.#otherwise = otherwise;
  }

  /** Call it while the agent is running: later its environment cannot be read. */
  remember({ id: session, origin }: Pick<AgentSession, "id" | "origin">): void {
    if (origin !== "spawn" || this.#kept.has(session)) return;
    const found = findRecord(this.#paths, session);
    const environ = found?.isAlive ? readEnviron(found.hostPid) : null;
    if (!environ || environ.size === 0) return;
    this.#kept.set(session, Object.fromEntries(environ));
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > KEPT_MAX && !oldest.done) this.#kept.delete(oldest.value);
  }

  of(session: string): { env: NodeJS.ProcessEnv; isOwn: boolean } {
    const own = this.#kept.get(session);
    return { env: own ?? this.#otherwise, isOwn: own !== undefined };
  }
}
