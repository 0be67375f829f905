/** The built-in policies. `observe` is the policy of a new installation; `default` uses the plans of the problem table. */
import { HOUR, MINUTE, SECOND } from "../text/time.js";
import { type Policy, perHour, type RecoveryStep } from "./policy.js";
import { PROBLEM_TABLE } from "./problems.js";
import { AGAINST_LOOP, endChild, interrupt, nudge, stop, when } from "./recovery-plans.js";

type Plans = Policy["plans"];

const PLANS: Plans = Object.fromEntries(
  Object.entries(PROBLEM_TABLE).flatMap(([problem, { humanOnly, recoveryPlan }]) =>
    humanOnly ? [] : [[problem, recoveryPlan]],
  ),
);

const DEFAULT: Policy = {
  name: "default",
  description: "takes the least intrusive step first and verifies it; stops only sessions that rouse started",
  confirmMs: MINUTE,
  patienceMs: 15 * MINUTE,
  outageMs: 30 * MINUTE,
  autoResumeMs: 12 * HOUR,
  limits: {
    marginMs: 90 * SECOND,
    jitterMs: 60 * SECOND,
    backoffMs: 60 * SECOND,
    backoffMaxMs: HOUR,
    ownResumeMs: 5 * MINUTE,
  },
  budgets: {
    incident: 12,
    agent: perHour(12),
    node: perHour(60),
    agentRestarts: perHour(4),
    nodeRestarts: perHour(12),
  },
  plans: PLANS,
};

const OBSERVE: Policy = {
  ...DEFAULT,
  name: "observe",
  description: "reports problems and takes no action",
  plans: {},
};

const STOP_LOOP: readonly RecoveryStep[] = [...AGAINST_LOOP.slice(0, 2), { ...stop, when: when() }];

/** For unattended agents: also ends hung commands, looping sessions and adopted panes. */
const AGGRESSIVE: Policy = {
  ...DEFAULT,
  name: "aggressive",
  description:
    "also ends hung commands, looping sessions and adopted panes; still never answers a dialog or stops a session in your own terminal",
  confirmMs: 30 * SECOND,
  plans: {
    ...widened(PLANS),
    loop: STOP_LOOP,
    repeated_error: STOP_LOOP,
    tool_hang: [endChild],
    waiting_on_stdin: [endChild],
    retry_storm: [interrupt, nudge(1)],
  },
  budgets: {
    incident: 14,
    agent: perHour(20),
    node: perHour(100),
    agentRestarts: perHour(6),
    nodeRestarts: perHour(20),
  },
};

function widened(plans: Plans): Plans {
  return Object.fromEntries(
    Object.entries(plans).map(([problem, steps]) => [
      problem,
      steps.map((step) =>
        step.when.origins === null
          ? step
          : { ...step, when: { ...step.when, origins: [...step.when.origins, "tmux", "transcript", "report"] } },
      ),
    ]),
  );
}

export const POLICIES: Readonly<Record<"observe" | "default" | "aggressive", Policy>> = {
  observe: OBSERVE,
  default: DEFAULT,
  aggressive: AGGRESSIVE,
};
