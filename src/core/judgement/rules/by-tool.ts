import { settingOf } from "../../defaults.js";
import type { ToolClass } from "../../signal.js";
import type { WaitCause } from "../../states.js";
import { formatAgo, formatFor } from "../../text/duration.js";
import { ACT_FACTOR, TOOL_CLOCKS, WAIT_NAMED_AFTER_MS } from "../clocks.js";
import { distinctKinds, KIND_OF_SOURCE, processSeen } from "../evidence/kinds.js";
import { type OpenTool, toolDeadline } from "../evidence/tools.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { asking, byApproval } from "./by-approval.js";
import { silenceOf, silentStream } from "./by-silence.js";
import { byTerminalQuestion } from "./by-terminal-question.js";

const WAIT_OF_CLASS: Partial<Record<ToolClass, WaitCause>> = {
  subagent: "subagent",
  background: "background",
  sleep: "timer",
};

/** A tool is open, according to records, the screen or a child process. Its class determines the clock. */
export function byTool(question: RuleInput): RuleVerdict | null {
  const { open } = question.evidence.tools;
  // The calls of a subagent matter only while the agent waits for it.
  const own = longestOpen([...open.values()].filter(({ nested }) => !nested));
  const tool = asking(question) ?? own ?? awaitedAgent(question) ?? shownTool(question) ?? runningChild(question);
  if (!tool) return null;
  return tool.class === "subagent" ? bySubagent(question, tool) : byOpenTool(question, tool);
}

/** The record of the turn has ended, and the program shows as busy with the agent that the turn left running. */
function awaitedAgent({ evidence: { tools, turn } }: RuleInput): OpenTool | null {
  const { startAt, endAt } = turn.record;
  if (turn.presumed || endAt === null || endAt < (startAt ?? 0)) return null;
  return [...tools.behind.values()].findLast(({ class: kind }) => kind === "subagent") ?? null;
}

/** What a subagent does decides how long the agent may wait for it. */
function bySubagent(question: RuleInput, tool: OpenTool): RuleVerdict {
  const { evidence, since, dueAfter, now } = question;
  const what = runningFor(question, tool);
  const child = runningChild(question);
  const calls = [...evidence.tools.open.values(), ...(child !== null && child.at >= tool.at ? [child] : [])]
    .filter((other) => other.class !== "subagent")
    .map((call) => ({ call, verdict: byOpenTool(question, call) }));
  // Any call that is within its limit explains the silence; one that is not counts only if it is the subagent's.
  const calm =
    calls.find(({ verdict }) => verdict.state === "waiting") ??
    calls.find(({ verdict }) => verdict.state === "working");
  const inner = calm ?? calls.find(({ call }) => call.nested);
  if (inner) {
    const { state } = inner.verdict;
    const reasons = [what, ...inner.verdict.reasons];
    if (state !== "working" && state !== "waiting") return { ...inner.verdict, reasons };
    return waitForSubagent(question, tool, reasons, inner.verdict.until ?? null);
  }
  if (!showsSubagent(question, tool)) return byOpenTool(question, tool);
  const silence = silenceOf(question, true);
  const silent = { ...silence, activeAt: Math.max(silence.activeAt, tool.at) };
  silent.silentMs = since(silent.activeAt);
  if (silent.silentMs >= silent.thresholdMs) return silentStream(question, silent, what);
  dueAfter(silent.activeAt, silent.thresholdMs);
  return waitForSubagent(question, tool, [what], now + silent.thresholdMs - silent.silentMs);
}

function waitForSubagent(
  { since, dueAfter }: RuleInput,
  { at }: OpenTool,
  reasons: string[],
  until: number | null,
): RuleVerdict {
  dueAfter(at, WAIT_NAMED_AFTER_MS);
  if (since(at) < WAIT_NAMED_AFTER_MS) return { state: "working", cause: null, confidence: 0.9, reasons };
  return { state: "waiting", cause: "subagent", confidence: 0.85, until, reasons };
}

/** A subagent's own records are written some seconds after the call that started it. */
const SUBAGENT_STARTED_MS = 2000;

/** Whether its work would be seen: rows on the screen, events, or records that followed the call. */
function showsSubagent({ evidence: { progress, traits } }: RuleInput, { at }: OpenTool): boolean {
  if (progress.reading !== null) return traits.streamsReply;
  return Math.max(progress.seen.stream ?? 0, progress.seen.transcript ?? 0) > at + SUBAGENT_STARTED_MS;
}

const nameOf = ({ tool, subject }: OpenTool): string => `${tool}${subject ? ` (${subject})` : ""}`;

const runningFor = ({ since }: RuleInput, tool: OpenTool): string =>
  `${nameOf(tool)} has been running ${formatFor(since(tool.at))} (${tool.source})`;

function byOpenTool(question: RuleInput, tool: OpenTool): RuleVerdict {
  const { evidence, since, dueAfter } = question;
  // For a tool known only from the screen, just the last change is known.
  const what =
    tool.source === "screen"
      ? `${nameOf(tool)} is running (screen), last change ${formatAgo(since(tool.at))}`
      : runningFor(question, tool);
  const isPermitted = evidence.session.permissions === "bypass";
  const deadline = toolDeadline(evidence.tools, tool, isSeen(question), isPermitted);
  const allowed = (deadline - tool.at) * settingOf(question.settings, "tool_patience");
  const asked = byApproval(question, tool, what, allowed) ?? byTerminalQuestion(question, tool, what);
  if (asked) return asked;
  dueAfter(tool.at, allowed);
  if (since(tool.at) >= allowed) {
    const { cause } = TOOL_CLOCKS[tool.class];
    const act = isSeen(question) && since(tool.at) >= allowed * ACT_FACTOR;
    const shown = evidence.progress.reading?.tool || evidence.progress.reading?.busy ? "screen" : null;
    return {
      state: "stuck",
      cause,
      confidence: 0.7,
      reasons: [`${what}, longer than expected for this tool`],
      act,
      kinds: distinctKinds([KIND_OF_SOURCE[tool.source], shown, processSeen(evidence)]),
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

const isSeen = ({ evidence }: RuleInput): boolean =>
  evidence.progress.reading !== null || evidence.progress.children !== null;

/** Of parallel calls, the one with the longest limit decides, then the oldest. */
export function longestOpen(open: Iterable<OpenTool>): OpenTool | null {
  let found: OpenTool | null = null;
  for (const tool of open) {
    if (!found || TOOL_CLOCKS[tool.class].reportMs > TOOL_CLOCKS[found.class].reportMs) found = tool;
  }
  return found;
}

/** A live child process that started in this turn is a running tool; servers of the program are older. */
function runningChild({ evidence }: RuleInput): OpenTool | null {
  const at = evidence.progress.newestChildAt;
  if (at === null || evidence.turn.startedAt === null || at < evidence.turn.startedAt) return null;
  return {
    id: "child",
    tool: "A command",
    class: "shell",
    subject: undefined,
    timeoutMs: undefined,
    at,
    source: "process",
  };
}

/** A running tool that the screen shows and no record mentions. */
function shownTool({ evidence }: RuleInput): OpenTool | null {
  const shown = evidence.progress.reading?.tool;
  if (!shown) return null;
  const at = evidence.progress.seen.reply ?? evidence.turn.startedAt ?? evidence.progress.readingAt ?? 0;
  return {
    id: "screen",
    tool: "A tool",
    class: shown.class,
    subject: shown.subject,
    timeoutMs: undefined,
    at,
    source: "screen",
  };
}
