/**
 * The sources of work in the user's own file: `[work.sources.NAME]`. They name programs to run, so a project file may not
 * define any.
 */
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import type { ConfigIssue } from "./issue.js";
import { rousePaths } from "./paths.js";
import { tablesOf } from "./tables.js";

const command = z.array(z.string().max(4000)).min(1).max(100);
const folder = z.string().max(4096).refine(isAbsolute, "must be an absolute path");
const word = z.string().min(1).max(200);

const common = {
  /** Project of the tasks. */
  project: z.string().max(200).default(""),
  /** Folder in which the tasks are worked on. */
  workspace: folder.optional(),
  /** Seconds between two lists. */
  poll_secs: z.number().min(60).max(86_400).default(60),
  timeout_secs: z.number().min(1).max(60).default(20),
  /** Seconds between a claim and reading it back: longer than another client takes from its check to its write. */
  settle_secs: z.number().min(0).max(30).default(2),
};

const schema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("beads"),
    program: word.default("bd"),
    /** The folder with the beads. */
    folder,
    label: word.optional(),
    ...common,
  }),
  z.strictObject({
    kind: z.literal("github"),
    program: word.default("gh"),
    repo: z.string().regex(/^[A-Za-z0-9-]{1,100}\/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "must be owner/name"),
    label: word,
    ...common,
  }),
  z.strictObject({
    kind: z.literal("command"),
    folder: folder.optional(),
    list: command,
    read: command,
    mark: command,
    close: command,
    comment: command.optional(),
    ...common,
  }),
]);

export type SourceSettings = z.infer<typeof schema> & { name: string };

/** For editors. */
export const sourceSchema = (): object => ({ ...z.toJSONSchema(schema, { io: "input" }), $schema: undefined });

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const SOURCES_MAX = 20;

/** An invalid source is reported and not used; the others are. */
export function loadSources(env: Readonly<Record<string, string | undefined>> = process.env): {
  sources: SourceSettings[];
  issues: ConfigIssue[];
} {
  const where = join(rousePaths(env).config, "config.toml");
  const { tables, positionOf } = tablesOf(where, "work.sources");
  const sources: SourceSettings[] = [];
  const issues: ConfigIssue[] = [];
  for (const [name, table] of Object.entries(tables).slice(0, SOURCES_MAX)) {
    const report = (text: string, at: readonly PropertyKey[] = []): void => {
      const position = positionOf(["work", "sources", name, ...at.map(String)]);
      issues.push({
        level: "error",
        where,
        position,
        text: `work.sources.${name.slice(0, 80)}${text}; it is not used`,
      });
    };
    if (!NAME.test(name)) {
      report(": the name must have up to 63 letters, digits, - and _");
      continue;
    }
    const parsed = schema.safeParse(table);
    if (parsed.success) sources.push({ ...parsed.data, name });
    else report(issueText(parsed.error), parsed.error.issues[0]?.path);
  }
  return { sources, issues };
}

function issueText({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === "unrecognized_keys") return `: unknown setting ${issue.keys.join(", ").slice(0, 100)}`;
  const at = issue?.path.join(".") ?? "";
  const text = at === "kind" ? "must be beads, github or command" : (issue?.message ?? "it is not valid");
  return `${at === "" ? "" : `.${at}`}: ${text}`;
}
