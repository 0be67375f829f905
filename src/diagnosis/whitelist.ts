/**
 * Which recommended actions rouse carries out: pure functions of the answer, the user's list, the pipeline and the time. An
 * answer can only choose from what the user permitted, and only while its precondition holds.
 */
import type { DiagnosisAction } from "../config/diagnosis.js";
import { formatDuration } from "../core/text/duration.js";
import { type Answer, type PipelineAction, parseAction } from "./answer.js";
import type { Job, Pipeline } from "./pipeline.js";
import { activeMerge, buildJobOf, DEAD_WORKER_MS, deadSince, isIdle, LOCK_HELD_MS } from "./pipeline-problems.js";

/** More are ignored: trivially safe fixes come one at a time. */
const ACTIONS_MAX = 5;

export interface Selection {
  /** To the user; null: nothing to say. */
  message: string | null;
  actions: PipelineAction[];
  ignored: { action: string; reason: string }[];
}

/** What the answer asks for and the user's list permits. Preconditions are checked at the time of acting. */
export function selectActions(answer: Answer, permitted: readonly string[]): Selection {
  const selection: Selection = { message: answer.slack_message || null, actions: [], ignored: [] };
  const known = new Set<string>();
  for (const one of answer.actions) {
    const action = parseAction(one);
    const ignore = (reason: string): void => void selection.ignored.push({ action: one.type, reason });
    if (typeof action === "string") ignore(action);
    else if (action.type === "send_slack") {
      if (selection.message === null) selection.message = action.message;
      else ignore("a message is sent already");
    } else if (!permitted.includes(action.type)) ignore("not permitted; see diagnosis.actions in the configuration");
    else if (known.has(actionKey(action))) ignore("recommended twice");
    else if (selection.actions.length >= ACTIONS_MAX) ignore(`more than ${ACTIONS_MAX} actions`);
    else {
      known.add(actionKey(action));
      selection.actions.push(action);
    }
  }
  return selection;
}

/** Names the action and what it is about. */
export function actionKey(action: PipelineAction): string {
  const { type } = action;
  if ("job_id" in action) return `${type} ${action.job_id}`;
  return "proposal_id" in action ? `${type} ${action.proposal_id}` : `${type} ${action.project_id}`;
}

const TRANSIENT =
  /\b(?:network|timeout|timed out|time-?out|ECONNRESET|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EPIPE|socket hang up|connection (?:reset|refused|closed|lost|error)|50[234]|overloaded|temporarily unavailable)\b/i;

/** Null if the precondition of the action holds now, otherwise why it does not. */
export function checkAction(action: PipelineAction, pipeline: Pipeline, now: number): string | null {
  return PRECONDITIONS[action.type](action as never, pipeline, now);
}

type Preconditions = {
  [Type in Exclude<DiagnosisAction, "send_slack">]: (
    action: Extract<PipelineAction, { type: Type }>,
    pipeline: Pipeline,
    now: number,
  ) => string | null;
};

const PRECONDITIONS: Preconditions = {
  retrigger_job: ({ job_id }, { jobs }, now) => {
    const job = jobOf(jobs, job_id);
    if (typeof job === "string") return job;
    if (job.status !== "processing") return `job ${job_id} is ${job.status}, not processing`;
    const since = deadSince(job);
    if (since === null) return `the worker of job ${job_id} is not known to be dead`;
    const dead = now - since;
    return dead < DEAD_WORKER_MS ? `the worker of job ${job_id} has been dead for ${formatDuration(dead)} only` : null;
  },
  reject_proposal: ({ proposal_id }, pipeline) => {
    const proposal = pipeline.proposals.find(({ id }) => id === proposal_id);
    if (!proposal) return `there is no proposal ${proposal_id}`;
    if (proposal.status !== "approved") return `proposal ${proposal_id} is ${proposal.status}, not approved`;
    const job = buildJobOf(pipeline, proposal);
    return job === null ? null : `proposal ${proposal_id} has the build job ${job.id}`;
  },
  release_merge_lock: ({ project_id }, pipeline, now) => {
    const lock = pipeline.locks.find(({ project, name }) => project === project_id && name === "merge");
    if (!lock) return `nothing holds the merge lock of ${project_id}`;
    const held = now - lock.since;
    if (held <= LOCK_HELD_MS) return `the merge lock of ${project_id} has been held for ${formatDuration(held)} only`;
    if (lock.holder_alive === true) return `the holder of the merge lock of ${project_id} is alive`;
    const merge = activeMerge(pipeline, project_id);
    return merge === null ? null : `merge job ${merge.id} is active`;
  },
  trigger_scout: ({ project_id }, pipeline) => {
    const isKnown = [...pipeline.jobs, ...pipeline.proposals].some(({ project }) => project === project_id);
    if (!isKnown) return `there is no project ${project_id}`;
    return isIdle(pipeline, project_id) ? null : `${project_id} is not idle: a job or a proposal is in flight`;
  },
  reset_job_attempts: ({ job_id }, { jobs }) => {
    const job = jobOf(jobs, job_id);
    if (typeof job === "string") return job;
    if (job.status !== "failed") return `job ${job_id} is ${job.status}, not failed`;
    return TRANSIENT.test(job.error ?? "") ? null : `the error of job ${job_id} is not known to be transient`;
  },
};

const jobOf = (jobs: readonly Job[], wanted: string): Job | string =>
  jobs.find(({ id }) => id === wanted) ?? `there is no job ${wanted}`;
