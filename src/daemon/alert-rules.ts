/** Alert rules from the configuration: routes, quiet hours, reminders. */

import { Cron } from "croner";
import type { ChannelSettings } from "../config/channels.js";
import type { ConfigIssue } from "../config/issue.js";
import type { Config } from "../config/keys.js";
import { type AlertRoute, type AlertRules, type QuietHours, SEVERITIES, type Severity } from "../core/notices/alert.js";
import { ALERT_TIMING } from "./alert-timing.js";

export type ConfiguredRules = Omit<AlertRules, "patienceMs" | "tagsOf">;

const WINDOW = /^([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)$/;

/** Most reminders for one problem. */
const REMINDERS_MAX = 3;

/** An invalid setting is reported and holds no alert back: an alert at night is better than none. */
export function alertRules(
  { alerts, health }: Pick<Config, "alerts" | "health">,
  channels: readonly ChannelSettings[],
): { rules: ConfiguredRules; issues: ConfigIssue[] } {
  const issues: ConfigIssue[] = [];
  const complain = (name: string, text: string): null => {
    issues.push({ level: "error", where: `alerts.${name}`, text });
    return null;
  };
  const passes = severityOf(alerts.quiet_except);
  if (alerts.quiet_except !== "" && !passes) complain("quiet_except", `it must be one of ${SEVERITIES.join(", ")}`);
  const window = WINDOW.exec(alerts.quiet_hours.trim());
  const quiet =
    window !== null
      ? quietOf(window, passes)
      : alerts.quiet_hours === ""
        ? null
        : complain("quiet_hours", 'it must be two times such as "22:00-07:00"; nothing is held');
  if (alerts.digest !== "" && !isCron(alerts.digest))
    complain("digest", 'it must be a cron pattern such as "0 8 * * *"; no digest is sent');
  return {
    rules: {
      routes: channels.map(routeOf),
      fallback: channels.some(({ name }) => name === health.alert_channel) ? health.alert_channel : null,
      quiet,
      reminder: { everyMs: alerts.reminder_minutes * 60_000, max: REMINDERS_MAX },
      groupWaitMs: ALERT_TIMING.groupWaitMs,
      groupOver: ALERT_TIMING.groupOver,
    },
    issues,
  };
}

export function isCron(pattern: string): boolean {
  try {
    new Cron(pattern, { paused: true });
    return true;
  } catch {
    return false;
  }
}

const severityOf = (word: string): Severity | null => SEVERITIES.find((severity) => severity === word) ?? null;

const routeOf = ({ name, severity, agents, tags, problems, quiet }: ChannelSettings): AlertRoute => ({
  channel: name,
  severity,
  agents: agents ?? null,
  tags: tags ?? null,
  problems: problems ?? null,
  honoursQuiet: quiet,
});

function quietOf([, fromHour, fromMinute, toHour, toMinute]: RegExpExecArray, passes: Severity | null): QuietHours {
  return {
    from: Number(fromHour) * 60 + Number(fromMinute),
    to: Number(toHour) * 60 + Number(toMinute),
    passes,
    minuteOfDay: (at) => {
      const date = new Date(at);
      return date.getHours() * 60 + date.getMinutes();
    },
  };
}
