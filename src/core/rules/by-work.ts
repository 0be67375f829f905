import type { Question, Verdict } from "../assess.js";
import {
  ACT_AFTER_MS,
  ACT_FACTOR,
  ACT_MARGIN,
  APPROVAL_AFTER_MS,
  COMPACTION_TELL_MS,
  FREEZE,
  FROZEN_AFTER_MS,
  FULL_WINDOW_SILENCE_MS,
  TOOL_CLOCKS,
  WAIT_NAMED_AFTER_MS,
} from "../clocks.js";
import { SECOND, setting } from "../defaults.js";
import { fingerprintVerdict } from "../evidence/fingerprint.js";
import { type EvidenceKind, KIND_OF_SOURCE, kinds, nothingBelow, processSeen } from "../evidence/kinds.js";
import type { Witness } from "../evidence/progress.js";
import { type OpenTool, toolDeadline } from "../evidence/tools.js";
import type { ToolClass } from "../signal.js";
import type { WaitCause } from "../states.js";
import { suspicion, suspicionAfter } from "../suspicion.js";
import { ownTimeoutMs } from "../traits.js";
import { ago, lasting } from "./words.js";

/** A turn runs: what is it doing, and has the clock that belongs to it run out? */
export function byWork(question: Question): Verdict | null {
  if (question.active !== true) return null;
  return byCompaction(question) ?? byTool(question) ?? bySilence(question);
}

function byCompaction({ evidence, since, dueAfter }: Question): Verdict | null {
  const at = evidence.compactingSince;
  if (at === null) return null;
  dueAfter(at, COMPACTION_TELL_MS);
  const stuck = since(at) >= COMPACTION_TELL_MS;
  return {
    state: stuck ? "stuck" : "waiting",
    cause: "compaction",
    confidence: 0.8,
    reasons: [`it compacts its context${lasting(since(at))}`],
  };
}

const WAIT_OF_CLASS: Partial<Record<ToolClass, WaitCause>> = {
  subagent: "subagent",
  background: "background",
  sleep: "timer",
};

function byTool(question: Question): Verdict | null {
  const { evidence, since, dueAfter } = question;
  const tool = longestOpen(evidence.tools.open) ?? shownTool(question) ?? runningChild(question);
  if (!tool) return null;
  const what = `${tool.tool}${tool.subject ? ` (${tool.subject})` : ""} is open${lasting(since(tool.at))} (${tool.source})`;
  const approval = byApproval(question, tool, what);
  if (approval) return approval;
  const deadline = toolDeadline(evidence.tools, tool, isSeen(question));
  const allowed = (deadline - tool.at) * setting(question.settings, "tool_patience");
  dueAfter(tool.at, allowed);
  if (since(tool.at) >= allowed) {
    const { cause } = TOOL_CLOCKS[tool.class];
    const act = isSeen(question) && since(tool.at) >= allowed * ACT_FACTOR;
    const shown = evidence.progress.reading?.tool || evidence.progress.reading?.busy ? "screen" : null;
    return {
      state: "stuck",
      cause,
      confidence: 0.7,
      reasons: [`${what}, longer than such a tool takes`],
      act,
      kinds: kinds([KIND_OF_SOURCE[tool.source], shown, processSeen(evidence)]),
    };
  }
  dueAfter(tool.at, WAIT_NAMED_AFTER_MS);
  if (since(tool.at) < WAIT_NAMED_AFTER_MS) return { state: "working", cause: null, confidence: 0.9, reasons: [what] };
  return {
    state: "waiting",
    cause: WAIT_OF_CLASS[tool.class] ?? "tool",
    confidence: 0.85,
    until: question.now + allowed - since(tool.at),
    reasons: [what],
  };
}

const isSeen = ({ evidence }: Question): boolean =>
  evidence.progress.reading !== null || evidence.progress.children !== null;

/** An instant tool that stays open is a question to the human, where nothing shows the screen. */
function byApproval({ evidence, since, dueAfter }: Question, tool: OpenTool, what: string): Verdict | null {
  const instant = tool.class === "instant" || tool.class === "edit";
  if (!instant || evidence.progress.reading || evidence.session.permissions === "bypass") return null;
  dueAfter(tool.at, APPROVAL_AFTER_MS);
  if (since(tool.at) < APPROVAL_AFTER_MS) return null;
  return {
    state: "needs_input",
    cause: "permission",
    confidence: 0.6,
    reasons: [`${what}; a tool that takes no time waits for approval`],
  };
}

