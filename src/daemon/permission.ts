/**
 * Whom rouse may act on. A new installation may act on nobody. What a person allowed or forbade is kept in a file beside
 * the journal; one that cannot be read allows nothing.
 */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { writeWhole } from "../config/whole-file.js";
import type { AgentSession } from "../core/agent.js";
import { PROBLEMS, type Problem } from "../core/incidents/problem.js";

const problem = z.enum(PROBLEMS as [Problem, ...Problem[]]);

const grant = z.object({
  allowed: z.boolean(),
  /** Troubles that are left alone all the same. */
  except: z.array(problem).max(PROBLEMS.length),
  at: z.number(),
  until: z.number().nullable(),
});

const schema = z.object({
  /** Sessions that rouse started. */
  all: grant.nullable(),
  /** By name; whoever is only watched needs it by name. */
  agents: z.record(z.string().max(200), grant),
});

export type Grant = z.infer<typeof grant>;
export type Grants = z.infer<typeof schema>;

/** What a person asks for: about these agents, or about all that rouse starts. */
export interface PermissionRequest {
  agents: readonly string[] | "all";
  allowed: boolean;
  except: readonly Problem[];
  until: number | null;
}

const NONE: Grants = { all: null, agents: {} };
const AGENTS_MAX = 1000;
/** Started by rouse, and not only found by it. */
const OWN: ReadonlySet<AgentSession["origin"]> = new Set<AgentSession["origin"]>(["run", "spawn"]);

/** The word that holds for this agent at this moment: its own before that for all. */
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

/** A word about all takes back every word that was given before; one about an agent only its own. */
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
  /** Why what was allowed before is not known any more; null when it is. */
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

  /** Throws when it cannot be stored; then nothing has changed. */
  take(request: PermissionRequest, now: number): void {
    this.#store(withRequest(this.#grants, request, now));
  }

  /** What was said of an agent by name holds for it under its new one. */
  rename(from: string, to: string): void {
    if (from === to || !Object.hasOwn(this.#grants.agents, from)) return;
    const { [from]: given, ...agents } = this.#grants.agents;
    if (!given) return;
    const grants = { ...this.#grants, agents: { ...agents, [to]: given } };
    try {
      this.#store(grants);
    } catch {
      // Until the next start it holds all the same.
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
      return `${this.#path} cannot be read, so auto-recovery is off; turn it on again with "rouse allow"`;
    }
  }
}
