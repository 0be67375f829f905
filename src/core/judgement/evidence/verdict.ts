import type { Settings } from "../../defaults.js";
import type { Signal } from "../../signal.js";
import type { Cause } from "../../states.js";

/** The finding of one detector: a cause, its start, and its own confidence. */
export interface DetectorVerdict {
  cause: Cause;
  since: number;
  reason: string;
  confidence: number;
}

/** The confidence levels of the agent-health proposal, as numbers of the activity assessment. */
export const CONFIDENCE: Readonly<Record<"high" | "medium" | "low", number>> = { high: 0.7, medium: 0.5, low: 0.3 };

export interface DetectorOptions extends Settings {
  /** Whether a turn is running, if the caller knows; the detector only guesses from transitions. */
  turnActive?: boolean;
  /** Called with a moment and the awake time after which the verdict would change without a signal. */
  dueAfter?: (at: number, ms: number) => void;
}

/** Whether the age exceeds the limit. If not yet, registers when it will. */
export function isBeyond(since: number, ageMs: number, limitMs: number, options: DetectorOptions | undefined): boolean {
  // Strictly greater: exactly at the limit, the next check decides.
  if (ageMs > limitMs) return true;
  options?.dueAfter?.(since, limitMs + 1);
  return false;
}

/** Whether this signal starts or ends a turn, according to its own source; null for neither. */
export function turnEdge(signal: Signal): "start" | "end" | null {
  switch (signal.kind) {
    case "turn":
      return signal.phase === "start" ? "start" : "end";
    case "status":
      return STATUS_EDGES[signal.status] ?? null;
    case "screen":
      if (signal.reading.busy === true) return "start";
      return signal.reading.ended || (signal.reading.busy === false && signal.reading.composer !== "hidden")
        ? "end"
        : null;
    case "exit":
      return "end";
    default:
      return null;
  }
}

const STATUS_EDGES: Readonly<Record<string, "start" | "end">> = {
  working: "start",
  idle: "end",
  done: "end",
  error: "end",
};
