/** Rules for adopting agents that rouse did not start. Stored beside the journal, across restarts. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { writeWhole } from "../../config/whole-file.js";
import type { AgentSession } from "../../core/agent.js";

const schema = z.object({
  /** Every pane and process with a known agent program. */
  programs: z.boolean(),
  tags: z.array(z.string().max(100)).max(100),
  /** Names or pane ids from the user. */
  names: z.array(z.string().max(200)).max(200),
  /** Replace earlier rules. */
  replace: z.boolean().optional(),
  /** Runs of agents that the user no longer wants watched; the next `rouse watch` forgets them. */
  except: z.array(z.string().max(200)).max(200).optional(),
});

export type WatchRules = z.infer<typeof schema>;

const parseRules = (value: unknown): WatchRules | null => schema.safeParse(value).data ?? null;

/** Rules of an earlier run; only the configuration if there is no file. */
export function readRules(path: string): WatchRules {
  try {
    return parseRules(JSON.parse(readFileSync(path, "utf8"))) ?? NONE;
  } catch {
    return NONE;
  }
}

export const writeRules = (path: string, rules: WatchRules): void => writeWhole(path, JSON.stringify(rules));

/** Identifies one run of an adopted agent: a later one in the same pane is adopted again. */
export const runKey = ({ id, pid, pidStart }: Pick<AgentSession, "id" | "pid" | "pidStart">): string =>
  pid === null ? id : `${pid} ${pidStart}`;

/** Removes names from the rules, and excepts agents that another rule would adopt again. */
export function removeFromRules(
  rules: WatchRules,
  names: readonly string[],
  agents: readonly AgentSession[],
): WatchRules {
  const except = new Set([...(rules.except ?? []), ...agents.map(runKey)]);
  return {
    ...rules,
    names: rules.names.filter((name) => !names.includes(name)),
    except: [...except].slice(-200),
  };
}

/** Adds rules; never removes earlier ones. */
export function joinRules(a: WatchRules, b: WatchRules): WatchRules {
  return {
    programs: a.programs || b.programs,
    tags: [...new Set([...a.tags, ...b.tags])].slice(0, 100),
    names: [...new Set([...a.names, ...b.names])].slice(0, 200),
  };
}

const NONE: WatchRules = { programs: false, tags: [], names: [] };
