/**
 * Which agents rouse may act on. A new installation acts on none. Permissions are stored in a file beside the journal; a
 * file that cannot be read permits nothing.
 */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { writeWhole } from "../config/whole-file.js";
import type { AgentSession } from "../core/agent.js";
import { PROBLEMS, type Problem } from "../core/incidents/problem.js";

const problem = z.enum(PROBLEMS as [Problem, ...Problem[]]);

const grant = z.object({
  allowed: z.boolean(),
  /** Problems that rouse still does not act on. */
  except: z.array(problem).max(PROBLEMS.length),
  at: z.number(),
  until: z.number().nullable(),
});

const schema = z.object({
  /** Sessions that rouse started. */
  all: grant.nullable(),
  /** By name. An agent that rouse did not start needs it by name. */
  agents: z.record(z.string().max(200), grant),
});

export type Grant = z.infer<typeof grant>;
export type Grants = z.infer<typeof schema>;

/** A user's request, for these agents or for all agents that rouse starts. */
export interface PermissionRequest {
  agents: readonly string[] | "all";
  allowed: boolean;
  except: readonly Problem[];
  until: number | null;
}

const NONE: Grants = { all: null, agents: {} };
const AGENTS_MAX = 1000;
/** Started by rouse, not only found by it. */
const OWN: ReadonlySet<AgentSession["origin"]> = new Set<AgentSession["origin"]>(["run", "spawn"]);

/** The grant in force for this agent: its own before the one for all. */
export function grantFor(
  grants: Grants,
  { name, origin }: Pick<AgentSession, "name" | "origin">,
  now: number,
): Grant | null {
  const holds = (given: Grant | null | undefined): given is Grant =>
    given != null && (given.until === null || given.until > now);
  const own = Object.hasOwn(grants.agents, name) ? grants.agents[name] : null;
  if (holds(own)) return own;
  return OWN.has(origin) && holds(grants.all) ? grants.all : null;
}

function isAllowed(
  grants: Grants,
  session: Pick<AgentSession, "name" | "origin">,
  about: Problem,
  now: number,
): boolean {
  const given = grantFor(grants, session, now);
  return given?.allowed === true && !given.except.includes(about);
}

/** A grant for all replaces every earlier grant; a grant for one agent replaces only its own. */
function withRequest(grants: Grants, { agents, allowed, except, until }: PermissionRequest, now: number): Grants {
  const given: Grant = { allowed, except: [...except], at: now, until };
  if (agents === "all") return allowed ? { ...grants, all: given } : NONE;
  const current = Object.entries(grants.agents).filter(([, one]) => one.until === null || one.until > now);
  const named = agents.map((name): [string, Grant] => [name, given]);
  return { ...grants, agents: Object.fromEntries([...current, ...named].slice(-AGENTS_MAX)) };
}

export class Permission {
  readonly #path: string;
  #grants: Grants = NONE;
  /** Why the stored permissions could not be read; null if they were. */
  readonly loadError: string | null;

  constructor(path: string) {
    this.#path = path;
    this.loadError = this.#load();
  }

  get grants(): Grants {
    return this.#grants;
  }

  isAllowed(session: Pick<AgentSession, "name" | "origin">, about: Problem, now: number): boolean {
    return isAllowed(this.#grants, session, about, now);
  }

  /** Throws if it cannot be stored; then nothing has changed. */
  take(request: PermissionRequest, now: number): void {
    this.#store(withRequest(this.#grants, request, now));
  }

  /** Moves a grant by name to the new name of the agent. */
  rename(from: string, to: string): void {
    if (from === to || !Object.hasOwn(this.#grants.agents, from)) return;
    const { [from]: given, ...agents } = this.#grants.agents;
    if (!given) return;
    const grants = { ...this.#grants, agents: { ...agents, [to]: given } };
    try {
      this.#store(grants);
    } catch {
      // It stays in force until the next start.
      this.#grants = grants;
    }
  }

  #store(grants: Grants): void {
    writeWhole(this.#path, JSON.stringify(grants));
    this.#grants = grants;
  }

  #load(): string | null {
    try {
      this.#grants = schema.parse(JSON.parse(readFileSync(this.#path, "utf8")));
      return null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      return `${this.#path} cannot be read, so auto-recovery is off; turn it on again with \`rouse allow\``;
    }
  }
}
