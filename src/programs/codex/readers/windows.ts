import { type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { fromEpoch } from "../../../readers/records/record-reader.js";
import type { Thread } from "../../../readers/records/thread.js";

const WINDOWS = ["primary", "secondary"] as const;

/**
 * The usage windows that Codex reports with each reply.
 *
 * A window at 100 % is not a limit yet: one real session continued through 68 such reports, and then fell silent for
 * seven hours in the middle of a turn, with nothing else written. So a full window is a warning with its end; followed
 * by silence, it is the limit. It is reported with each report, because work in between cancels it. The program's own
 * statement that a limit was reached is a limit at once.
 */
export class CodexWindows {
  #isFull = false;

  readonly #thread: Thread;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  read(limits: JsonRecord | undefined, at: number): void {
    if (limits === undefined) return;
    const full = WINDOWS.map((name) => recordAt(limits, name)).filter(
      (window) => (numberAt(window, "used_percent") ?? 0) >= 100,
    );
    const ends = full.map((window) => windowEnd(window, at)).filter((end) => end !== undefined);
    const until = ends.length === 0 ? undefined : Math.max(...ends);
    const reached = stringAt(limits, "rate_limit_reached_type");
    if (reached !== undefined && reached !== "") {
      this.#thread.limited({ until, text: reached });
    } else if (full.length > 0) {
      const when = until === undefined ? {} : { until };
      this.#thread.emit({ kind: "limit", level: "warning", full: true, ...when, text: "usage window used up" });
    } else if (this.#isFull) {
      this.#thread.emit({ kind: "limit", level: "cleared" });
    }
    this.#isFull = full.length > 0;
  }
}

/** `resets_at` is an epoch; releases before 0.5x counted the seconds from the report. */
function windowEnd(window: JsonRecord | undefined, at: number): number | undefined {
  const stamp = numberAt(window, "resets_at");
  if (stamp !== undefined) return fromEpoch(stamp);
  const seconds = numberAt(window, "resets_in_seconds");
  return seconds === undefined ? undefined : at + seconds * 1000;
}
