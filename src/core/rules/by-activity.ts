import type { Question, Verdict } from "../assess.js";
import { DEFAULTS, setting } from "../defaults.js";
import { neverStartedVerdict } from "../evidence/lifecycle.js";
import { byQuiet, byReportedWork } from "./by-quiet.js";
import { ago } from "./words.js";

/** No turn was seen yet. */
export function byActivity(question: Question): Verdict | null {
  const { evidence, now, word, due, since, settings } = question;
  const never_shown_seconds = shownWithin(question);
  const never = neverStartedVerdict(evidence.lifecycle, now, { ...settings, never_shown_seconds, turnActive: false });
  if (never) return { state: "stuck", cause: never.cause, confidence: never.confidence, reasons: [never.reason] };
  if (evidence.firstAt === null) return null;
  due(now + 30_000);
  const heard = evidence.progress.seen.stream ?? evidence.progress.seen.transcript;
  if (!word && heard !== undefined) {
    return {
      state: "working",
      cause: null,
      confidence: 0.6,
      reasons: [`the last event came ${ago(since(heard))}; whether a turn runs is not known`],
    };
  }
  const atComposer = (evidence.progress.reading?.composer ?? "hidden") !== "hidden";
  if (word || atComposer)
    return {
      state: "idle",
      cause: null,
      confidence: 0.8,
      reasons: [`at its prompt, no work given yet (${word?.source ?? "screen"})`],
    };
  const quiet = ofUnknownProgram(question);
  if (quiet) return quiet;
  return { state: "starting", cause: null, confidence: 0.7, reasons: ["the program is up, nothing to judge yet"] };
}

/**
 * A program that nobody knows was given its work when it was started, and shows no turns. While it moves there is nothing
 * to say of it; a shell that waits for its first command is not strange.
 */
function ofUnknownProgram(question: Question): Verdict | null {
  const { traits, progress } = question.evidence;
  if (traits.versions !== null) return null;
  const reported = byReportedWork(question);
  if (reported || progress.reading?.caret === "sign") return reported;
  const quiet = byQuiet(question);
  return quiet?.state === "stuck" ? quiet : byNewText(question);
}

/** No program takes longer to start than this, and what it writes then is its work, until it has paused for as long. */
const STARTED_MS = 60_000;

function byNewText({ evidence: { firstAt, progress }, since, dueAfter }: Question): Verdict | null {
  const { reply } = progress.seen;
  if (firstAt === null || reply === undefined || reply - firstAt < STARTED_MS) return null;
  dueAfter(reply, STARTED_MS);
  if (since(reply) >= STARTED_MS) return null;
  const reasons = [`new text came ${ago(since(reply))} (screen); whether a turn runs is not known`];
  return { state: "working", cause: null, confidence: 0.5, reasons };
}

/** A program that nobody knows may be silent from its start on: unless told otherwise, it has the time of any silence. */
function shownWithin({ evidence, settings }: Question): number {
  const seconds = setting(settings, "never_shown_seconds");
  const isOwn = seconds !== DEFAULTS.never_shown_seconds;
  return isOwn || evidence.traits.versions !== null ? seconds : setting(settings, "idle_timeout_minutes") * 60;
}
