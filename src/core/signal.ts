/**
 * Signals: the facts that sensors and readers report, one small record each.
 *
 * A signal is what was observed, never what it means. It is stored permanently, so it holds digests and short
 * previews instead of raw output, and the vocabulary only grows: a field may be added, never renamed.
 * `at` is wall-clock milliseconds since 1970; the core never reads a clock.
 */
import type { ErrorCause, PromptKind, State } from "./states.js";

/**
 * The version of the vocabulary. A stored signal has it as `v` only if it is not 1. It is raised when a field
 * changes its meaning; signals of a newer version are then skipped and counted, not misread.
 */
export const SIGNAL_VERSION = 1;

/** Where a signal came from. Which source wins depends on the subject: for turns see `turn.ts`, for prompts `prompts.ts`. */
export const SOURCES = [
  "program_status", // OSC 7501
  "hook",
  "stream", // headless event stream on standard output
  "session_file", // the status of a running session, in a file that the program keeps
  "title",
  "screen",
  "telemetry", // OpenTelemetry, in batches some seconds late; the only source of prices
  "transcript",
  "process",
  "workspace",
  "report", // the agent's own `rouse report`
  "human", // keys typed
  "observer", // rouse itself
] as const;
export type Source = (typeof SOURCES)[number];

/** What a tool does decides how long it may take: see `clocks.ts`. */
export const TOOL_CLASSES = [
  "instant", // read, edit, search: a second at most; open for longer means a prompt
  "edit", // instant too, and it changes the workspace
  "shell",
  "test",
  "build",
  "sleep", // the command itself waits: sleep, wait, poll
  "endless", // never ends by itself: a dev server, tail -f, watch
  "interactive", // reads the terminal: an editor, a pager, a password
  "web",
  "mcp",
  "subagent",
  "background", // waits for something started earlier
  "question", // asks the human
  "plan", // asks the human to accept a plan
  "other",
] as const;
export type ToolClass = (typeof TOOL_CLASSES)[number];

/** Failures that repeat by nature and do not indicate a loop. */
export type InfraClass = "rate" | "overload" | "network" | "refused" | "auth";

interface Base {
  at: number;
  source: Source;
}

/** The watched agent; a later signal overrides field by field. */
export interface SessionSignal extends Base {
  kind: "session";
  id?: string;
  version?: string;
  cwd?: string;
  model?: string;
  /** How much the model reasons before it answers, as the program calls it. */
  effort?: string;
  /** "bypass" means that the program asks for no permission. */
  permissions?: "asking" | "bypass";
  /** The agent program that a script runs without a terminal of its own, while it runs; null when it has ended. */
  child?: string | null;
}

/** The state that the program itself reports: OSC 7501, title glyph, session file, busy mark on the screen. */
export interface StatusSignal extends Base {
  kind: "status";
  status: "working" | "idle" | "blocked" | "done" | "error" | "clear";
  prompt?: PromptKind;
  text?: string;
  /** Of `idle`: what the program itself takes for a question to the user at the end of the turn. */
  asks?: string;
  /** Of `idle`: how many commands and agents continue; 0 means that nothing wakes the agent. */
  background?: number;
}

/** The program's own supervisor runs the session, and starts its process again when that ends; or it no longer does. */
export interface SupervisorSignal extends Base {
  kind: "supervisor";
  /** Its id of the session, which outlives the process. */
  id: string;
  holds: boolean;
}

export interface TurnSignal extends Base {
  kind: "turn";
  phase: "start" | "end" | "interrupted";
  /** Set by a new user prompt (not by a tool result or a background notice). */
  byUser?: boolean;
  /** The end is inferred from the last message: this release of the program does not mark the end of a turn. */
  presumed?: boolean;
  /** Shells or agents that continue after this end. */
  background?: number;
  /** Wake-ups that the program has scheduled. */
  scheduled?: number;
}

