/** A labelled incident: what happened, what may be done about it, and what was observed. */
import * as z from "zod";
import { DIAGNOSIS_ACTIONS } from "../../config/diagnosis.js";
import { PROBLEMS } from "../../core/incidents/problem.js";
import type { Signal } from "../../core/signal.js";
import { explainIssue } from "../../diagnosis/explain-issue.js";
import { parsePipeline } from "../../diagnosis/pipeline.js";
import { parseSignal } from "../../readers/signal-schema.js";

/** The menu: a diagnosis names one of these. */
export const CAUSES: readonly string[] = [...PROBLEMS, "none"];

const WITH_TARGET: ReadonlySet<string> = new Set(DIAGNOSIS_ACTIONS.filter((name) => name !== "send_slack"));

/** `none`, `send_slack`, or an action on the pipeline with its target. */
const action = z.string().refine((text) => {
  const [name = "", target] = text.split(" ");
  return target === undefined ? text === "none" || text === "send_slack" : WITH_TARGET.has(name) && target !== "";
}, "expected none, send_slack, or an action with its target");

const signalRow = z.looseObject({ t: z.number() }).transform(({ t, ...signal }, context): Signal => {
  const parsed = parseSignal({ ...signal, at: t * 1000 });
  if (parsed) return parsed;
  context.addIssue({ code: "custom", message: "not a signal" });
  return z.NEVER;
});

const agent = z.object({
  name: z.string().min(1),
  kind: z.string().min(1),
  task: z.string().nullable().default(null),
  seconds: z.number().positive(),
  /** `at` counts from 0. */
  signals: z.array(signalRow),
  output: z.array(z.string()).default([]),
});

const pipeline = z.unknown().transform((value, context) => {
  const parsed = parsePipeline(value);
  if (typeof parsed !== "string") return parsed;
  context.addIssue({ code: "custom", message: parsed });
  return z.NEVER;
});

const incidentRow = z
  .object({
    id: z.string().min(1),
    cause: z.enum(CAUSES as [string, ...string[]]),
    /** The right ones, the best one first. */
    actions: z.array(action).min(1),
    /** Not right, and they do no damage. */
    harmless: z.array(action).default([]),
    /** A case folder, relative to the file. */
    recording: z.string().optional(),
    /** Ends the recording early. */
    seconds: z.number().positive().optional(),
    agents: z.array(agent).default([]),
    settings: z.record(z.string(), z.number()).default({}),
    pipeline: pipeline.optional(),
    at: z.iso
      .datetime({ offset: true })
      .transform((iso) => Date.parse(iso))
      .optional(),
  })
  .refine(
    ({ recording, at }) => recording !== undefined || at !== undefined,
    "an incident without a recording needs `at`",
  );

export type LabelledIncident = z.output<typeof incidentRow>;
export type LabelledAgent = z.output<typeof agent>;

/** The incident, or what is wrong with the row. */
export function parseIncident(row: unknown): LabelledIncident | string {
  const parsed = incidentRow.safeParse(row);
  return parsed.success ? parsed.data : explainIssue(parsed.error);
}
