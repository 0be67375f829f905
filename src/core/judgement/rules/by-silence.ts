import { settingOf } from "../../defaults.js";
import type { Source } from "../../signal.js";
import { formatAgo, formatFor } from "../../text/duration.js";
import { SECOND } from "../../text/time.js";
import { ownTimeoutMs } from "../../traits.js";
import {
  ACT_AFTER_MS,
  ACT_MARGIN,
  FIRST_THOUGHT_MS,
  FREEZE,
  FROZEN_AFTER_MS,
  type FreezeClock,
  FULL_WINDOW_SILENCE_MS,
  KEPT_ALIVE_MS,
  KEPT_ALIVE_TIMES,
  THINKING,
} from "../clocks.js";
import { fingerprintVerdict } from "../evidence/fingerprint.js";
import { childIdle, distinctKinds, KIND_OF_SOURCE, nothingBelow } from "../evidence/kinds.js";
import type { ProgressSource } from "../evidence/progress.js";
import type { Evidence } from "../evidence/state.js";
import { thinkingKey } from "../evidence/tools.js";
import { learnedThreshold } from "../learned.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { suspicionAfter, suspicionOf } from "../suspicion.js";
import { endingOf, polledMs } from "./by-quiet.js";

/** Since when there is no activity, which sources would have shown it, and how long that may last. */
interface Silence {
  activeAt: number;
  silentMs: number;
  sources: ProgressSource[];
  clock: FreezeClock;
  thresholdMs: number;
}

export function silenceOf(question: RuleInput, ofSubagent = false): Silence {
  const { evidence, since, now, settings } = question;
  const { progress, turn, prompts, tools, retries } = evidence;
  // A "blocked" flag may be the first signal of all; time before it is unobserved.
  const activeAt = Math.max(
    evidence.first?.at ?? now,
    turn.startedAt ?? 0,
    prompts.closedAt ?? 0,
    tools.lastEndAt ?? 0,
    retries.leftAt ?? 0,
    ...Object.values(progress.seen),
  );
  const sources = (Object.keys(progress.seen) as ProgressSource[]).filter((w) => !EDGES.has(w) && counts(question, w));
  const clock = (ofSubagent ? null : thinkingClock(question)) ?? clockOf(question, sources, ofSubagent);
  const patience = settingOf(settings, "silence_patience");
  const thresholdMs =
    polledMs(question) ??
    patience * suspicionAfter(Math.max(1, sources.length), clock.wanted, clock.baseMs, clock.floorMs);
  return { activeAt, silentMs: since(activeAt), sources, clock, thresholdMs };
}

/** No tool, no retry, no prompt: the model itself must show activity. */
export function bySilence(question: RuleInput): RuleVerdict {
  const { evidence, since, dueAfter, now } = question;
  const silence = silenceOf(question);
  const { activeAt, silentMs, thresholdMs } = silence;
  dueAfter(activeAt, thresholdMs);
  if (isMarkOfNothing(question)) {
    const still = formatFor(since(evidence.progress.readingAt ?? now));
    const reasons = [`Shows as busy and always has, but the screen has not changed ${still} (screen)`];
    return { state: "working", cause: null, confidence: 0.4, reasons };
  }
  const frozen = frozenScreen(question) ?? fullWindow(question, activeAt);
  if (frozen) return frozen;
  if (silentMs < thresholdMs) {
    const reasons = [
      `A turn is running (${question.reported?.source}); last activity ${formatAgo(silentMs)} (${latest(question)})`,
      ...(silentMs >= FREEZE.screen.floorMs && thinkingClock(question) ? [THINKS] : []),
    ];
    return { state: "working", cause: null, confidence: 0.9 - 0.4 * suspicionOf(silentMs, thresholdMs), reasons };
  }
  return silentStream(question, silence, `A turn is running (${question.reported?.source})`);
}

/**
 * The spinner of an unknown program may turn over work of its own, such as a build, and drawing it may cost as much CPU as the
 * work. So the program is ended no sooner than one that is silent.
 */
