/** Open tools, their start and their limits. Bounded: an agent that never closes a call loses the oldest. */
import { awakeMs, type SleepSpans, takeAsleep } from "../../awake.js";
import { type Settings, settingOf } from "../../defaults.js";
import type { Signal, Source, ToolClass, ToolEndSignal, ToolStartSignal } from "../../signal.js";
import { DECLARED_SLACK, DECLARED_SLACK_MS, THINKING, TOOL_CLOCKS, UNSEEN_PATIENCE } from "../clocks.js";
import { createLearned, type LearnedState, learnedThreshold, learnGap, takeHabits, type WorkKey } from "../learned.js";

export interface OpenTool {
  id: string;
  tool: string;
  class: ToolClass;
  subject: string | undefined;
  timeoutMs: number | undefined;
  at: number;
  source: Source;
  round?: string | undefined;
  /** The reply that it belongs to is still being written. */
  partial?: boolean;
  /** The call itself asks for a permission that the session does not have. */
  asks?: boolean;
  /** The program lets it run no longer than this. */
  limitMs?: number;
  /** When that reply was complete, if it was seen to be written. */
  completeAt?: number;
  /** A subagent made the call. */
  nested?: boolean;
  /** A timer that the program itself keeps. */
  timer?: "once" | "repeats";
}

export interface ToolsEvidence {
  open: Map<string, OpenTool>;
  /** Work in the background of the turn. */
  behind: Map<string, OpenTool>;
  /** The last output of a command that still runs ends with this question. */
  asked: { text: string; at: number; source: Source } | null;
  /** Calls that ended: another source may report later that one continues in the background. */
  ended: Map<string, OpenTool>;
  lastEndAt: number | null;
  /** When a subagent last started or ended a call. */
  nestedAt: number | null;
  /** When the model was last given something to answer; null once it has. */
  requestedAt: number | null;
  /** Model and reasoning effort: how long it thinks depends on them. */
  model: string;
  effort: string;
  /** The end of the last turn. */
  idleAt: number | null;
  /** Learned durations of this agent's tools, per class and command head. */
  learned: LearnedState;
  /** A screen or the process tree shows running tools. */
  seen: boolean;
  asleep: SleepSpans;
}

const OPEN_MAX = 64;

export function createTools(): ToolsEvidence {
  return {
    open: new Map(),
    behind: new Map(),
    asked: null,
    ended: new Map(),
    lastEndAt: null,
    nestedAt: null,
    requestedAt: null,
    model: "",
    effort: "",
    idleAt: null,
    learned: createLearned(),
    seen: false,
    asleep: [],
  };
}

export function takeTools(tools: ToolsEvidence, signal: Signal, settings: Settings = {}): void {
  switch (signal.kind) {
    case "gap":
      takeAsleep(tools.asleep, signal);
      return;
    case "habits":
      takeHabits(
        tools.learned,
        signal.habits.filter((habit) => habit.class !== "pause"),
      );
      return;
    case "screen":
    case "process":
      tools.seen ||= signal.kind === "screen" || signal.alive === true;
      return;
    case "session":
      tools.model = signal.model ?? tools.model;
      tools.effort = signal.effort ?? tools.effort;
      return;
    case "message":
      if (signal.role === "assistant") learnThinking(tools, signal.at);
      return;
    case "tool_start":
      if (signal.nested) tools.nestedAt = signal.at;
      else learnThinking(tools, signal.at);
      start(tools, signal);
      return;
    case "tool_end": {
      if (signal.raw !== "")
        tools.asked = signal.asks ? { text: signal.asks, at: signal.at, source: signal.source } : null;
      const opened = tools.open.get(signal.id);
      tools.open.delete(signal.id);
      if (opened?.nested) tools.nestedAt = signal.at;
      if (opened && !signal.refused && !signal.interrupted) learn(tools, opened, signal.at, settings);
      const launch = signal.background ? (opened ?? tools.ended.get(signal.id)) : undefined;
      if (launch) keep(tools.behind, leftBehind(launch, signal, tools.behind.get(signal.id)));
      else if (signal.edgeOnly) tools.behind.delete(signal.id);
      if (opened) keep(tools.ended, opened);
      if (launch?.tool === "ScheduleWakeup") forgetOtherTimers(tools, launch);
      if (opened) tools.lastEndAt = signal.at;
      if (opened && !opened.nested && tools.open.size === 0) tools.requestedAt = signal.at;
      return;
    }
    case "turn":
      // A finished or interrupted turn leaves no tool open in the foreground; a user's prompt clears the table.
      if (signal.phase === "end") forgetOwnCalls(tools);
      else if (signal.phase === "interrupted" || signal.byUser) tools.open.clear();
      if (signal.phase === "start" && signal.byUser) takeServers(tools, signal.at);
      tools.asked = null;
      tools.requestedAt = signal.phase === "start" ? signal.at : null;
      tools.idleAt = signal.phase === "start" ? null : (tools.idleAt ?? signal.at);
      if (signal.phase === "start") forgetExpiredTimers(tools, signal.byUser ? signal.at : signal.at + TIMER_EARLY_MS);
      if (signal.phase === "end" && signal.background === 0) forgetBackground(tools, signal.at);
      return;
    case "status":
      if (signal.background === 0) forgetBackground(tools, signal.at);
      return;
    case "exit":
      tools.open.clear();
      tools.behind.clear();
      return;
    default:
      return;
  }
}

