/**
 * Sends alerts from the outbox to their channels: one at a time per channel, each attempt with the same key. Before every
 * attempt it reads the outbox again, since a later alert may have superseded this one or a user may have acknowledged the
 * problem. Failed alerts are retried with growing pauses; the last failure is reported.
 */
import type { Channel, DeliveryResult } from "../channels/channel.js";
import { digest } from "../core/digest.js";
import type { Notice } from "../core/notices/alert.js";
import { forOutput } from "../core/text/for-output.js";
import type { DeliveryState, StoredDelivery } from "../store/outbox.js";
import type { AlertOutbox } from "./alert-outbox.js";

export interface AlertSenderOptions {
  outbox: AlertOutbox;
  channels: readonly Channel[];
  now: () => number;
  isWanted: (delivery: StoredDelivery) => boolean;
  retryMs: number;
  giveUpMs: number;
}

const BACKOFF_MAX_MS = 600_000;
const ERROR_CHARS = 200;
/** Attempts, also for an alert that quiet hours held back for long. */
const ATTEMPTS_MIN = 8;
/** When the daemon stops, it waits this long for a pending answer: without it the next daemon would send the alert again. */
const LAST_ANSWER_MS = 2000;

export class AlertSender {
  readonly #options: AlertSenderOptions;
  #channels: ReadonlyMap<string, Channel>;
  readonly #busy = new Set<string>();
  readonly #restsUntil = new Map<string, number>();
  /** Sent, but not yet recorded in the outbox, by key and channel. These are not sent again. */
  readonly #unsettled = new Map<string, StoredDelivery>();
  readonly #end = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #isSorted = false;
  #isEnding = false;

  constructor(options: AlertSenderOptions) {
    this.#options = options;
    this.#channels = byName(options.channels);
  }

  /** The user changed the channels. Alerts for a removed one wait for its return until the next start. */
  use(channels: readonly Channel[]): void {
    this.#channels = byName(channels);
  }

  /** Sends the alerts that are due. */
  pump(): void {
    if (this.#isEnding) return;
    try {
      this.#pump();
    } catch {
      // The outbox cannot be read or written: the journal reports it, and all alerts stay due.
    }
  }

  #pump(): void {
    const { outbox, now } = this.#options;
    for (const delivery of this.#unsettled.values()) this.#settleSent(delivery);
    if (!this.#isSorted) this.#sortOut();
    for (const channel of this.#channels.values()) {
      if (this.#busy.has(channel.name) || (this.#restsUntil.get(channel.name) ?? 0) > now()) continue;
      const delivery = outbox.next(channel.name, now());
      if (delivery) this.#begin(delivery, channel);
    }
  }

  /** Called once, at the start. */
  #sortOut(): void {
    for (const delivery of this.#options.outbox.orphans([...this.#channels.keys()]))
      this.#settle(delivery, "dead", `the channel ${delivery.channel} is no longer configured`);
    this.#isSorted = true;
  }

  /** Starts nothing more. An attempt that exceeds the time is aborted, and due again after the next start. */
  async close(withinMs: number = LAST_ANSWER_MS): Promise<void> {
    this.#isEnding = true;
    const limit = setTimeout(() => this.#end.abort(), withinMs);
    await Promise.allSettled(this.#underWay);
    clearTimeout(limit);
    for (const delivery of this.#unsettled.values()) this.#settleSent(delivery);
  }

  #begin(delivery: StoredDelivery, channel: Channel): void {
    this.#busy.add(channel.name);
    const work = this.#attempt(delivery, channel).finally(() => {
      this.#busy.delete(channel.name);
      this.#underWay.delete(work);
      if (channel.paceMs === 0) this.pump();
    });
    this.#underWay.add(work);
  }

  async #attempt({ key, channel: name }: StoredDelivery, channel: Channel): Promise<void> {
    try {
      const delivery = this.#options.outbox.find(key, name);
      if (delivery?.state !== "pending") return;
      if (this.#unsettled.has(idOf(delivery))) {
        // It stays first in the queue until the outbox can be written. Retrying at once would loop without end.
        this.#restsUntil.set(name, this.#options.now() + this.#options.retryMs);
        return;
      }
      if (this.#options.outbox.isOvertaken(delivery)) return this.#settle(delivery, "superseded", null);
      if (!this.#options.isWanted(delivery)) return this.#settle(delivery, "dropped", null);
      const sent = await this.#send(channel, delivery.notice);
      this.#restsUntil.set(name, this.#options.now() + channel.paceMs);
      // Aborted by the stop of the daemon: the result is unknown, and the next run sends it with the same key.
      if (sent.result !== "sent" && this.#end.signal.aborted) return;
      this.#take(delivery, sent);
    } catch {
      // As above.
      this.#restsUntil.set(name, this.#options.now() + this.#options.retryMs);
    }
  }

  async #send(channel: Channel, notice: Notice): Promise<DeliveryResult> {
    try {
      return await channel.send(notice, this.#end.signal);
    } catch (error) {
      return { result: "retry", reason: (error as Error).name };
    }
  }

  #take(delivery: StoredDelivery, sent: DeliveryResult): void {
    const { outbox, now, giveUpMs } = this.#options;
    if (sent.result === "sent") {
      this.#unsettled.set(idOf(delivery), delivery);
      this.#settleSent(delivery);
      return;
    }
    const attempts = delivery.attempts + 1;
    const isLate = attempts >= ATTEMPTS_MIN && now() - delivery.notice.at > giveUpMs;
    if (sent.result === "refused" || isLate) {
      this.#settle(delivery, "dead", sent.reason, 1);
      return;
    }
    outbox.settle(delivery, {
      state: "pending",
      attempts,
      dueAt: Math.ceil(now() + Math.max(sent.afterMs ?? 0, this.#backoff(delivery.key, attempts))),
      changedAt: now(),
      error: forOutput(sent.reason, ERROR_CHARS),
    });
  }

  /** Doubles, plus up to a fifth by the key, so that alerts that failed together are not retried together. */
  #backoff(key: string, attempts: number): number {
    const base = Math.min(this.#options.retryMs * 2 ** Math.min(attempts - 1, 20), BACKOFF_MAX_MS);
    return base * (1 + (Number.parseInt(digest(`${key} ${attempts}`).slice(0, 4), 36) % 100) / 500);
  }

  #settleSent(delivery: StoredDelivery): void {
    try {
      this.#settle(delivery, "sent", null, 1);
      this.#unsettled.delete(idOf(delivery));
    } catch {
      // It stays in the list and is recorded in the next round.
    }
  }

  #settle(delivery: StoredDelivery, state: DeliveryState, error: string | null, tries = 0): void {
    const at = this.#options.now();
    this.#options.outbox.settle(delivery, {
      state,
      attempts: delivery.attempts + tries,
      dueAt: delivery.dueAt,
      changedAt: at,
      error: error === null ? null : forOutput(error, ERROR_CHARS),
    });
  }
}

const byName = (channels: readonly Channel[]): ReadonlyMap<string, Channel> =>
  new Map(channels.map((channel) => [channel.name, channel]));

const idOf = ({ key, channel }: Pick<StoredDelivery, "key" | "channel">): string => `${channel} ${key}`;
