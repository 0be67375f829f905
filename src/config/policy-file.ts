/** A policy of the user's own: one TOML file, checked against one schema, on top of the policy that it extends. */
import { parse, TomlError } from "smol-toml";
import * as z from "zod";
import { ACTION_NAMES, type ActionName, NUDGE_TEXTS, PROOFS, type Proof } from "../core/action.js";
import { checkAllowedAction, PROBLEMS, type Problem } from "../core/incidents/problem.js";
import type { Policy, RecoveryStep } from "../core/policy/policy.js";

const seconds = z.number().min(0).max(86_400);
const minutes = z.number().min(0).max(1440);
const names = z.array(z.string().min(1).max(200)).max(200);
const budget = z.strictObject({ times: z.int().min(0).max(10_000), minutes: z.number().min(1).max(1440) });

const STEP_NAMES = ACTION_NAMES.filter((name) => name !== "escalate");

const step = z
  .strictObject({
    do: z.enum(STEP_NAMES as [RecoveryStep["do"], ...RecoveryStep["do"][]]),
    when: z
      .strictObject({
        level: z.enum(["report", "act"]).optional(),
        after_seconds: seconds.optional(),
        origins: z.array(z.enum(["run", "spawn", "tmux", "transcript"])).optional(),
      })
      .optional(),
    limit: z.int().min(1).max(20).optional(),
    wait_seconds: seconds.optional(),
    proof: z.enum(PROOFS).optional(),
    say: z.enum(NUDGE_TEXTS).optional(),
    command: z.array(z.string().max(4000)).min(1).max(100).optional(),
  })
  .refine(({ do: name, command }) => (name === "run") === (command !== undefined), {
    message: "run needs a command (a list of the program and its arguments); no other step may have one",
  });

const plans = z
  .partialRecord(z.enum(PROBLEMS as [Problem, ...Problem[]]), z.array(step).max(12))
  .superRefine((given, context) => {
    for (const [problem, steps] of Object.entries(given))
      for (const message of new Set(steps.map((one) => checkAllowedAction(problem as Problem, one.do))))
        if (message !== null) context.addIssue({ code: "custom", path: [problem], message });
  });

const schema = z.strictObject({
  extends: z.string().max(100).optional(),
  says: z.string().max(300).optional(),
  tags: names.optional(),
  agents: names.optional(),
  confirm_seconds: seconds.optional(),
  patience_minutes: minutes.optional(),
  outage_minutes: minutes.optional(),
  limits: z
    .strictObject({
      margin_seconds: seconds,
      jitter_seconds: seconds,
      backoff_seconds: z.number().min(1).max(86_400),
      backoff_max_minutes: z.number().min(1).max(1440),
      own_resume_minutes: minutes,
    })
    .partial()
    .optional(),
  budgets: z
    .strictObject({
      incident: z.int().min(0).max(100),
      agent: budget,
      node: budget,
      agent_restarts: budget,
      node_restarts: budget,
    })
    .partial()
    .optional(),
  plans: plans.optional(),
});

export interface OwnPolicy {
  policy: Policy;
  /** The agents that get it by default. */
  tags: readonly string[];
  agents: readonly string[];
}

const PROOF_OF: Readonly<Record<ActionName, Proof>> = {
  nudge: "turn_started",
  interrupt: "turn_ended",
  end_child: "child_gone",
  stop: "process_gone",
  resume: "progress",
  restart: "progress",
  continue: "progress",
  release: "none",
  block: "none",
  run: "none",
  escalate: "none",
};
const WAIT_MS = 120_000;

/** Throws an error that names the location and what was expected there. */
export function parsePolicy(name: string, text: string, known: (name: string) => Policy | undefined): OwnPolicy {
  const parsed = schema.safeParse(parseText(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join(".") || "the policy"}: ${issue?.message}`);
  }
  const { data } = parsed;
  const base = known(data.extends ?? "default");
  if (!base) throw new Error(`extends: unknown policy ${JSON.stringify(data.extends)}`);
  return { policy: { ...made(data, base), name }, tags: data.tags ?? [], agents: data.agents ?? [] };
}

function parseText(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const where = error instanceof TomlError ? `line ${error.line}, column ${error.column}: ` : "";
    throw new Error(`${where}${(error as Error).message.split("\n", 1)[0]}`);
  }
}

type Given = z.infer<typeof schema>;

function made(
  { says, confirm_seconds, patience_minutes, outage_minutes, limits = {}, budgets = {}, plans: own = {} }: Given,
  base: Policy,
): Policy {
  return {
    name: base.name,
    says: says ?? base.says,
    confirmMs: ms(confirm_seconds, 1000) ?? base.confirmMs,
    patienceMs: ms(patience_minutes, 60_000) ?? base.patienceMs,
    outageMs: ms(outage_minutes, 60_000) ?? base.outageMs,
    autoResumeMs: base.autoResumeMs,
    limits: {
      marginMs: ms(limits.margin_seconds, 1000) ?? base.limits.marginMs,
      jitterMs: ms(limits.jitter_seconds, 1000) ?? base.limits.jitterMs,
      backoffMs: ms(limits.backoff_seconds, 1000) ?? base.limits.backoffMs,
      backoffMaxMs: ms(limits.backoff_max_minutes, 60_000) ?? base.limits.backoffMaxMs,
      ownResumeMs: ms(limits.own_resume_minutes, 60_000) ?? base.limits.ownResumeMs,
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
      ...Object.fromEntries(Object.entries(own).map(([problem, steps]) => [problem, steps?.map(stepOf)])),
    },
  };
}

const ms = (value: number | undefined, unit: number): number | undefined =>
  value === undefined ? value : value * unit;

const budgetOf = (given: z.infer<typeof budget> | undefined): { times: number; periodMs: number } | undefined =>
  given && { times: given.times, periodMs: given.minutes * 60_000 };

function stepOf({ do: name, when = {}, limit, wait_seconds, proof, say, command }: z.infer<typeof step>): RecoveryStep {
  return {
    do: name,
    when: { level: when.level ?? "act", afterMs: (when.after_seconds ?? 0) * 1000, origins: when.origins ?? null },
    limit: limit ?? 1,
    waitMs: ms(wait_seconds, 1000) ?? WAIT_MS,
    proof: proof ?? PROOF_OF[name],
    ...(name === "nudge" ? { say: say ?? "continue" } : {}),
    ...(command ? { command } : {}),
  };
}
