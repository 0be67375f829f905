/**
 * Turns evidence and `now` into a verdict with reasons.
 *
 * The rules run in order of authority. The first one with a verdict decides:
 *
 *   gone > open prompt > records > the program's own error row above an idle composer > activity > silence
 *
 * Each rule returns a state, a cause, a confidence and reasons, or null. A rule whose answer changes with time alone
 * registers that moment with `due`, so that a caller can sleep until then.
 */
import { awakeMs, starvedMs } from "../awake.js";
import type { Settings } from "../defaults.js";
import type { State } from "../states.js";
import { formatAgo, formatDuration } from "../text/duration.js";
import { MINUTE, SECOND } from "../text/time.js";
import { versionFit } from "../version-fit.js";
import { agreeingKinds, KIND_OF_SOURCE } from "./evidence/kinds.js";
import type { Evidence } from "./evidence/state.js";
import { turnStatus } from "./evidence/turn.js";
import type { JudgementRule, RuleInput, RuleVerdict } from "./rule.js";
import { byActivity } from "./rules/by-activity.js";
import { byEnd } from "./rules/by-end.js";
import { byExit } from "./rules/by-exit.js";
import { byFailure } from "./rules/by-failure.js";
import { byLastLine } from "./rules/by-last-line.js";
import { byLoop } from "./rules/by-loop.js";
import { byOwnReports, onlyReports } from "./rules/by-own-reports.js";
import { byPrompt } from "./rules/by-prompt.js";
import { byReport } from "./rules/by-report.js";
import { byRetry } from "./rules/by-retry.js";
import { byWork } from "./rules/by-work.js";

/** Incremented when the same evidence may give a different verdict, so that recorded timelines can be compared. */
export const RULESET = 18;

export interface Assessment
  extends Required<Omit<RuleVerdict, "act" | "onlyReported" | "asksUser" | "supervisor">>,
    Pick<RuleVerdict, "onlyReported" | "asksUser" | "supervisor"> {
  /** A suspicion is reported early and acted on late. A statement of a record or of the program is certain at once. */
  level: "report" | "act";
  at: number;
  ruleset: number;
  /** When to assess again if no signal arrives. */
  recheckAt: number | null;
}

const RULES: readonly JudgementRule[] = [
  byExit,
  byPrompt,
  byReport,
  byFailure,
  byRetry,
  byLastLine,
  byOwnReports,
  byLoop,
  byWork,
  byEnd,
  byActivity,
];

export function assess(evidence: Evidence, now: number, settings: Settings = {}): Assessment {
  let recheckAt: number | null = null;
  const question = questionOf(evidence, now, settings, (at) => {
    // A rule without a deadline registers infinity.
    if (at > now && at < (recheckAt ?? Number.POSITIVE_INFINITY)) recheckAt = at;
  });
  const { since } = question;
  for (const rule of RULES) {
    const verdict = rule(question);
    if (!verdict) continue;
    const reasons = QUIET.has(verdict.state)
      ? verdict.reasons
      : [...verdict.reasons, ...doubts(evidence, since), ...lackOfCpu(evidence, now)];
    // An unobserved agent has no verdict; the last known one follows as a reason. An exit is final.
    if (evidence.blind && !evidence.exit && !onlyReports(evidence))
      return unknown([unseen(evidence.blind, since), ...reasons], now, recheckAt);
    const { act, ...said } = verdict;
    const level = said.state === "stuck" && !act ? "report" : "act";
    const kinds = said.kinds ?? agreeingKinds(evidence, question.active);
    return { until: null, ...said, reasons, level, kinds, at: now, ruleset: RULESET, recheckAt };
  }
  return unknown([evidence.blind ? unseen(evidence.blind, since) : "No signals yet"], now, recheckAt);
}

/** The rule that decides, such as `byPrompt`, or null if none has a verdict. Used for explanations. */
export function decidingRule(evidence: Evidence, now: number, settings: Settings = {}): string | null {
  const question = questionOf(evidence, now, settings, () => {});
  return RULES.find((rule) => rule(question) !== null)?.name ?? null;
}

function questionOf(evidence: Evidence, now: number, settings: Settings, due: RuleInput["due"]): RuleInput {
  const reported = ownTurn(evidence);
  const since = (at: number): number => awakeMs(evidence.asleep, at, now);
  return {
    evidence,
    now,
    reported,
    settings,
    active: reported === null ? null : reported.status === "active" || reported.status === "blocked",
    since,
    due,
    dueAfter: (at, ms) => due(now + ms - since(at)),
  };
}

/** The turn of an agent that a script runs is the script's while it lasts; its end is not the end of the script. */
function ownTurn({ turn, session }: Evidence): RuleInput["reported"] {
  const reported = turnStatus(turn);
  if (!reported || session.child === undefined || KIND_OF_SOURCE[reported.source] !== "record") return reported;
  return reported.status === "active" || reported.status === "blocked" ? reported : null;
}

function unknown(reasons: string[], now: number, recheckAt: number | null): Assessment {
  return {
    state: "unknown",
    cause: null,
    confidence: 0,
    until: null,
    reasons,
    level: "report",
    kinds: [],
    at: now,
    ruleset: RULESET,
    recheckAt,
  };
}

const unseen = ({ since, text }: NonNullable<Evidence["blind"]>, awakeSince: (at: number) => number): string =>
  `No signals for ${formatDuration(awakeSince(since))} (observer)${text === "" ? "" : `: ${text}`}`;

/** These states claim nothing that could be in doubt. */
const QUIET: ReadonlySet<State> = new Set<State>(["starting", "idle"]);

/** Waiting for a CPU is mentioned if it was this much of the last minutes. */
const STARVED_WITHIN_MS = 2 * MINUTE;
const STARVED_MS = 20 * SECOND;

/** Why the clocks run slower than the wall clock. */
function lackOfCpu({ asleep, exit }: Evidence, now: number): string[] {
  const lostMs = exit ? 0 : starvedMs(asleep, now - STARVED_WITHIN_MS, now);
  if (lostMs < STARVED_MS) return [];
  return [`Waited ${formatDuration(lostMs)} of the last 2 min for a CPU (process), which does not count as silence`];
}

/** Why the screen is less reliable than usual. Added to every verdict, so that users notice an outdated profile. */
function doubts({ progress, session, traits, exit }: Evidence, since: RuleInput["since"]): string[] {
  if (!progress.reading || exit) return [];
  const found: string[] = [];
  const fit = versionFit(traits.versions, session.version);
  if (fit === 1) found.push(`Version ${session.version} is newer than its profile (${traits.versions?.to})`);
  if (fit === -1) found.push(`Version ${session.version} is older than its profile (${traits.versions?.from})`);
  if (progress.reading.structural)
    found.push("The screen does not match the program's profile and is read with generic rules");
  if (found.length === 0) return found;
  const seen = formatAgo(since(progress.readingAt ?? 0));
  return found.map((doubt) => `${doubt}, last read ${seen} (screen)`);
}
