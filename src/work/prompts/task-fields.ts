/** What a prompt says about a task: the fields of its templates, from the hub's record and the workspace. */
import { ROUSE_MARK } from "../../core/judgement/noise.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { Claim, HubEvent, TaskDetail } from "../../hub/hub.js";
import type { WorkspaceFacts } from "../workspace-facts.js";
import { readPrompt } from "./files.js";
import { type Fields, render } from "./template.js";

export interface TaskPromptInput {
  task: TaskDetail;
  /** Of this task, oldest first. */
  events: readonly HubEvent[];
  /** The claim that the new session holds. */
  claim: Pick<Claim, "fence" | "progressId">;
  workspace: WorkspaceFacts | null;
  directive: string;
  /** Set if the earlier session could not be proven ended. */
  mayStillRun: string | null;
  /** What other sources know of effects, such as a pull request. */
  effects: readonly string[];
  engine: "sqlite" | "postgresql";
  /** The file of `agent_progress` on SQLite. */
  progressFile: string;
  checkpointMinutes: number;
  stallMinutes: number;
}

const FIELD_MAX = 60_000;
const LINES_MAX = 40;
const LINE_MAX = 300;

/** Throws `TemplateError`. */
export function makeTaskPrompt(name: string, input: TaskPromptInput, config: string): string {
  const fields = taskFields(input);
  const part = (file: string): string => render(file, readPrompt(file, config).text, fields);
  const whole = { ...fields, checkpoint_rules: part("checkpoints"), finish_rules: part("finish") };
  const text = render(name, readPrompt(name, config).text, whole);
  // An override may have left it out; without it, the prompt could be taken for activity.
  return text.includes(ROUSE_MARK) ? text : `${text}\n\n${ROUSE_MARK}`;
}

function taskFields(input: TaskPromptInput): Fields {
  const { task, events, claim, workspace, directive, mayStillRun } = input;
  const done = new Set(task.completedSteps);
  const left = task.steps.map((_, index) => index + 1).filter((step) => !done.has(step));
  const before = task.claims.filter(({ fence }) => fence < claim.fence);
  const reports = task.checkpoints.filter(({ fence, source }) => fence < claim.fence && source !== "claim");
  const last = reports.at(-1);
  const lastStep = reports.findLast(({ step }) => step !== null && step > 0);
  return {
    id: String(task.id),
    title: line(task.title),
    description: text(task.description),
    diagnosis: text(task.diagnosis),
    qa: text(task.qa),
    steps: task.steps
      .map((step, index) => `${index + 1}. [${done.has(index + 1) ? "x" : " "}] ${line(step)}`)
      .join("\n"),
    completed_steps: numbers([...done].sort((a, b) => a - b)),
    remaining_steps: task.steps.length === 0 ? "the task has no numbered steps" : numbers(left),
    last_checkpoint: last ? `${time(last.at)}: ${line(last.text)}` : "none; nothing was reported",
    last_step: lastStep ? `${lastStep.step}: ${line(lastStep.text)}` : "none",
    start_at: startAt(task, left),
    continuation: String(task.continuations),
    max_continuations: String(task.maxContinuations),
    ended_because: endedBecause(before.at(-1), events),
    sessions: bullets(before.map((one) => sessionLine(one, task, events))),
    failed: bullets(failures(task, events)),
    commits: bullets((workspace?.commits ?? []).map(({ id, subject }) => `${id.slice(0, 10)} ${line(subject)}`)),
    files: bullets((workspace?.changed ?? []).map(line)),
    effects: bullets([...(workspace?.effects ?? []), ...input.effects].map(line)),
    directive: text(directive),
    warning: mayStillRun ?? "",
    checkpoint_minutes: String(input.checkpointMinutes),
    stall_minutes: String(input.stallMinutes),
    sql: indent(sqlFor(input)),
    mark: ROUSE_MARK,
  };
}

function startAt({ steps }: TaskDetail, left: readonly number[]): string {
  const [next] = left;
  if (steps.length === 0) return "Continue after the last checkpoint.";
  if (next === undefined) return "All steps are reported as completed: verify them, then finish.";
  return `Continue with step ${next}: ${line(steps[next - 1] ?? "")}`;
}

