/** The doctor's look at rouse's own alarm path: what would happen if an agent got into problem now. */

import type { AlertsStatus } from "../../../api/service/alerts.js";
import { formatDuration } from "../../../core/text/duration.js";
import { sanitize } from "../../../core/text/sanitize.js";
import { type DoctorLine, failLine, okLine, warnLine } from "./line.js";

export interface AlarmPath {
  /** Null where no daemon answers. */
  daemon: {
    /** Milliseconds since its last finished round; null before the first, undefined where it does not tell. */
    sinceTickMs: number | null | undefined;
    /** Judging is switched on. */
    isJudging: boolean;
    /** Writes to its journal that failed. */
    failures: number;
    /** Who is told; null where it does not say. */
    alerts: AlertsStatus | null;
  } | null;
}

/** The loop looks up every second; one that missed so much is held up, and with it every verdict. */
const TICK_LATE_MS = 10_000;
const WHAT = "alarm path";
const CHECK = 'add a [channels.NAME] to your configuration, or look with "rouse status --watch"';

/** Where nobody would be told, the best answer is a warning. */
export function alarmLine({ daemon }: AlarmPath): DoctorLine {
  if (!daemon) return warnLine(WHAT, "no problem would be noticed: the daemon is not running", "rouse up");
  const { sinceTickMs, isJudging, failures, alerts } = daemon;
  if (!isJudging)
    return failLine(
      WHAT,
      "no problem would be noticed: health.enabled is off",
      "switch it on, then: rouse down, rouse up",
    );
  if (sinceTickMs === null) return warnLine(WHAT, "the daemon is just up and has not looked round yet", "ask again");
  if (sinceTickMs !== undefined && sinceTickMs > TICK_LATE_MS)
    return failLine(
      WHAT,
      `problem would be noticed late: the daemon finished its last round ${formatDuration(sinceTickMs)} ago`,
      "look whether the machine is overloaded",
    );
  const kept = failures > 0 ? "judged but not kept, since the journal cannot be written" : "noticed and kept";
  if (!alerts || alerts.channels.length === 0)
    return warnLine(
      WHAT,
      `problem would be ${kept}, and shown to whoever looks; nobody is told: there is no channel`,
      CHECK,
    );
  const names = alerts.channels.map(({ name, type }) => `${name} (${type})`).join(", ");
  const reported = `problem would be ${kept}, and told over ${names}`;
  const [failing] = alerts.failing;
  if (failing) return warnLine(WHAT, `${reported}; ${failing.channel} fails: ${failing.error ?? "no reason"}`, TRY);
  return failures > 0 ? warnLine(WHAT, reported, "look at the journal above") : okLine(WHAT, reported);
}

const TRY = 'try it with "rouse alert test CHANNEL"';

/** What could not be told, and what is wrong with the channels: a lost alert is the worst failure of all. */
export function alertLines(alerts: AlertsStatus | null): DoctorLine[] {
  if (!alerts) return [];
  const [last] = alerts.dead_letters;
  return [
    ...alerts.issues.map((issue) => failLine("channel", sanitize(issue), "correct it, then: rouse down, rouse up")),
    ...(alerts.dead > 0
      ? [
          failLine(
            "alerts",
            `${alerts.dead} could not be sent; the last: ${last?.channel ?? ""}: ${sanitize(last?.error ?? "")}`,
            "rouse alert list shows them; rouse alert retry tries again, rouse alert dismiss forgets them",
          ),
        ]
      : []),
  ];
}
