/** Failed runs of agents with a known mistake, read from the published formats of Who&When, AgentRx and TRAIL. */
import * as z from "zod";

export interface FailedRun {
  id: string;
  task: string;
  /** In order; ids as the set names them. */
  steps: { id: string; agent: string; text: string }[];
  /** Steps with a mistake. Who&When and AgentRx name the decisive one, TRAIL names all. */
  mistakes: string[];
  /** Who made the decisive mistake; null if the set does not name agents. */
  agent: string | null;
}

export const PUBLIC_SETS = ["who-and-when", "agentrx", "trail"] as const;
export type PublicSet = (typeof PUBLIC_SETS)[number];

export interface ReadRuns {
  runs: FailedRun[];
  /** Objects that are neither a run nor a label of this set, or lack their other half. */
  skipped: number;
}

/** `objects`: every JSON object of the user's copy, from `.json` files and the lines of `.jsonl` files. */
export const readRuns = (set: PublicSet, objects: readonly unknown[]): ReadRuns => READERS[set](objects);

const text = z.unknown().transform((value) => (typeof value === "string" ? value : JSON.stringify(value ?? "")));
const id = z.union([z.string(), z.number()]).transform(String);

const whoAndWhen = z.object({
  question_ID: id.optional(),
  question: text,
  history: z.array(z.object({ content: text, role: z.string().default(""), name: z.string().optional() })).min(1),
  mistake_agent: z.string(),
  /** Counts from 0. */
  mistake_step: id,
});

function readWhoAndWhen(objects: readonly unknown[]): ReadRuns {
  const runs = objects.flatMap((object, index) => {
    const parsed = whoAndWhen.safeParse(object).data;
    if (!parsed) return [];
    const steps = parsed.history.map(({ content, role, name }, at) => ({
      id: String(at),
      agent: speakerOf(name ?? role),
      text: content,
    }));
    const mistakes = [parsed.mistake_step.trim()];
    const run = { id: parsed.question_ID ?? String(index), task: parsed.question, steps, mistakes };
    return [{ ...run, agent: speakerOf(parsed.mistake_agent) }];
  });
  return withKnownSteps(runs, objects.length);
}

/** The hand-crafted part writes "Orchestrator (-> WebSurfer)". */
const speakerOf = (name: string): string => name.replace(/ \(.*\)$/, "");

const trajectory = z.object({
  trajectory_id: id,
  instruction: text,
  /** `index` counts from 1. */
  steps: z
    .array(
      z.object({
        index: id,
        substeps: z.union([z.array(z.looseObject({ role: z.string().default(""), content: text })), z.string()]),
      }),
    )
    .min(1),
});

const trajectoryLabel = z.object({
  trajectory_id: id,
  failures: z.array(z.object({ failure_id: id, step_number: id, failed_agent: z.string().nullish() })).min(1),
  root_cause_failure_id: id,
});

function readAgentRx(objects: readonly unknown[]): ReadRuns {
  const trajectories = objects.flatMap((object) => trajectory.safeParse(object).data ?? []);
  const labels = objects.flatMap((object) => trajectoryLabel.safeParse(object).data ?? []);
  const runs = labels.flatMap(({ trajectory_id, failures, root_cause_failure_id: root }) => {
    // Labels of the retail part have the bare number of "tau_retail_12".
    const found = trajectories.find(
      (one) => one.trajectory_id === trajectory_id || one.trajectory_id.endsWith(`_${trajectory_id}`),
    );
    const cause = failures.find(({ failure_id }) => failure_id === root);
    if (!found || !cause) return [];
    const steps = found.steps.map(({ index, substeps }) => ({ id: index, ...stepOf(substeps) }));
    const { step_number, failed_agent } = cause;
    return [
      { id: found.trajectory_id, task: found.instruction, steps, mistakes: [step_number], agent: failed_agent ?? null },
    ];
  });
  return withKnownSteps(runs, labels.length + (objects.length - labels.length - trajectories.length));
}

/** Some substeps are one string. */
const stepOf = (substeps: z.output<typeof trajectory>["steps"][number]["substeps"]): { agent: string; text: string } =>
  typeof substeps === "string"
    ? { agent: "", text: substeps }
    : {
        agent: substeps[0]?.role ?? "",
        text: substeps.map(({ role, content }) => `${role}: ${content}`).join("\n"),
      };

interface Span {
  span_id: string;
  span_name: string;
  span_attributes: Record<string, unknown>;
  child_spans: Span[];
}

const span: z.ZodType<Span> = z.lazy(() =>
  z.object({
    span_id: z.string(),
    span_name: z.string().default(""),
    span_attributes: z.record(z.string(), z.unknown()).default({}),
    child_spans: z.array(span).default([]),
  }),
);

const trace = z.object({ trace_id: z.string(), spans: z.array(span).min(1) });
const traceLabel = z.object({ trace_id: z.string(), errors: z.array(z.object({ location: z.string() })) });

function readTrail(objects: readonly unknown[]): ReadRuns {
  const traces = objects.flatMap((object) => trace.safeParse(object).data ?? []);
  const labels = objects.flatMap((object) => traceLabel.safeParse(object).data ?? []);
  const runs = labels.flatMap(({ trace_id, errors }) => {
    const found = traces.find((one) => one.trace_id === trace_id);
    const mistakes = [...new Set(errors.map(({ location }) => location))];
    return found && mistakes.length > 0
      ? [{ id: trace_id, task: "", steps: found.spans.flatMap(stepsOfSpan), mistakes, agent: null }]
      : [];
  });
  return withKnownSteps(runs, labels.length + (objects.length - labels.length - traces.length));
}

function stepsOfSpan({ span_id, span_name, span_attributes, child_spans }: Span): FailedRun["steps"] {
  const said = ["input.value", "output.value"].flatMap((name) => {
    const value = span_attributes[name];
    return typeof value === "string" && value !== "" ? [`${name}: ${value}`] : [];
  });
  return [{ id: span_id, agent: span_name, text: said.join("\n") }, ...child_spans.flatMap(stepsOfSpan)];
}

/** A label that names no step of its run cannot be scored. */
function withKnownSteps(runs: readonly FailedRun[], wanted: number): ReadRuns {
  const known = runs.filter(({ steps, mistakes }) => mistakes.some((one) => steps.some((step) => step.id === one)));
  return { runs: known, skipped: wanted - known.length };
}

const READERS: Readonly<Record<PublicSet, (objects: readonly unknown[]) => ReadRuns>> = {
  "who-and-when": readWhoAndWhen,
  agentrx: readAgentRx,
  trail: readTrail,
};