/** Parallel calls: the one with the most patience speaks for all, else the oldest. */
function longestOpen(open: ReadonlyMap<string, OpenTool>): OpenTool | null {
  let found: OpenTool | null = null;
  for (const tool of open.values()) {
    if (!found || TOOL_CLOCKS[tool.class].tellMs > TOOL_CLOCKS[found.class].tellMs) found = tool;
  }
  return found;
}

/** A child that was started in this turn and lives is a tool at work; servers that a program keeps are older than that. */
function runningChild({ evidence }: Question): OpenTool | null {
  const at = evidence.progress.newestChildAt;
  if (at === null || evidence.turn.startedAt === null || at < evidence.turn.startedAt) return null;
  return {
    id: "child",
    tool: "a command",
    class: "shell",
    subject: undefined,
    timeoutMs: undefined,
    at,
    source: "process",
  };
}

/** The screen shows a running tool that no record told of. */
function shownTool({ evidence }: Question): OpenTool | null {
  const shown = evidence.progress.reading?.tool;
  if (!shown) return null;
  const at = evidence.progress.seen.reply ?? evidence.turn.startedAt ?? evidence.progress.readingAt ?? 0;
  return {
    id: "screen",
    tool: "a tool",
    class: shown.class,
    subject: shown.subject,
    timeoutMs: undefined,
    at,
    source: "screen",
  };
}

/** No tool, no retry, no prompt: the model must be heard. */
function bySilence(question: Question): Verdict {
  const { evidence, since, dueAfter, now, settings } = question;
  const { progress, turn, prompts, tools, retries } = evidence;
  // A flag that says "blocked" may be the first that is heard of it: before that, nobody listened.
  const news = Math.max(
    evidence.firstAt ?? now,
    turn.startedAt ?? 0,
    prompts.closedAt ?? 0,
    tools.lastEndAt ?? 0,
    retries.leftAt ?? 0,
    ...Object.values(progress.seen),
  );
  const witnesses = (Object.keys(progress.seen) as Witness[]).filter((w) => !EDGES.has(w) && counts(question, w));
  const clock = clockOf(question, witnesses);
  const patience = setting(settings, "silence_patience");
  const threshold = patience * suspicionAfter(Math.max(1, witnesses.length), clock.wanted, clock.baseMs, clock.floorMs);
  const silent = since(news);
  dueAfter(news, threshold);
  if (isMarkOfNothing(question)) {
    const reasons = ["its screen says that it works, and has never said anything else, and stands still"];
    return { state: "working", cause: null, confidence: 0.4, reasons };
  }
  const frozen = frozenScreen(question) ?? fullWindow(question, news);
  if (frozen) return frozen;
  if (silent < threshold) {
    const reasons = [
      `a turn runs (${question.word?.source}); last news ${ago(silent)} (${latest(progress.seen) ?? question.word?.source})`,
    ];
    return { state: "working", cause: null, confidence: 0.9 - 0.4 * suspicion(silent, threshold), reasons };
  }
  const actAfter = actAfterMs(question);
  dueAfter(news, Math.max(actAfter, threshold));
  const silentKinds = kinds([...witnesses.map((witness) => KIND[witness]), nothingBelow(evidence)]);
  const act = silent >= actAfter && silentKinds.length >= 2;
  const fingerprint = fingerprintVerdict(evidence.fingerprint, now, { ...settings, turnActive: true });
  return {
    state: "stuck",
    cause: "silent_stream",
    confidence: Math.min(0.95, 0.6 + 0.1 * witnesses.length),
    reasons: [
      `a turn runs (${question.word?.source}), and nothing new came${lasting(silent)}: ${witnesses.map((w) => WITNESS_WORDS[w]).join(", ")}`,
      ...(fingerprint ? [fingerprint.reason] : []),
      ...(nothingBelow(evidence) ? ["no child process works for it"] : []),
    ],
    act,
    kinds: silentKinds,
  };
}

/** A spinner may stutter for some seconds on a machine with much to do. */
const STILL_MS = 20 * SECOND;