export interface ToolStartSignal extends Base {
  kind: "tool_start";
  id: string;
  tool: string;
  class: ToolClass;
  /** Digest of tool name and canonical arguments. */
  call: string;
  /** The same without parts that change with every call, if that differs from `call`. */
  near?: string;
  /** Its subject: a path, a URL, the head of a command. Bounded. */
  subject?: string;
  /** The todo list that it writes. */
  todos?: Todos;
  /** For edits: digest of the unordered pair {before, after}, so that an edit and its undo are the same. */
  effect?: string;
  /** Digest of the state that an edit leaves behind. */
  after?: string;
  /** It polls something that runs, or waits on purpose: repeating it is normal. */
  poll?: boolean;
  /** For a read of part of `subject`: the first line and the line after the last. */
  span?: { from: number; to: number /** If `subject` does not name it. */; file?: string };
  /** Declared by the call itself. */
  timeoutMs?: number;
  /** The program lets such a call run no longer than this. */
  limitMs?: number;
  /** Returns at once and continues in the background. */
  background?: boolean;
  /** Calls of one model reply share a round. */
  round?: string;
  /** The reply that it belongs to is still being written, so it may not have been executed yet. */
  partial?: boolean;
  /** The call itself asks for a permission that the session does not have. */
  asks?: boolean;
  /** Only that it runs: another source reports the call under its own id, so it must not count twice. */
  edgeOnly?: boolean;
  /** A subagent made the call. */
  nested?: boolean;
}

export interface ToolEndSignal extends Base {
  kind: "tool_end";
  id: string;
  ok: boolean;
  /** Digest of the result with times, pids, counters and durations removed. */
  outcome: string;
  /** Digest of the result as it was. */
  raw: string;
  /** Digest of the result without the lines that the program adds to every result, if it does. */
  stable?: string;
  /** For failures: digest of the error alone, without the arguments that it quotes. */
  error?: string;
  infra?: InfraClass;
  refused?: boolean;
  interrupted?: boolean;
  /** The call returned, and what it started continues in the background. */
  background?: boolean;
  /** What continues is a timer: when it fires, counted from here, and whether it fires again and again. */
  timer?: { inMs?: number; repeats?: boolean };
  /** The command still runs, and its output ends with this question. */
  asks?: string;
  /** Only that it ended: another source reports the result. */
  edgeOnly?: boolean;
  preview?: string;
}

/** A finished message of the conversation. */
/** A checkpoint that an agent reported by a line of its reply. */
export interface MarkedCheckpoint {
  task?: number;
  step?: number;
  text: string;
}

/** A todo list of an agent: how many of its items are completed, and the last of these. */
export interface Todos {
  done: number;
  of: number;
  last?: string;
}

export interface MessageSignal extends Base {
  kind: "message";
  role: "user" | "assistant";
  digest: string;
  /** How the text closes, for the assistant: decided by the reader from the whole text. */
  closing?: "question" | "offer" | "promise" | "result";
  preview?: string;
  /** It contained the completion marker. */
  marker?: boolean;
  checkpoints?: MarkedCheckpoint[];
  /** The text is one of rouse's own (it carries the mark). */
  own?: boolean;
  newSession?: boolean;
  /** Of the user: the whole prompt on one line, if it is short enough to be typed again. Redacted. */
  request?: string;
}

/** Model output: new text, thinking or tokens arrived. Proves that the stream makes progress. */
export interface DeltaSignal extends Base {
  kind: "delta";
  channel: "content" | "thought";
  chars: number;
}

/** The tail of the model's reassembled text repeats. `repeats` 0 withdraws it. */
export interface RepetitionSignal extends Base {
  kind: "repetition";
  channel: "content" | "thought";
  period: number;
  repeats: number;
  preview?: string;
}

/** A request went out to the model. */
export interface RequestSignal extends Base {
  kind: "request";
}

export interface TokensSignal extends Base {
  kind: "tokens";
  /** Used since the last signal of this source. */
  input: number;
  output: number;
  costUsd?: number;
}

export interface RetrySignal extends Base {
  kind: "retry";
  attempt?: number;
  max?: number;
  nextAt?: number;
  infra?: InfraClass;
  text?: string;
}

export interface LimitSignal extends Base {
  kind: "limit";
  /** `warning` is informational; `cleared` withdraws a hit. */
  level: "warning" | "hit" | "cleared";
  until?: number;
  /** The program shows that it will continue by itself. */
  resumesItself?: boolean;
  /** Of a warning: the window is used up, yet requests may still pass; a silence after it is the limit. */
  full?: boolean;
  text?: string;
}

