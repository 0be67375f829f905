/** The answer of a model: the seed's schema, validated. An answer that does not fit is no opinion. */
import * as z from "zod";
import { DIAGNOSIS_ACTIONS, type DiagnosisAction } from "../config/diagnosis.js";
import { explainIssue } from "./explain-issue.js";

export const answerSchema = z.object({
  diagnosis: z.string().min(1).max(8000),
  slack_message: z.string().max(4000).nullish(),
  /** Any type: what rouse does not know is ignored, with a line in the record. */
  actions: z.array(z.looseObject({ type: z.string().max(200) })).max(50),
});

export type Answer = z.output<typeof answerSchema>;

const id = z.union([z.string().min(1).max(200), z.number()]).transform(String);
const reason = z.string().max(2000).default("");

const actionSchemas = {
  send_slack: z.object({ type: z.literal("send_slack"), message: z.string().min(1).max(4000) }),
  retrigger_job: z.object({ type: z.literal("retrigger_job"), job_id: id, reason }),
  reject_proposal: z.object({ type: z.literal("reject_proposal"), proposal_id: id, reason }),
  release_merge_lock: z.object({ type: z.literal("release_merge_lock"), project_id: id }),
  trigger_scout: z.object({ type: z.literal("trigger_scout"), project_id: id }),
  reset_job_attempts: z.object({ type: z.literal("reset_job_attempts"), job_id: id }),
} satisfies Record<DiagnosisAction, z.ZodType>;

const actionSchema = z.discriminatedUnion("type", [
  actionSchemas.send_slack,
  actionSchemas.retrigger_job,
  actionSchemas.reject_proposal,
  actionSchemas.release_merge_lock,
  actionSchemas.trigger_scout,
  actionSchemas.reset_job_attempts,
]);

export type RecommendedAction = z.output<typeof actionSchema>;
export type PipelineAction = Exclude<RecommendedAction, { type: "send_slack" }>;

/** JSON Schema of an answer, for runners that can enforce it. Strict: every field is required, and no other is accepted. */
export const ANSWER_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  additionalProperties: false,
  required: ["diagnosis", "slack_message", "actions"],
  properties: {
    diagnosis: { type: "string" },
    slack_message: { type: ["string", "null"] },
    actions: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["type", "message", "job_id", "proposal_id", "project_id", "reason"],
        properties: {
          type: { type: "string", enum: [...DIAGNOSIS_ACTIONS] },
          ...Object.fromEntries(
            ["message", "job_id", "proposal_id", "project_id", "reason"].map((name) => [
              name,
              { type: ["string", "null"] },
            ]),
          ),
        },
      },
    },
  },
};

/** What a runner is asked for. */
export interface AnswerFormat<T extends object> {
  /** JSON Schema, for runners that can enforce it. */
  schema: Readonly<Record<string, unknown>>;
  /** The answer, or what is wrong with it. */
  parse: (raw: unknown) => T | string;
}

export const parseAnswer = (raw: unknown): Answer | string => parseAs(answerSchema, raw);

export function parseAs<T extends object>(schema: z.ZodType<T>, raw: unknown): T | string {
  const value = typeof raw === "string" ? fromText(raw) : raw;
  if (value === undefined) return "the answer is not JSON";
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : explainIssue(parsed.error);
}

/** Small models put a sentence or a fence around the object. */
function fromText(text: string): unknown {
  for (const candidate of [text, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Not this part.
    }
  }
  return undefined;
}

/** The action with its own fields, or what is wrong with it. A strict schema makes models send the other fields as null. */
export function parseAction(value: Answer["actions"][number]): RecommendedAction | string {
  if (!(DIAGNOSIS_ACTIONS as readonly string[]).includes(value.type)) return "rouse does not know this action";
  const parsed = actionSchema.safeParse(
    Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)),
  );
  return parsed.success ? parsed.data : explainIssue(parsed.error);
}
