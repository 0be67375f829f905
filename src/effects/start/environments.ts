/**
 * The environment that a spawned agent was started with, so that it can be started again as it was and not with that of
 * whoever started the daemon. It holds keys and tokens, so it is kept in memory only. It is read of the agent's host,
 * which the agent cannot change.
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

  /** `otherwise` is what an agent gets whose own is not known: that of the daemon. */
  constructor(paths: RousePaths, otherwise: NodeJS.ProcessEnv) {
    this.#paths = paths;
    this.#otherwise = otherwise;
  }

  /** To be called while the agent lives: later nobody can tell it any more. */
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