export interface ErrorSignal extends Base {
  kind: "error";
  cause: ErrorCause;
  /** The program gave up; otherwise it is one failure among others. */
  final: boolean;
  digest: string;
  text?: string;
}

export interface PromptSignal extends Base {
  kind: "prompt";
  open: boolean;
  prompt?: PromptKind;
  question?: string;
}

export interface CompactionSignal extends Base {
  kind: "compaction";
  phase: "start" | "end";
}

/** One reading of the rendered screen, after two checks agreed. Sent when something in it changed. */
export interface ScreenSignal extends Base {
  kind: "screen";
  reading: ScreenReading;
}

export interface ScreenReading {
  /** Digest of the reply text: volatile cells, tips, status line and composer masked. */
  reply: string;
  /** Digest of the last line of text and of the whole masked screen, for the fingerprint over polls. */
  lastLine: string;
  /** The program's busy mark is on the screen; null when the profile cannot tell. */
  busy: boolean | null;
  /** Something moves (spinner, timer), whatever it means. */
  moving: boolean;
  /** Token counter of the status line. */
  tokens?: number;
  /** Elapsed time of the status line, in seconds. */
  elapsed?: number;
  /** Its busy mark is one of programs that retry silently. */
  retriesSilently?: boolean;
  composer: "empty" | "draft" | "hidden";
  /** No known composer, and the cursor is after the last text, a question or a shell-like prompt: it may be waiting for input. */
  caret?: "text" | "question" | "sign";
  /** The last row stops in the middle of a sentence, with the cursor right behind it. */
  cut?: true;
  /** The program only prints lines: it draws no screen of its own. */
  prints?: boolean;
  /** `userOnly`: of a limit, if it stays until a user answers it. */
  dialog?: { prompt: PromptKind; question: string; limit?: boolean; userOnly?: boolean };
  tool?: { class: ToolClass; subject?: string };
  compacting?: boolean;
  retry?: { attempt?: number; max?: number; delayMs?: number; infra?: InfraClass; text: string };
  limit?: { until?: number; resumesItself?: boolean; text: string };
  error?: { cause: ErrorCause; text: string };
  /** The last line of a program that only prints states a failure. It counts when silence or the exit follows. */
  failure?: {
    limit?: boolean;
    until?: number;
    cause?: ErrorCause;
    text: string;
    /** Other lines follow it: it explains an exit with an error, and nothing else. */
    earlier?: boolean;
  };
  /** The last line of such a program is the completion marker. */
  marker?: boolean;
  /** Its text states the completion marker, wherever that is. */
  marked?: boolean;
  closing?: "question" | "offer" | "promise" | "result";
  /** The end of a last message that closes with a question, without the program's own rows around it. Bounded. */
  asks?: string;
  /** The lowest block of the reply is text of the agent: the answer has begun. */
  replying?: boolean;
  /** A turn's closing mark ("Worked for 9s") is the last thing above the composer. */
  ended?: boolean;
  interrupted?: boolean;
  /** Shells or agents that continue after the turn. */
  background?: number;
  /** How many times in a row the last block of the reply is repeated. */
  repeats?: { digest: string; times: number; rows: number; text: string };
  /** The screen does not match the program's profile: these facts come from structure alone. */
  structural?: boolean;
  /** The last lines, for previews. Bounded. */
  tail?: string[];
}

/** Bytes arrived, whatever they were. */
export interface OutputSignal extends Base {
  kind: "output";
  bytes: number;
}

export interface ProcessSignal extends Base {
  kind: "process";
  alive: boolean | null;
  children: number;
  /** CPU milliseconds of the whole tree since it was first seen. */
  cpuMs: number;
  /** The same of its descendants alone. */
  childCpuMs?: number;
  /** Bytes that its descendants have read and written, where this can be read. */
  childIoBytes?: number;
  /** Bytes received on the tree's sockets, where they can be read. */
  receivedBytes?: number;
  sockets?: number;
  /**
   * The youngest process of the tree has a connection to another program; `asks` if it sent the last bytes on one and
   * waits for an answer.
   */
  connection?: "asks" | "open";
  stopped?: boolean;
  /** When the youngest of the children started: one younger than an open tool is that tool at work. */
  newestChildAt?: number;
  /** When the youngest child that reads from a terminal started. */
  terminalReaderAt?: number;
}