/** What a call left running; of a timer without a known time only that it will fire. */
function leftBehind(launch: OpenTool, { at, timer }: ToolEndSignal, known: OpenTool | undefined): OpenTool {
  if (!timer) return { ...launch, at };
  const timeoutMs = timer.inMs ?? known?.timeoutMs;
  return { ...launch, at, class: "sleep", timeoutMs, timer: timer.repeats ? "repeats" : "once" };
}

/** The program says that nothing continues; a timer is no task. */
function forgetBackground({ behind }: ToolsEvidence, at: number): void {
  for (const [id, tool] of behind) if (tool.class !== "sleep" && tool.at <= at) behind.delete(id);
}

/** A call that was refused, interrupted, reported as a problem or interrupted by sleep is not a sample of its kind. */
function learn(tools: ToolsEvidence, tool: OpenTool, at: number, settings: Settings): void {
  const gapMs = at - tool.at;
  const patience = settingOf(settings, "tool_patience");
  // No deadline is below the limit of the class, which most calls keep: only longer calls need the learned one.
  const alarmed =
    gapMs >= TOOL_CLOCKS[tool.class].reportMs * patience &&
    gapMs >= (toolDeadline(tools, tool, tools.seen) - tool.at) * patience;
  learnGap(tools.learned, keyOf(tool), gapMs, { alarmed, asleep: awakeMs(tools.asleep, tool.at, at) < gapMs });
}

/** The time until the model's next record, which is written when its first block is complete. */
function learnThinking(tools: ToolsEvidence, at: number): void {
  const { requestedAt, learned, asleep } = tools;
  tools.requestedAt = null;
  if (requestedAt === null) return;
  const gapMs = at - requestedAt;
  const alarmed = gapMs >= learnedThreshold(learned, thinkingKey(tools), THINKING).ms;
  learnGap(learned, thinkingKey(tools), gapMs, { alarmed, asleep: awakeMs(asleep, requestedAt, at) < gapMs });
}

export const thinkingKey = ({ model, effort }: Pick<ToolsEvidence, "model" | "effort">): WorkKey => ({
  class: "thinking",
  head: [model, effort].filter(Boolean).join(" "),
});

/** A command that ran beside an idle agent for this long and did not bring it back is a server. */
const SERVER_AFTER_MS = 10 * 60_000;

function takeServers({ behind, idleAt, asleep }: ToolsEvidence, now: number): void {
  if (idleAt === null || awakeMs(asleep, idleAt, now) < SERVER_AFTER_MS) return;
  for (const tool of behind.values()) if (tool.class !== "subagent" && tool.class !== "sleep") tool.class = "endless";
}

/** A timer that has run out is over once the agent works again. */
function forgetExpiredTimers({ behind }: ToolsEvidence, now: number): void {
  for (const [id, timer] of behind) {
    if (timer.class !== "sleep" || timerEnd(timer) > now) continue;
    if (timer.timer === "repeats") timer.timeoutMs = undefined;
    else behind.delete(id);
  }
}

/** Wake-ups fire on whole minutes. */
const TIMER_EARLY_MS = 60_000;

/** A subagent may go on after the turn that started it. */
function forgetOwnCalls({ open }: ToolsEvidence): void {
  for (const [id, { nested }] of open) if (!nested) open.delete(id);
}

