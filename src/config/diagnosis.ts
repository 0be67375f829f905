/** Words that the keys of `[diagnosis]` accept. */

export const DIAGNOSIS_RUNNERS = ["claude", "endpoint", "codex", "gemini", "opencode", "command"] as const;

/** The only actions that rouse carries out on a model's recommendation. */
export const DIAGNOSIS_ACTIONS = [
  "send_slack",
  "retrigger_job",
  "reject_proposal",
  "release_merge_lock",
  "trigger_scout",
  "reset_job_attempts",
] as const;

export type DiagnosisAction = (typeof DIAGNOSIS_ACTIONS)[number];
