/** Inputs of the operations on tasks; the service takes their types. */
import * as z from "zod";
import { agentField, requestIdField } from "./fields.js";
import { texts } from "./records.js";
import { decisionField, taskField, taskStatus } from "./task-records.js";

const name = z.string().max(200);
/** In a query string a list is one text. */
const commaList = z.union([z.array(name), z.string().transform((text) => text.split(",").filter((one) => one !== ""))]);
const queueFields = {
  project: name.optional(),
  kind: name.optional(),
  stage: name.optional(),
  tags: commaList.optional().describe("only tasks with all of these tags"),
};
const body = z.string().max(200_000);
const taskFields = {
  title: z.string().min(1).max(500),
  description: body,
  diagnosis: body.describe("what is known about the cause"),
  qa_requirements: body,
  steps: texts,
  project: name,
  kind: name,
  stage: name,
  priority: z.number().int().describe("higher is first"),
  score: z.number().nullable(),
  threshold: z.number().nullable().describe("a proposal with a lower score is not viable"),
  cycle: z.number().int().min(0),
  parent: z.number().int().nullable(),
  tags: texts,
  blocked_by: z.array(z.number().int()),
  workspace: z.string().max(4096).nullable().describe("folder in which the task is worked on"),
  max_continuations: z.number().int().min(0).max(100),
  check: texts.nullable().describe("command that verifies the work; only the user may set it, over the socket"),
};
const optionalFields = z.object(taskFields).partial().shape;
const holderFields = {
  agent: agentField
    .optional()
    .describe("default: the agent that the client runs in, or the only one that its token names"),
};
const errorField = z.string().max(20_000).optional();

export const TASK_INPUTS = {
  tasks: z.object({
    status: z
      .union([
        z.array(taskStatus),
        z
          .string()
          .transform((text) => text.split(","))
          .pipe(z.array(taskStatus)),
      ])
      .optional()
      .describe("default: all but done, failed and rejected"),
    ...queueFields,
    parent: taskField.optional(),
    worker: name.optional(),
    source: name.optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(200),
  }),
  task: z.object({ task: taskField }),
  next_task: z.object(queueFields),
  add_task: z.object({
    ...optionalFields,
    title: taskFields.title,
    status: z.enum(["proposed", "pending"]).optional(),
    source: name.optional().describe("where it comes from; with source_key, adding it again returns the existing task"),
    source_key: z.string().max(500).optional(),
  }),
  edit_task: z.object({
    task: taskField,
    ...optionalFields,
    attempts: z.number().int().min(0).optional(),
    last_error: z.string().nullable().optional(),
  }),
  comment_task: z.object({ task: taskField, text: z.string().min(1).max(20_000), ...holderFields }),
  decide_task: z.object({ task: taskField, decision: decisionField, error: errorField, result: errorField }),
  fork_task: z.object({
    task: taskField,
    at: z.number().int().min(1).describe("id of the checkpoint; the newest state that was kept until then is used"),
  }),
  claim_task: z.object({
    task: taskField.optional().describe("default: the next task of the queue"),
    ...queueFields,
    ...holderFields,
  }),
  release_task: z.object({
    task: taskField,
    reason: z.string().max(2000).default("released by its agent"),
    ...holderFields,
  }),
  finish_task: z.object({
    task: taskField,
    outcome: z.enum(["done", "failed", "blocked"]),
    error: errorField.describe("what blocks it, or why it failed"),
    result: errorField.describe("what was done"),
    ...holderFields,
  }),
  checkpoint: z.object({
    task: taskField.optional().describe("default: the task that the agent holds"),
    step: z.number().int().min(0).nullable().optional().describe("number of the completed step, counted from 1"),
    text: z.string().min(1).max(4000).describe("what was completed, such as: added the tRPC endpoint"),
    at: z.number().int().min(0).optional().describe("when it was reported, if it was stored meanwhile; milliseconds"),
    request_id: requestIdField,
    ...holderFields,
  }),
  locks: z.object({ project: name.optional() }),
  take_lock: z.object({
    project: name,
    name: name.min(1),
    lease_secs: z.number().positive().max(604_800).optional().describe("default: until it is released"),
    ...holderFields,
  }),
  release_lock: z.object({ project: name, name: name.min(1), ...holderFields }),
} as const;

export type TaskInput<Name extends keyof typeof TASK_INPUTS> = z.output<(typeof TASK_INPUTS)[Name]>;
