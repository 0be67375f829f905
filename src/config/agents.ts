/**
 * The agents that rouse may start for tasks: `[agents.NAME]` of the user's own file. A project file may define none, since
 * it names a command.
 */
import { join } from "node:path";
import * as z from "zod";
import type { ConfigIssue } from "./issue.js";
import { rousePaths } from "./paths.js";
import { tablesOf } from "./tables.js";

export interface ConfiguredAgent {
  name: string;
  /** Program and arguments. */
  command: string[];
  /** Kind of program, if its name does not show it. */
  kind: string | null;
  /** Templates for the first session of a task, and for later ones. */
  prompt: string;
  continuation: string;
  /** Added to each prompt. */
  directive: string;
  /** Work in a git worktree of its own. */
  worktree: boolean;
  policy: string | null;
  tags: string[];
  env: Record<string, string>;
  /** Instead of `[activity] min_confidence_threshold`. */
  minConfidence: number | null;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
export const isAgentName = (name: string): boolean => NAME.test(name);
const AGENTS_MAX = 50;
const prompt = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, "must be the name of a prompt");

const schema = z.strictObject({
  command: z.array(z.string().max(100_000)).min(1),
  kind: z.string().max(400).optional(),
  prompt: prompt.default("implementation"),
  continuation: prompt.default("continuation"),
  directive: z.string().max(20_000).default(""),
  worktree: z.boolean().default(false),
  policy: z.string().max(400).optional(),
  tags: z
    .array(z.string().regex(/^[^\s,]{1,100}$/, "must be a tag without blanks and commas"))
    .max(100)
    .default([]),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(100_000)).default({}),
  min_confidence_threshold: z.number().min(0).max(1).optional(),
});

/** For editors. */
export const agentSchema = (): object => ({ ...z.toJSONSchema(schema, { io: "input" }), $schema: undefined });

/** An invalid one is reported and not used; the others are. */
export function loadAgents(config: string = rousePaths().config): {
  agents: ReadonlyMap<string, ConfiguredAgent>;
  issues: ConfigIssue[];
} {
  const where = join(config, "config.toml");
  const { tables, positionOf } = tablesOf(where, "agents");
  const agents = new Map<string, ConfiguredAgent>();
  const issues: ConfigIssue[] = [];
  for (const [name, table] of Object.entries(tables).slice(0, AGENTS_MAX)) {
    const report = (text: string, at: readonly PropertyKey[] = []): void => {
      const position = positionOf(["agents", name, ...at.map(String)]);
      issues.push({ level: "error", where, position, text: `agents.${name.slice(0, 80)}${text}; it is not used` });
    };
    if (!isAgentName(name)) {
      report(": the name must have up to 63 letters, digits, - and _");
      continue;
    }
    const { data, error } = schema.safeParse(table);
    if (!data) {
      const [issue] = error.issues;
      const what =
        issue?.code === "unrecognized_keys" ? `: unknown setting ${issue.keys.join(", ").slice(0, 100)}` : null;
      report(what ?? `.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it is not valid"}`, issue?.path ?? []);
      continue;
    }
    const { kind = null, policy = null, min_confidence_threshold = null, ...rest } = data;
    agents.set(name, { ...rest, name, kind, policy, minConfidence: min_confidence_threshold });
  }
  return { agents, issues };
}

/** An agent that is not configured: a command, with the prompts of every agent. */
export function agentOfCommand(
  name: string,
  command: string[],
  { kind = null, policy = null, tags = [] }: Partial<Pick<ConfiguredAgent, "kind" | "policy" | "tags">> = {},
): ConfiguredAgent {
  const { min_confidence_threshold: _, ...usual } = schema.parse({ command, tags });
  return { ...usual, name, kind, policy, minConfidence: null };
}

const TAG = "as:";

/** The tag of a session that was started as this configured agent. */
export const tagOfAgent = (name: string): string => `${TAG}${name}`;
export const agentOfTags = (tags: readonly string[]): string | null =>
  tags.find((tag) => tag.startsWith(TAG))?.slice(TAG.length) ?? null;
