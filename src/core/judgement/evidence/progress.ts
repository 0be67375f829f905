/**
 * The sources that show a live stream; each remembers when it last saw activity. Activity is a new reply text, a
 * changed token counter, a new transcript line, a stream event, received bytes; never a repaint.
 */
import type { ProcessSignal, ScreenReading, Signal, Source } from "../../signal.js";
import { rememberBounded } from "./bounded.js";

const REPLIES_MAX = 64;
/**
 * Pings keep a dead stream open: they measured 10 bytes a second, the slowest live reply 50. Bytes are counted per
 * window, because samples arrive every second or every ten.
 */
const SOCKET_WINDOW_MS = 10_000;
const SOCKET_ACTIVITY_BYTES = 300;

export type ProgressSource = "reply" | "tokens" | "stream" | "transcript" | "hook" | "telemetry" | "socket";

export interface ProgressEvidence {
  seen: Partial<Record<ProgressSource, number>>;
  /** Bytes of any kind; only their absence is meaningful. */
  outputAt: number | null;
  /** Recent replies: after a torn frame the screen returns to one of them, which is no activity. */
  replies: Map<string, true>;
  tokens: number | null;
  reading: ScreenReading | null;
  readingAt: number | null;
  /**
   * The last reading with an input field, once that is gone, and when it went: a program clears its screen as it exits.
   */
  left: { reading: ScreenReading; at: number } | null;
  /** When the screen was last reported as still. */
  stillAt: number | null;
  /** The screen has shown the program as not busy. */
  hasRested: boolean;
  /** Bytes received at the start of the current window. */
  socket: { at: number; bytes: number } | null;
  /** Bytes that arrived since the last activity of the sockets and are too few to be a reply. */
  keepAlive: { bytes: number; times: number; lastAt: number } | null;
  /** What the connection of its youngest process is in, and since when; null without one. */
  connection: { state: "asks" | "open"; since: number } | null;
  /** The bytes received so far, and when any last arrived. */
  receivedBytes: number | null;
  receivedAt: number | null;
  cpuMs: number | null;
  cpuMovedAt: number | null;
  /** What its descendants had used at the last check, and when they were last seen to work. */
  childUse: { cpuMs: number; ioBytes: number; at: number } | null;
  childWorkedAt: number | null;
  /** Null if the process could not be checked. */
  children: number | null;
  /** When its processes were last checked. */
  sampledAt: number | null;
  /** When the youngest live child was started. */
  newestChildAt: number | null;
  /** The youngest child that reads from a terminal: when it was started, and since when it is seen to read. */
  terminalReader: { startedAt: number; since: number } | null;
}

export function createProgress(): ProgressEvidence {
  return {
    seen: {},
    outputAt: null,
    replies: new Map(),
    tokens: null,
    reading: null,
    readingAt: null,
    left: null,
    stillAt: null,
    hasRested: false,
    socket: null,
    keepAlive: null,
    connection: null,
    receivedBytes: null,
    receivedAt: null,
    cpuMs: null,
    cpuMovedAt: null,
    childUse: null,
    childWorkedAt: null,
    children: null,
    sampledAt: null,
    newestChildAt: null,
    terminalReader: null,
  };
}

export function takeProgress(progress: ProgressEvidence, signal: Signal): void {
  switch (signal.kind) {
    case "screen":
      takeReading(progress, signal.reading, signal.at);
      return;
    case "output":
      progress.outputAt = signal.at;
      return;
    case "process":
      takeProcess(progress, signal);
      return;
    case "delta":
    case "message":
    case "tool_start":
    case "tool_end":
    case "request":
    case "tokens":
    case "compaction":
    case "turn":
      // The end of work in the background is no activity of the turn.
      if (signal.kind === "tool_end" && signal.edgeOnly && signal.raw === "") return;
      if (isRecord(signal.source)) {
        progress.seen[signal.source] = Math.max(progress.seen[signal.source] ?? 0, signal.at);
      }
      return;
    default:
      return;
  }
}

const isRecord = (source: Source): source is Source & ProgressSource =>
  source === "stream" || source === "transcript" || source === "hook" || source === "telemetry";

