/**
 * Passes the messages of an inbox to a handler, in order. A handler that throws gets the message again after a growing
 * pause. After a number of attempts the message moves to the dead-letter inbox, so that it does not block later messages.
 * Errors are always reported.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "./error.js";
import type { MessageView } from "./operations/records.js";
import type { OutgoingMessage } from "./service/messages.js";

/** Message type of a dead letter. */
export const DEAD_LETTER = "dead_letter";

/** Inbox for messages that could not be handled. */
export const deadLetterInbox = (tag: string): string => `${tag}.dead`;

export interface DeadLetter {
  /** Cursor of the dead letter in its own inbox; `ack` takes it. */
  dead_cursor: number;
  /** Cursor of the message that could not be handled. */
  cursor: number;
  key: string;
  msg_type: string;
  from: string;
  at: string;
  tag: string;
  payload: unknown;
  /** Last error of the handler. */
  error: string;
  attempts: number;
}

export interface DeliverOptions {
  /** Inbox; default: watchdog.orchestrator_tag. */
  tag?: string;
  /** Called for each error of the handler, with the message, and of the connection to the daemon, with null. Default: a process warning. */
  onError?: (error: unknown, message: MessageView | null, attempt: number) => unknown;
  /** Called once for a message, before it moves to the dead-letter inbox. */
  onDeadLetter?: (message: MessageView, error: unknown) => unknown;
  /** Calls of the handler for one message before it becomes a dead letter. */
  attempts?: number;
  /** Pause after the first failure; it doubles up to a minute. */
  backoffMs?: number;
}

/** The part of the library that delivery needs. */
export interface Inbox {
  messages(which: { tag?: string; limit: number }): Promise<{ messages: MessageView[] }>;
  ack(upTo: number, tag: string): Promise<unknown>;
  send(message: OutgoingMessage): Promise<unknown>;
}

const PAGE = 100;
const POLL_MS = 500;
const ATTEMPTS = 8;
const BACKOFF_MS = 1000;
const BACKOFF_MAX_MS = 60_000;
const ERROR_MAX = 1000;

type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

const pauseFor: Pause = (ms, signal) =>
  sleep(ms, undefined, { signal }).catch(() => {
    // Closed: the caller checks the signal.
  });

export async function deliverMessages(
  inbox: Inbox,
  handler: (message: MessageView) => unknown,
  { tag, onError = warn, onDeadLetter, attempts = ATTEMPTS, backoffMs = BACKOFF_MS }: DeliverOptions,
  signal: AbortSignal,
  pause: Pause = pauseFor,
): Promise<void> {
  const backoff = (failures: number): number => Math.min(BACKOFF_MAX_MS, backoffMs * 2 ** (failures - 1));
  let lost = 0;
  while (!signal.aborted) {
    try {
      const { messages } = await inbox.messages({ ...(tag === undefined ? {} : { tag }), limit: PAGE });
      for (const message of messages) {
        const isHandled = await handle(message);
        if (!isHandled) return;
        await inbox.ack(message.cursor, message.target.tag);
      }
      lost = 0;
      if (messages.length < PAGE) await pause(POLL_MS, signal);
    } catch (error) {
      // The daemon is down or refused: unacknowledged messages are read again.
      await onError(error, null, ++lost);
      await pause(backoff(lost), signal);
    }
  }

  /** False if delivery was closed meanwhile. */
  async function handle(message: MessageView): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) return false;
      try {
        await handler(message);
        return true;
      } catch (error) {
        await onError(error, message, attempt);
        if (attempt >= attempts) {
          await onDeadLetter?.(message, error);
          await bury(inbox, message, error, attempt);
          return true;
        }
        await pause(backoff(attempt), signal);
      }
    }
  }
}

async function bury(inbox: Inbox, message: MessageView, error: unknown, attempts: number): Promise<void> {
  const { cursor, key, msg_type, from, at, target, payload } = message;
  const letter = { cursor, key, msg_type, from, at, tag: target.tag, error: textOf(error), attempts };
  const sent = { tag: deadLetterInbox(target.tag), type: DEAD_LETTER, key: `dead:${cursor}` };
  try {
    await inbox.send({ ...sent, payload: { ...letter, payload } });
  } catch (problem) {
    if (!(problem instanceof ApiError && problem.kind === "bad")) throw problem;
    // Too large together with the error. `messages({ all: true })` still returns the payload.
    await inbox.send({ ...sent, payload: { ...letter, payload: null } });
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, ERROR_MAX);

function warn(error: unknown, message: MessageView | null, attempt: number): void {
  const what = message === null ? "reading the inbox" : `message ${message.cursor} (${message.msg_type})`;
  process.emitWarning(`rouse: ${what} failed, attempt ${attempt}: ${textOf(error)}`);
}
