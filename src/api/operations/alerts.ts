/** Alerts to people: what was sent, the channels, tests, and failed alerts. */
import * as z from "zod";
import { operation } from "./operation.js";
import { texts, time } from "./records.js";

export const alertRecord = z.object({
  key: z.string(),
  channel: z.string(),
  state: z.enum(["pending", "sent", "failed", "superseded", "dropped"]),
  event: z
    .string()
    .describe("what happened to the incident, such as opened or escalated; security for an alert about a client"),
  severity: z.string(),
  at: time,
  due_at: time.nullable().describe("time of the next attempt; null when no attempt is left"),
  attempts: z.number(),
  error: z.string().nullable().describe("why the last attempt failed"),
  title: z.string(),
  lines: texts.readonly(),
  agents: texts.readonly(),
  incidents: texts.readonly(),
});

export const ALERTS = {
  alerts: operation({
    summary: "List alerts, latest first, each with its result.",
    right: "read",
    method: "get",
    path: "/v1/alerts",
    input: z.object({ limit: z.coerce.number().int().min(1).max(1000).default(50) }),
    output: z.object({ alerts: z.array(alertRecord) }),
    surfaces: { library: "alerts", cli: ["alert"] },
    example: { limit: 10 },
    run: ({ alerts }, { limit }) => ({ alerts: alerts.list(limit) }),
  }),
  alert_status: operation({
    summary: "Show the alert channels, and the alerts that failed or wait.",
    right: "read",
    method: "get",
    path: "/v1/alerts/status",
    input: z.object({}),
    output: z.object({
      channels: z.array(z.object({ name: z.string(), type: z.string(), to: z.string() })),
      pending: z.number(),
      failed: z.number(),
      failed_alerts: z.array(alertRecord).describe("the last alerts that could not be sent"),
      failing: z.array(alertRecord).describe("alerts that wait for another attempt"),
      issues: texts,
    }),
    surfaces: { library: "alertStatus", cli: ["alert", "status", "doctor"] },
    example: {},
    run: ({ alerts }) => alerts.status(),
  }),
  test_alert: operation({
    summary: "Send a test alert over one channel and report the result.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/alerts/test",
    input: z.object({ channel: z.string().min(1).max(200) }),
    output: z.object({
      channel: z.string(),
      type: z.string(),
      to: z.string(),
      result: z.enum(["sent", "retry", "refused"]),
      reason: z.string().nullable(),
    }),
    surfaces: { library: "testAlert", cli: ["alert"] },
    example: { channel: "ops" },
    run: ({ alerts }, { channel }) => alerts.test(channel),
  }),
  retry_alerts: operation({
    summary: "Try failed alerts again.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/alerts/retry",
    input: z.object({}),
    output: z.object({ retried: z.number() }),
    surfaces: { library: "retryAlerts", cli: ["alert"] },
    example: {},
    run: ({ alerts }) => alerts.retry(),
  }),
  dismiss_alerts: operation({
    summary: "Dismiss failed alerts, so that they no longer appear in status and doctor.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/alerts/dismiss",
    input: z.object({}),
    output: z.object({ dismissed: z.number() }),
    surfaces: { library: "dismissAlerts", cli: ["alert"] },
    example: {},
    run: ({ alerts }) => alerts.dismiss(),
  }),
} as const;
