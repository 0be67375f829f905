/** What rouse can and cannot see of an agent: sources with signals, and how to enable the others. */
import type { AgentSession } from "../../core/agent.js";
import { awakeMs } from "../../core/awake.js";
import type { Evidence } from "../../core/judgement/evidence/state.js";
import { BLIND_MS, type SessionJudge } from "../../core/session-judge.js";
import { sanitize } from "../../core/text/sanitize.js";
import { versionFit } from "../../core/version-fit.js";
import { partOf } from "../../programs/part.js";
import { programFor } from "../../programs/registry.js";

export interface SessionCoverage {
  name: string;
  session: string;
  kind: string;
  origin: AgentSession["origin"];
  version: string | null;
  available: string[];
  /** Why rouse cannot see it at present. */
  unobserved_reason: string | null;
  /** Missing sources, and how to enable them. */
  missing: { name: string; fix: string }[];
}

interface View {
  name: string;
  isSeen: (judge: SessionJudge) => boolean;
  /** Null if such an agent does not have this source. */
  fix: (judge: SessionJudge) => string | null;
}

const hears = (
  { turn, progress }: Evidence,
  source: "hook" | "telemetry" | "transcript" | "program_status" | "stream",
): boolean =>
  turn.statuses[source] !== undefined || (source !== "program_status" && progress.seen[source] !== undefined);

const VIEWS: readonly View[] = [
  { name: "reports", isSeen: ({ session }) => session.origin === "report", fix: () => null },
  {
    name: "screen",
    isSeen: ({ evidence }) => evidence.progress.reading !== null || evidence.progress.outputAt !== null,
    fix: ({ session }) =>
      session.origin === "transcript"
        ? "start it with `rouse run` or `rouse spawn`, or inside tmux and run `rouse watch`"
        : null,
  },
  {
    name: "transcript",
    isSeen: ({ evidence }) => hears(evidence, "transcript") || hears(evidence, "stream"),
    fix: ({ session }) =>
      partOf(programFor(session.kind).transcript)
        ? "normal before the first prompt; if it persists, restart the agent"
        : null,
  },
  {
    name: "hooks",
    isSeen: ({ evidence }) => hears(evidence, "hook"),
    fix: ({ session }) =>
      partOf(programFor(session.kind).hooks) ? `run \`rouse init ${session.kind}\`, then restart the agent` : null,
  },
  {
    name: "telemetry",
    isSeen: ({ evidence }) => hears(evidence, "telemetry"),
    // Without it only the cost is missing.
    fix: () => null,
  },
  {
    name: "process",
    isSeen: ({ evidence }) => evidence.progress.cpuMs !== null || evidence.progress.children !== null,
    fix: ({ session, evidence }) => {
      if (evidence.exit !== null) return null;
      if (session.pid === null) return "its process is not known: start it with `rouse run`";
      return "normal right after its start; if it persists, check that you can list its process with `ps`";
    },
  },
];

/**
 * Why rouse cannot see an agent: no source reports, judging fails, or the state has been unknown for too long. There is one
 * notice per gap; it ends when rouse sees the agent again or the agent ends.
 */
export function unobservedReasonOf(judge: SessionJudge, now: number): { since: number; reason: string } | null {
  const { session, evidence, assessment, judgingError, since } = judge;
  if (session.endedAt !== null || evidence.exit) return null;
  if (judgingError !== null) return { since, reason: `the judgement failed: ${judgingError}` };
  if (evidence.blind && !evidence.blind.byReports) return { since: evidence.blind.since, reason: evidence.blind.text };
  const isLasting = assessment.state === "unknown" && awakeMs(evidence.asleep, since, now) > BLIND_MS;
  return isLasting ? { since, reason: assessment.reasons[0] ?? "" } : null;
}

export function coverageOf(judge: SessionJudge, now: number): SessionCoverage {
  const { session, evidence } = judge;
  const version = evidence.session.version ?? null;
  const missing = VIEWS.flatMap((view) => {
    const fix = session.origin === "report" || view.isSeen(judge) ? null : view.fix(judge);
    return fix === null ? [] : [{ name: view.name, fix }];
  });
  const { versions } = evidence.traits;
  if (versions && versionFit(versions, version ?? undefined) === 1)
    missing.push({
      name: `release ${sanitize(version ?? "", 40)} is newer than its profile (${versions.to}): its screen may be misread`,
      fix: "update rouse, or add a profile of your own (docs/add-a-program.md)",
    });
  return {
    name: sanitize(session.name, 80),
    session: session.id,
    kind: sanitize(session.kind, 40),
    origin: session.origin,
    version: version === null ? null : sanitize(version, 40),
    unobserved_reason: sanitize(unobservedReasonOf(judge, now)?.reason ?? "", 300) || null,
    available: VIEWS.filter((view) => view.isSeen(judge)).map(({ name }) => name),
    missing,
  };
}
