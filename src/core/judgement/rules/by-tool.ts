import { settingOf } from "../../defaults.js";
import type { ToolClass } from "../../signal.js";
import type { WaitCause } from "../../states.js";
import { formatAgo, formatFor } from "../../text/duration.js";
import { ACT_FACTOR, TOOL_CLOCKS, WAIT_NAMED_AFTER_MS } from "../clocks.js";
import { distinctKinds, KIND_OF_SOURCE, processSeen } from "../evidence/kinds.js";
import { type OpenTool, toolDeadline } from "../evidence/tools.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { asking, byApproval } from "./by-approval.js";

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
  const deadline = toolDeadline(evidence.tools, tool, isSeen(question));
  const allowed = (deadline - tool.at) * settingOf(question.settings, "tool_patience");
  const approval = byApproval(question, tool, what, allowed);
  if (approval) return approval;
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
