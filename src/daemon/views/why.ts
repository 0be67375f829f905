/** Explains a verdict: the evidence with age and source, what would change it, and the timeline. */
import { settingOf } from "../../core/defaults.js";
import type { IncidentState } from "../../core/incidents/incident.js";
import type { ProgressSource } from "../../core/judgement/evidence/progress.js";
import { openPrompt } from "../../core/judgement/evidence/prompts.js";
import { turnStatus } from "../../core/judgement/evidence/turn.js";
import type { TimelineEntry } from "../../core/judgement/timeline.js";
import type { SessionJudge } from "../../core/session-judge.js";
import { formatDuration } from "../../core/text/duration.js";
import { redact } from "../../core/text/redact.js";
import { sanitize } from "../../core/text/sanitize.js";
import { type SessionView, viewOf } from "./view.js";

export interface WhyView extends SessionView {
  evidence: { name: string; value: string; age_secs: number; source: string }[];
  /** What would change the verdict. */
  changes: string[];
  timeline: TimelineEntry[];
  /** The last lines of its screen. */
  preview: string[];
}

/** What was new, and the source that showed it. */
const ACTIVITY_WORDS: Readonly<Record<ProgressSource, readonly [value: string, source: string]>> = {
  reply: ["reply text", "screen"],
  tokens: ["token counter", "screen"],
  stream: ["event", "stream"],
  transcript: ["record", "transcript"],
  hook: ["event", "hook"],
  telemetry: ["record", "telemetry"],
  socket: ["bytes received", "process"],
};

export function whyOf(judge: SessionJudge, now: number, incidents: IncidentState): WhyView {
  const { evidence } = judge;
  const rows: WhyView["evidence"] = [];
  const add = (name: string, value: string, at: number, source: string): void => {
    rows.push({ name, value: sanitize(value, 300), age_secs: Math.max(0, Math.round((now - at) / 1000)), source });
  };
  const decisive = turnStatus(evidence.turn);
  for (const [source, reported] of Object.entries(evidence.turn.statuses))
    add("turn", `${reported.status}${source === decisive?.source ? " (decisive)" : ""}`, reported.at, source);
  for (const tool of evidence.tools.open.values())
    add("open tool", `${tool.tool} ${tool.subject ?? ""}`, tool.at, tool.source);
  const prompt = openPrompt(evidence.prompts);
  if (prompt) add("prompt", `${prompt.prompt}: ${prompt.question}`, prompt.at, prompt.source);
  const { limit, error, shownLimit, shownError } = evidence.failures;
  for (const found of [limit, shownLimit]) if (found) add("limit", found.text, found.at, found.source);
  for (const found of [error, shownError])
    if (found) add("error", `${found.cause}: ${found.text}`, found.at, found.source);
  for (const source of Object.keys(ACTIVITY_WORDS) as ProgressSource[]) {
    const at = evidence.progress.seen[source];
    const [value, where] = ACTIVITY_WORDS[source];
    if (at !== undefined) add("last activity", value, at, where);
  }
  if (evidence.progress.outputAt !== null) add("last output", "bytes", evidence.progress.outputAt, "screen");
  if (evidence.humanAt !== null) {
    const isStop = evidence.quitOrdered && evidence.quitBy === "human" && evidence.quitAt === evidence.humanAt;
    add("human", isStop ? "ran `rouse stop`" : "keys typed", evidence.humanAt, "human");
  }
  const changes: string[] = [];
  if (evidence.blind) changes.push("any new signal: it is checked again at once");
  const next = nextVerdict(judge);
  if (next) changes.push(`${formatDuration(next.at - now)} without a new signal: ${next.verdict}`);
  if (judge.assessment.state === "rate_limited") changes.push("the end of the limit");
  if (prompt) changes.push("an answer to its prompt");
  else if (decisive?.status === "active")
    changes.push("new activity from any source, an open prompt, or the end of the turn");
  else if (decisive) changes.push("a new turn, or a prompt on the screen");
  const previewLines = settingOf(judge.settings, "output_preview_lines");
  const tail = previewLines > 0 ? (evidence.progress.reading?.tail ?? []).slice(-previewLines) : [];
  return {
    ...viewOf(judge, now, incidents),
    evidence: rows,
    changes,
    timeline: judge.timeline.slice(-40),
    preview: tail.map((line) => sanitize(redact(line), 300)),
  };
}

/** Most clocks run out after one or two checks without a change. */
const RECHECKS_MAX = 5;

/** What the state becomes if nothing new is seen; null if it stays. */
function nextVerdict(judge: SessionJudge): { at: number; verdict: string } | null {
  const { state, cause } = judge.assessment;
  let next = judge.assessment;
  for (let n = 0; n < RECHECKS_MAX && next.recheckAt !== null && next.recheckAt > next.at; n++) {
    next = judge.peek(next.recheckAt);
    if (next.state !== state || next.cause !== cause)
      return { at: next.at, verdict: next.cause ? `${next.state}/${next.cause}` : next.state };
  }
  return null;
}
