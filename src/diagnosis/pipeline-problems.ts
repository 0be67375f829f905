/** Problems of a pipeline that rules find in its tables: pure functions of the state and the time. */
import type { PipelineFinding } from "../core/incidents/pipeline.js";
import type { PipelineProblem } from "../core/states.js";
import { formatDuration } from "../core/text/duration.js";
import { sanitize } from "../core/text/sanitize.js";
import type { Job, Pipeline, Proposal } from "./pipeline.js";

export interface FoundProblem {
  kind: PipelineProblem;
  project: string;
  /** Stays the same while the problem lasts and nothing about it changes. */
  id: string;
  /** One sentence each. */
  text: string;
  evidence: string[];
  advice: string;
}

const MINUTE = 60_000;
const CYCLES_WITHOUT_OUTCOME = 3;
export const DEAD_WORKER_MS = 30 * MINUTE;
export const LOCK_HELD_MS = 10 * MINUTE;
/** A job for an approved proposal is added within this time. */
const UNBUILT_MS = 10 * MINUTE;
const IDLE_MS = 10 * MINUTE;
/** Of one kind in one project: the others are a number. */
const NAMED_MAX = 3;

/** One finding per project and problem, whatever number of jobs it is about. */
export function findingsOf(problems: readonly FoundProblem[]): PipelineFinding[] {
  const groups = new Map<string, FoundProblem[]>();
  for (const one of problems) {
    const key = JSON.stringify([one.project, one.kind]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const more = group.length - NAMED_MAX;
    const reasons = [
      ...group.slice(0, NAMED_MAX).map(({ text }) => text),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(group.length === 1 ? first.evidence : []),
    ];
    return { project: first.project, problem: first.kind, reasons, advice: first.advice };
  });
}

export function findPipelineProblems(pipeline: Pipeline, now: number): FoundProblem[] {
  const projects = new Set([...pipeline.jobs, ...pipeline.proposals, ...pipeline.locks].map(({ project }) => project));
  return [...projects].sort().flatMap((project) => {
    const of = <T extends { project: string }>(list: readonly T[]): T[] =>
      list.filter((one) => one.project === project);
    const own = { ...pipeline, jobs: of(pipeline.jobs), proposals: of(pipeline.proposals), locks: of(pipeline.locks) };
    return [
      ...viability(own, project),
      ...builds(own, project),
      ...deadWorkers(own, project, now),
      ...unbuilt(own, project, now),
      ...locks(own, project, now),
      ...idle(own, project, now),
    ];
  });
}

const IN_FLIGHT: ReadonlySet<string> = new Set(["proposed", "approved"]);
/** A user or the pipeline accepted it, whatever its score. */
const ACCEPTED: ReadonlySet<string> = new Set(["approved", "pending", "in_progress", "processing", "blocked", "done"]);

const isViable = ({ status, score, threshold }: Proposal): boolean =>
  ACCEPTED.has(status) || (status === "proposed" && (score === null || threshold === null || score >= threshold));

/** Jobs that look for work; a finished one ends a cycle, even without a proposal. */
const SEEKING: ReadonlySet<string> = new Set(["scout", "strategist", "strategy"]);

function viability({ jobs, proposals }: Pipeline, project: string): FoundProblem[] {
  const ended = jobs.filter(({ kind, status }) => SEEKING.has(kind) && status === "done");
  const cycles = [...new Set([...proposals, ...ended].flatMap(({ cycle }) => cycle ?? []))].sort((a, b) => b - a);
  const from = cycles.findIndex((cycle) => proposals.some((one) => one.cycle === cycle && isViable(one)));
  const without = from < 0 ? cycles : cycles.slice(0, from);
  const [latest] = without;
  if (latest === undefined || without.length < CYCLES_WITHOUT_OUTCOME) return [];
  const evidence = without.toReversed().map((cycle) => `cycle ${cycle}: ${bestOf(proposals, cycle)}`);
  return [
    {
      kind: "no_viable_proposal",
      project,
      id: `no_viable_proposal ${project} ${latest}`,
      text: `${ordinal(without.length)} consecutive cycle${where(project)} with no viable proposal: in cycle ${latest}, ${bestOf(proposals, latest)}.`,
      evidence,
      advice: "Compare what the scout finds with what the project asks for, or review the threshold.",
    },
  ];
}

function bestOf(proposals: readonly Proposal[], cycle: number): string {
  const own = proposals.filter((one) => one.cycle === cycle);
  const [best] = own.filter(({ score }) => score !== null).sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  if (own.length === 0) return "no proposal";
  const count = own.length === 1 ? "1 proposal" : `${own.length} proposals`;
  if (!best) return `${count}, none scored`;
  const scored = own.length === 1 ? `it scored ${best.score}` : `the best scored ${best.score}`;
  return best.threshold === null ? `${count}, ${scored}` : `${count}, ${scored} (threshold ${best.threshold})`;
}

