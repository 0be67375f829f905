/**
 * The turn is over, but something that it started will bring the agent back: a background command, an agent beside it, a
 * timer. A wait, however the last message reads. After a ceiling the turn counts as ended: a server may run forever.
 */
import type { ToolClass } from "../../signal.js";
import { formatAgo, formatFor } from "../../text/duration.js";
import { MINUTE } from "../../text/time.js";
import { FREEZE, TOOL_CLOCKS } from "../clocks.js";
import type { Evidence } from "../evidence/state.js";
import { type OpenTool, timerEnd } from "../evidence/tools.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/** A command that the last message does not mention may be a server that was left running. */
const UNMENTIONED_MS = 10 * MINUTE;
/** Such commands are no servers. */
const ENDS_ITSELF: ReadonlySet<ToolClass> = new Set(["test", "build"]);
/** A timer may fire late on a busy machine. */
const TIMER_SLACK_MS = 5 * MINUTE;

interface PendingWork {
  cause: "background" | "timer";
  what: string;
  /** Since when nothing but this is expected. */
  from: number;
  ceilingMs: number;
  until: number | null;
  isCommand?: boolean;
}

/** `closing`: how the last message ends. */
export function byPending(question: RuleInput, endedAt: number, closing?: string): RuleVerdict | null {
  const { since, dueAfter } = question;
  const silent = bySilentAgent(question);
  if (silent) return silent;
  for (const { cause, what, from, ceilingMs, until, isCommand } of pendingWork(question, endedAt, closing)) {
    // A command beside a question may be a server; the question is for the user.
    if ((isCommand || cause === "timer") && closing === "question") continue;
    if (since(from) >= ceilingMs) continue;
    dueAfter(from, ceilingMs);
    return { state: "waiting", cause, confidence: 0.7, until: until ?? from + ceilingMs, reasons: [what] };
  }
  return null;
}

/** An agent whose calls were seen, and that has done nothing for as long as a transcript may be silent. */
function bySilentAgent({ evidence: { tools, progress }, since, dueAfter }: RuleInput): RuleVerdict | null {
  const agent = [...tools.behind.values()].findLast(({ class: kind }) => kind === "subagent");
  if (!agent || tools.nestedAt === null || tools.nestedAt < agent.at) return null;
  // A call of its own that is open has the clock of its class.
  if ([...tools.open.values()].some((call) => call.nested && since(call.at) < TOOL_CLOCKS[call.class].reportMs))
    return null;
  const activeAt = Math.max(tools.nestedAt, progress.seen.transcript ?? 0);
  dueAfter(activeAt, FREEZE.subagentTranscript.baseMs);
  if (since(activeAt) < FREEZE.subagentTranscript.baseMs) return null;
  const name = `${agent.tool}${agent.subject ? ` (${agent.subject})` : ""}`;
  return {
    state: "stuck",
    cause: "silent_stream",
    confidence: 0.6,
    reasons: [
      `${name} is running in the background, but has shown no activity ${formatFor(since(activeAt))} (${agent.source})`,
    ],
  };
}

function pendingWork({ evidence, since }: RuleInput, endedAt: number, closing?: string): PendingWork[] {
  const { tools, turn, progress, traits } = evidence;
  // Otherwise nothing brings the agent back, unless it says that it will check again.
  if (!traits.backgroundWakes && closing !== "promise") return [];
  const commandMs = closing === "promise" ? TOOL_CLOCKS.background.reportMs : UNMENTIONED_MS;
  const found: PendingWork[] = [];
  const ended = `The turn ended ${formatAgo(since(endedAt))}`;
  const isServer = closing !== "promise" && namesServer(evidence);
  const commands = [...tools.behind.values()].filter(({ class: kind }) => kind !== "subagent" && kind !== "sleep");
  for (const tool of tools.behind.values()) {
    if (tool.class === "endless" || (isServer && commands.length === 1 && commands[0] === tool)) continue;
    // An agent does not run for hours: an older one died with its process.
    const from = tool.class === "subagent" ? tool.at : Math.max(tool.at, endedAt);
    const name = `${tool.tool}${tool.subject ? ` (${tool.subject})` : ""}`;
    if (tool.class === "sleep" && tool.timeoutMs !== undefined) found.push(timer(tool, `${ended}, and ${name}`));
    else if (tool.timer) found.push(schedule(`${ended}, and ${name} will wake the agent (${tool.source})`, endedAt));
    else
      found.push({
        cause: "background",
        what: `${ended}, and ${name} has been running in the background ${formatFor(since(tool.at))} (${tool.source})`,
        from,
        ceilingMs: tool.class === "subagent" ? TOOL_CLOCKS.subagent.reportMs : commandCeiling(tool, from, commandMs),
        until: hasDeadline(tool) ? timerEnd(tool) : null,
        isCommand: tool.class !== "subagent",
      });
  }
  // Servers that are known by their records are all that a count may mean.
  const { background, scheduled, by } = turn.left;
  const shown = progress.reading?.background ?? 0;
  const count = background > 0 ? { count: background, by } : shown > 0 ? { count: shown, by: "screen" } : null;
  if (count && tools.behind.size === 0 && !isServer)
    found.push({
      cause: "background",
      what: `${ended}, and ${count.count} background ${count.count === 1 ? "task is" : "tasks are"} still running (${count.by})`,
      from: endedAt,
      ceilingMs: commandMs,
      until: null,
      isCommand: true,
    });
  const wakeUps = scheduled === 1 ? "a wake-up" : `${scheduled} wake-ups`;
  if (scheduled > 0) found.push(schedule(`${ended}, and the program has scheduled ${wakeUps} (${by})`, endedAt));
  return found.sort((a, b) => b.from + b.ceilingMs - (a.from + a.ceilingMs));
}

/** Its last message gives the address of a server: the command that is left running is that server. */
const LOCAL_ADDRESS = /\bhttps?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::\d{2,5})?\b/i;

function namesServer({ message, progress }: Evidence): boolean {
  return LOCAL_ADDRESS.test(message?.preview ?? (progress.reading?.tail ?? []).join(" "));
}

/** The program ends it at this time: a monitor, for example. */
const hasDeadline = ({ class: kind, timeoutMs }: OpenTool): boolean => kind === "background" && timeoutMs !== undefined;

function commandCeiling(tool: OpenTool, from: number, unknownMs: number): number {
  if (hasDeadline(tool)) return timerEnd(tool) - from + TIMER_SLACK_MS;
  return ENDS_ITSELF.has(tool.class) ? TOOL_CLOCKS.background.reportMs : unknownMs;
}

/** A timer whose time is not known. */
const schedule = (what: string, from: number): PendingWork => ({
  cause: "timer",
  what,
  from,
  ceilingMs: TOOL_CLOCKS.background.reportMs,
  until: null,
});

function timer(tool: OpenTool, said: string): PendingWork {
  const until = timerEnd(tool);
  const what = `${said} will wake the agent (${tool.source})`;
  return { cause: "timer", what, from: tool.at, ceilingMs: until - tool.at + TIMER_SLACK_MS, until };
}
