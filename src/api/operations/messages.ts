/** Messages: inboxes of orchestrators, read with a cursor and acknowledged. */
import * as z from "zod";
import { booleanField, tagField } from "./fields.js";
import { operation } from "./operation.js";
import { messageRecord, time } from "./records.js";

export const MESSAGES = {
  messages: operation({
    summary: "Read an inbox, oldest first, until it is acknowledged. It is empty while all agents are fine.",
    right: "read",
    method: "get",
    path: "/v1/messages",
    input: z.object({
      tag: tagField.optional().describe("inbox; default: watchdog.orchestrator_tag"),
      after: z.coerce.number().int().min(0).default(0).describe("cursor: only later messages"),
      all: booleanField.default(false).describe("include acknowledged messages"),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    output: z.object({ messages: z.array(messageRecord), cursor: z.number() }),
    surfaces: { mcp: ["poll_messages"], library: "messages", cli: ["messages"] },
    example: { tag: "orchestrator", limit: 20 },
    run: ({ messages }, input) => messages.read(input),
  }),
  send_message: operation({
    summary: "Put a message into an inbox, in your own name. The types worker.* and watchdog.* are reserved for rouse.",
    right: "report",
    fromInside: "allowed",
    method: "post",
    path: "/v1/messages",
    input: z.object({
      target: z.object({ tag: tagField }),
      msg_type: z
        .string()
        .regex(/^[a-z][a-z0-9_.-]{0,63}$/)
        .default("note")
        .describe("lower-case letters, digits, dots, dashes and underscores, such as note"),
      payload: z.record(z.string(), z.unknown()).default({}).describe("a JSON object of at most 16 kB"),
      key: z.string().min(1).max(100).optional().describe("a message of yours with the same key is stored once"),
    }),
    output: z.object({ cursor: z.number() }),
    surfaces: { mcp: ["send_orchestration"], library: "send", cli: ["messages"] },
    example: { target: { tag: "ops" }, msg_type: "note", payload: { text: "build is green" } },
    run: ({ messages }, { target, msg_type, payload, key }, client) =>
      messages.send(client.name, { tag: target.tag, type: msg_type, payload, key }),
  }),
  ack_messages: operation({
    summary: "Acknowledge all messages of an inbox up to a cursor. Only its owner may.",
    right: "report",
    fromInside: "allowed",
    method: "post",
    path: "/v1/messages/ack",
    input: z.object({ tag: tagField.optional(), up_to: z.number().int().min(0) }),
    output: z.object({ acked: z.number() }),
    surfaces: { mcp: ["poll_messages"], library: "ack", cli: ["messages"] },
    example: { tag: "ops", up_to: 1 },
    run: ({ messages }, { tag, up_to }, identity) => messages.ack(identity, tag, up_to),
  }),
  inboxes: operation({
    summary: "List the inboxes with unacknowledged messages.",
    right: "read",
    method: "get",
    path: "/v1/inboxes",
    input: z.object({}),
    output: z.object({
      orchestrator_tag: z.string().describe("default inbox (watchdog.orchestrator_tag)"),
      inboxes: z.array(z.object({ tag: z.string(), count: z.number(), oldest: time })),
      dropped: z.number().describe("unread messages dropped for lack of room"),
    }),
    surfaces: { library: "inboxes" },
    example: {},
    run: ({ messages }) => messages.inboxes(),
  }),
} as const;