function builds({ jobs }: Pipeline, project: string): FoundProblem[] {
  const ended = jobs
    .filter(({ kind, status }) => kind === "build" && (status === "done" || status === "failed"))
    .sort((a, b) => (b.updated ?? 0) - (a.updated ?? 0));
  const hasNone = ({ status, changes }: Job): boolean => status === "failed" || changes === 0;
  const from = ended.findIndex((job) => !hasNone(job));
  const without = from < 0 ? ended : ended.slice(0, from);
  const [latest] = without;
  if (!latest || without.length < CYCLES_WITHOUT_OUTCOME) return [];
  return [
    {
      kind: "no_change_built",
      project,
      id: `no_change_built ${project} ${latest.id}`,
      text: `The last ${without.length} build jobs${where(project)} produced no change.`,
      evidence: without
        .slice(0, 5)
        .map((job) => `job ${job.id}: ${job.error ?? (job.status === "failed" ? "failed" : "no change")}`),
      advice: `Read the log of job ${latest.id} and the description that it was given.`,
    },
  ];
}

/** When the worker was last seen, if it is known to be dead. */
export const deadSince = ({ status, worker_alive, worker_seen }: Job): number | null =>
  status === "processing" && worker_alive === false ? worker_seen : null;

function deadWorkers({ jobs }: Pipeline, project: string, now: number): FoundProblem[] {
  return jobs.flatMap((job) => {
    const since = deadSince(job);
    if (since === null || now - since < DEAD_WORKER_MS) return [];
    return {
      kind: "dead_worker" as const,
      project,
      id: `dead_worker ${project} ${job.id} ${since}`,
      text: `Job ${job.id}${where(project)} is processing, but its worker ${job.worker ?? ""} has been dead for ${formatDuration(now - since)}.`,
      evidence: [`worker last seen ${formatDuration(now - since)} ago`, `attempts: ${job.attempts}`],
      advice: `Set job ${job.id} to pending again.`,
    };
  });
}

/** The open or finished job of a proposal. */
export const buildJobOf = ({ jobs }: Pick<Pipeline, "jobs">, { id }: Pick<Proposal, "id">): Job | null =>
  jobs.find((job) => job.proposal === id || job.id === id) ?? null;

function unbuilt(pipeline: Pipeline, project: string, now: number): FoundProblem[] {
  return pipeline.proposals.flatMap((proposal) => {
    const { id, status, title, updated } = proposal;
    if (status !== "approved" || buildJobOf(pipeline, proposal) !== null) return [];
    if (updated !== null && now - updated < UNBUILT_MS) return [];
    return {
      kind: "unbuilt_proposal" as const,
      project,
      id: `unbuilt_proposal ${project} ${id}`,
      text: `Proposal ${id}${where(project)} is approved, but has no build job.`,
      evidence: [title, ...(updated === null ? [] : [`approved ${formatDuration(now - updated)} ago`])],
      advice: `Queue proposal ${id}, or reject it.`,
    };
  });
}

/** A job that needs the lock and has a living worker. */
export const activeMerge = ({ jobs }: Pick<Pipeline, "jobs">, project: string): Job | null =>
  jobs.find(
    (job) =>
      job.project === project && job.kind === "merge" && job.status === "processing" && job.worker_alive !== false,
  ) ?? null;

function locks(pipeline: Pipeline, project: string, now: number): FoundProblem[] {
  return pipeline.locks.flatMap(({ name, holder, since, holder_alive }) => {
    if (holder_alive === true || now - since < LOCK_HELD_MS || activeMerge(pipeline, project) !== null) return [];
    return {
      kind: "lock_held" as const,
      project,
      id: `lock_held ${project} ${name} ${since}`,
      text: `The lock ${name}${where(project)} has been held for ${formatDuration(now - since)}, and no merge job is active.`,
      evidence: [`holder: ${holder || "unknown"}`],
      advice: `Release the lock if ${holder || "its holder"} no longer uses it.`,
    };
  });
}

/** No job waits or runs, and no proposal is in flight. */
export const isIdle = ({ jobs, proposals }: Pick<Pipeline, "jobs" | "proposals">, project: string): boolean =>
  !jobs.some(
    (job) =>
      job.project === project && (job.status === "pending" || job.status === "processing" || job.status === "blocked"),
  ) && !proposals.some((one) => one.project === project && IN_FLIGHT.has(one.status));

function idle(pipeline: Pipeline, project: string, now: number): FoundProblem[] {
  const { jobs, proposals } = pipeline;
  // A list of tasks that a user has worked off is finished, not idle: only a pipeline that finds its own work can stop finding it.
  if (!isIdle(pipeline, project) || !(proposals.length > 0 || jobs.some(({ kind }) => SEEKING.has(kind)))) return [];
  const last = Math.max(0, ...[...jobs, ...proposals].map(({ updated }) => updated ?? 0));
  // The next job is added within this time.
  if (now - last < IDLE_MS) return [];
  return [
    {
      kind: "pipeline_idle",
      project,
      id: `pipeline_idle ${project} ${last}`,
      text: `The pipeline${where(project)} is idle: no job is pending or processing, and no proposal is in flight.`,
      evidence: [`${jobs.length} closed jobs, ${proposals.length} closed proposals`],
      advice: "Add a scout job, or a task.",
    },
  ];
}

const where = (project: string): string => (project === "" ? "" : ` of ${sanitize(project, 80)}`);

function ordinal(count: number): string {
  const last = count % 100 >= 11 && count % 100 <= 13 ? 0 : count % 10;
  return `${count}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}
