/** The doctor's look at rouse's own alarm path: what would happen if an agent got into trouble now. */
import { spell } from "../core/evidence/verdict.js";
import { type DoctorLine, fail, warn } from "./doctor-line.js";

export interface AlarmPath {
  /** Null where no daemon answers. */
  daemon: {
    /** Milliseconds since its last finished round; null before the first, undefined where it does not tell. */
    sinceTickMs: number | null | undefined;
    /** Judging is switched on. */
    isJudging: boolean;
    /** Writes to its journal that failed. */
    failures: number;
  } | null;
}

/** The loop looks up every second; one that missed so much is held up, and with it every verdict. */
const TICK_LATE_MS = 10_000;
const WHAT = "alarm path";
const LOOK = 'look with "rouse status --watch", or let a script ask "rouse health": it ends with 1 on trouble';

/** Nobody is told by itself in this release, so the best answer is a warning. */
export function alarmLine({ daemon }: AlarmPath): DoctorLine {
  if (!daemon) return warn(WHAT, "no trouble would be noticed: the daemon is not running", "rouse up");
  const { sinceTickMs, isJudging, failures } = daemon;
  if (!isJudging)
    return fail(WHAT, "no trouble would be noticed: health.enabled is off", "switch it on, then: rouse down, rouse up");
  if (sinceTickMs === null) return warn(WHAT, "the daemon is just up and has not looked round yet", "ask again");
  if (sinceTickMs !== undefined && sinceTickMs > TICK_LATE_MS)
    return fail(
      WHAT,
      `trouble would be noticed late: the daemon finished its last round ${spell(sinceTickMs)} ago`,
      "look whether the machine is overloaded",
    );
  const kept = failures > 0 ? "judged but not kept, since the journal cannot be written" : "noticed and kept";
  return warn(
    WHAT,
    `trouble would be ${kept}, and shown to whoever looks; nobody is told: there is no channel yet`,
    LOOK,
  );
}
