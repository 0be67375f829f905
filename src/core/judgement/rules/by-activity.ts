import { DEFAULTS, settingOf } from "../../defaults.js";
import type { Source } from "../../signal.js";
import { formatAgo, formatFor } from "../../text/duration.js";
import { type LifecycleVerdict, neverStartedVerdict } from "../evidence/lifecycle.js";
import type { Evidence } from "../evidence/state.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { byConnection } from "./by-connection.js";
import { byQuiet, byReportedWork, childWork, endingOf } from "./by-quiet.js";

/** No turn was seen yet. */
export function byActivity(question: RuleInput): RuleVerdict | null {
  const { evidence, now, reported, due, dueAfter, since, settings } = question;
  const never_shown_seconds = shownWithin(question);
  const never = neverStartedVerdict(evidence.lifecycle, now, {
    ...settings,
    never_shown_seconds,
    turnActive: false,
    dueAfter,
  });
  if (never) return neverStarted(question, never);
  if (evidence.first === null) return null;
  due(now + 30_000);
  const source = evidence.progress.seen.stream === undefined ? "transcript" : "stream";
  const seenAt = evidence.progress.seen[source];
  // Records of an agent that a script ran are not about the script.
  if (!reported && seenAt !== undefined && evidence.session.child === undefined) {
    return {
      state: "working",
      cause: null,
      confidence: 0.6,
      reasons: [`Last event ${formatAgo(since(seenAt))} (${source}); cannot tell whether it is mid-turn`],
    };
  }
  const ready = reported ?? shownComposer(evidence);
  if (ready)
    return {
      state: "idle",
      cause: null,
      confidence: 0.8,
      reasons: [
        `At its prompt ${formatFor(since(ready.at))} (${ready.source}), ${evidence.turn.turns > 0 ? "no work seen" : "no work given yet"}`,
      ],
    };
  const quiet = ofUnknownProgram(question);
  if (quiet) return quiet;
  const reasons = [`First seen ${formatAgo(since(evidence.first.at))} (${evidence.first.source}), too early to judge`];
  return { state: "starting", cause: null, confidence: 0.7, reasons };
}

/** An unknown program may work from its start without a word, as its child processes then show. */
function neverStarted(question: RuleInput, { cause, confidence, reason }: LifecycleVerdict): RuleVerdict {
  const verdict: RuleVerdict = { state: "stuck", cause, confidence, reasons: [reason] };
  const { traits, lifecycle } = question.evidence;
  if (traits.versions !== null || lifecycle.shown) return verdict;
  const explained = childWork(question);
  if (explained) return { state: "working", cause: null, confidence: 0.5, reasons: [`${reason}, but ${explained}`] };
  const { reasons: more = [], ...ending } = endingOf(question);
  return { ...verdict, ...ending, reasons: [reason, ...more] };
}

function shownComposer({ progress: { reading, readingAt } }: Evidence): { at: number; source: Source } | null {
  if (reading === null || readingAt === null || reading.composer === "hidden") return null;
  return { at: readingAt, source: "screen" };
}

/**
 * An unknown program gets its task at its start and shows no turns. While it produces output there is no verdict to
 * give; a shell that waits for its first command is not unusual.
 */
function ofUnknownProgram(question: RuleInput): RuleVerdict | null {
  const { traits, progress } = question.evidence;
  if (traits.versions !== null) return null;
  const reported = byReportedWork(question);
  if (reported) return reported;
  if (progress.reading?.caret === "sign") return isStarted(question) ? AT_SIGN : null;
  const hung = byConnection(question);
  if (hung) return hung;
  const quiet = byQuiet(question);
  if (quiet?.state === "stuck") return quiet;
  return byOutput(question) ?? (isStarted(question) ? quiet : null);
}

/** A shell, for example: it may wait for its first command for hours. */
const AT_SIGN: RuleVerdict = {
  state: "idle",
  cause: null,
  confidence: 0.5,
  reasons: ["Its cursor is at a prompt (screen), no work seen"],
};

/** No program takes longer than this to start. Later output is its work, until a pause of the same length. */
const STARTED_MS = 60_000;

/** Repeated rows contain nothing new, but they are output. */
const lastOutputAt = ({ evidence: { progress } }: RuleInput): number =>
  Math.max(progress.seen.reply ?? 0, progress.outputAt ?? 0);

function isStarted(question: RuleInput): boolean {
  const { evidence, since, dueAfter } = question;
  const at = Math.max(evidence.first?.at ?? 0, lastOutputAt(question));
  dueAfter(at, STARTED_MS);
  return since(at) >= STARTED_MS;
}

function byOutput(question: RuleInput): RuleVerdict | null {
  const { evidence, since, dueAfter } = question;
  const at = lastOutputAt(question);
  if (evidence.first === null || at - evidence.first.at < STARTED_MS) return null;
  dueAfter(at, STARTED_MS);
  if (since(at) >= STARTED_MS) return null;
  const what = at === evidence.progress.seen.reply ? "New output" : "Output is repeating, last";
  const reasons = [`${what} ${formatAgo(since(at))} (screen); cannot tell whether it is mid-turn`];
  return { state: "working", cause: null, confidence: 0.5, reasons };
}

/** An unknown program may be silent from its start. Unless configured otherwise, the idle timeout applies. */
function shownWithin({ evidence, settings }: RuleInput): number {
  const seconds = settingOf(settings, "never_shown_seconds");
  const isOwn = seconds !== DEFAULTS.never_shown_seconds;
  return isOwn || evidence.traits.versions !== null ? seconds : settingOf(settings, "idle_timeout_minutes") * 60;
}
