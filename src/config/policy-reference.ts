/** The tables of keys and of plans in docs/acting.md, written from the code. `npm run docs:config` runs it; a test compares. */
import * as z from "zod";
import { AGENT_PROBLEMS, HUMAN_ONLY, needsConfirming } from "../core/incidents/problem.js";
import { POLICIES } from "../core/policy/builtin.js";
import type { Problem } from "../core/states.js";
import { formatDuration } from "../core/text/duration.js";
import { POLICY_TABLES, policyFields } from "./policy-schema.js";

const DEFAULTS = policyFields(POLICIES.default);

/** What applies without the key, if it is not the value of the policy that is extended. */
const WITHOUT: Readonly<Record<string, string>> = {
  extends: "`default`",
  tags: "none",
  agents: "none",
  plans: "those of `extends`",
  do: "required",
  when: "",
  level: "`act`",
  after_seconds: "`0`",
  origins: "all",
  limit: "`1`",
  wait_seconds: "`120`",
  proof: "by `do`",
  say: "`continue`",
  command: "",
};

const HEAD: Readonly<Record<keyof typeof POLICY_TABLES, string>> = {
  "": "The keys of the file. If a key is missing, the value of the policy that it extends applies; the second column has that of `default`.",
  "[limits]": "`[limits]`: how long rouse waits for a limit to end.",
  "[budgets]":
    "`[budgets]`: how often rouse may act. All but `incident` are `{ times, minutes }`: at most this many in any period of that length.",
  "a step": "A step of a plan:",
  when: "`when`: all of its conditions must hold.",
};

export function policyReference(): string {
  return Object.entries(POLICY_TABLES)
    .map(([name, table]) => {
      const defaults = name === "[limits]" ? DEFAULTS.limits : name === "[budgets]" ? DEFAULTS.budgets : DEFAULTS;
      const rows = Object.entries(table.shape)
        .filter(([, schema]) => schema.description !== undefined)
        .map(([key, schema]) => `| \`${key}\` | ${WITHOUT[key] ?? valueText(defaults, key)} | ${meaning(schema)} |\n`);
      const head = HEAD[name as keyof typeof POLICY_TABLES];
      return `${head}\n\n| key | ${name === "a step" || name === "when" ? "without it" : "`default`"} | meaning |\n|---|---|---|\n${rows.join("")}`;
    })
    .join("\n");
}

function valueText(defaults: object, key: string): string {
  const value: unknown = (defaults as Record<string, unknown>)[key];
  if (typeof value === "string") return "that of `default`";
  if (typeof value !== "object" || value === null) return `\`${String(value)}\``;
  const fields = Object.entries(value).map(([name, one]) => `${name} = ${String(one)}`);
  return `\`{ ${fields.join(", ")} }\``;
}

/** With the possible values. */
function meaning(schema: z.core.$ZodType & { description?: string | undefined }): string {
  let inner: z.core.$ZodType = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodArray)
    inner = inner instanceof z.ZodOptional ? inner.unwrap() : inner.element;
  const values = inner instanceof z.ZodEnum ? `: ${inner.options.map((one) => `\`${one}\``).join(", ")}` : "";
  return `${schema.description}${values}`;
}

/** The recovery plans of the policy `default`: one row for all problems that share a plan. */
export function planReference(): string {
  const rows = new Map<string, string[]>();
  for (const problem of AGENT_PROBLEMS) {
    const text = planText(problem);
    rows.set(text, [...(rows.get(text) ?? []), `\`${problem}\``]);
  }
  const lines = [...rows].map(([text, problems]) => `| ${problems.join(", ")} | ${text} |\n`);
  return `| problem | recovery plan |\n|---|---|\n${lines.join("")}`;
}

function planText(problem: Problem): string {
  const steps = POLICIES.default.plans[problem] ?? [];
  const when = needsConfirming(problem) ? "once it is confirmed" : "at once";
  if (steps.length === 0)
    return HUMAN_ONLY.has(problem) ? `none, human-only: escalates to you ${when}` : "none: escalates to you";
  return steps
    .map(({ do: name, limit, say, when: { afterMs } }) =>
      [
        `\`${name}\``,
        ...(say && say !== "continue" ? [`(\`${say}\`)`] : []),
        ...(limit > 1 ? [`(${limit})`] : []),
        ...(afterMs > 0 ? [`after ${formatDuration(afterMs)}`] : []),
      ].join(" "),
    )
    .join(", ");
}
