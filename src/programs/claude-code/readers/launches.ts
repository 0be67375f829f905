/**
 * Work that a call leaves running, by what Claude Code itself writes about it, never by a tool's output. The fields are
 * those of the types that its package publishes (`sdk-tools.d.ts` of 2.1.325).
 */
import { booleanAt, type JsonRecord, numberAt, stringAt } from "../../../readers/records/json.js";
import type { TimerFacts, ToolResult } from "../../../readers/records/tool-calls.js";

/** Tools that end background work, and tools that return its state. */
const STOPS_WORK = new Set(["KillShell", "KillBash", "TaskStop", "CronDelete"]);
const READS_WORK = new Set(["BashOutput", "TaskOutput", "AgentOutput", "AgentOutputTool"]);
export const ENDED_STATUS: RegExp = /<status>(?:completed|failed|killed|stopped)<\/status>/;

const LAUNCHED = new Set(["async_launched", "remote_launched", "teammate_spawned"]);
/** How the text of a launch starts, where a record has no details. */
const LAUNCH_TEXT: Readonly<Record<string, RegExp>> = {
  Agent: /^(?:Spawned successfully|Async agent launched)/,
  Task: /^(?:Spawned successfully|Async agent launched)/,
  ScheduleWakeup: /^Next wakeup scheduled/,
  CronCreate: /^Scheduled (?:recurring job|one-shot task) /,
  Monitor: /^Monitor started \(task /,
};

/** Whether the call started work that continues and brings the agent back. */
export function isLaunch(text: string, details: JsonRecord | undefined, tool: string): boolean {
  // Such a command is ended together with the turn.
  if (booleanAt(details, "backgroundEndsWithFinalResponse")) return false;
  if (stringAt(details, "backgroundTaskId") !== undefined) return true;
  if (tool.startsWith("mcp__")) return false;
  return (
    LAUNCHED.has(stringAt(details, "status") ?? "") ||
    (LAUNCH_TEXT[tool]?.test(text) ?? false) ||
    (tool === "ScheduleWakeup" && numberAt(details, "scheduledFor") !== undefined && !isCancelled(tool, details)) ||
    (tool === "CronCreate" && stringAt(details, "humanSchedule") !== undefined) ||
    (tool === "Monitor" && stringAt(details, "taskId") !== undefined)
  );
}

/** The call cancelled the wake-up that was scheduled before. */
export const isCancelled = (tool: string, details: JsonRecord | undefined): boolean =>
  tool === "ScheduleWakeup" && booleanAt(details, "stopped");

/** When a launched timer fires, counted from its record. */
export function timerOf(tool: string, details: JsonRecord | undefined, at: string | undefined): TimerFacts | undefined {
  if (tool === "ScheduleWakeup") {
    const seconds = numberAt(details, "clampedDelaySeconds");
    return seconds === undefined ? undefined : { inMs: seconds * 1000 };
  }
  if (tool !== "CronCreate") return undefined;
  const inMs = (numberAt(details, "nextFireAt") ?? Number.NaN) - Date.parse(at ?? "");
  return {
    ...(inMs >= 0 ? { inMs: Math.round(inMs) } : {}),
    ...(booleanAt(details, "recurring") ? { repeats: true } : {}),
  };
}

/** The id by which later calls and notices name the work. */
export function taskOf(tool: string, details: JsonRecord | undefined): string | undefined {
  if (tool === "CronCreate") return stringAt(details, "id");
  return TASK_IDS.map((key) => stringAt(details, key)).find((task) => task !== undefined);
}

const TASK_IDS = ["backgroundTaskId", "agentId", "taskId"];

/** The id of the work that a call stops or reads. */
export const askedTask = (tool: string, input: JsonRecord): string | undefined =>
  stringAt(input, "task_id") ??
  stringAt(input, "shell_id") ??
  stringAt(input, "bash_id") ??
  (tool === "CronDelete" ? stringAt(input, "id") : undefined);

/** Whether a call that stops or reads background work shows that the work is over. */
export function hasEnded(tool: string, { ok, text }: ToolResult, details: JsonRecord | undefined): boolean {
  if (STOPS_WORK.has(tool)) return ok;
  if (!READS_WORK.has(tool)) return false;
  const status = stringAt(details, "status") ?? stringAt(details, "task", "status");
  return ENDED_STATUS.test(status === undefined ? text : `<status>${status}</status>`);
}
