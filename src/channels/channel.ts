/** What a channel is: one way to reach a human. It formats and escapes in its own way, sends once, and says what came of it. */
import type { Notice } from "../core/notices/alert.js";

export type DeliveryResult =
  | { result: "sent" }
  /** It may work later; `afterMs` where the receiver said when. */
  | { result: "retry"; reason: string; afterMs?: number }
  /** It will never work like this. */
  | { result: "refused"; reason: string };

export interface Channel {
  readonly name: string;
  readonly type: string;
  /** Where it leads, without anything secret. */
  readonly to: string;
  /** Between two sends, as the receiver wants it. */
  readonly paceMs: number;
  /** Never throws, and ends soon after the signal is given. */
  send(notice: Notice, signal: AbortSignal): Promise<DeliveryResult>;
}

/** What a program that sends for us may take. */
export const SEND_MS = 15_000;

export const retryDelivery = (reason: string, afterMs?: number): DeliveryResult =>
  afterMs === undefined ? { result: "retry", reason } : { result: "retry", reason, afterMs };
export const refusedDelivery = (reason: string): DeliveryResult => ({ result: "refused", reason });
export const SENT: DeliveryResult = { result: "sent" };
