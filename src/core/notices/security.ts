/** Alerts about clients of rouse, apart from the incidents of agents: at once, to every channel for critical alerts, no follow-ups. */
import { digest } from "../digest.js";
import { forOutput } from "../text/for-output.js";
import type { AlertRules, Notice, PlannedAlert } from "./alert.js";
import { deliveriesFor } from "./plan.js";

export interface SecurityFinding {
  /** The same finding is sent once. */
  id: string;
  title: string;
  lines: readonly string[];
  /** Name of the agent; null if it is about none. */
  agent: string | null;
}

const SEVERITY = "critical";
const TITLE_MAX = 120;

export function planSecurityAlert(
  { id, title, lines, agent }: SecurityFinding,
  rules: AlertRules,
  now: number,
  { kind, edge }: Pick<Notice, "kind" | "edge"> = { kind: "security", edge: "security" },
): { planned: PlannedAlert; notice: Notice } {
  const key = digest(`${edge} ${id}`);
  const subject = `${edge}:${key}`;
  const common = { key, subject, edge, severity: SEVERITY, at: now } as const;
  // Routes choose by agent and problem: an open dialog is the problem that such a finding is closest to.
  const deliveries = deliveriesFor(rules, SEVERITY, [{ agent: agent ?? "", problem: "needs_input" }], [], now);
  return {
    planned: { ...common, kind: edge, members: [], deliveries },
    notice: {
      ...common,
      kind,
      title: forOutput(`Watchdog: ${title}`, TITLE_MAX),
      lines: lines.map((line) => forOutput(line)),
      agents: agent === null ? [] : [forOutput(agent, 60)],
      incidents: [],
    },
  };
}
