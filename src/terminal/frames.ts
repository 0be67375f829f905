import type { Keys, Precondition, TerminalState } from "../core/policy/typing-checks.js";

/** Frames between a host and its viewers on the host's socket: one JSON object per line. */
export type ToHost =
  | { op: "attach"; cols: number; rows: number }
  | { op: "input"; data: string }
  | { op: "resize"; cols: number; rows: number }
  | { op: "type"; text: string; enter?: boolean }
  | { op: "stop"; graceMs: number; by?: "rouse" | "client" }
  /** `until`: only the output up to that time (ms). */
  | { op: "logs"; follow: boolean; keys?: boolean; until?: number }
  | { op: "notify"; text: string }
  | { op: "check" }
  | { op: "rows" }
  | { op: "press"; keys: Keys; precondition: Precondition; by?: TypedBy }
  | { op: "info" };

export type FromHost =
  | { ev: "snapshot"; data: string; cols: number; rows: number }
  | { ev: "output"; data: string }
  | { ev: "size"; cols: number; rows: number }
  | { ev: "input"; data: string }
  | { ev: "exit"; code: number | null; signal: number | null }
  | { ev: "typed"; bytes: number }
  | { ev: "notified"; terminals: number }
  | { ev: "stopped"; isGone: boolean; isKilled: boolean; processes: number; left: number[] }
  | ({ ev: "check" } & ScreenAnswer)
  | { ev: "rows"; rows: string[] | null }
  | ({ ev: "pressed" } & PressAnswer)
  | { ev: "info"; [field: string]: unknown }
  | { ev: "error"; text: string };

/** On whose behalf rouse types: a recovery plan's, or a client's. */
export type TypedBy = "rouse" | "client";

/** `quietMs` is null if no user has typed. */
export type ScreenAnswer =
  | { terminalState: { screenState: TerminalState["screenState"]; quietMs: number | null }; reason?: never }
  | { terminalState: null; reason: string; isPiped?: boolean };

/** `bytes` is 0 if nothing was typed; `reason` says why. */
export interface PressAnswer {
  bytes: number;
  reason: string | null;
}

const FRAME_CHARS_MAX = 4 * 1024 * 1024;

/** Splits a stream into frames. Throws on a line that is not a JSON object or is too long. */
export class FrameReader {
  #parts: string[] = [];
  #length = 0;

  read(chunk: string): Record<string, unknown>[] {
    const frames: Record<string, unknown>[] = [];
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      this.#parts.push(chunk.slice(from, end));
      frames.push(parse(this.#parts.join("")));
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
    }
    if (from < chunk.length) {
      this.#parts.push(chunk.slice(from));
      this.#length += chunk.length - from;
    }
    if (this.#length > FRAME_CHARS_MAX) throw new Error("a frame is too long");
    return frames;
  }
}

export const frameLine = (value: ToHost | FromHost): string => `${JSON.stringify(value)}\n`;

function parse(line: string): Record<string, unknown> {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("a frame is not an object");
  return value as Record<string, unknown>;
}
