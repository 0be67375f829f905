/** Checkpoints and claims. Both detectors apply only to a session that has claimed a task or reported a checkpoint. */
import type { SleepSpans } from "../../awake.js";
import { awakeMs, takeAsleep } from "../../awake.js";
import { settingOf } from "../../defaults.js";
import type { Signal, Source } from "../../signal.js";
import { formatDuration } from "../../text/duration.js";
import { MINUTE } from "../../text/time.js";
import { rememberBounded } from "./bounded.js";
import type { DetectorOptions, DetectorVerdict } from "./verdict.js";
import { CONFIDENCE, isBeyond, turnEdge } from "./verdict.js";

export interface CheckpointState {
  /** Task to the time of its last claim, renewal or checkpoint. */
  claims: Map<string, number>;
  claimedAt: number | null;
  checkpointAt: number | null;
  text: string | null;
  /** The source of the last claim or checkpoint. */
  source: Source;
  active: boolean;
  /** The work was reported complete, or the process is gone: nothing more is due. */
  over: boolean;
  asleep: SleepSpans;
}

export interface CheckpointVerdict extends DetectorVerdict {
  cause: "no_checkpoint";
  last_step: string | null;
}

export interface ClaimVerdict extends DetectorVerdict {
  cause: "stale_claim";
  task: string;
}

const CLAIMS_MAX = 16;

export function createCheckpoint(): CheckpointState {
  return {
    claims: new Map(),
    claimedAt: null,
    checkpointAt: null,
    text: null,
    source: "report",
    active: false,
    over: false,
    asleep: [],
  };
}

export function takeCheckpoint(state: CheckpointState, signal: Signal): void {
  takeAsleep(state.asleep, signal);
  const edge = turnEdge(signal);
  if (edge !== null) state.active = edge === "start";
  if (signal.kind === "claim" || signal.kind === "checkpoint") state.source = signal.source;
  switch (signal.kind) {
    case "claim":
      takeClaim(state, signal.task, signal.phase, signal.at);
      break;
    case "checkpoint":
      if (signal.at < (state.checkpointAt ?? 0)) break;
      state.checkpointAt = signal.at;
      state.text = (signal.text ?? (Number.isFinite(signal.step) ? `step ${signal.step}` : "")).slice(0, 200) || null;
      state.over = false;
      for (const task of state.claims.keys()) {
        if (signal.task === undefined || signal.task === task)
          state.claims.set(task, Math.max(state.claims.get(task) ?? 0, signal.at));
      }
      break;
    case "report":
      if (signal.state !== undefined) state.over = signal.state === "complete";
      break;
    case "exit":
      state.over = true;
      break;
    default:
  }
}

/** Strictly older than the stall time: at exactly twenty minutes, the next check decides. */
export function checkpointVerdict(
  state: CheckpointState,
  now: number,
  options?: DetectorOptions,
): CheckpointVerdict | null {
  const claimed = state.claims.size > 0;
  if (state.over || (!claimed && !(options?.turnActive ?? state.active))) return null;
  const since = latest(state.checkpointAt, claimed ? state.claimedAt : null);
  if (since === null || (!claimed && state.checkpointAt === null)) return null;
  const ageMs = awakeMs(state.asleep, since, now);
  if (!isBeyond(since, ageMs, settingOf(options, "checkpoint_stall_minutes") * MINUTE, options)) return null;
  return {
    cause: "no_checkpoint",
    since,
    last_step: state.text,
    confidence: CONFIDENCE.medium,
    reason: `No checkpoint for ${formatDuration(ageMs)} (${state.source})${state.text ? `, last one: ${state.text}` : ""}`,
  };
}

export function claimVerdict(state: CheckpointState, now: number, options?: DetectorOptions): ClaimVerdict | null {
  if (state.over) return null;
  const staleMs = settingOf(options, "claim_stale_minutes") * MINUTE;
  for (const [task, since] of state.claims) {
    const ageMs = awakeMs(state.asleep, since, now);
    if (!isBeyond(since, ageMs, staleMs, options)) continue;
    const reason = `No renewal or checkpoint for the claim on ${task} for ${formatDuration(ageMs)} (${state.source})`;
    return { cause: "stale_claim", since, task, confidence: CONFIDENCE.medium, reason };
  }
  return null;
}

function takeClaim(state: CheckpointState, name: string, phase: "taken" | "renewed" | "released", at: number): void {
  const task = name.slice(0, 200);
  if (phase === "released") {
    state.claims.delete(task);
    return;
  }
  if (phase === "taken") {
    state.claimedAt = at;
    state.over = false;
  }
  state.claimedAt ??= at;
  rememberBounded(state.claims, task, at, CLAIMS_MAX);
}

function latest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
