/** Routes of the inboxes: read with a cursor, send, acknowledge. */
import { randomUUID } from "node:crypto";
import type { Hono } from "hono";
import * as z from "zod";
import { say } from "../core/say.js";
import type { MessageTable, StoredMessage } from "../store/messages.js";
import { callerOf, findCaller } from "./callers.js";
import type { Loop } from "./loop.js";

export interface MessageRouteOptions {
  loop: Loop;
  messages: MessageTable;
  /** Where nothing else is said. */
  receiver: string;
}

export interface MessageView {
  /** Give it as `after` to read on, or as `up_to` to acknowledge. */
  cursor: number;
  key: string;
  msg_type: string;
  target: { tag: string };
  from: string;
  at: string;
  acked_at: string | null;
  payload: unknown;
}

const RECEIVER_MAX = 200;
export const PAYLOAD_MAX: number = 16 * 1024;

const readSchema = z.object({
  tag: z.string().min(1).max(RECEIVER_MAX).optional(),
  after: z.coerce.number().int().min(0).default(0),
  all: z.enum(["yes", "no"]).default("no"),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
const sendSchema = z.object({
  target: z.object({ tag: z.string().min(1).max(RECEIVER_MAX) }),
  msg_type: z
    .string()
    .regex(/^[a-z][a-z0-9_.-]{0,63}$/)
    .default("note"),
  payload: z.unknown(),
  /** The same key is the same message. */
  key: z.string().min(1).max(100).optional(),
});
const ackSchema = z.object({ tag: z.string().min(1).max(RECEIVER_MAX).optional(), up_to: z.int().min(0) });

export function addMessageRoutes(app: Hono, { loop, messages, receiver }: MessageRouteOptions): void {
  app.get("/v1/messages", (c) => {
    const parsed = readSchema.safeParse(c.req.query());
    if (!parsed.success)
      return c.json({ error: "tag is a tag, after a cursor, all yes or no, and limit at most 500" }, 400);
    const { tag = receiver, after, all, limit } = parsed.data;
    const found = messages.read(tag, after, all === "yes", limit);
    return c.json({ messages: found.map(messageView), cursor: found.at(-1)?.id ?? after });
  });
  app.post("/v1/messages", async (c) => {
    const parsed = sendSchema.safeParse(await c.req.json().catch(() => null));
    if (!parsed.success)
      return c.json({ error: "the body must be {target: {tag}, msg_type, payload}; a type is like worker.note" }, 400);
    const { target, msg_type, payload, key } = parsed.data;
    // What comes from an agent is as hostile as its screen, wherever it goes.
    const safe = sayable(payload);
    if (JSON.stringify(safe).length > PAYLOAD_MAX) return c.json({ error: "the payload is larger than 16 kB" }, 413);
    // Types of the watchdog's own are its alone: an agent must not speak in its name.
    if (/^(?:worker|watchdog)\./.test(msg_type))
      return c.json({ error: `${msg_type} is rouse's own; choose another type, such as note` }, 400);
    const caller = findCaller(loop, callerOf(c.req));
    const sender = caller === null ? "user" : say(caller.session.name, 80);
    const message = { receiver: target.tag, key: key ?? randomUUID(), type: msg_type, sender, at: loop.now() };
    return c.json({ ok: true, cursor: messages.send({ ...message, payload: safe }) });
  });
  app.post("/v1/messages/ack", async (c) => {
    const parsed = ackSchema.safeParse(await c.req.json().catch(() => null));
    if (!parsed.success) return c.json({ error: "the body must be {tag, up_to}" }, 400);
    const { tag = receiver, up_to } = parsed.data;
    return c.json({ acked: messages.ack(tag, up_to, loop.now()) });
  });
  app.get("/v1/inboxes", (c) =>
    c.json({
      inboxes: messages.waiting().map(({ receiver: tag, count, oldest }) => ({ tag, count, oldest: iso(oldest) })),
      dropped: messages.dropped,
    }),
  );
}

export const messageView = ({ id, receiver, key, type, sender, at, payload, ackedAt }: StoredMessage): MessageView => ({
  cursor: id,
  key,
  msg_type: type,
  target: { tag: receiver },
  from: sender,
  at: iso(at),
  acked_at: ackedAt === null ? null : iso(ackedAt),
  payload,
});

const DEPTH_MAX = 8;
const WIDTH_MAX = 200;

/** Every text of it redacted, bounded and without control bytes. */
export function sayable(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return say(value, 4000);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object" || depth >= DEPTH_MAX) return null;
  if (Array.isArray(value)) return value.slice(0, WIDTH_MAX).map((one) => sayable(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, WIDTH_MAX)
      .map(([name, one]) => [say(name, 100), sayable(one, depth + 1)]),
  );
}

const iso = (ms: number): string => new Date(ms).toISOString();
