/** Watchdog timers: type a message into an agent at an interval. */
import * as z from "zod";
import { agentField } from "./fields.js";
import { operation } from "./operation.js";
import { watchdogRecord } from "./records.js";

export const WATCHDOGS = {
  watchdogs: operation({
    summary: "List the watchdog timers.",
    right: "read",
    method: "get",
    path: "/v1/watchdogs",
    input: z.object({}),
    output: z.object({ watchdogs: z.array(watchdogRecord) }),
    surfaces: { library: "watchdogs" },
    example: {},
    run: ({ timers }) => ({ watchdogs: timers.list() }),
  }),
  watchdog_start: operation({
    summary: "Start a timer that types a message into an agent whenever it is at its prompt.",
    right: "control",
    fromInside: "itself or workers",
    method: "post",
    path: "/v1/watchdogs",
    input: z.object({
      agent: agentField,
      interval_secs: z.number().min(5).max(86_400).default(30),
      message: z.string().min(1).max(2000).default("check"),
      on_messages: z.boolean().default(false).describe("type only when the inbox has new messages"),
      tag: z.string().min(1).max(200).optional().describe("inbox; default: watchdog.orchestrator_tag"),
    }),
    output: watchdogRecord,
    surfaces: { mcp: ["watchdog_start"], library: "startWatchdog" },
    example: { agent: "web", interval_secs: 3600, message: "check" },
    run: ({ timers }, input, client) => timers.start(client, input),
  }),
  watchdog_stop: operation({
    summary: "Stop the timer of an agent.",
    right: "control",
    fromInside: "itself or workers",
    method: "post",
    path: "/v1/watchdogs/stop",
    input: z.object({ agent: agentField }),
    output: z.object({ stopped: z.boolean() }),
    surfaces: { mcp: ["watchdog_stop"], library: "stopWatchdog" },
    example: { agent: "web" },
    run: ({ timers }, { agent }) => timers.stop(agent),
  }),
} as const;
