/** Agents: list, inspect, start, type into, recover, end. */
import * as z from "zod";
import { PROBLEMS } from "../../core/incidents/problem.js";
import { STATES } from "../../core/states.js";
import { agentField, booleanField, readyField, requestIdField } from "./fields.js";
import { operation } from "./operation.js";
import {
  actionName,
  agentRecord,
  evidenceRecord,
  incidentRecord,
  orderRecord,
  outcomeRecord,
  promptRecord,
  sessionRecord,
  stepRecord,
  texts,
  time,
  timelineRecord,
} from "./records.js";

const newNameField = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
const plannedStep = z.object({ do: actionName, say: z.string().nullable() });

export const AGENTS = {
  agents: operation({
    summary: "List the watched agents, each with its state.",
    right: "read",
    method: "get",
    path: "/v1/agents",
    input: z.object({
      tag: z.string().max(200).optional(),
      name: z.string().max(200).optional(),
      health: z
        .enum(["healthy", "unhealthy"])
        .optional()
        .describe("unhealthy includes ended agents with an unacknowledged problem"),
      ended: booleanField.optional().describe("include agents that ended within a day"),
      recent: booleanField
        .optional()
        .describe("include agents that ended: in the last 10 minutes, or with an unacknowledged problem"),
    }),
    output: z.object({ agents: z.array(agentRecord) }),
    surfaces: { mcp: ["get_worker_status"], library: "agents", cli: ["status", "health", "demo"] },
    example: { tag: "worker" },
    run: ({ agents }, input) => ({ agents: agents.list(input) }),
  }),
  status: operation({
    summary: "Show one agent: state, cause, and the question that it asks.",
    right: "read",
    method: "get",
    path: "/v1/agents/{agent}",
    input: z.object({ agent: agentField }),
    output: agentRecord.extend({
      pane_id: z.string().describe("same as session; other calls and tools accept it"),
      is_awaiting_input: z.boolean().describe("a prompt of the type input or login is open"),
      is_awaiting_confirmation: z
        .boolean()
        .describe("a prompt of the type permission, confirmation, plan or trust is open"),
      prompt: promptRecord.nullable().describe("the open question; null if there is none"),
    }),
    surfaces: { mcp: ["get_status"], library: "status", cli: ["health"] },
    example: { agent: "web" },
    run: ({ agents }, { agent }) => agents.status(agent),
  }),
  why: operation({
    summary: "Explain a verdict: evidence with age and source, what would change it, timeline, open incidents.",
    right: "read",
    method: "get",
    path: "/v1/agents/{agent}/why",
    input: z.object({ agent: agentField }),
    output: agentRecord.extend({
      evidence: z.array(evidenceRecord),
      changes: texts.describe("what would change the verdict"),
      timeline: z.array(timelineRecord),
      preview: texts.describe("last lines of the screen"),
      incidents: z.array(incidentRecord),
    }),
    surfaces: { mcp: ["why"], library: "why", cli: ["why"] },
    example: { agent: "web" },
    run: ({ agents }, { agent }) => agents.why(agent),
  }),
  read_pane: operation({
    summary: "Read the last lines of an agent's terminal.",
    right: "read",
    method: "get",
    path: "/v1/agents/{agent}/pane",
    input: z.object({ agent: agentField, lines: z.coerce.number().int().min(1).max(500).default(40) }),
    output: z.object({ agent: z.string(), pane_id: z.string(), lines: texts }),
    surfaces: { mcp: ["read_pane"], library: "readPane" },
    example: { agent: "web", lines: 20 },
    run: ({ agents }, { agent, lines }) => agents.readPane(agent, lines),
  }),
  sessions: operation({
    summary: "List the sessions of the running agents: command, process, terminal.",
    right: "read",
    method: "get",
    path: "/v1/sessions",
    input: z.object({}),
    output: z.object({ agents: z.array(sessionRecord) }),
    surfaces: { http: false, library: "sessions", cli: ["attach", "completions", "logs", "record", "stop", "type"] },
    example: {},
    run: ({ agents }) => ({ agents: agents.sessions() }),
  }),
  spawn: operation({
    summary: "Start an agent, detached, in a terminal of its own.",
    right: "control",
    fromInside: "orchestrators",
    audit: "handler",
    method: "post",
    path: "/v1/agents",
    input: z.object({
      command: z
        .array(z.string().max(100_000))
        .min(1)
        .max(10_000)
        .optional()
        .describe("program and arguments; no shell is used; with a preset only further arguments"),
      preset: z.string().max(63).optional().describe("a preset of the user's configuration: the program and its model"),
      as: z
        .string()
        .max(63)
        .optional()
        .describe(
          "an agent of the user's configuration ([agents.NAME]), started for the task with the id in task; with command, the name of an agent that is not configured",
        ),
      approach: z
        .enum(["same", "different"])
        .optional()
        .describe("with as: continue the earlier work, or try a different approach"),
      directive: z.string().max(20_000).optional().describe("with as: instructions added to its prompt"),
      worktree: z.boolean().optional().describe("with as: work in a git worktree of its own"),
      take_over: z
        .boolean()
        .optional()
        .describe("with as: also if an agent holds the task; it is stopped first, or refused if rouse cannot see it"),
      cwd: z.string().min(1).max(4000).describe("absolute path of the working folder"),
      name: newNameField
        .optional()
        .describe("a letter or digit, then letters, digits, dots, dashes and underscores; default: the program's name"),
      tags: z
        .array(z.string().regex(/^[^\s,]{1,100}$/))
        .max(100)
        .default([])
        .describe("tags, each without blanks and commas"),
      task: z.string().max(4000).optional(),
      kind: z.string().max(400).optional().describe("program, if the command name does not show it"),
      policy: z.string().max(400).optional(),
      env: z
        .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(100_000))
        .default({})
        .describe("variables added to the daemon's environment"),
      cols: z.number().int().min(20).max(1000).default(120),
      rows: z.number().int().min(4).max(1000).default(40),
      prompt: z.string().min(1).max(10_000).optional().describe("given to the agent as soon as it is ready for input"),
      timeout_secs: readyField,
      request_id: requestIdField,
    }),
    output: z.object({
      agent: z.string(),
      session: z.string(),
      pid: z.number(),
      prompt: orderRecord.nullable().describe("whether the prompt was given; null without a prompt"),
    }),
    surfaces: { mcp: ["spawn_agent"], library: "spawn" },
    example: { command: ["sh", "-c", "echo ready; sleep 600"], cwd: "/tmp", name: "demo", tags: ["worker"] },
    run: ({ starts }, input, client) => starts.spawn(client, input),
  }),
  send_input: operation({
    summary:
      "Type one line into an agent: wait until it is ready for input, type, press Enter, confirm that a turn started. Refused while a dialog is open or a draft is unsent, and if the agent does not become ready in time.",
    right: "control",
    fromInside: "workers",
    audit: "handler",
    method: "post",
    path: "/v1/agents/{agent}/input",
    input: z.object({
      agent: agentField,
      text: z.string().min(1).max(10_000).describe("line breaks become spaces"),
      enter: z.boolean().default(true).describe("false: leave the text in the composer"),
      timeout_secs: readyField,
      request_id: requestIdField,
    }),
    output: outcomeRecord,
    surfaces: { mcp: ["send_input"], library: "sendInput", cli: ["spawn", "type"] },
    example: { agent: "web", text: "continue", request_id: "nudge-1" },
    run: ({ agents }, { agent, text, ...options }, client) => agents.sendInput(client, agent, text, options),
  }),
  recover: operation({
    summary: "Run the recovery plan of an agent's problem now, up to the first step that has to wait.",
    right: "control",
    fromInside: "workers",
    audit: "handler",
    method: "post",
    path: "/v1/agents/{agent}/recover",
    input: z.object({
      agent: agentField,
      dry_run: z.boolean().default(false).describe("only report what would be done"),
      restart: z.boolean().default(false).describe("stop the agent and start it again"),
    }),
    output: z.object({
      agent: z.string(),
      state: z.enum(STATES),
      incident: z.string().nullable(),
      problem: z.enum(PROBLEMS).nullable().describe("such as silent_stream; null if the agent is healthy"),
      dry_run: z.boolean(),
      steps: z.array(stepRecord),
      reason: z.string().describe("why it ended there"),
      next: plannedStep.nullable(),
      next_check_at: time.nullable().describe("ISO 8601"),
      busy: z.boolean().describe("another action on this agent is under way; try again"),
    }),
    surfaces: { mcp: ["recover_agent"], library: "recover", cli: ["recover"] },
    example: { agent: "api", dry_run: true },
    run: ({ agents }, { agent, ...options }, client) => agents.recover(client, agent, options),
  }),
  stop: operation({
    summary:
      "End an agent that rouse spawned, with all its processes: checkpoint, SIGTERM, proof. Also one that waits for an answer.",
    right: "control",
    fromInside: "workers",
    audit: "handler",
    method: "post",
    path: "/v1/agents/{agent}/stop",
    input: z.object({ agent: agentField, request_id: requestIdField }),
    output: outcomeRecord,
    surfaces: { mcp: ["close_pane", "kill_session"], library: "stop" },
    example: { agent: "api" },
    run: ({ agents }, { agent, request_id }, client) => agents.stop(client, agent, request_id),
  }),
  rename: operation({
    summary: "Give a running agent another name. Its incidents, silences and permissions keep following it.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/agents/{agent}/rename",
    input: z.object({
      agent: agentField,
      name: newNameField.describe("a letter or digit, then letters, digits, dots, dashes and underscores"),
    }),
    output: z.object({ agent: z.string().describe("the new name"), before: z.string() }),
    surfaces: { library: "rename", cli: ["rename"] },
    example: { agent: "web", name: "frontend" },
    run: ({ agents }, { agent, name }) => agents.rename(agent, name),
  }),
} as const;
