/**
 * What `jobs/<id>/state.json` says about a session in the background. Claude Code's supervisor and the session both write
 * it. `state` stays "working" after most turns; `tempo` and `inFlight` show whether anything goes on.
 */
import { type JsonRecord, numberAt, stringAt } from "../../../readers/records/json.js";
import type { SkipCounter } from "../../../readers/records/record-reader.js";

/** Whether the supervisor still keeps the session alive: in the other states it restarts no process. */
const HELD: ReadonlyMap<string, boolean> = new Map([
  ["working", true],
  ["blocked", true],
  ["crashed", true],
  ["resuming", true],
  ["running", true],
  ["done", false],
  ["failed", false],
  ["stopped", false],
]);

/** The file of the process and this one are written within a second of each other, in any order. */
const APART_MS = 2000;

export interface BackgroundJob {
  isHeld: boolean;
  /** Ended with `claude stop`. */
  isStopped: boolean;
  /** What it asks the user, in the program's words. */
  needs: string;
  /** The turn has ended with that question. */
  asksAtEnd: boolean;
  /** Commands and agents that continue after the turn; null if unknown. */
  background: number | null;
}

/** `own` is the file of its process. */
export function backgroundJob(job: JsonRecord, own: JsonRecord, skipped: SkipCounter): BackgroundJob {
  const state = stringAt(job, "state") ?? "";
  if (state !== "" && !HELD.has(state)) skipped.count(`job ${state}`);
  const tempo = stringAt(job, "tempo");
  const isBlocked = tempo === "blocked";
  return {
    // A prompt wakes a settled session.
    isHeld: tempo === "active" || (HELD.get(state) ?? true),
    isStopped: state === "stopped",
    needs: isBlocked ? (stringAt(job, "needs") ?? "") : "",
    asksAtEnd: isBlocked && state === "blocked",
    background: backgroundOf(job, own),
  };
}

/** Known at the end of a turn only, and if the count is not from before it. */
function backgroundOf(job: JsonRecord, own: JsonRecord): number | null {
  const tasks = numberAt(job, "inFlight", "tasks");
  const writtenAt = Date.parse(stringAt(job, "updatedAt") ?? "");
  const isOld = !(writtenAt >= (numberAt(own, "statusUpdatedAt") ?? 0) - APART_MS);
  if (tasks === undefined || tasks < 0 || isOld || stringAt(job, "tempo") === "active") return null;
  // A message that is queued wakes it too.
  const count = tasks + Math.max(0, numberAt(job, "inFlight", "queued") ?? 0);
  return count === 0 && stringAt(own, "status") === "shell" ? null : count;
}
