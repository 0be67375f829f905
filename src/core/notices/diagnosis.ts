/** The explanation of a model as a notice of its own: it never replaces or delays the alert about the problem. */
import { digest } from "../digest.js";
import { forOutput } from "../text/for-output.js";
import type { AlertRules, Notice, PlannedAlert } from "./alert.js";
import { deliveriesFor } from "./plan.js";

export interface DiagnosisNotice {
  id: string;
  message: string;
  /** The incidents that it explains. */
  incidents: readonly { id: string; agent: string; problem: string }[];
}

const TITLE_MAX = 140;
const LINE_MAX = 1000;
const LINES_MAX = 20;

export function planDiagnosisNotice(
  { id, message, incidents }: DiagnosisNotice,
  rules: AlertRules,
  now: number,
): { planned: PlannedAlert; notice: Notice } {
  const key = digest(`diagnosis ${id}`);
  const common = { key, subject: `diagnosis:${key}`, edge: "diagnosis", severity: "warning", at: now } as const;
  const about = incidents.length > 0 ? incidents : [{ agent: "", problem: "no_progress" }];
  const subjects = about.map(({ agent, problem }) => ({ agent, problem: problem as "no_progress" }));
  const agents = [...new Set(incidents.map(({ agent }) => forOutput(agent, 60)))];
  const subject = agents.length === 0 ? "the pipeline" : agents.join(", ");
  return {
    planned: {
      ...common,
      kind: "diagnosis",
      members: [],
      deliveries: deliveriesFor(rules, "warning", subjects, [], now),
    },
    notice: {
      ...common,
      kind: "watchdog",
      title: forOutput(`Watchdog: a model's opinion about ${subject}`, TITLE_MAX),
      lines: message
        .split("\n")
        .map((line) => forOutput(line, LINE_MAX))
        .filter((line) => line !== "")
        .slice(0, LINES_MAX),
      agents,
      incidents: incidents.map((one) => one.id),
    },
  };
}
