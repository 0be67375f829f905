/**
 * The state of a pipeline as plain data: jobs, proposals, locks, events. It comes from the hub, or from a project's own
 * `context` command as JSON; rules and preconditions read nothing else.
 */
import * as z from "zod";
import { explainIssue } from "./explain-issue.js";

const word = z.string().max(200);
const text = z.string().max(4000);
const id = z.union([z.string().min(1).max(200), z.number()]).transform(String);
/** Milliseconds since 1970, from an ISO 8601 time or a number. */
const time = z.union([z.number(), z.iso.datetime({ offset: true }).transform((iso) => Date.parse(iso))]);

const JOB_STATUSES = ["pending", "processing", "blocked", "done", "failed"] as const;
/** Words of other pipelines. */
const OTHER_STATUSES: Readonly<Record<string, (typeof JOB_STATUSES)[number]>> = {
  in_progress: "processing",
  running: "processing",
  completed: "done",
  queued: "pending",
};
const jobStatus = z.preprocess(
  (value) => (typeof value === "string" ? (OTHER_STATUSES[value] ?? value) : value),
  z.enum(JOB_STATUSES),
);

const job = z.object({
  id,
  project: word.default(""),
  kind: word.default(""),
  title: text.default(""),
  status: jobStatus,
  worker: word.nullable().default(null),
  /** Null: unknown. */
  worker_alive: z.boolean().nullable().default(null),
  /** Last proof that the worker was alive. */
  worker_seen: time.nullable().default(null),
  attempts: z.number().default(0),
  error: text.nullable().default(null),
  /** The proposal that it builds. */
  proposal: id.nullable().default(null),
  cycle: z.number().nullable().default(null),
  /** Of a finished job: number of changes that it made. */
  changes: z.number().nullable().default(null),
  updated: time.nullable().default(null),
});

const proposal = z.object({
  id,
  project: word.default(""),
  title: text.default(""),
  /** `proposed` and `approved` are in flight. */
  status: word,
  score: z.number().nullable().default(null),
  threshold: z.number().nullable().default(null),
  cycle: z.number().nullable().default(null),
  updated: time.nullable().default(null),
});

/** Null: unknown. */
const holder_alive = z.boolean().nullable().default(null);

const lock = z.object({
  project: word,
  name: word.default("merge"),
  holder: word.default(""),
  since: time,
  holder_alive,
});

const event = z.object({ at: time, kind: word, text: text.default("") });

const LIST_MAX = 5000;

const pipelineSchema = z.object({
  stage: word.nullable().default(null),
  jobs: z.array(job).max(LIST_MAX).default([]),
  proposals: z.array(proposal).max(LIST_MAX).default([]),
  locks: z.array(lock).max(LIST_MAX).default([]),
  events: z.array(event).max(LIST_MAX).default([]),
  /** What else explains the pipeline, such as the product context. */
  notes: z.array(text).max(LIST_MAX).default([]),
});

export type Pipeline = z.output<typeof pipelineSchema>;
export type Job = Pipeline["jobs"][number];
export type Proposal = Pipeline["proposals"][number];

export const NO_PIPELINE: Pipeline = { stage: null, jobs: [], proposals: [], locks: [], events: [], notes: [] };

/** The pipeline, or what is wrong with the JSON. */
export function parsePipeline(value: unknown): Pipeline | string {
  const parsed = pipelineSchema.safeParse(value);
  return parsed.success ? parsed.data : explainIssue(parsed.error);
}
