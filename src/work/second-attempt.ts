/** The new task of `rouse task fork`. Pure. */
import { sanitize } from "../core/text/sanitize.js";
import type { Checkpoint, NewTask, TaskDetail } from "../hub/hub.js";
import type { Fork } from "./fork-state.js";

/** What was reported until the checkpoint is only told: the new session verifies it. */
export function secondAttempt(first: TaskDetail, { id, text }: Checkpoint, { folder, branch, state }: Fork): NewTask {
  const { title, description, qa, check, steps, project, kind, stage, priority, score, threshold, cycle, tags } = first;
  const until = first.checkpoints.filter((one) => one.id <= id);
  const done = [...new Set(until.flatMap(({ step }) => (step ? [step] : [])))].sort((a, b) => a - b);
  const about = [
    `Second attempt of task ${first.id}, from its checkpoint ${id} ("${sanitize(text, 300)}").`,
    `Files: ${folder} (branch ${branch}), as kept at ${new Date(state.at).toISOString()}.`,
    done.length > 0 ? `Reported as completed then: ${done.join(", ")}. Verify these steps before you go on.` : "",
  ];
  const diagnosis = [first.diagnosis, about.filter((line) => line !== "").join("\n")].filter((part) => part !== "");
  return {
    title,
    description,
    qa,
    check,
    steps,
    project,
    kind,
    stage,
    priority,
    score,
    threshold,
    cycle,
    tags,
    diagnosis: diagnosis.join("\n\n"),
    parent: first.id,
    workspace: folder,
    maxContinuations: first.maxContinuations,
  };
}