export interface ExitSignal extends Base {
  kind: "exit";
  code: number | null;
  signal: number | null;
  /** When something was last typed into its terminal, if the keys are not visible. */
  typedAt?: number;
  /** rouse did not start the process: its end is the business of whoever did. */
  adopted?: true;
}

export interface FileSignal extends Base {
  kind: "file";
  path: string;
  digest?: string;
  role?: "workspace" | "devlog" | "status" | "inbox" | "contract" | "telemetry" | "access";
}

export interface CommitSignal extends Base {
  kind: "commit";
  id: string;
  subject?: string;
}

export interface TestSignal extends Base {
  kind: "test";
  ok: boolean | null;
  digest?: string;
}

export interface CheckpointSignal extends Base {
  kind: "checkpoint";
  task?: string;
  step?: number;
  text?: string;
}

export interface ClaimSignal extends Base {
  kind: "claim";
  task: string;
  phase: "taken" | "renewed" | "released";
}

export interface ReportSignal extends Base {
  kind: "report";
  state?: Extract<State, "working" | "error" | "complete" | "needs_input">;
  heartbeat?: boolean;
  text?: string;
}

/** Messages queued for the agent. */
export interface QueueSignal extends Base {
  kind: "queue";
  op: "enqueue" | "dequeue";
  depth?: number;
}

/** Keys were typed into the terminal: by a user, by rouse for a recovery plan, or by rouse on the order of a client. */
export interface InputSignal extends Base {
  kind: "input";
  by: "human" | "rouse" | "client";
  bytes: number;
  /** The keys asked the program to end (Ctrl-C, Ctrl-D, /exit). */
  quits?: boolean;
  /** A client of rouse ordered the end; it is not a step of a policy. */
  ordered?: boolean;
  interrupts?: boolean;
  submits?: boolean;
}

/** The observer did not run, the machine slept, or the agent got no CPU: this time is no evidence. */
export interface GapSignal extends Base {
  kind: "gap";
  from: number;
  to: number;
  /** For a lack of CPU: how much of the span was spent waiting. Without it, the whole span is lost. */
  lostMs?: number;
  /** Milliseconds after it that do not count either: after a sleep, agents have to reconnect. */
  graceMs?: number;
}

/** rouse lost sight of the agent or sees it again. No evidence about the agent itself. */
export interface VisibilitySignal extends Base {
  kind: "sight";
  seen: boolean;
  /** For a loss: the last sign of life, and the reason. */
  since?: number;
  text?: string;
  /** rouse can never see it: its reports and checkpoints are all there is. */
  byReports?: true;
}

/** What a habit is about: the calls of a tool class, the model's thinking, or the agent's pauses in its work. */
export type WorkClass = ToolClass | "thinking" | "pause";
export const WORK_CLASSES: readonly WorkClass[] = [...TOOL_CLASSES, "thinking", "pause"];

/** Durations of an agent's calls of one kind, of its thinking or of its pauses: counts per bucket of `learned.ts`. */
export interface Habit {
  class: WorkClass;
  /** The head of the command; missing for the whole class. */
  head?: string;
  gaps: [bucket: number, times: number][];
}

/** What rouse had learned about the agent when this session started. No evidence about the session itself. */
export interface HabitsSignal extends Base {
  kind: "habits";
  habits: Habit[];
}

export type Signal =
  | SessionSignal
  | StatusSignal
  | TurnSignal
  | ToolStartSignal
  | ToolEndSignal
  | MessageSignal
  | DeltaSignal
  | RepetitionSignal
  | RequestSignal
  | TokensSignal
  | RetrySignal
  | LimitSignal
  | ErrorSignal
  | PromptSignal
  | CompactionSignal
  | ScreenSignal
  | OutputSignal
  | ProcessSignal
  | ExitSignal
  | FileSignal
  | CommitSignal
  | TestSignal
  | CheckpointSignal
  | ClaimSignal
  | ReportSignal
  | QueueSignal
  | InputSignal
  | GapSignal
  | VisibilitySignal
  | HabitsSignal
  | SupervisorSignal;

export type SignalKind = Signal["kind"];
