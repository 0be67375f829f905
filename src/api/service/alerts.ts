/** Alerts and their results, the channels, and test alerts. */
import { otherNames } from "../../config/suggest.js";
import { digest } from "../../core/digest.js";
import type { Notice } from "../../core/notices/alert.js";
import { forOutput } from "../../core/text/for-output.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { StoredDelivery } from "../../store/outbox.js";
import { ApiError } from "../error.js";
import type { ServiceContext } from "./context.js";

export interface AlertView {
  key: string;
  channel: string;
  state: Exclude<StoredDelivery["state"], "dead"> | "failed";
  event: string;
  severity: string;
  at: string;
  /** Time of the next attempt; null when it is settled. */
  due_at: string | null;
  attempts: number;
  error: string | null;
  title: string;
  lines: readonly string[];
  agents: readonly string[];
  incidents: readonly string[];
}

export interface AlertsStatus {
  channels: { name: string; type: string; to: string }[];
  pending: number;
  failed: number;
  /** The last alerts that could not be sent. */
  failed_alerts: AlertView[];
  /** Alerts that wait for another attempt. */
  failing: AlertView[];
  issues: string[];
}

export interface AlertTest {
  channel: string;
  type: string;
  to: string;
  result: "sent" | "retry" | "refused";
  reason: string | null;
}

type Channels = ServiceContext["channels"];

const SHOWN_MAX = 5;
const TEST_MS = 20_000;

export class AlertService {
  readonly #context: Pick<ServiceContext, "loop" | "journal" | "channels" | "channelNotes">;

  constructor(context: Pick<ServiceContext, "loop" | "journal" | "channels" | "channelNotes">) {
    this.#context = context;
  }

  list(limit: number): AlertView[] {
    return this.#context.journal.outbox.list(limit).map(alertView);
  }

  status(): AlertsStatus {
    const { outbox } = this.#context.journal;
    const recent = outbox.unsettled(SHOWN_MAX);
    return {
      channels: this.#context.channels.map(({ name, type, to }) => ({ name, type, to: sanitize(to, 200) })),
      pending: outbox.count("pending"),
      failed: outbox.count("dead"),
      failed_alerts: recent.filter(({ state }) => state === "dead").map(alertView),
      failing: recent.filter(({ state }) => state === "pending").map(alertView),
      issues: [...this.#context.channelNotes],
    };
  }

  async test(name: string): Promise<AlertTest> {
    const { channels, channelNotes, loop } = this.#context;
    const channel = channels.find((one) => one.name === name);
    if (!channel) throw new ApiError("unknown", noChannel(name, channels, channelNotes));
    const sent = await channel.send(testNotice(name, loop.now()), AbortSignal.timeout(TEST_MS));
    return {
      channel: name,
      type: channel.type,
      to: sanitize(channel.to, 200),
      result: sent.result,
      reason: sent.result === "sent" ? null : forOutput(sent.reason),
    };
  }

  retry(): { retried: number } {
    return { retried: this.#context.journal.outbox.revive(this.#context.loop.now()) };
  }

  dismiss(): { dismissed: number } {
    return { dismissed: this.#context.journal.outbox.dismiss(this.#context.loop.now()) };
  }
}

function noChannel(name: string, channels: Channels, notes: readonly string[]): string {
  const asked = JSON.stringify(sanitize(name, 80));
  const wrong = notes.find((note) => note.includes(`channels.${name}:`));
  if (wrong) return sanitize(wrong);
  if (channels.length === 0) return "no channel is configured; add one, for example with `rouse alert add desktop`";
  return `no channel named ${asked}; ${otherNames(
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
  title: "Watchdog: test alert",
  lines: [`rouse can reach you over ${channel}.`, "Nothing is wrong: a user ran `rouse alert test`."],
  agents: [],
  incidents: [],
});

const alertView = ({ key, channel, state, attempts, dueAt, error: problem, notice }: StoredDelivery): AlertView => ({
  key,
  channel: sanitize(channel, 80),
  state: state === "dead" ? "failed" : state,
  event: notice.edge,
  severity: notice.severity,
  at: new Date(notice.at).toISOString(),
  due_at: state === "pending" ? new Date(dueAt).toISOString() : null,
  attempts,
  error: problem,
  title: notice.title,
  lines: notice.lines,
  agents: notice.agents,
  incidents: notice.incidents,
});
