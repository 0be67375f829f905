/** The dashboard: signing in and out, and screens of an earlier time. */
import * as z from "zod";
import { RIGHTS } from "../../daemon/http/tokens.js";
import { agentField, timeField } from "./fields.js";
import { operation } from "./operation.js";
import { texts, time } from "./records.js";

export const WEB = {
  web_login: operation({
    summary: "Create a one-time login link for the dashboard, which expires in a minute.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/web/login",
    input: z.object({ rights: z.array(z.enum(RIGHTS)).min(1).max(RIGHTS.length).describe("of the session") }),
    output: z.object({ url: z.string(), expires_at: time }),
    surfaces: { http: false, cli: ["web"] },
    example: { rights: ["read"] },
    run: ({ web }, { rights }) => web.login(rights),
  }),
  client: operation({
    summary: "Show the name and the rights of the client that asks.",
    right: "read",
    method: "get",
    path: "/v1/client",
    input: z.object({}),
    output: z.object({
      name: z.string(),
      rights: texts,
      expires_at: time.nullable().describe("end of a session of the dashboard; null: no end"),
    }),
    example: {},
    run: ({ web }, _, client) => web.client(client),
  }),
  screen: operation({
    summary: "Show the text of an agent's screen at an earlier time, as far as it is kept.",
    right: "read",
    method: "get",
    path: "/v1/agents/{agent}/screen",
    input: z.object({ agent: agentField, at: timeField }),
    output: z.object({
      agent: z.string(),
      at: time.nullable().describe("when the terminal showed this; null if no screen of that time is kept"),
      source: z
        .enum(["output", "stored", "none"])
        .describe("output: drawn from kept output; stored: the screen at the last change of state before that time"),
      state: z.string().nullable().describe("state at that time, if a screen was stored with it"),
      cause: z.string().nullable(),
      lines: texts,
    }),
    surfaces: { library: "screen" },
    example: { agent: "web", at: "2026-01-01T00:00:00Z" },
    run: ({ web }, { agent, at }) => web.screen(agent, at),
  }),
  screens: operation({
    summary: "List the times at which an agent's screen was stored: every change of its state in the last 7 days.",
    right: "read",
    method: "get",
    path: "/v1/agents/{agent}/screens",
    input: z.object({ agent: agentField }),
    output: z.object({
      agent: z.string(),
      screens: z.array(z.object({ at: time, state: z.string(), cause: z.string().nullable() })),
    }),
    surfaces: { library: "screens" },
    example: { agent: "web" },
    run: ({ web }, { agent }) => web.screens(agent),
  }),
} as const;
