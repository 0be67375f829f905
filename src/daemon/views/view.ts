/** The view of a session: one flat record, the same for table, JSON and API. */
import type { AgentSession } from "../../core/agent.js";
import { awaitsUser, type IncidentState } from "../../core/incidents/incident.js";
import { isQuestion } from "../../core/incidents/problem.js";
import { burnRates } from "../../core/judgement/evidence/burn.js";
import { spentBetween } from "../../core/judgement/evidence/spend.js";
import type { PeriodSpend } from "../../core/judgement/period-spend.js";
import { questionOf } from "../../core/judgement/question.js";
import { type Move, moveOf } from "../../core/move.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { WaitCause } from "../../core/states.js";
import { type Cause, type State, UNHEALTHY } from "../../core/states.js";
import { sanitize } from "../../core/text/sanitize.js";
import { HOUR } from "../../core/text/time.js";
import { unobservedReasonOf } from "./coverage.js";
import { lastActivityAt } from "./last-activity.js";

export interface SpendView {
  since: string;
  until: string;
  tokens: number;
  tokens_budget: number | null;
  /** Null if the price is unknown. */
  cost_usd: number | null;
  cost_usd_budget: number | null;
  /** Number of tokens that the cost does not include. */
  unpriced_tokens: number;
  is_over: boolean;
  /** One sentence each: which budget is used up, and what a sum leaves out. */
  notes: string[];
}

export interface SessionView {
  name: string;
  kind: string;
  session: string;
  origin: AgentSession["origin"];
  tags: string[];
  workspace: string | null;
  task: string | null;
  pid: number | null;
  state: State;
  cause: Cause | WaitCause | null;
  /** What has to act next. */
  move: Move;
  /** What it asks you; null if it asks nothing. */
  question: string | null;
  level: "report" | "act";
  confidence: number;
  since: string;
  until: string | null;
  /** What it is doing, in words. */
  doing: string;
  reasons: string[];
  /** The last status, report or progress; the start of the agent if there was none. */
  last_activity: string;
  last_output: string | null;
  tokens_per_hour: number;
  cost_usd_per_hour: number;
  /** Of this run, in the last 24 hours. Null if no price is known. */
  cost_usd_24h: number | null;
  /** Usage of all its sessions in this budget period; null without a budget. */
  spend: SpendView | null;
  healthy: boolean;
  /** rouse cannot see it: the message `watchdog.blind`, one per gap. */
  unobserved: { since: string; reason: string } | null;
  started_at: string;
  ended_at: string | null;
}

export function viewOf(judge: SessionJudge, now: number, incidents: IncidentState): SessionView {
  const { session, evidence } = judge;
  const assessment = judge.peek(now);
  const { state } = assessment;
  const isAsked = isQuestion(assessment);
  const unobserved = unobservedReasonOf(judge, now);
  const rates = burnRates(evidence.burn, now);
  return {
    name: sanitize(session.name, 80),
    kind: sanitize(session.kind, 40),
    session: session.id,
    origin: session.origin,
    tags: session.tags.map((tag) => sanitize(tag, 40)),
    workspace: session.workspace === null ? null : sanitize(session.workspace, 400),
    task: session.task === null ? null : sanitize(session.task, 200),
    pid: session.pid,
    state,
    cause: assessment.cause,
    move: awaitsUser(incidents, session.name, now) ? "you" : moveOf(assessment),
    question: isAsked ? sanitize(questionOf(evidence), 600) || null : null,
    level: assessment.level,
    confidence: Math.round(assessment.confidence * 100) / 100,
    since: iso(judge.since),
    until: assessment.until === null ? null : iso(assessment.until),
    doing: doingOf(judge),
    reasons: assessment.reasons.map((reason) => sanitize(reason)),
    last_activity: iso(lastActivityAt(judge)),
    last_output: evidence.progress.outputAt === null ? null : iso(evidence.progress.outputAt),
    tokens_per_hour: Math.round(rates.tokens_per_hour),
    cost_usd_per_hour: Math.round(rates.cost_usd_per_hour * 100) / 100,
    cost_usd_24h: dayCost(judge, now),
    spend: spendView(judge.spend),
    healthy: !isAsked && !UNHEALTHY.has(state),
    unobserved: unobserved === null ? null : { since: iso(unobserved.since), reason: sanitize(unobserved.reason) },
    started_at: iso(session.startedAt),
    ended_at: session.endedAt === null ? null : iso(session.endedAt),
  };
}

function dayCost({ evidence }: SessionJudge, now: number): number | null {
  const { costUsd } = spentBetween(evidence.spend, now - 24 * HOUR, now + 1);
  return costUsd > 0 ? Math.round(costUsd * 100) / 100 : null;
}

function spendView(spend: PeriodSpend | null): SpendView | null {
  if (spend === null) return null;
  const { period, tokens, costUsd, unpriced, tokensBudget, costBudget, over, doubt } = spend;
  return {
    since: iso(period.from),
    until: iso(period.to),
    tokens,
    tokens_budget: tokensBudget || null,
    cost_usd: costUsd > 0 || unpriced === 0 ? Math.round(costUsd * 100) / 100 : null,
    cost_usd_budget: costBudget || null,
    unpriced_tokens: unpriced,
    is_over: over.length > 0,
    notes: doubt === null ? over : [...over, doubt],
  };
}

/** The open tool, else the prompt, else the state. */
function doingOf({ evidence, assessment }: SessionJudge): string {
  const [tool] = evidence.tools.open.values();
  if (tool) return sanitize(tool.subject ? `${tool.tool}: ${tool.subject}` : tool.tool, 120);
  const shown = evidence.progress.reading?.tool;
  if (shown?.subject) return sanitize(shown.subject, 120);
  const dialog = evidence.progress.reading?.dialog;
  if (dialog && isQuestion(assessment)) return sanitize(dialog.question, 120);
  return "";
}

const iso = (ms: number): string => new Date(ms).toISOString();
