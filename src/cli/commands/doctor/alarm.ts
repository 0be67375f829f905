/** Checks the alert path: whether a problem would be detected, recorded and sent. */

import type { AlertsStatus } from "../../../api/service/alerts.js";
import { formatDuration } from "../../../core/text/duration.js";
import { sanitize } from "../../../core/text/sanitize.js";
import { reasonsByChannel } from "../../text/by-channel.js";
import { type DoctorLine, failLine, okLine, warnLine } from "./line.js";

export interface AlarmPath {
  /** Null if no daemon answers. */
  daemon: {
    /** Milliseconds since its last finished round; null before the first, undefined if not reported. */
    sinceTickMs: number | null | undefined;
    isJudging: boolean;
    /** Writes to its journal that failed. */
    failures: number;
    /** Null if not reported. */
    alerts: AlertsStatus | null;
  } | null;
}

/** The loop runs every second; one that is this late delays every verdict. */
const TICK_LATE_MS = 10_000;
const WHAT = "alerting";
const CHECK = "add a [channels.NAME] section to your configuration, or watch with `rouse status --watch`";

/** Without a channel, the best result is a warning. */
export function alarmLine({ daemon }: AlarmPath): DoctorLine {
  if (!daemon) return warnLine(WHAT, "problems are not detected: the daemon is not running", "run `rouse up`");
  const { sinceTickMs, isJudging, failures, alerts } = daemon;
  if (!isJudging)
    return failLine(
      WHAT,
      "problems are not detected: health.enabled is off",
      "turn it on, then run `rouse down` and `rouse up`",
    );
  if (sinceTickMs === null)
    return warnLine(WHAT, "the daemon has just started and has not checked any agent yet", "run `rouse doctor` again");
  if (sinceTickMs !== undefined && sinceTickMs > TICK_LATE_MS)
    return failLine(
      WHAT,
      `problems are detected late: the daemon finished its last round ${formatDuration(sinceTickMs)} ago`,
      "check whether the machine is overloaded",
    );
  const kept = failures > 0 ? "detected but not recorded (the journal cannot be written)" : "recorded";
  if (!alerts || alerts.channels.length === 0)
    return warnLine(WHAT, `problems are ${kept}, but no alert channel is configured: no notification is sent`, CHECK);
  const names = alerts.channels.map(({ name, type }) => `${name} (${type})`).join(", ");
  const reported = `problems are ${kept} and sent to ${names}`;
  if (alerts.failing.length > 0)
    return warnLine(WHAT, `${reported}; failing: ${reasonsByChannel(alerts.failing)}`, TRY);
  return failures > 0 ? warnLine(WHAT, reported, "see the journal line above") : okLine(WHAT, reported);
}

const TRY = "test it with `rouse alert test CHANNEL`";

/** Failed alerts and errors of channels; a lost alert is the worst failure. */
export function alertLines(alerts: AlertsStatus | null): DoctorLine[] {
  if (!alerts) return [];
  return [
    ...alerts.issues.map((issue) =>
      failLine("channel", sanitize(issue), "fix it, then run `rouse down` and `rouse up`"),
    ),
    ...(alerts.failed > 0
      ? [
          failLine(
            "alerts",
            `${alerts.failed} could not be sent; ${reasonsByChannel(alerts.failed_alerts)}`,
            "list them with `rouse alert list`, then run `rouse alert retry` or `rouse alert dismiss`",
          ),
        ]
      : []),
  ];
}
