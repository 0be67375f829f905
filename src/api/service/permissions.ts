/** Which agents rouse may act on. */
import type { AgentSession } from "../../core/agent.js";
import { HUMAN_ONLY, type Problem } from "../../core/incidents/problem.js";
import { sanitize } from "../../core/text/sanitize.js";
import { grantFor } from "../../daemon/permission.js";
import { isoOrNull, type ServiceContext } from "./context.js";

export interface PermissionsView {
  /** For all agents that rouse starts; null if not set. */
  all: { allowed: boolean; except: Problem[]; until: string | null } | null;
  /** Agents that run, and agents with a permission of their own. */
  agents: {
    agent: string;
    origin: AgentSession["origin"] | null;
    allowed: boolean;
    except: Problem[];
    until: string | null;
    /** Set for this agent, for all agents, or not at all. */
    by: "name" | "all" | null;
  }[];
  /** Problems that only a human can answer, whatever is allowed. */
  never: Problem[];
}

export interface Allowance {
  agents: readonly string[] | "all";
  allowed: boolean;
  except: readonly Problem[];
  for_secs: number | null;
}

export class PermissionService {
  readonly #context: Pick<ServiceContext, "loop" | "permission">;

  constructor(context: Pick<ServiceContext, "loop" | "permission">) {
    this.#context = context;
  }

  allow({ agents, allowed, except, for_secs }: Allowance): PermissionsView {
    const { permission, loop } = this.#context;
    const now = loop.now();
    permission.take({ agents, allowed, except, until: for_secs === null ? null : now + for_secs * 1000 }, now);
    loop.take({ kind: "reconsider" });
    return this.list();
  }

  list(): PermissionsView {
    const { permission, loop } = this.#context;
    const now = loop.now();
    const { grants } = permission;
    const isOver = (until: number | null): boolean => until !== null && until <= now;
    const running = loop.sessions().filter(({ session }) => session.endedAt === null);
    const origins = new Map(running.map(({ session }) => [session.name, session.origin]));
    const named = Object.entries(grants.agents).flatMap(([name, { until }]) => (isOver(until) ? [] : [name]));
    const names = [...new Set([...origins.keys(), ...named])].sort();
    return {
      all:
        grants.all === null || isOver(grants.all.until)
          ? null
          : { allowed: grants.all.allowed, except: grants.all.except, until: isoOrNull(grants.all.until) },
      agents: names.map((name) => {
        const origin = origins.get(name) ?? null;
        const grant = grantFor(grants, { name, origin: origin ?? "transcript" }, now);
        return {
          agent: sanitize(name, 80),
          origin,
          allowed: grant?.allowed ?? false,
          except: grant?.except ?? [],
          until: isoOrNull(grant?.until ?? null),
          by: grant === null ? null : named.includes(name) ? "name" : "all",
        };
      }),
      never: [...HUMAN_ONLY],
    };
  }
}
