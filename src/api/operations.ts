/**
 * Everything a client can ask for, as one table: the right that it needs, what it takes, and which door leads to it. The
 * HTTP API and its document, the calls over the socket and the tools of MCP are made from it, so that a new row is guarded,
 * documented and bounded like all others.
 */
import * as z from "zod";
import type { Client, Right } from "../daemon/http/tokens.js";
import { leaving } from "./leaving.js";
import { ApiProblem } from "./problem.js";
import type { Service } from "./service.js";
import { SHAPES } from "./shapes.js";

export interface Operation<Input extends z.ZodObject = z.ZodObject> {
  right: Right;
  /** One sentence for people. */
  says: string;
  input: Input;
  answer: z.ZodObject;
  http: { method: "get" | "post"; path: string };
  run: (service: Service, input: z.output<Input>, client: Client) => unknown;
}

const operation = <Input extends z.ZodObject>(one: Operation<Input>): Operation => one as unknown as Operation;

const agent = z.string().min(1).max(200).describe("name, session id, or tmux pane id such as %3");
const tag = z.string().min(1).max(200);
const requestId = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe("any word of yours: the same one again does nothing twice and gives the first answer");
const yes = z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")]);

const MOMENT = "a time of ISO 8601, or milliseconds since 1970";
const moment = z
  .union(
    [z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)), z.coerce.number().min(0).max(8.64e15)],
    { error: `it must be ${MOMENT}` },
  )
  .describe(MOMENT);

