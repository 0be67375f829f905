/** The keys of a policy file, with their meaning, and a policy written in them. */
import * as z from "zod";
import { ACTION_NAMES, type ActionName, NUDGE_TEXTS, PROOFS, type Proof } from "../core/action.js";
import { ORIGINS } from "../core/agent.js";
import { checkAllowedAction, PROBLEMS, type Problem } from "../core/incidents/problem.js";
import type { Budget, Policy, RecoveryStep } from "../core/policy/policy.js";
import { MINUTE, SECOND } from "../core/text/time.js";

const seconds = z.number().min(0).max(86_400);
const minutes = z.number().min(0).max(1440);
const names = z.array(z.string().min(1).max(200)).max(200);
const budget = z.strictObject({ times: z.int().min(0).max(10_000), minutes: z.number().min(1).max(1440) });

const STEP_NAMES = ACTION_NAMES.filter((name) => name !== "escalate");

const when = z.strictObject({
  level: z.enum(["report", "act"]).optional().describe("How certain rouse must be (suspected or certain)"),
  after_seconds: seconds.optional().describe("Seconds (awake) since the incident was opened"),
  origins: z.array(z.enum(ORIGINS)).optional().describe("Agents that the step is for"),
});

const step = z
  .strictObject({
    do: z.enum(STEP_NAMES as [RecoveryStep["do"], ...RecoveryStep["do"][]]).describe("The action"),
    when: when.optional().describe("When the step is taken; see below"),
    limit: z.int().min(1).max(20).optional().describe("Attempts in one incident"),
    wait_seconds: seconds.optional().describe("Seconds to check whether it helped, before the next step"),
    proof: z.enum(PROOFS).optional().describe("What shows that it worked"),
    say: z.enum(NUDGE_TEXTS).optional().describe("For `nudge`: the [line](#how-an-action-works) that is typed"),
    command: z
      .array(z.string().max(4000))
      .min(1)
      .max(100)
      .optional()
      .describe("For `run`: the program and its arguments"),
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

const limits = z.strictObject({
  margin_seconds: seconds.describe("Seconds to wait after the printed reset"),
  jitter_seconds: seconds.describe("Largest additional delay, different for each agent"),
  backoff_seconds: z.number().min(1).max(86_400).describe("First wait without a printed reset; doubles each time"),
  backoff_max_minutes: z.number().min(1).max(1440).describe("Longest wait without a printed reset"),
  own_resume_minutes: minutes.describe("Additional time for a program that continues by itself"),
});

const budgets = z.strictObject({
  incident: z.int().min(0).max(100).describe("Actions per incident"),
  agent: budget.describe("Actions per agent"),
  node: budget.describe("Actions per machine"),
  agent_restarts: budget.describe("Stops and starts per agent"),
  node_restarts: budget.describe("Stops and starts per machine"),
});

export const policySchema = z.strictObject({
  extends: z
    .string()
    .max(100)
    .optional()
    .describe("The policy that it changes: a built-in one or another one of yours"),
  description: z.string().max(300).optional().describe("One sentence for `rouse policy show`"),
  tags: names.optional().describe("Agents with one of these tags use the policy"),
  agents: names.optional().describe("Agents with these names use the policy"),
  confirm_seconds: seconds.optional().describe("How long a suspicion must last to be confirmed"),
  patience_minutes: minutes
    .optional()
    .describe(
      "Minutes (awake) after the detection of a problem: it escalates to you if the next step still lacks evidence or the agent is still active elsewhere, and a limit is reported",
    ),
  outage_minutes: minutes.optional().describe("How long an outage may last before it escalates to you"),
  limits: limits.partial().optional(),
  budgets: budgets.partial().optional(),
  plans: plans
    .optional()
    .describe("The steps for a problem, in order; they replace those of the policy that it extends"),
});

export type PolicyFields = z.infer<typeof policySchema>;
export type StepFields = z.infer<typeof step>;
export type BudgetFields = z.infer<typeof budget>;

/** The tables of a policy file, by the heading of their documentation. */
export const POLICY_TABLES = {
  "": policySchema,
  "[limits]": limits,
  "[budgets]": budgets,
  "a step": step,
  when,
} as const;

export const PROOF_OF: Readonly<Record<ActionName, Proof>> = {
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

/** The whole policy as a file that extends none would have it. */
export function policyFields({
  description,
  confirmMs,
  patienceMs,
  outageMs,
  limits: waits,
  budgets: own,
  plans: all,
}: Policy) {
  return {
    description,
    confirm_seconds: confirmMs / SECOND,
    patience_minutes: patienceMs / MINUTE,
    outage_minutes: outageMs / MINUTE,
    limits: {
      margin_seconds: waits.marginMs / SECOND,
      jitter_seconds: waits.jitterMs / SECOND,
      backoff_seconds: waits.backoffMs / SECOND,
      backoff_max_minutes: waits.backoffMaxMs / MINUTE,
      own_resume_minutes: waits.ownResumeMs / MINUTE,
    },
    budgets: {
      incident: own.incident,
      agent: budgetFields(own.agent),
      node: budgetFields(own.node),
      agent_restarts: budgetFields(own.agentRestarts),
      node_restarts: budgetFields(own.nodeRestarts),
    },
    plans: Object.fromEntries(Object.entries(all).map(([problem, steps]) => [problem, steps.map(stepFields)])),
  } satisfies PolicyFields;
}

const budgetFields = ({ times, periodMs }: Budget): BudgetFields => ({ times, minutes: periodMs / MINUTE });

const stepFields = ({
  do: name,
  when: { level, afterMs, origins },
  limit,
  waitMs,
  proof,
  say,
  command,
}: RecoveryStep): StepFields => ({
  do: name,
  when: { level, after_seconds: afterMs / SECOND, ...(origins ? { origins: [...origins] } : {}) },
  limit,
  wait_seconds: waitMs / SECOND,
  proof,
  ...(say ? { say } : {}),
  ...(command ? { command: [...command] } : {}),
});
