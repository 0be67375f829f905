/** The digest: a scheduled summary, tagged differently from the watchdog's alerts. */
import { digest } from "../digest.js";
import { type IncidentState, isOpen } from "../incidents/incident.js";
import { traitsOf } from "../policy/problems.js";
import { STATES, type State } from "../states.js";
import { formatDuration } from "../text/duration.js";
import { forOutput } from "../text/for-output.js";
import type { Notice } from "./alert.js";
import { pipelineText, type WorkTotals } from "./pipeline-text.js";

const LISTED_MAX = 8;

export interface Digested {
  incidentState: IncidentState;
  /** Of the living agents. */
  states: readonly State[];
  /** Null: there are no tasks. */
  work: WorkTotals | null;
}

export function digestOf({ incidentState, states, work }: Digested, since: number, now: number): Notice {
  const counted = STATES.flatMap((state) => {
    const n = states.filter((one) => one === state).length;
    return n > 0 ? [`${n} ${state}`] : [];
  });
  const recent = incidentState.incidents.filter(
    ({ endedAt, openedAt }) => endedAt === null || endedAt >= since || openedAt >= since,
  );
  const open = recent.filter(isOpen);
  const ended = recent.filter(({ endedAt }) => endedAt !== null && endedAt >= since);
  const actions = incidentState.actions.filter(({ at }) => at >= since).length;
  const pipeline = work && pipelineText(work);
  const span = formatDuration(Math.max(0, now - since));
  return {
    key: digest(`digest ${since} ${now}`),
    subject: `digest:${now}`,
    kind: "digest",
    edge: "digest",
    severity: "info",
    at: now,
    title: `Digest: ${counted.join(", ") || pipeline || "no agents watched"}`,
    lines: [
      ...(pipeline === null || counted.length === 0 ? [] : [pipeline]),
      `last ${span}: ${recent.filter(({ openedAt }) => openedAt >= since).length} new problems, ${ended.length} resolved, ${actions} actions by rouse`,
      ...open
        .slice(0, LISTED_MAX)
        .map(({ agent, problem }) => `open: ${forOutput(agent, 60)} ${traitsOf(problem).wording}`),
      ...(open.length > LISTED_MAX ? [`and ${open.length - LISTED_MAX} more`] : []),
    ],
    agents: [],
    incidents: open.map(({ id }) => id),
  };
}
