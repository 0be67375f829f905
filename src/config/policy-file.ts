/** A policy of the user's own: one TOML file, checked against one schema, on top of the policy that it extends. */
import { parse, TomlError } from "smol-toml";
import * as z from "zod";
import type { Policy, RecoveryStep } from "../core/policy/policy.js";
import { MINUTE, SECOND } from "../core/text/time.js";
import { type BudgetFields, type PolicyFields, PROOF_OF, policySchema, type StepFields } from "./policy-schema.js";
import { type Position, positionsIn } from "./positions.js";

export interface OwnPolicy {
  policy: Policy;
  /** The agents that get it by default. */
  tags: readonly string[];
  agents: readonly string[];
}

const WAIT_MS: number = 120 * SECOND;

export class PolicyMistake extends Error {
  readonly position: Position | undefined;

  constructor(text: string, position?: Position) {
    super(text);
    this.position = position;
  }
}

/** `known` returns a policy, or why it cannot be extended. Throws a `PolicyMistake`. */
export function parsePolicy(name: string, text: string, known: (name: string) => Policy | string): OwnPolicy {
  const parsed = policySchema.safeParse(parseText(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    const { path, message } = mistakeOf(issue);
    const position = positionsIn(text)(path);
    throw new PolicyMistake(`${path.join(".") || "the policy"}: ${message}`, position);
  }
  const { data } = parsed;
  const base = known(data.extends ?? "default");
  if (typeof base === "string") throw new PolicyMistake(`extends: ${base}`, positionsIn(text)(["extends"]));
  return { policy: { ...made(data, base), name }, tags: data.tags ?? [], agents: data.agents ?? [] };
}

function parseText(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const position = error instanceof TomlError ? { line: error.line, column: error.column } : undefined;
    throw new PolicyMistake((error as Error).message.split("\n", 1)[0] ?? "", position);
  }
}

function mistakeOf(issue: z.core.$ZodIssue): { path: string[]; message: string } {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys")
    return {
      path: [...path, issue.keys[0] ?? ""],
      message: `unknown key; expected one of ${keysAt(path).join(", ")}`,
    };
  if (issue.code === "invalid_value") return { path, message: `expected one of ${issue.values.join(", ")}` };
  return { path, message: issue.message };
}

/** The keys of the table at this path. */
function keysAt(path: readonly string[]): string[] {
  let at: z.core.$ZodType | undefined = policySchema;
  for (const part of [...path, null]) {
    while (at instanceof z.ZodOptional) at = at.unwrap();
    if (part === null) break;
    if (at instanceof z.ZodObject) at = at.shape[part] as z.core.$ZodType | undefined;
    else if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodRecord) at = at.valueType;
  }
  if (at instanceof z.ZodObject) return Object.keys(at.shape);
  return at instanceof z.ZodRecord && at.keyType instanceof z.ZodEnum ? at.keyType.options.map(String) : [];
}

function made(
  {
    description,
    confirm_seconds,
    patience_minutes,
    outage_minutes,
    limits = {},
    budgets = {},
    plans = {},
  }: PolicyFields,
  base: Policy,
): Policy {
  return {
    name: base.name,
    description: description ?? base.description,
    confirmMs: ms(confirm_seconds, SECOND) ?? base.confirmMs,
    patienceMs: ms(patience_minutes, MINUTE) ?? base.patienceMs,
    outageMs: ms(outage_minutes, MINUTE) ?? base.outageMs,
    autoResumeMs: base.autoResumeMs,
    limits: {
      marginMs: ms(limits.margin_seconds, SECOND) ?? base.limits.marginMs,
      jitterMs: ms(limits.jitter_seconds, SECOND) ?? base.limits.jitterMs,
      backoffMs: ms(limits.backoff_seconds, SECOND) ?? base.limits.backoffMs,
      backoffMaxMs: ms(limits.backoff_max_minutes, MINUTE) ?? base.limits.backoffMaxMs,
      ownResumeMs: ms(limits.own_resume_minutes, MINUTE) ?? base.limits.ownResumeMs,
    },
    budgets: {
      incident: budgets.incident ?? base.budgets.incident,
      agent: budgetOf(budgets.agent) ?? base.budgets.agent,
      node: budgetOf(budgets.node) ?? base.budgets.node,
      agentRestarts: budgetOf(budgets.agent_restarts) ?? base.budgets.agentRestarts,
      nodeRestarts: budgetOf(budgets.node_restarts) ?? base.budgets.nodeRestarts,
    },
    plans: {
      ...base.plans,
      ...Object.fromEntries(Object.entries(plans).map(([problem, steps]) => [problem, steps?.map(stepOf)])),
    },
  };
}

const ms = (value: number | undefined, unit: number): number | undefined =>
  value === undefined ? value : value * unit;

const budgetOf = (given: BudgetFields | undefined): { times: number; periodMs: number } | undefined =>
  given && { times: given.times, periodMs: given.minutes * MINUTE };

function stepOf({ do: name, when = {}, limit, wait_seconds, proof, say, command }: StepFields): RecoveryStep {
  return {
    do: name,
    when: { level: when.level ?? "act", afterMs: (when.after_seconds ?? 0) * SECOND, origins: when.origins ?? null },
    limit: limit ?? 1,
    waitMs: ms(wait_seconds, SECOND) ?? WAIT_MS,
    proof: proof ?? PROOF_OF[name],
    ...(name === "nudge" ? { say: say ?? "continue" } : {}),
    ...(command ? { command } : {}),
  };
}
