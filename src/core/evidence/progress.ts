/**
 * The witnesses of a stream that lives: each remembers when it last saw news. News is a new reply text, a moved token
 * counter, a new line of the transcript, an event of the stream, received bytes; never a repaint.
 */
import type { ScreenReading, Signal } from "../signal.js";

export type Witness = "reply" | "tokens" | "stream" | "transcript" | "hook" | "socket";

export interface ProgressEvidence {
  seen: Partial<Record<Witness, number>>;
  /** Bytes of any kind; only their absence means anything. */
  outputAt: number | null;
  reading: ScreenReading | null;
  readingAt: number | null;
  socketBytes: number | null;
  cpuMs: number | null;
  cpuMovedAt: number | null;
  children: number | null;
}

export function createProgress(): ProgressEvidence {
  return { seen: {}, outputAt: null, reading: null, readingAt: null, socketBytes: null, cpuMs: null, cpuMovedAt: null, children: null };
}

export function takeProgress(progress: ProgressEvidence, signal: Signal): void {
  switch (signal.kind) {
    case "screen":
      return takeReading(progress, signal.reading, signal.at);
    case "output":
      progress.outputAt = signal.at;
      return;
    case "process":
      return takeProcess(progress, signal.at, signal.cpuMs, signal.receivedBytes, signal.children);
    case "delta":
    case "message":
    case "tool_start":
    case "tool_end":
    case "request":
    case "tokens":
    case "compaction":
    case "turn":
      if (signal.source === "stream" || signal.source === "transcript" || signal.source === "hook") {
        progress.seen[signal.source] = signal.at;
      }
      return;
    default:
      return;
  }
}

function takeReading(progress: ProgressEvidence, reading: ScreenReading, at: number): void {
  const before = progress.reading;
  if (!before || before.reply !== reading.reply) progress.seen.reply = at;
  // A counter that appears or starts anew is the same counter; only one that moves on is news.
  if (reading.tokens !== undefined && reading.tokens !== before?.tokens) progress.seen.tokens = at;
  progress.reading = reading;
  progress.readingAt = at;
}

function takeProcess(progress: ProgressEvidence, at: number, cpuMs: number, received: number | undefined, children: number): void {
  if (received !== undefined) {
    if (received !== progress.socketBytes) progress.seen.socket = at;
    progress.socketBytes = received;
  }
  if (progress.cpuMs === null || cpuMs - progress.cpuMs > 50) progress.cpuMovedAt = at;
  progress.cpuMs = cpuMs;
  progress.children = children;
}
