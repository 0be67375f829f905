/** Keeps `progress.db` and `hub.db` together: copies rows there, and takes over what agents reported. */

import { sanitize } from "../../core/text/sanitize.js";
import type { Checkpoint } from "../hub.js";
import { LIMITS } from "../input.js";
import { checkStep, openClaim, recordCheckpoint, recordRefusal } from "./claims.js";
import type { MirroredRow, ProgressFile, SqlReport } from "./progress-file.js";
import { addEvent, all, type Context, json, one, run } from "./rows.js";

/** Outside of the transaction that changed the rows: if it fails, the next call copies them. */
export function mirrorProgress(context: Context, file: ProgressFile): void {
  const rows = all(
    context,
    `select p.*, json_array_length(t.steps) as steps from progress p join tasks t on t.id = p.task where p.mirrored = 0
     order by p.id limit 500`,
  );
  if (rows.length === 0) return;
  file.mirror(
    rows.map(
      (row): MirroredRow => ({
        id: Number(row.id),
        task: Number(row.task),
        agentTaskName: row.agent_task_name === null ? null : String(row.agent_task_name),
        lastCheckpoint: row.last_checkpoint === null ? null : Number(row.last_checkpoint),
        lastStep: row.last_step === null ? null : String(row.last_step),
        completedSteps: String(row.completed_steps),
        status: row.status === null ? null : String(row.status),
        createdAt: Number(row.created_at),
        updatedAt: Number(row.updated_at),
        steps: Number(row.steps),
      }),
    ),
  );
  for (const row of rows)
    run(
      context,
      "update progress set mirrored = 1 where id = ? and updated_at = ? and completed_steps = ?",
      Number(row.id),
      Number(row.updated_at),
      String(row.completed_steps),
    );
}

/** Inside one transaction of the hub: the cursor and the checkpoints move together. */
export function collectProgress(context: Context, file: ProgressFile): Checkpoint[] {
  const after = Number(one(context, "select seq from collected")?.seq);
  const reports = file.reports(after);
  const last = reports.at(-1);
  if (!last) return [];
  run(context, "update collected set seq = ?", last.seq);
  return reports.flatMap((report) => takeReport(context, report));
}

/** The trigger of `progress.db` has checked this already, but any process of the user can write the file. */
function takeReport(context: Context, report: SqlReport): Checkpoint[] {
  const row = one(context, "select task, fence, completed_steps from progress where id = ?", report.id);
  if (!row || row.fence === null) return [];
  const [task, fence] = [Number(row.task), Number(row.fence)];
  const text = sanitize(report.lastStep, LIMITS.checkpoint);
  const claim = openClaim(context, task, fence);
  if ("refused" in claim) {
    recordRefusal(context, task, fence, text, claim.refused);
    return [];
  }
  const known = json<number[]>(row.completed_steps);
  const steps = stepsOf(report.completedSteps).filter((step) => !known.includes(step));
  if (steps.some((step) => checkStep(context, task, step) !== null)) return [];
  if (report.status !== "in_progress")
    addEvent(context, "reported", task, claim.agent, { fence, status: report.status, text });
  return (steps.length === 0 ? [null] : steps).map((step) =>
    recordCheckpoint(context, claim, { step, text, source: "sql", at: report.at, key: `sql:${report.seq}:${step}` }),
  );
}

function stepsOf(completed: string): number[] {
  try {
    const steps: unknown = JSON.parse(completed);
    return Array.isArray(steps) ? [...new Set(steps.filter((step) => Number.isSafeInteger(step) && step > 0))] : [];
  } catch {
    return [];
  }
}
