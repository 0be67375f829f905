/** The alerts that are named for each channel: one broken channel must not hide another. */
import type { AlertView } from "../../api/service/alerts.js";
import { sanitize } from "../../core/text/sanitize.js";

/** The first alert of each channel. */
export const firstOfEach = (alerts: readonly AlertView[]): AlertView[] =>
  alerts.filter(({ channel }, at) => alerts.findIndex((other) => other.channel === channel) === at);

/** "phone: the reason; ops: the reason". */
export const reasonsByChannel = (alerts: readonly AlertView[]): string =>
  firstOfEach(alerts)
    .map(({ channel, error: reason }) => `${channel}: ${sanitize(reason ?? "no reason given", 200)}`)
    .join("; ");
