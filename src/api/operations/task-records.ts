/** Records of tasks, claims, checkpoints and locks, as the API returns them. */
import * as z from "zod";
import { TASK_STATUSES, TASK_TRANSITIONS } from "../../hub/task-states.js";
import { DECISIONS } from "./decisions.js";
import { texts, time } from "./records.js";

export const taskStatus = z.enum(TASK_STATUSES);
export const taskField = z.coerce.number().int().min(1).describe("number of the task");

export const decisionField = z
  .enum(DECISIONS)
  .describe(
    DECISIONS.map(
      (name) => `${name}: ${TASK_TRANSITIONS.find(({ operation }) => operation === name)?.description}`,
    ).join(" "),
  );

export const claimRecord = z.object({
  task: z.number(),
  fence: z.number().describe("grows with each claim; writes with an older one are refused"),
  node: z.string(),
  agent: z.string(),
  session: z.string(),
  lease_until: time,
  claimed_at: time,
  ended: z.string().nullable().describe("how the claim ended, such as done, released or taken_over; null while held"),
  ended_at: time.nullable(),
});

export const taskSummary = z.object({
  id: z.number(),
  title: z.string(),
  status: taskStatus,
  project: z.string(),
  kind: z.string(),
  stage: z.string(),
  priority: z.number().describe("higher is first"),
  tags: texts,
  steps: texts,
  completed_steps: z.array(z.number()).describe("numbers of the steps that a checkpoint named"),
  check: texts.nullable().describe("command that verifies the work"),
  score: z.number().nullable(),
  threshold: z.number().nullable(),
  cycle: z.number(),
  parent: z.number().nullable(),
  blocked_by: z.array(z.number()),
  waits_for: z.array(z.number()).describe("tasks of blocked_by that are not done"),
  workspace: z.string().nullable(),
  worker: z.string().nullable().describe("agent of the last claim"),
  attempts: z.number().describe("number of claims"),
  continuations: z.number(),
  max_continuations: z.number(),
  last_error: z.string().nullable(),
  verification: z.enum(["verified", "unverified", "contradicted"]).nullable(),
  result: z.string().nullable().describe("what the session that closed it reported"),
  source: z.string().nullable(),
  source_key: z.string().nullable(),
  author: z.string(),
  claim: claimRecord.nullable().describe("null while nothing holds it"),
  last_checkpoint: time.nullable(),
  last_step: z.string().nullable(),
  created_at: time,
  updated_at: time,
});

export const taskRecord = taskSummary.extend({
  description: z.string(),
  diagnosis: z.string(),
  qa_requirements: z.string(),
});

export const checkpointRecord = z.object({
  id: z.number(),
  task: z.number(),
  fence: z.number(),
  step: z.number().nullable(),
  text: z.string(),
  source: z.string(),
  inferred: z.boolean().describe("concluded by rouse from other evidence"),
  at: time,
});

export const commentRecord = z.object({ id: z.number(), author: z.string(), text: z.string(), at: time });

export const taskDetail = taskRecord.extend({
  claims: z.array(claimRecord).describe("oldest first"),
  checkpoints: z.array(checkpointRecord).describe("oldest first"),
  comments: z.array(commentRecord),
});

export const lockRecord = z.object({
  project: z.string(),
  name: z.string(),
  holder: z.string(),
  node: z.string(),
  task: z.number().nullable(),
  since: time,
  lease_until: time.nullable(),
});
