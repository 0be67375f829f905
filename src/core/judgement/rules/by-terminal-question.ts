import { formatFor } from "../../text/duration.js";
import { ASKED_AFTER_MS } from "../clocks.js";
import { distinctKinds, KIND_OF_SOURCE } from "../evidence/kinds.js";
import type { OpenTool } from "../evidence/tools.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

interface TerminalQuestion {
  text: string;
  /** Since when nothing followed it. */
  at: number;
  source: "screen" | "transcript" | "stream" | "hook" | "process";
  afterMs: number;
}

/**
 * A running command asks on the terminal: by the last row of its output, by the output that its last call returned, or
 * because its process reads from a terminal.
 */
export function byTerminalQuestion(question: RuleInput, tool: OpenTool, what: string): RuleVerdict | null {
  const { evidence, since, dueAfter } = question;
  for (const { text, at, source, afterMs } of [shown(question), returned(question, tool), read(question, tool)].flatMap(
    (found) => found ?? [],
  )) {
    dueAfter(at, afterMs);
    if (since(at) < afterMs) continue;
    const reasons = [`${what}; it has been asking on the terminal ${formatFor(since(at))} (${source})${text}`];
    if (evidence.traits.takesToolInput) return { state: "needs_input", cause: "input", confidence: 0.8, reasons };
    const kinds = distinctKinds([KIND_OF_SOURCE[tool.source], KIND_OF_SOURCE[source]]);
    return { state: "stuck", cause: "waiting_on_stdin", confidence: 0.8, reasons, kinds };
  }
  return null;
}

/** On the screen, below a running tool. A row that only may be a question counts if its process reads the terminal. */
function shown({ evidence: { prompts, progress } }: RuleInput): TerminalQuestion | null {
  const { toolAsks } = prompts;
  if (!toolAsks) return null;
  const asking = toolAsks.asking ?? (progress.terminalReader ? "likely" : null);
  if (asking === null) return null;
  return { text: `: ${toolAsks.text}`, at: toolAsks.at, source: "screen", afterMs: ASKED_AFTER_MS[asking] };
}

/** The last call returned the question, and the open one waits for more output. */
function returned({ evidence: { tools } }: RuleInput, tool: OpenTool): TerminalQuestion | null {
  const { asked } = tools;
  if (!asked || tool.class !== "background" || tool.at < asked.at) return null;
  return { text: `: ${asked.text}`, at: tool.at, source: "transcript", afterMs: ASKED_AFTER_MS.sure };
}

/** An older process belongs to a session that is meant to wait for input, such as a shell. */
function read({ evidence: { progress } }: RuleInput, tool: OpenTool): TerminalQuestion | null {
  const { terminalReader, seen } = progress;
  if (!terminalReader || tool.class === "background" || terminalReader.startedAt < tool.at - 1000) return null;
  const at = Math.max(terminalReader.since, seen.reply ?? 0);
  return { text: "", at, source: "process", afterMs: ASKED_AFTER_MS.reads };
}
