/** Routes of alerts: what became of them, the channels, and a test of each. */
import type { Hono } from "hono";
import * as z from "zod";
import type { Channel } from "../channels/channel.js";
import { otherNames } from "../config/suggest.js";
import type { Notice } from "../core/alert/alert.js";
import { digest } from "../core/digest.js";
import { plain } from "../core/plain.js";
import { say } from "../core/say.js";
import type { OutboxTable, StoredDelivery } from "../store/outbox.js";

export interface AlertRouteOptions {
  outbox: OutboxTable;
  channels: readonly Channel[];
  /** What is wrong with the configuration of channels. */
  notes: readonly string[];
  now: () => number;
}

export interface AlertView {
  key: string;
  channel: string;
  state: StoredDelivery["state"];
  edge: string;
  severity: string;
  at: string;
  /** When it is sent, or tried again; null when it is settled. */
  due_at: string | null;
  attempts: number;
  problem: string | null;
  title: string;
  lines: readonly string[];
  agents: readonly string[];
  incidents: readonly string[];
}

export interface AlertsStatus {
  channels: { name: string; type: string; to: string }[];
  pending: number;
  dead: number;
  /** The last that could not be sent. */
  dead_letters: AlertView[];
  /** Those that wait because an attempt failed. */
  failing: AlertView[];
  problems: string[];
}

const SHOWN_MAX = 5;
const TEST_MS = 20_000;
const listSchema = z.object({ limit: z.coerce.number().int().min(1).max(1000).default(50) });

export function addAlertRoutes(app: Hono, { outbox, channels, notes, now }: AlertRouteOptions): void {
  app.get("/v1/alerts", (c) => {
    const parsed = listSchema.safeParse(c.req.query());
    if (!parsed.success) return c.json({ error: "limit must be a number from 1 to 1000" }, 400);
    return c.json({ alerts: outbox.list(parsed.data.limit).map(alertView) });
  });
  app.get("/v1/alerts/status", (c) => {
    const recent = outbox.unsettled(SHOWN_MAX);
    const status: AlertsStatus = {
      channels: channels.map(({ name, type, to }) => ({ name, type, to: plain(to, 200) })),
      pending: outbox.count("pending"),
      dead: outbox.count("dead"),
      dead_letters: recent.filter(({ state }) => state === "dead").map(alertView),
      failing: recent.filter(({ state }) => state === "pending").map(alertView),
      problems: [...notes],
    };
    return c.json(status);
  });
  app.post("/v1/alerts/test/:channel", async (c) => {
    const name = c.req.param("channel");
    const channel = channels.find((one) => one.name === name);
    if (!channel) return c.json({ error: noChannel(name, channels, notes) }, 404);
    const sent = await channel.send(testNotice(name, now()), AbortSignal.timeout(TEST_MS));
    return c.json({
      channel: name,
      type: channel.type,
      to: plain(channel.to, 200),
      result: sent.result,
      reason: sent.result === "sent" ? null : say(sent.reason),
    });
  });
  app.post("/v1/alerts/retry", (c) => c.json({ revived: outbox.revive(now()) }));
  app.post("/v1/alerts/dismiss", (c) => c.json({ dismissed: outbox.dismiss(now()) }));
}

function noChannel(name: string, channels: readonly Channel[], notes: readonly string[]): string {
  const asked = JSON.stringify(plain(name, 80));
  const wrong = notes.find((note) => note.includes(`channels.${name}:`));
  if (wrong) return `the channel ${asked} is not used: ${plain(wrong)}`;
  if (channels.length === 0)
    return `no channel is configured; add [channels.${plain(name, 60)}] to your configuration, then: rouse down, rouse up`;
  return `there is no channel ${asked}; ${otherNames(
    name,
    channels.map((one) => one.name),
  )}`;
}

const testNotice = (channel: string, at: number): Notice => ({
  key: digest(`test ${channel} ${at}`),
  subject: `test:${at}`,
  kind: "test",
  edge: "test",
  severity: "info",
  at,
  title: "Watchdog: a test of this channel",
  lines: [`rouse can reach you over ${channel}.`, "Nothing is wrong: somebody ran rouse alert test."],
  agents: [],
  incidents: [],
});

const alertView = ({ key, channel, state, attempts, dueAt, problem, notice }: StoredDelivery): AlertView => ({
  key,
  channel: plain(channel, 80),
  state,
  edge: notice.edge,
  severity: notice.severity,
  at: new Date(notice.at).toISOString(),
  due_at: state === "pending" ? new Date(dueAt).toISOString() : null,
  attempts,
  problem,
  title: notice.title,
  lines: notice.lines,
  agents: notice.agents,
  incidents: notice.incidents,
});
