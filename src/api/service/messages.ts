/** Inboxes: read with a cursor, send, acknowledge. */
import { randomUUID } from "node:crypto";
import { MESSAGE_TYPES } from "../../core/notices/message.js";
import { isReservedName, isReservedType, ROUSE } from "../../core/reserved.js";
import { forOutput } from "../../core/text/for-output.js";
import { sanitize } from "../../core/text/sanitize.js";
import { type StoredMessage, shownKey } from "../../store/messages.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import type { MessageView } from "../operations/records.js";
import { checkOwner } from "./access.js";
import { iso, type ServiceContext } from "./context.js";

export interface OutgoingMessage {
  tag: string;
  type: string;
  payload: Record<string, unknown>;
  /** A message of the same sender with the same key is stored once. */
  key?: string | undefined;
}

const PAYLOAD_MAX = 16 * 1024;

export class MessageService {
  readonly #context: Pick<ServiceContext, "loop" | "journal" | "config">;

  constructor(context: Pick<ServiceContext, "loop" | "journal" | "config">) {
    this.#context = context;
  }

  /** Messages of an inbox, oldest first. */
  read({ tag, after, all, limit }: { tag?: string | undefined; after: number; all: boolean; limit: number }): {
    messages: MessageView[];
    cursor: number;
  } {
    const found = this.#context.journal.messages.read(this.#receiver(tag), after, all, limit);
    return { messages: found.map(messageView), cursor: found.at(-1)?.id ?? after };
  }

  /** In the name of the client, which has to own the inbox. */
  ack(identity: Identity, tag: string | undefined, upTo: number): { acked: number } {
    const { journal, loop } = this.#context;
    const receiver = this.#receiver(tag);
    checkOwner(identity, receiver, this.#receiver(undefined));
    return { acked: journal.messages.ack(receiver, upTo, loop.now(), identity.author) };
  }

  /** The sender is stored, so that a client's message cannot pass for one of rouse. */
  send(name: string, { tag, type, payload, key }: OutgoingMessage): { cursor: number } {
    const { journal, loop } = this.#context;
    if (isReservedType(type))
      throw new ApiError("bad", `msg_type: ${type} is reserved for rouse; use another type, such as note`);
    const safe = forOutputDeep(payload);
    if (JSON.stringify(safe).length > PAYLOAD_MAX)
      throw new ApiError("bad", "payload: too large; expected at most 16 kB");
    const sender = forOutput(name, 80);
    const stored = {
      receiver: tag,
      key: key ?? randomUUID(),
      type,
      sender: isReservedName(sender) ? `client ${sender}` : sender,
      at: loop.now(),
      payload: safe,
    };
    return { cursor: journal.messages.send(stored) };
  }

  inboxes(): {
    orchestrator_tag: string;
    inboxes: { tag: string; count: number; oldest: string }[];
    dropped: number;
  } {
    const { messages } = this.#context.journal;
    return {
      orchestrator_tag: this.#receiver(undefined),
      inboxes: messages.waiting().map(({ receiver, count, oldest }) => ({
        tag: sanitize(receiver, 200),
        count,
        oldest: iso(oldest),
      })),
      dropped: messages.dropped,
    };
  }

  #receiver(tag: string | undefined): string {
    return tag ?? this.#context.config.watchdog.orchestrator_tag;
  }
}

/** rouse's own messages are built by one function each, so their payload has the shape of their type. */
export function messageView({
  id,
  receiver,
  key,
  type,
  sender,
  at,
  payload,
  ackedAt,
  ackedBy,
}: StoredMessage): MessageView {
  const isNotice = sender === ROUSE && (MESSAGE_TYPES as readonly string[]).includes(type);
  return {
    cursor: id,
    key: shownKey(key),
    source: isNotice ? "rouse" : "client",
    msg_type: type,
    target: { tag: receiver },
    from: sender,
    at: iso(at),
    acked_at: ackedAt === null ? null : iso(ackedAt),
    acked_by: ackedBy,
    payload,
  } as MessageView;
}

const DEPTH_MAX = 8;
const WIDTH_MAX = 200;

/** Redacts and bounds every text and removes control bytes: an agent's message is as untrusted as its screen. */
function forOutputDeep(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return forOutput(value, 4000);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object" || depth >= DEPTH_MAX) return null;
  if (Array.isArray(value)) return value.slice(0, WIDTH_MAX).map((one) => forOutputDeep(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, WIDTH_MAX)
      .map(([name, one]) => [forOutput(name, 100), forOutputDeep(one, depth + 1)]),
  );
}
