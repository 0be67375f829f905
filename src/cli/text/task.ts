/** Tasks as text: a table, and one task in full. */
import type { TaskDetailView, TaskSummaryView } from "../../api/service/task-views.js";
import { localZone } from "../../config/local-zone.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitize } from "../../core/text/sanitize.js";
import { clockTime } from "../../core/text/when.js";
import { type Column, tableText } from "./table.js";
import { columnsOf, foldLine } from "./width.js";

type Screen = { columns?: number | undefined };

const when = (iso: string, now: number): string => clockTime(Date.parse(iso), now, localZone());
const age = (iso: string, now: number): string => formatDuration(Math.max(0, now - Date.parse(iso)));

/** "2/4": completed and all steps. */
const stepsText = ({ steps, completed_steps }: Pick<TaskSummaryView, "steps" | "completed_steps">): string =>
  steps.length === 0 ? "-" : `${completed_steps.filter((step) => step > 0).length}/${steps.length}`;

/** Why it does not proceed, or what holds it. */
function holderText(task: TaskSummaryView, now: number): string {
  const { claim, status, last_error, waits_for, last_checkpoint, result } = task;
  if (claim !== null) {
    const last = last_checkpoint === null ? "" : `, last checkpoint ${age(last_checkpoint, now)} ago`;
    return `${sanitize(claim.agent, 60)}@${sanitize(claim.node, 40)}${last}`;
  }
  if (status === "blocked" || status === "failed") return sanitize(last_error ?? "", 200);
  if (status === "done") return sanitize(result ?? "", 200);
  if (waits_for.length > 0) return `waits for ${waits_for.map((id) => `#${id}`).join(", ")}`;
  return last_error === null ? "" : `last error: ${sanitize(last_error, 200)}`;
}

export function tasksText(tasks: readonly TaskSummaryView[], screen: Screen, now: number = Date.now()): string {
  const columns: Column<TaskSummaryView>[] = [
    { title: "ID", text: ({ id }) => String(id) },
    { title: "STATUS", text: ({ status }) => status },
    { title: "PRI", text: ({ priority }) => String(priority), spare: 3 },
    { title: "STEPS", text: stepsText },
    { title: "TITLE", text: ({ title }) => sanitize(title, 200), min: 20, isDear: true },
    { title: "PROJECT", text: ({ project }) => sanitize(project, 60), min: 8, spare: 2 },
    { title: "HOLDER OR REASON", text: (task) => holderText(task, now), min: 16 },
    { title: "AGE", text: ({ updated_at }) => age(updated_at, now), spare: 1 },
  ];
  return tableText(columns, tasks, columnsOf(screen));
}

/** One task in one line. */
export function taskLine(task: TaskSummaryView, now: number = Date.now()): string {
  const { id, status, verification, title, worker, claim, attempts, steps } = task;
  const by = worker === null || claim !== null ? "" : ` by ${sanitize(worker, 60)}`;
  const checked = verification === null || verification === "unverified" ? "" : ` (${verification})`;
  const progress = status !== "done" && steps.length > 0 ? [`${stepsText(task)} steps`] : [];
  const about = [...progress, ...(attempts > 1 ? [`claimed ${times(attempts)}`] : []), holderText(task, now)];
  const rest = about.filter((one) => one !== "").join("; ");
  return `#${id} ${status}${checked}${by}: ${sanitize(title, 120)}${rest === "" ? "" : `; ${rest}`}`;
}

export function taskText(task: TaskDetailView, screen: Screen, now: number = Date.now()): string {
  const lines = [`#${task.id}  ${sanitize(task.title, 500)}`, ...facts(task, now)];
  const part = (heading: string, text: string): void => {
    if (text.trim() !== "") lines.push("", heading, ...text.split("\n").map((line) => `  ${sanitize(line, 2000)}`));
  };
  if (task.steps.length > 0) {
    const done = new Set(task.completed_steps);
    lines.push("", `Steps (${stepsText(task)} done)`);
    for (const [at, text] of task.steps.entries())
      lines.push(`  ${done.has(at + 1) ? "[x]" : "[ ]"} ${at + 1}. ${sanitize(text, 500)}`);
  }
  part("Description", task.description);
  part("Diagnosis", task.diagnosis);
  part("QA requirements", task.qa_requirements);
  if (task.checkpoints.length > 0) {
    lines.push("", "Checkpoints");
    for (const { id, at, step, text, inferred, fence } of task.checkpoints.slice(-SHOWN)) {
      const about = [step === null ? null : `step ${step}`, inferred ? "inferred" : null].filter((one) => one !== null);
      lines.push(
        `  ${id}. ${when(at, now)}  claim ${fence}  ${about.length > 0 ? `${about.join(", ")}: ` : ""}${sanitize(text, 500)}`,
      );
    }
  }
  if (task.claims.length > 0) {
    lines.push("", "Claims");
    for (const { fence, agent, node, claimed_at, ended, ended_at, lease_until } of task.claims) {
      const end = ended === null ? `lease until ${when(lease_until, now)}` : `${ended} ${when(ended_at ?? "", now)}`;
      lines.push(`  ${fence}. ${sanitize(agent, 80)}@${sanitize(node, 60)}  ${when(claimed_at, now)}  ${end}`);
    }
  }
  if (task.comments.length > 0) {
    lines.push("", "Comments");
    for (const { at, author, text } of task.comments.slice(-SHOWN))
      lines.push(
        ...text
          .split("\n")
          .map(
            (line, n) => `  ${n === 0 ? `${when(at, now)}  ${sanitize(author, 80)}: ` : "  "}${sanitize(line, 1000)}`,
          ),
      );
  }
  const width = columnsOf(screen);
  return lines
    .flatMap((line) => foldLine(line, width, 2))
    .map((line) => `${line}\n`)
    .join("");
}

const SHOWN = 20;

/** The lines below the title. */
function facts(task: TaskDetailView, now: number): string[] {
  const { status, verification, claim, last_error, waits_for, result, workspace, check } = task;
  const about = [
    task.project === "" ? null : `project ${sanitize(task.project, 80)}`,
    task.stage === "" ? null : `stage ${sanitize(task.stage, 80)}`,
    `kind ${sanitize(task.kind, 80)}`,
    `priority ${task.priority}`,
    task.tags.length === 0 ? null : `tags ${task.tags.map((tag) => sanitize(tag, 60)).join(", ")}`,
    task.score === null
      ? null
      : `score ${task.score}${task.threshold === null ? "" : ` (threshold ${task.threshold})`}`,
  ].filter((one) => one !== null);
  return [
    `${status}${verification === null ? "" : ` (${verification})`}, ${about.join(", ")}`,
    claim === null ? null : `Held by ${holderText(task, now)}; lease until ${when(claim.lease_until, now)}`,
    waits_for.length === 0 ? null : `Blocked by ${waits_for.map((id) => `task ${id}`).join(", ")}, not done yet`,
    last_error === null || status === "done" ? null : `Last error: ${sanitize(last_error, 1000)}`,
    result === null ? null : `Result: ${sanitize(result, 1000)}`,
    workspace === null ? null : `Workspace: ${sanitize(workspace, 400)}`,
    check === null ? null : `Check: ${check.map((word) => sanitize(word, 200)).join(" ")}`,
    task.attempts === 0
      ? null
      : `Claimed ${times(task.attempts)}, continued ${times(task.continuations)} of ${task.max_continuations}`,
  ].filter((line) => line !== null);
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
