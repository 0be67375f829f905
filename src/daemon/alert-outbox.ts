/**
 * The outbox of the journal, with a second one in memory for alerts that the disk has no room for. Both are sent from,
 * and what is in memory is stored once that works, with the state of its delivery.
 */
import type { AlertState } from "../core/notices/alert.js";
import { type OutboxTable, openMemoryOutbox, type PlannedNotice, type StoredDelivery } from "../store/outbox.js";

export class AlertOutbox {
  readonly stored: OutboxTable;
  /** Null while everything is stored. */
  #memory: OutboxTable | null = null;

  constructor(stored: OutboxTable) {
    this.stored = stored;
  }

  /** Stores alerts, or keeps them in memory. */
  add(alerts: readonly PlannedNotice[]): void {
    try {
      this.stored.inOne(() => this.stored.put(alerts));
    } catch {
      this.keep(alerts);
    }
  }

  /** Keeps alerts that could not be stored. */
  keep(alerts: readonly PlannedNotice[]): void {
    const missing = alerts.filter(({ planned }) => !this.#isStored(planned.key));
    if (missing.length === 0) return;
    this.#memory ??= openMemoryOutbox();
    this.#memory.put(missing);
  }

  /** Stores what is in memory, if the disk has room again. */
  store(): void {
    try {
      this.#memory?.moveTo(this.stored);
      this.#memory = null;
    } catch {
      // The journal reports it.
    }
  }

  next(channel: string, now: number): StoredDelivery | null {
    return this.#memory?.next(channel, now) ?? this.stored.next(channel, now);
  }

  find(key: string, channel: string): StoredDelivery | null {
    return this.#memory?.find(key, channel) ?? this.stored.find(key, channel);
  }

  /** Alerts in memory are later than stored ones. */
  isOvertaken(delivery: StoredDelivery): boolean {
    const { key, channel, notice } = delivery;
    if (this.#memory?.find(key, channel)) return this.#memory.isOvertaken(delivery);
    return this.stored.isOvertaken(delivery) || (this.#memory?.isSentAbout(notice.subject, channel) ?? false);
  }

  settle(delivery: StoredDelivery, to: Parameters<OutboxTable["settle"]>[1]): void {
    const isInMemory = this.#memory?.find(delivery.key, delivery.channel) != null;
    (isInMemory && this.#memory ? this.#memory : this.stored).settle(delivery, to);
  }

  orphans(channels: readonly string[]): StoredDelivery[] {
    return [...this.stored.orphans(channels), ...(this.#memory?.orphans(channels) ?? [])];
  }

  states(): AlertState[] {
    return [...this.stored.states(), ...(this.#memory?.states() ?? [])];
  }

  /** A write may fail after it was done. */
  #isStored(key: string): boolean {
    try {
      return this.stored.has(key);
    } catch {
      return false;
    }
  }
}