export const OPERATIONS = {
  health: operation({
    right: "read",
    says: "Whether the daemon judges, and how far behind its journal is.",
    input: z.object({}),
    answer: SHAPES.health,
    http: { method: "get", path: "/v1/health" },
    run: (service) => service.health(),
  }),
  agents: operation({
    right: "read",
    says: "The agents that are watched, each with its state.",
    input: z.object({
      tag: z.string().max(200).optional(),
      name: z.string().max(200).optional(),
      health: z
        .enum(["healthy", "unhealthy"])
        .optional()
        .describe("unhealthy are also those that ended in a trouble that nobody has taken"),
      ended: yes.optional().describe("those that ended within a day, too"),
    }),
    answer: SHAPES.agents,
    http: { method: "get", path: "/v1/agents" },
    run: (service, input) => ({ agents: service.agents(input) }),
  }),
  status: operation({
    right: "read",
    says: "One agent: its state and cause, and the question that it waits with.",
    input: z.object({ agent }),
    answer: SHAPES.status,
    http: { method: "get", path: "/v1/agents/{agent}" },
    run: (service, input) => service.status(input.agent),
  }),
  why: operation({
    right: "read",
    says: "Why rouse says so: the evidence with ages and sources, what would change it, and the story so far.",
    input: z.object({ agent }),
    answer: SHAPES.why,
    http: { method: "get", path: "/v1/agents/{agent}/why" },
    run: (service, input) => service.why(input.agent),
  }),
  read_pane: operation({
    right: "read",
    says: "The last lines of an agent's terminal.",
    input: z.object({ agent, lines: z.coerce.number().int().min(1).max(500).default(40) }),
    answer: SHAPES.pane,
    http: { method: "get", path: "/v1/agents/{agent}/pane" },
    run: (service, input) => service.readPane(input.agent, input.lines),
  }),
  incidents: operation({
    right: "read",
    says: "Troubles that last, each with its reasons, what was done about it and what comes next.",
    input: z.object({
      agent: agent.optional(),
      all: yes.default(false).describe("those that are over, too"),
      since: moment.optional().describe("those that ended since then, too"),
    }),
    answer: SHAPES.incidents,
    http: { method: "get", path: "/v1/incidents" },
    run: (service, input) => ({ incidents: service.incidents(input) }),
  }),
  summary: operation({
    right: "read",
    says: "What happened since a moment.",
    input: z.object({
      since: moment,
    }),
    answer: SHAPES.summary,
    http: { method: "get", path: "/v1/summary" },
    run: (service, input) => service.summary(input.since),
  }),
  watchdogs: operation({
    right: "read",
    says: "The timers that say something to an agent again and again.",
    input: z.object({}),
    answer: SHAPES.watchdogs,
    http: { method: "get", path: "/v1/watchdogs" },
    run: (service) => ({ watchdogs: service.watchdogs() }),
  }),
  messages: operation({
    right: "read",
    says: "What waits in an inbox, oldest first, until it is acknowledged. Nothing does while all is well.",
    input: z.object({
      tag: tag.optional().describe("whose inbox; the orchestrator's (watchdog.orchestrator_tag) where it is left out"),
      after: z.coerce.number().int().min(0).default(0).describe("a cursor: only what came after it"),
      all: yes.default(false).describe("those that were acknowledged, too"),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    answer: SHAPES.messages,
    http: { method: "get", path: "/v1/messages" },
    run: (service, input) => service.messages(input),
  }),
  send_message: operation({
    right: "report",
    says: "Puts a message into an inbox, in your own name.",
    input: z.object({
      target: z.object({ tag }),
      msg_type: z
        .string()
        .regex(/^[a-z][a-z0-9_.-]{0,63}$/, "a type is like note or worker.stuck")
        .default("note"),
      payload: z.record(z.string(), z.unknown()).default({}),
      key: z.string().min(1).max(100).optional().describe("the same key is the same message: it is stored once"),
    }),
    answer: SHAPES.sent,
    http: { method: "post", path: "/v1/messages" },
    run: (service, { target, msg_type, payload, key }, { name }) =>
      service.send(name, { tag: target.tag, type: msg_type, payload, key }),
  }),
  ack_messages: operation({
    right: "report",
    says: "Acknowledges everything in an inbox up to a cursor.",
    input: z.object({ tag: tag.optional(), up_to: z.number().int().min(0) }),
    answer: SHAPES.acked,
    http: { method: "post", path: "/v1/messages/ack" },
    run: (service, input) => service.ack(input.tag, input.up_to),
  }),
  report: operation({
    right: "report",
    says: "What an agent says of itself.",
    input: z.object({
      agent: agent.optional(),
      cwd: z.string().max(4000).optional().describe("its folder, where no name is given"),
      state: z.enum(["working", "error", "complete", "needs_input"]).optional(),
      text: z.string().max(2000).optional(),
      heartbeat: z.boolean().optional().describe("proves life, never progress"),
    }),
    answer: SHAPES.reported,
    http: { method: "post", path: "/v1/report" },
    run: (service, { agent: name, cwd, ...report }) => service.report({ agent: name, cwd }, report),
  }),
  send_input: operation({
    right: "touch",
    says: "Types one line into an agent, then Enter. It is refused while a turn runs, a dialog is open, a draft stands there or a person types.",
    input: z.object({ agent, text: z.string().min(1).max(10_000), request_id: requestId }),
    answer: SHAPES.touched,
    http: { method: "post", path: "/v1/agents/{agent}/input" },
    run: (service, input, { name }) => service.sendInput(name, input.agent, input.text, input.request_id),
  }),
  stop: operation({
    right: "touch",
    says: "Ends an agent that rouse spawned, with all that it started: a checkpoint first, then SIGTERM, then the proof.",
    input: z.object({ agent, request_id: requestId }),
    answer: SHAPES.touched,
    http: { method: "post", path: "/v1/agents/{agent}/stop" },
    run: (service, input, { name }) => service.stop(name, input.agent, input.request_id),
  }),
  watchdog_start: operation({
    right: "touch",
    says: "Says a message to an agent every so many seconds, when it is at its prompt.",
    input: z.object({
      agent,
      interval_secs: z.number().min(5).max(86_400).default(30),
      message: z.string().min(1).max(2000).default("check"),
    }),
    answer: SHAPES.watchdog,
    http: { method: "post", path: "/v1/watchdogs" },
    run: (service, input, client) => service.watchdogStart(client, input.agent, input.interval_secs, input.message),
  }),
  watchdog_stop: operation({
    right: "touch",
    says: "Ends such a timer.",
    input: z.object({ agent }),
    answer: SHAPES.stopped,
    http: { method: "post", path: "/v1/watchdogs/stop" },
    run: (service, input) => service.watchdogStop(input.agent),
  }),
} as const;

export type OperationName = keyof typeof OPERATIONS;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** Asks for one thing. Throws `ApiProblem` when it cannot be had; what it returns may leave. */
export async function perform(service: Service, name: OperationName, input: unknown, client: Client): Promise<unknown> {
  const one = OPERATIONS[name];
  if (!client.rights.has(one.right))
    throw new ApiProblem("right", `this needs the right ${one.right}, which ${client.name} does not have`);
  const parsed = one.input.safeParse(input);
  if (!parsed.success) throw new ApiProblem("bad", complaintOf(parsed.error));
  return leaving(await one.run(service, parsed.data, client));
}

/** The first thing that is wrong, with the field that it is wrong in. */
function complaintOf({ issues }: z.ZodError): string {
  const [first] = issues;
  if (!first) return "the request makes no sense";
  const where = first.path.map(String).join(".");
  return where === "" ? `the request makes no sense: ${first.message}` : `${where}: ${first.message}`;
}