const ENDED: Readonly<Record<string, string>> = {
  done: "it reported the task as done",
  failed: "it reported a failure",
  blocked: "it reported a blocking error",
  released: "it gave the task back",
  abandoned: "it stopped working",
  expired: "its lease lapsed",
  taken_over: "another session took over",
  revoked: "the user ended it",
};

/** The reason of a take-over is kept with the claim that followed. */
function reasonOf({ fence }: Pick<Claim, "fence">, events: readonly HubEvent[]): string | null {
  const found = events.find(
    ({ kind, data }) =>
      (kind === "take_over" && data.fence === fence + 1) ||
      (["abandoned", "expired", "release", "fail", "block"].includes(kind) && data.fence === fence),
  );
  const reason = found?.data.reason ?? found?.data.error;
  return typeof reason === "string" && reason !== "" ? line(reason) : null;
}

function endedBecause(claim: Claim | undefined, events: readonly HubEvent[]): string {
  if (!claim) return "unknown";
  return reasonOf(claim, events) ?? ENDED[claim.ended ?? ""] ?? "unknown";
}

/** One line about a session: who, when, steps, end. */
export function sessionLine(claim: Claim, task: TaskDetail, events: readonly HubEvent[]): string {
  const own = task.checkpoints.filter(({ fence, source }) => fence === claim.fence && source !== "claim");
  const steps = [...new Set(own.flatMap(({ step }) => (step === null || step === 0 ? [] : [step])))];
  const last = own.at(-1);
  return [
    `${line(claim.agent)}, claimed ${time(claim.claimedAt)}`,
    steps.length > 0 ? `completed steps ${numbers(steps)}` : "completed no step",
    ...(last ? [`last checkpoint ${time(last.at)}: ${line(last.text)}`] : []),
    claim.endedAt === null ? "still holds the task" : `ended ${time(claim.endedAt)}: ${endedBecause(claim, events)}`,
  ].join("; ");
}

/** Errors of the task, each once. */
function failures(task: TaskDetail, events: readonly HubEvent[]): string[] {
  const found = events.flatMap(({ kind, data }) => {
    const reason = data.error ?? data.reason;
    return ["fail", "block", "abandoned", "expired", "take_over", "reported"].includes(kind) &&
      typeof reason === "string"
      ? [line(reason)]
      : [];
  });
  if (task.lastError) found.push(line(task.lastError));
  if (task.verification === "contradicted") found.push("the task's check contradicted a reported result");
  return [...new Set(found)];
}

function sqlFor({ claim, engine, progressFile }: TaskPromptInput): string {
  const where = `WHERE id = ${claim.progressId};`;
  return engine === "sqlite"
    ? `-- sqlite3 ${progressFile}\nUPDATE agent_progress\nSET last_checkpoint = CURRENT_TIMESTAMP,\n    last_step = 'Completed step 3: added the endpoint',\n    completed_steps = json_insert(completed_steps, '$[#]', 3)\n${where}`
    : `UPDATE rouse.agent_progress\nSET last_checkpoint = now(),\n    last_step = 'Completed step 3: added the endpoint',\n    completed_steps = completed_steps || '3'::jsonb\n${where}`;
}

/** What agents wrote is data: control bytes and line ends cannot change the shape of the prompt. */
const line = (value: string): string => sanitize(value.replace(/\s+/g, " "), LINE_MAX);
const text = (value: string): string =>
  value
    .slice(0, FIELD_MAX)
    .split(/\r?\n/)
    .map((one) => sanitize(one, FIELD_MAX))
    .join("\n")
    .trim();
const indent = (value: string): string => value.replace(/^/gm, "      ");
const numbers = (values: readonly number[]): string => (values.length === 0 ? "none" : values.join(", "));
const time = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ").concat(" UTC");

function bullets(lines: readonly string[]): string {
  const shown = lines.slice(0, LINES_MAX).map((one) => `- ${one}`);
  if (lines.length > LINES_MAX) shown.push(`- and ${lines.length - LINES_MAX} more`);
  return shown.join("\n");
}
