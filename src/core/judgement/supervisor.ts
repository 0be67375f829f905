/**
 * Another supervisor: that of the program itself, which starts the process of a session again when it ends. Two
 * supervisors must not act on one session, so rouse waits until this one has acted, or has had the time to.
 */
import { formatDuration } from "../text/duration.js";
import type { Evidence } from "./evidence/state.js";
import type { OtherSupervisor, RuleInput, RuleVerdict } from "./rule.js";

/** A verdict about an ended process, with what its supervisor is going to do, or has not done. */
export function withSupervisor(question: RuleInput, verdict: RuleVerdict): RuleVerdict {
  const { exit, supervisor, traits } = question.evidence;
  if (!exit || !supervisor?.holds || !traits.supervisor || AT_REST.has(verdict.state)) return verdict;
  const { name, restartMs, startMs } = traits.supervisor;
  const passed = question.since(exit.at);
  const patience = restartMs + startMs;
  question.dueAfter(exit.at, restartMs);
  question.dueAfter(exit.at, patience);
  if (passed >= patience)
    return { ...verdict, reasons: [...verdict.reasons, `${name} has not restarted it for ${formatDuration(passed)}`] };
  const other = { name, actsAt: question.now + restartMs - passed, until: question.now + patience - passed };
  return { ...verdict, reasons: [...verdict.reasons, supervisorText(other, question.now)], supervisor: other };
}

const AT_REST: ReadonlySet<RuleVerdict["state"]> = new Set<RuleVerdict["state"]>(["idle", "complete", "needs_input"]);

export const supervisorText = ({ name, actsAt }: OtherSupervisor, now: number): string =>
  now < actsAt
    ? `${name} acts in ${formatDuration(actsAt - now)}`
    : `${name} was due ${formatDuration(now - actsAt)} ago; its restart may take longer`;

/** The command that opens the session in its supervisor; null if it has none. */
export function openCommand({ supervisor, traits }: Pick<Evidence, "supervisor" | "traits">): string | null {
  return supervisor && traits.supervisor ? [...traits.supervisor.open, supervisor.id].join(" ") : null;
}