/** Of a program that nobody knows, a mark that never went out may be the name of a key. What works by it moves. */
function isMarkOfNothing({ evidence: { traits, progress }, word, since }: Question): boolean {
  const { hasRested, reading, readingAt } = progress;
  if (traits.versions !== null || word?.source !== "screen" || hasRested || readingAt === null) return false;
  return reading?.moving === false && since(readingAt) >= STILL_MS;
}

/** Sources that tell edges only, or in batches: what they tell is news, and their silence proves nothing. */
const EDGES: ReadonlySet<Witness> = new Set(["hook", "telemetry"]);

const KIND: Record<Witness, EvidenceKind> = {
  reply: "screen",
  tokens: "screen",
  stream: "record",
  transcript: "record",
  hook: "record",
  telemetry: "record",
  socket: "process",
};

const WITNESS_WORDS: Record<Witness, string> = {
  reply: "the reply's text stands still",
  tokens: "the token counter stands still",
  stream: "no event came",
  transcript: "no line was written",
  hook: "no hook fired",
  telemetry: "no telemetry came",
  socket: "no byte was received",
};

/** A witness counts if it would have seen something: an absent source proves nothing by its silence. */
function counts({ evidence }: Question, witness: Witness): boolean {
  if (witness === "reply") return evidence.traits.streamsReply && evidence.progress.reading !== null;
  if (witness === "tokens") return evidence.progress.reading?.tokens !== undefined;
  return true;
}

function clockOf(
  { evidence }: Question,
  witnesses: readonly Witness[],
): { baseMs: number; floorMs: number; wanted: number } {
  if (witnesses.includes("reply")) {
    const { reading } = evidence.progress;
    const isSilentRetry = evidence.traits.retriesSilently || reading?.retriesSilently;
    return isSilentRetry && !reading?.replying ? FREEZE.silentRetry : FREEZE.screen;
  }
  return witnesses.includes("stream") ? FREEZE.stream : FREEZE.transcript;
}

/** After the program's own time-out, where it has one. */
function actAfterMs({ evidence: { traits }, settings }: Question): number {
  const ownMs = ownTimeoutMs(traits, settings);
  return ownMs === null ? ACT_AFTER_MS : Math.round(ownMs * ACT_MARGIN);
}

/** The screen says busy and not one byte comes: the program itself no longer runs. */
function frozenScreen(question: Question): Verdict | null {
  const { evidence, since, dueAfter } = question;
  const { outputAt, reading, seen } = evidence.progress;
  if (outputAt === null || !reading?.busy || reading.moving) return null;
  const frozenMs = FROZEN_AFTER_MS * setting(question.settings, "silence_patience");
  dueAfter(outputAt, frozenMs);
  if (since(outputAt) < frozenMs) return null;
  dueAfter(outputAt, actAfterMs(question));
  const others = (Object.keys(seen) as Witness[]).filter(
    (witness) => !EDGES.has(witness) && since(seen[witness] ?? 0) >= frozenMs,
  );
  const frozenKinds = kinds(["screen", ...others.map((witness) => KIND[witness]), nothingBelow(evidence)]);
  return {
    state: "stuck",
    cause: "frozen_screen",
    confidence: 0.8,
    reasons: [`the screen says busy and shows no motion; the last byte came ${ago(since(outputAt))}`],
    act: since(outputAt) >= actAfterMs(question) && frozenKinds.length >= 2,
    kinds: frozenKinds,
  };
}

/** The window of the account was used up at the last report, and since then nothing came. */
function fullWindow({ evidence, since, dueAfter }: Question, news: number): Verdict | null {
  const { full } = evidence.failures;
  if (!full) return null;
  dueAfter(news, FULL_WINDOW_SILENCE_MS);
  if (since(news) < FULL_WINDOW_SILENCE_MS) return null;
  return {
    state: "rate_limited",
    cause: "limit",
    confidence: 0.7,
    until: full.until,
    reasons: [`the usage window is full (${full.source}) and nothing came${lasting(since(news))}`],
  };
}

function latest(seen: Partial<Record<Witness, number>>): Witness | null {
  let found: Witness | null = null;
  for (const key of Object.keys(seen) as Witness[]) {
    if (found === null || (seen[key] as number) > (seen[found] as number)) found = key;
  }
  return found;
}