function withEnding(question: RuleInput, verdict: RuleVerdict): RuleVerdict {
  const { evidence, reported } = question;
  if (evidence.traits.versions !== null || reported?.source !== "screen") return verdict;
  const { reasons = [], ...ending } = endingOf(question);
  return { ...verdict, act: false, ...ending, reasons: [...verdict.reasons, ...(ending.act ? reasons : [])] };
}

/** The verdict on a silence beyond its threshold. `what` should have shown activity. */
export function silentStream(question: RuleInput, silence: Silence, what: string): RuleVerdict {
  const { evidence, since, dueAfter, now, settings } = question;
  const { activeAt, silentMs, sources, clock, thresholdMs } = silence;
  const patience = settingOf(settings, "silence_patience");
  const actAfter = actAfterMs(question);
  dueAfter(activeAt, Math.max(actAfter, thresholdMs));
  if (clock === FREEZE.unanswered) dueAfter(activeAt, FIRST_THOUGHT_MS * patience);
  const silentKinds = distinctKinds([
    ...sources.map((source) => KIND_OF_SOURCE[SOURCE[source]]),
    nothingBelow(evidence),
    evidence.session.child ? childIdle(evidence, activeAt) : null,
  ]);
  // A transcript shows nothing of a thought.
  const isSure = clock !== FREEZE.unanswered || silentMs >= FIRST_THOUGHT_MS * patience;
  const act = silentMs >= actAfter && isSure && silentKinds.length >= 2;
  const fingerprint = fingerprintVerdict(evidence.fingerprint, now, { ...settings, turnActive: true });
  return withEnding(question, {
    state: "stuck",
    cause: "silent_stream",
    confidence: Math.min(0.95, 0.6 + 0.1 * sources.length),
    reasons: [
      `${what}, but there has been no activity ${formatFor(silentMs)}: ${sources.map((w) => SOURCE_WORDS[w]).join(", ")}`,
      ...(fingerprint ? [fingerprint.reason] : []),
      ...(nothingBelow(evidence)
        ? [`No child process is running, checked ${formatAgo(since(evidence.progress.sampledAt ?? now))} (process)`]
        : []),
    ],
    act,
    kinds: silentKinds,
  });
}

/** A spinner may pause for some seconds on a loaded machine. */
const STILL_MS = 20 * SECOND;

/** In an unknown program, a busy mark that never disappears may be the label of a key. A real busy indicator moves. */
function isMarkOfNothing({ evidence: { traits, progress }, reported, since }: RuleInput): boolean {
  const { hasRested, reading, readingAt } = progress;
  if (traits.versions !== null || reported?.source !== "screen" || hasRested || readingAt === null) return false;
  return reading?.moving === false && since(readingAt) >= STILL_MS;
}

/** Sources that report only transitions or batches: their reports are activity, their silence proves nothing. */
const EDGES: ReadonlySet<ProgressSource> = new Set(["hook", "telemetry"]);

const SOURCE: Record<ProgressSource, Source> = {
  reply: "screen",
  tokens: "screen",
  stream: "stream",
  transcript: "transcript",
  hook: "hook",
  telemetry: "telemetry",
  socket: "process",
};

const SOURCE_WORDS: Record<ProgressSource, string> = {
  reply: "reply text unchanged",
  tokens: "token counter unchanged",
  stream: "no stream events",
  transcript: "no new transcript lines",
  hook: "no hook calls",
  telemetry: "no telemetry",
  socket: "no bytes received",
};

/** A source counts only if it would have seen activity: the silence of an absent source proves nothing. */
function counts({ evidence }: RuleInput, source: ProgressSource): boolean {
  // A script shows nothing of the agent that it runs.
  if (source === "reply")
    return evidence.traits.streamsReply && evidence.progress.reading !== null && !evidence.session.child;
  if (source === "tokens") return evidence.progress.reading?.tokens !== undefined;
  return true;
}

function clockOf({ evidence }: RuleInput, sources: readonly ProgressSource[], ofSubagent: boolean): FreezeClock {
  if (sources.includes("reply")) {
    if (ofSubagent) return FREEZE.subagent;
    const { reading } = evidence.progress;
    const isSilentRetry = evidence.traits.retriesSilently || reading?.retriesSilently;
    return isSilentRetry && !reading?.replying ? FREEZE.silentRetry : FREEZE.screen;
  }
  if (sources.includes("stream")) return ofSubagent ? FREEZE.subagent : FREEZE.stream;
  if (ofSubagent) return FREEZE.subagentTranscript;
  return isUnanswered(evidence) ? FREEZE.unanswered : FREEZE.transcript;
}