function takeReading(progress: ProgressEvidence, reading: ScreenReading, at: number): void {
  if (!progress.replies.has(reading.reply)) progress.seen.reply = at;
  rememberBounded(progress.replies, reading.reply, true, REPLIES_MAX);
  // A counter that disappears and returns is the same counter; only a changed value is activity.
  if (reading.tokens !== undefined && reading.tokens !== progress.tokens) {
    progress.seen.tokens = at;
    progress.tokens = reading.tokens;
  }
  const before = progress.reading;
  progress.reading = reading;
  progress.readingAt = at;
  if (reading.composer !== "hidden" || reading.busy) progress.left = null;
  else if (before && before.composer !== "hidden") progress.left = { reading: before, at };
  if (!reading.moving) progress.stillAt = at;
  if (reading.busy === false) progress.hasRested = true;
}

function takeProcess(
  progress: ProgressEvidence,
  {
    at,
    alive,
    cpuMs,
    receivedBytes,
    children,
    newestChildAt,
    terminalReaderAt,
    childCpuMs,
    childIoBytes,
    connection,
  }: ProcessSignal,
): void {
  // The check failed: earlier samples prove nothing about this moment.
  if (alive === null) {
    progress.children = null;
    progress.newestChildAt = null;
    progress.terminalReader = null;
    progress.connection = null;
    return;
  }
  if (connection === undefined) progress.connection = null;
  else if (progress.connection?.state !== connection) progress.connection = { state: connection, since: at };
  if (receivedBytes !== undefined) takeSocket(progress, at, receivedBytes);
  if (progress.cpuMs === null || cpuMs - progress.cpuMs > 50) progress.cpuMovedAt = at;
  progress.cpuMs = cpuMs;
  takeChildUse(progress, at, childCpuMs, childIoBytes);
  progress.children = children;
  progress.sampledAt = at;
  progress.newestChildAt = children > 0 ? (newestChildAt ?? null) : null;
  if (terminalReaderAt === undefined) progress.terminalReader = null;
  else if (progress.terminalReader?.startedAt !== terminalReaderAt)
    progress.terminalReader = { startedAt: terminalReaderAt, since: at };
}

/** A child that sleeps still uses some CPU time: a timer here and there, measured 0.1 to 1 %. */
const CHILD_CPU_SHARE = 0.02;
/** Bytes between two checks, ten seconds apart, that are more than the wake-ups of a sleeping process. */
export const CHILD_IO_BYTES = 4096;
const CHECKED_EVERY_MS = 10_000;

/** The first count is the baseline. */
function takeChildUse(progress: ProgressEvidence, at: number, cpuMs = 0, ioBytes = 0): void {
  const { childUse: before } = progress;
  progress.childUse = { cpuMs, ioBytes, at };
  if (before === null || at <= before.at) return;
  const elapsedMs = at - before.at;
  const isComputing = cpuMs - before.cpuMs > elapsedMs * CHILD_CPU_SHARE;
  const isMoving = ioBytes - before.ioBytes > CHILD_IO_BYTES * Math.max(1, elapsedMs / CHECKED_EVERY_MS);
  if (isComputing || isMoving) progress.childWorkedAt = at;
}

/** The first count is the baseline. A lower count belongs to another socket. */
function takeSocket(progress: ProgressEvidence, at: number, bytes: number): void {
  const { socket } = progress;
  const came = socket === null ? 0 : bytes < socket.bytes ? bytes : bytes - socket.bytes;
  const isActivity = came >= SOCKET_ACTIVITY_BYTES;
  if (bytes !== progress.receivedBytes) progress.receivedAt = at;
  progress.receivedBytes = bytes;
  if (isActivity) progress.seen.socket = at;
  const { keepAlive } = progress;
  const isNew = keepAlive !== null && bytes !== keepAlive.bytes;
  if (keepAlive === null || isActivity) progress.keepAlive = { bytes, times: 0, lastAt: at };
  else if (isNew) progress.keepAlive = { bytes, times: keepAlive.times + 1, lastAt: at };
  if (socket === null || isActivity || at - socket.at >= SOCKET_WINDOW_MS) progress.socket = { at, bytes };
}
