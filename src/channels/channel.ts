/** A channel: one way to reach a user. It formats and escapes a notice, sends it once, and returns the result. */
import type { Notice } from "../core/notices/alert.js";

export type DeliveryResult =
  | { result: "sent" }
  /** It may work later; `afterMs` if the receiver gave a time. */
  | { result: "retry"; reason: string; afterMs?: number }
  /** A retry cannot succeed. */
  | { result: "refused"; reason: string };

export interface Channel {
  readonly name: string;
  readonly type: string;
  /** The destination, without secrets. */
  readonly to: string;
  /** Minimum time between two sends, as the receiver requires. */
  readonly paceMs: number;
  /** Never throws, and ends soon after the signal. */
  send(notice: Notice, signal: AbortSignal): Promise<DeliveryResult>;
}

/** Time limit for a program that sends an alert. */
export const SEND_MS = 15_000;

export const retryDelivery = (reason: string, afterMs?: number): DeliveryResult =>
  afterMs === undefined ? { result: "retry", reason } : { result: "retry", reason, afterMs };
export const refusedDelivery = (reason: string): DeliveryResult => ({ result: "refused", reason });
export const SENT: DeliveryResult = { result: "sent" };
