import { settingOf } from "../../defaults.js";
import type { ToolClass } from "../../signal.js";
import type { WaitCause } from "../../states.js";
import { formatAgo, formatFor } from "../../text/duration.js";
import {
  ACT_FACTOR,
  APPROVAL_AFTER_MS,
  ASKING_AFTER_MS,
  REPLY_WRITTEN_MS,
  TOOL_CLOCKS,
  WAIT_NAMED_AFTER_MS,
} from "../clocks.js";
import { distinctKinds, KIND_OF_SOURCE, processSeen } from "../evidence/kinds.js";
import { type OpenTool, toolDeadline } from "../evidence/tools.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

const WAIT_OF_CLASS: Partial<Record<ToolClass, WaitCause>> = {
  subagent: "subagent",
  background: "background",
  sleep: "timer",
};

/** A tool is open, according to records, the screen or a child process. Its class determines the clock. */
export function byTool(question: RuleInput): RuleVerdict | null {
  const { evidence, since, dueAfter } = question;
  const tool = asking(question) ?? longestOpen(evidence.tools.open) ?? shownTool(question) ?? runningChild(question);
  if (!tool) return null;
  const name = `${tool.tool}${tool.subject ? ` (${tool.subject})` : ""}`;
  // For a tool known only from the screen, just the last change is known.
  const what =
    tool.source === "screen"
      ? `${name} is running (screen), last change ${formatAgo(since(tool.at))}`
      : `${name} has been running ${formatFor(since(tool.at))} (${tool.source})`;
  const approval = byApproval(question, tool, what);
  if (approval) return approval;
  const deadline = toolDeadline(evidence.tools, tool, isSeen(question));
  const allowed = (deadline - tool.at) * settingOf(question.settings, "tool_patience");
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

/**
 * Without a view of the screen, an instant tool that stays open is taken as a permission request, and so is a call that
 * asks for more than the session may do, until a child process shows that it runs.
 */
function byApproval({ evidence, since, dueAfter }: RuleInput, tool: OpenTool, what: string): RuleVerdict | null {
  const instant = tool.class === "instant" || tool.class === "edit";
  const { reading, newestChildAt } = evidence.progress;
  const asks = tool.asks === true && isUnstarted(newestChildAt, tool);
  if (!(instant || asks) || reading || evidence.session.permissions === "bypass") return null;
  // The call runs, or asks, once the whole reply is written.
  const asked = tool.completeAt ?? (tool.partial ? tool.at + REPLY_WRITTEN_MS : tool.at);
  const afterMs = asks ? ASKING_AFTER_MS : APPROVAL_AFTER_MS;
  // Once approved, it runs unseen: after the time of its class it may hang.
  const { reportMs } = TOOL_CLOCKS[tool.class];
  if (!instant && since(asked) >= reportMs) return null;
  if (!instant) dueAfter(asked, reportMs);
  dueAfter(asked, afterMs);
  if (since(asked) < afterMs) return null;
  return {
    state: "needs_input",
    cause: "permission",
    confidence: 0.6,
    reasons: [
      asks
        ? `${what}; the call asks for more permissions than the session has, so it is probably waiting for approval`
        : `${what}; this tool normally returns at once, so it is probably waiting for approval`,
    ],
  };
}

/** `ps` reports the start of a process in whole seconds. */
const isUnstarted = (childAt: number | null, { at }: OpenTool): boolean => (childAt ?? 0) < at - 1000;

/** Of parallel calls, one that asks for a permission stops them all. */
const asking = ({ evidence: { tools, progress } }: RuleInput): OpenTool | null =>
  [...tools.open.values()].find((tool) => tool.asks && isUnstarted(progress.newestChildAt, tool)) ?? null;

/** Of parallel calls, the one with the longest limit decides, then the oldest. */
export function longestOpen(open: ReadonlyMap<string, OpenTool>): OpenTool | null {
  let found: OpenTool | null = null;
  for (const tool of open.values()) {
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