/** There is one wake-up; a new one replaces it. */
function forgetOtherTimers({ behind }: ToolsEvidence, { id, tool }: OpenTool): void {
  for (const [other, timer] of behind) if (other !== id && timer.tool === tool) behind.delete(other);
}

/** When a timer in the background runs out. */
export const timerEnd = ({ at, timeoutMs, class: kind }: OpenTool): number =>
  at + (timeoutMs ?? TOOL_CLOCKS[kind].reportMs);

/** A model answers only when all results of its last reply are there, so a call of an older reply is not open any more. */
function takeRound({ open, ended }: ToolsEvidence, { round, partial, source, at, nested }: ToolStartSignal): void {
  if (round === undefined || source !== "transcript" || nested) return;
  // Calls of a subagent have rounds of their own.
  const isShared = [...open.values()].some((tool) => tool.class === "subagent");
  for (const [id, tool] of open) {
    if (tool.round === undefined || tool.source !== source || tool.nested) continue;
    if (tool.round === round) {
      if (tool.partial && !partial) tool.completeAt ??= at;
    } else if (!isShared) {
      open.delete(id);
      keep(ended, tool);
    }
  }
}

function start(tools: ToolsEvidence, signal: ToolStartSignal): void {
  takeRound(tools, signal);
  // Only a call that waits for output leaves the question unanswered.
  if (!signal.poll) tools.asked = null;
  const known = tools.open.get(signal.id);
  // Hook, stream and transcript report the same call: the earliest starts its clock.
  const at = known ? Math.min(known.at, signal.at) : signal.at;
  keep(tools.open, {
    id: signal.id,
    tool: signal.tool,
    class: signal.class,
    subject: signal.subject,
    timeoutMs: signal.timeoutMs,
    at,
    source: known?.source ?? signal.source,
    round: signal.round ?? known?.round,
    ...(signal.partial ? { partial: true } : {}),
    ...completion(known, signal),
    ...(signal.asks || known?.asks ? { asks: true } : {}),
    ...limit(known, signal),
    ...(signal.nested ? { nested: true } : {}),
  });
}

function limit(known: OpenTool | undefined, { limitMs = known?.limitMs }: ToolStartSignal): { limitMs?: number } {
  return limitMs === undefined ? {} : { limitMs };
}

/** A second source that reports the call shows that its reply is complete. */
function completion(known: OpenTool | undefined, { partial, at }: ToolStartSignal): { completeAt?: number } {
  if (known?.completeAt !== undefined) return { completeAt: known.completeAt };
  return known?.partial && !partial ? { completeAt: at } : {};
}

function keep(map: Map<string, OpenTool>, tool: OpenTool): void {
  map.set(tool.id, tool);
  if (map.size > OPEN_MAX) map.delete(map.keys().next().value as string);
}

const keyOf = (tool: OpenTool): WorkKey => ({
  class: tool.class,
  ...(tool.subject === undefined ? {} : { head: tool.subject.split(" ").slice(0, 2).join(" ") }),
});

/**
 * When an open tool is overdue: its declared time-out with slack, otherwise the learned limit, otherwise its class.
 * `seen` means that a screen or the process tree shows it running, `isPermitted` that it cannot wait for an approval.
 */
export function toolDeadline(tools: ToolsEvidence, tool: OpenTool, seen: boolean, isPermitted = false): number {
  const patience = seen ? 1 : UNSEEN_PATIENCE;
  const priorMs = TOOL_CLOCKS[tool.class].reportMs * patience;
  if (!Number.isFinite(priorMs)) return tool.at + priorMs;
  const bounds = { priorMs, floorMs: priorMs, ceilingMs: priorMs * 4 };
  const usual = learnedThreshold(tools.learned, keyOf(tool), bounds).ms;
  if (tool.timeoutMs === undefined) return tool.at + usual;
  const declared = Math.max(tool.timeoutMs * DECLARED_SLACK, tool.timeoutMs + DECLARED_SLACK_MS);
  if (seen) return tool.at + declared;
  // Parallel calls may run one after the other; a call that nothing shows running may wait for an approval.
  return isPermitted ? Math.max(tool.at, tools.lastEndAt ?? 0) + declared : tool.at + Math.max(declared, usual);
}
