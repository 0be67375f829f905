/** Several machines on one hub: nodes, their agents, commands for agents of other nodes. */
import * as z from "zod";
import { PHASES } from "../../core/incidents/incident.js";
import { STATES } from "../../core/states.js";
import { COMMAND_VERBS } from "../../hub/fleet.js";
import { operation } from "./operation.js";
import { moveField, texts, time } from "./records.js";

const fleetNode = z.object({
  name: z.string(),
  state: z
    .enum(["live", "lost", "stopped", "joined", "unknown"])
    .describe(
      "lost: its lease has lapsed; stopped: shut down; joined: never started; unknown: this node cannot reach the hub",
    ),
  is_self: z.boolean(),
  since: time.nullable().describe("since when it is lost or stopped"),
  version: z.string(),
  agents: z.number(),
  accepts_commands: z
    .boolean()
    .describe("this machine carries out commands of that node ([fleet] accept_commands_from)"),
});

export const fleetAgentRecord = z.object({
  id: z.string().describe("NAME@NODE"),
  name: z.string(),
  node: z.string(),
  session: z.string(),
  kind: z.string(),
  tags: texts,
  task: z.string().nullable(),
  state: z.enum(STATES).describe("unknown while its node or the hub cannot be reached"),
  cause: z.string().nullable(),
  move: moveField,
  question: z.string().nullable(),
  since: time,
  until: time.nullable(),
  doing: z.string(),
  reasons: texts,
  last_activity: time.describe("when its node last reported a change of it"),
  healthy: z.boolean(),
  ended_at: time.nullable(),
  incidents: z.array(
    z.object({
      id: z.string(),
      agent: z.string().describe("NAME@NODE"),
      problem: z.string(),
      phase: z.enum(PHASES),
      opened_at: time,
      reason: z.string(),
    }),
  ),
});

const idField = z.string().min(3).max(200).describe("NAME@NODE");

export const FLEET = {
  fleet: operation({
    summary: "Show the nodes of the fleet and their agents, as this node knows them.",
    right: "read",
    method: "get",
    path: "/v1/fleet",
    input: z.object({}),
    output: z.object({
      node: z.string().describe("this node"),
      hub: z.object({
        reachable: z.boolean(),
        silent_secs: z.number().nullable().describe("time since its last answer; null: none yet"),
        error: z.string().nullable(),
        waiting: z.number().describe("agents whose change is not on the hub yet"),
      }),
      brake: z.number().describe("nodes that were lost together: nothing is taken over; 0: the brake is off"),
      nodes: z.array(fleetNode),
      agents: z.array(fleetAgentRecord),
    }),
    surfaces: { library: "fleet", cli: ["fleet", "incidents", "status"] },
    example: {},
    run: ({ fleet }) => fleet.show(),
  }),
  fleet_agent: operation({
    summary: "Show one agent of the fleet.",
    right: "read",
    method: "get",
    path: "/v1/fleet/agents/{agent}",
    input: z.object({ agent: idField }),
    output: fleetAgentRecord,
    surfaces: { library: "fleetAgent", cli: ["why"] },
    example: { agent: "web@lab-2" },
    run: ({ fleet }, { agent }) => fleet.agent(agent),
  }),
  fleet_command: operation({
    summary:
      "Stop or recover an agent of another node: the command travels through the hub, and that node checks its own permissions. Nothing is typed.",
    right: "control",
    fromInside: "refused",
    method: "post",
    path: "/v1/fleet/commands",
    input: z.object({
      agent: idField,
      verb: z.enum(COMMAND_VERBS),
      dry_run: z.boolean().default(false).describe("recover: only report what would be done"),
      restart: z.boolean().default(false).describe("recover: stop the agent and start it again"),
    }),
    output: z.object({
      id: z.string(),
      agent: z.string(),
      verb: z.enum(COMMAND_VERBS),
      result: z
        .enum(["done", "refused", "failed", "unknown", "expired"])
        .describe("expired: not begun in time, and not carried out"),
      reason: z.string(),
    }),
    surfaces: { library: "fleetCommand", cli: ["recover", "stop"] },
    example: { agent: "web@lab-2", verb: "stop" },
    run: ({ fleet }, input, client) => fleet.command(client, input),
  }),
} as const;
