/** The built-in policies. `observe` is what a new installation has; `default` is the table of the design, row by row. */
import { HOUR, MINUTE, SECOND } from "../defaults.js";
import { type Policy, perHour, type Rung } from "./policy.js";
import { PROBLEM_TABLE } from "./problems.js";
import { AGAINST_LOOP, endChild, interrupt, nudge, stop, when } from "./recovery-plans.js";

type Ladders = Policy["ladders"];

const LADDERS: Ladders = Object.fromEntries(
  Object.entries(PROBLEM_TABLE).flatMap(([problem, { humanOnly, recoveryPlan }]) =>
    humanOnly ? [] : [[problem, recoveryPlan]],
  ),
);

const DEFAULT: Policy = {
  name: "default",
  says: "the least that helps, once, with proof; ends only sessions that rouse started itself",
  confirmMs: MINUTE,
  patienceMs: 15 * MINUTE,
  outageMs: 30 * MINUTE,
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
  ladders: LADDERS,
};

const OBSERVE: Policy = {
  ...DEFAULT,
  name: "observe",
  says: "tells and touches nothing",
  ladders: {},
};

const STOP_LOOP: readonly Rung[] = [...AGAINST_LOOP.slice(0, 2), { ...stop, when: when() }];

/** For agents that nobody waits for: hung commands are ended, a circle too, and panes that were only adopted as well. */
const AGGRESSIVE: Policy = {
  ...DEFAULT,
  name: "aggressive",
  says: "ends hung commands, circling sessions and adopted panes too; still never answers a dialog or ends your own terminal",
  confirmMs: 30 * SECOND,
  ladders: {
    ...widened(LADDERS),
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

function widened(ladders: Ladders): Ladders {
  return Object.fromEntries(
    Object.entries(ladders).map(([problem, rungs]) => [
      problem,
      rungs.map((rung) =>
        rung.when.origins === null
          ? rung
          : { ...rung, when: { ...rung.when, origins: [...rung.when.origins, "tmux", "transcript"] } },
      ),
    ]),
  );
}

export const POLICIES: Readonly<Record<"observe" | "default" | "aggressive", Policy>> = {
  observe: OBSERVE,
  default: DEFAULT,
  aggressive: AGGRESSIVE,
};
