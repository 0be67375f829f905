import type { Settings } from "../../defaults.js";
import type { Signal } from "../../signal.js";
import type { Cause } from "../../states.js";

/** What one detector has found: a cause, since when, and how sure it is by itself. */
export interface DetectorVerdict {
  cause: Cause;
  since: number;
  reason: string;
  confidence: number;
}

/** The confidence words of the agent-health proposal, in the numbers of the activity assessment. */
export const CONFIDENCE: Readonly<Record<"high" | "medium" | "low", number>> = { high: 0.7, medium: 0.5, low: 0.3 };

export interface DetectorOptions extends Settings {
  /** Whether a turn is under way, where the caller has settled what the detector only guesses from edges. */
  turnActive?: boolean;
  /** Told of what time alone would change: when so much awake time has passed since a moment. */
  dueAfter?: (at: number, ms: number) => void;
}

/** Is the age of what began at `since` beyond the limit? If not yet, whoever asks is told when it will be. */
export function isBeyond(since: number, ageMs: number, limitMs: number, options: DetectorOptions | undefined): boolean {
  // Strictly: at the limit itself the next look will tell.
  if (ageMs > limitMs) return true;
  options?.dueAfter?.(since, limitMs + 1);
  return false;
}

/** The turn begins or ends with this signal, by the word of whichever source it comes from; null says neither. */
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
