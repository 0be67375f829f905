/** Explains a verdict: the evidence with age and source, what would change it, and the timeline. */
import { settingOf } from "../../core/defaults.js";
import { openPrompt } from "../../core/judgement/evidence/prompts.js";
import { turnStatus } from "../../core/judgement/evidence/turn.js";
import type { TimelineEntry } from "../../core/judgement/timeline.js";
import type { SessionJudge } from "../../core/session-judge.js";
import { formatDuration } from "../../core/text/duration.js";
import { redact } from "../../core/text/redact.js";
import { sanitize } from "../../core/text/sanitize.js";
import { type SessionView, viewOf } from "./view.js";

export interface WhyView extends SessionView {
  evidence: { what: string; says: string; age_secs: number; source: string }[];
  /** What would change the verdict. */
  changes: string[];
  timeline: TimelineEntry[];
  /** The last lines of its screen. */
  preview: string[];
}

export function whyOf(judge: SessionJudge, now: number): WhyView {
  const { evidence, assessment } = judge;
  const rows: WhyView["evidence"] = [];
  const add = (what: string, says: string, at: number, source: string): void => {
    rows.push({ what, says: sanitize(says, 300), age_secs: Math.max(0, Math.round((now - at) / 1000)), source });
  };
  for (const [source, reported] of Object.entries(evidence.turn.statuses))
    add("turn", reported.status, reported.at, source);
  for (const tool of evidence.tools.open.values())
    add("open tool", `${tool.tool} ${tool.subject ?? ""}`, tool.at, tool.source);
  const prompt = openPrompt(evidence.prompts);
  if (prompt) add("prompt", `${prompt.prompt} ${prompt.question}`, prompt.at, prompt.source);
  const { limit, error, shownLimit, shownError } = evidence.failures;
  for (const found of [limit, shownLimit]) if (found) add("limit", found.text, found.at, found.source);
  for (const found of [error, shownError])
    if (found) add("error", `${found.cause}: ${found.text}`, found.at, found.source);
  for (const [source, at] of Object.entries(evidence.progress.seen))
    add("last activity", source, at, source === "reply" || source === "tokens" ? "screen" : source);
  if (evidence.progress.outputAt !== null) add("last output", "bytes", evidence.progress.outputAt, "screen");
  if (evidence.humanAt !== null) {
    const isStop = evidence.quitOrdered && evidence.quitBy === "human" && evidence.quitAt === evidence.humanAt;
    add("human", isStop ? "ran `rouse stop`" : "keys typed", evidence.humanAt, "human");
  }
  const changes: string[] = [];
  if (evidence.blind) changes.push("any new signal: it is checked again at once");
  if (assessment.recheckAt !== null) changes.push(`${formatDuration(assessment.recheckAt - now)} without a new signal`);
  const reported = turnStatus(evidence.turn);
  if (prompt) changes.push("an answer to its prompt");
  else if (reported?.status === "active")
    changes.push("new activity from any source, an open prompt, or the end of the turn");
  else if (reported) changes.push("a new turn, or a prompt on the screen");
  const previewLines = settingOf(judge.settings, "output_preview_lines");
  const tail = previewLines > 0 ? (evidence.progress.reading?.tail ?? []).slice(-previewLines) : [];
  return {
    ...viewOf(judge, now),
    evidence: rows,
    changes,
    timeline: judge.timeline.slice(-40),
    preview: tail.map((line) => sanitize(redact(line), 300)),
  };
}