const THINKS = "The connection is alive (process) and no text of the reply has begun, so it may be thinking";

/** Keep-alives arrive, and the reply has not begun: the model may think for minutes. Null if that is not known. */
function thinkingClock({ evidence: { progress, tools }, since }: RuleInput): FreezeClock | null {
  const { keepAlive, reading } = progress;
  if (reading === null || reading.replying || keepAlive === null || keepAlive.times < KEPT_ALIVE_TIMES) return null;
  if (since(keepAlive.lastAt) >= KEPT_ALIVE_MS) return null;
  const { ms } = learnedThreshold(tools.learned, thinkingKey(tools), THINKING);
  return { baseMs: ms, floorMs: ms, wanted: 1 };
}

/** A prompt is written together with what was attached to it. */
const PROMPT_WRITTEN_MS = 2 * SECOND;

/** No line of the transcript follows the user's prompt. */
const isUnanswered = ({ turn: { askedAt }, progress: { seen } }: Evidence): boolean =>
  askedAt !== null && seen.transcript !== undefined && seen.transcript <= askedAt + PROMPT_WRITTEN_MS;

/** After the program's own time-out, if it has one. */
function actAfterMs({ evidence: { traits }, settings }: RuleInput): number {
  const ownMs = ownTimeoutMs(traits, settings);
  return ownMs === null ? ACT_AFTER_MS : Math.round(ownMs * ACT_MARGIN);
}

/** The screen shows busy but no byte arrives: the program itself has stopped running. */
function frozenScreen(question: RuleInput): RuleVerdict | null {
  const { evidence, since, dueAfter } = question;
  const { outputAt, reading, seen } = evidence.progress;
  if (outputAt === null || !reading?.busy || reading.moving) return null;
  const frozenMs = FROZEN_AFTER_MS * settingOf(question.settings, "silence_patience");
  dueAfter(outputAt, frozenMs);
  if (since(outputAt) < frozenMs) return null;
  dueAfter(outputAt, actAfterMs(question));
  const others = (Object.keys(seen) as ProgressSource[]).filter(
    (source) => !EDGES.has(source) && since(seen[source] ?? 0) >= frozenMs,
  );
  const frozenKinds = distinctKinds([
    "screen",
    ...others.map((source) => KIND_OF_SOURCE[SOURCE[source]]),
    nothingBelow(evidence),
  ]);
  return withEnding(question, {
    state: "stuck",
    cause: "frozen_screen",
    confidence: 0.8,
    reasons: [`Shows as busy, but nothing on the screen moves; last output ${formatAgo(since(outputAt))} (screen)`],
    act: since(outputAt) >= actAfterMs(question) && frozenKinds.length >= 2,
    kinds: frozenKinds,
  });
}

/** The usage window was used up at the last report, and there has been no activity since. */
function fullWindow({ evidence, since, dueAfter }: RuleInput, activeAt: number): RuleVerdict | null {
  const { full } = evidence.failures;
  if (!full) return null;
  dueAfter(activeAt, FULL_WINDOW_SILENCE_MS);
  if (since(activeAt) < FULL_WINDOW_SILENCE_MS) return null;
  return {
    state: "rate_limited",
    cause: "limit",
    confidence: 0.7,
    until: full.until,
    reasons: [
      `The usage window is used up (${full.source}), and there has been no activity ${formatFor(since(activeAt))}`,
    ],
  };
}

/** The source of the last activity, or else the source for the running turn. */
function latest({ evidence: { progress }, reported }: RuleInput): Source | undefined {
  let found: ProgressSource | null = null;
  for (const key of Object.keys(progress.seen) as ProgressSource[]) {
    if (found === null || (progress.seen[key] as number) > (progress.seen[found] as number)) found = key;
  }
  return found === null ? reported?.source : SOURCE[found];
}
