/** The built-in `default` as a user's policy whose waits are seconds: the same steps in the same order. */
import { POLICIES } from "../../src/core/policy/builtin.js";
import type { RecoveryStep } from "../../src/core/policy/policy.js";

/** Time for an agent to show that an action helped, on a busy machine. */
const WAIT_SECONDS: Readonly<Partial<Record<RecoveryStep["do"], number>>> = { nudge: 30, resume: 30 };

/** `more` are recovery plans that replace those of `default`. */
export function quickPolicy(
  agents: readonly string[],
  more: Readonly<Record<string, readonly RecoveryStep[]>> = {},
): string {
  const plans = { ...POLICIES.default.plans, ...more };
  return [
    `agents = ${JSON.stringify(agents)}`,
    "confirm_seconds = 0",
    "patience_minutes = 4",
    "[limits]",
    "margin_seconds = 0",
    "jitter_seconds = 0",
    "backoff_seconds = 3",
    "own_resume_minutes = 10",
    "[plans]",
    ...Object.entries(plans).map(([problem, steps]) => `${problem} = [${steps.map(stepText).join(", ")}]`),
  ].join("\n");
}

function stepText({ do: name, when: { level, origins }, limit, proof, say }: RecoveryStep): string {
  const only = origins === null ? "" : `, origins = ${JSON.stringify(origins)}`;
  const saying = say === undefined ? "" : `, say = "${say}"`;
  const wait = WAIT_SECONDS[name] ?? 4;
  return `{ do = "${name}", when = { level = "${level}"${only} }, limit = ${limit}, wait_seconds = ${wait}, proof = "${proof}"${saying} }`;
}
