/**
 * The thresholds that a user, a project or feedback on alarms may change, under the names that they have in the
 * configuration where they are there. A detector asks `settingOf(options, name)`; what is never changed is a constant of its own.
 */
export interface Defaults {
  /** The time between two looks at a session; the unit in which the fingerprint counts. */
  poll_interval_secs: number;
  /** So many unchanged looks at a busy session make its fingerprint suspicious. */
  stuck_threshold_intervals: number;
  /** How many of the last lines a message quotes. */
  output_preview_lines: number;
  /** No output for so long, with nothing that explains it, is a stall. */
  idle_timeout_minutes: number;
  /** A finished turn that owes a completion marker has so long to show it. */
  completion_timeout_minutes: number;
  /** The first wait after a limit whose reset time is not known. */
  rate_limit_backoff_seconds: number;
  /** The same error so many times within the window is a repeated error. */
  repeated_error_threshold: number;
  /** The window in which equal errors are counted. */
  repeated_error_window_minutes: number;
  /** A checkpoint older than this is a stall: two missed ones. */
  checkpoint_stall_minutes: number;
  /** A claim that was neither renewed nor followed by a checkpoint for so long is stale. */
  claim_stale_minutes: number;
  /** The activity assessment looks back so far. */
  lookback_minutes: number;
  /** An agent is active from this confidence on. */
  min_confidence_threshold: number;
  /** A tier-1 signal supports the assessment for so long. */
  tier1_window_seconds: number;
  /** A tier-2 signal supports the assessment for so long. */
  tier2_window_seconds: number;
  /** A tier-3 signal supports the assessment for so long. */
  tier3_window_seconds: number;
  /** Retrying without success for longer than this is a storm: Claude Code's own recovery plan gives up after 3 minutes. */
  retry_ceiling_minutes: number;
  /** So many written tokens without a new outcome: half as much again as the longest single reply (64 k). */
  burn_output_tokens: number;
  /** So many minutes in which the model wrote without a new outcome; waiting minutes do not count. */
  burn_active_minutes: number;
  /** An agent may use so many tokens a night; 0 for as many as it likes. */
  tokens_per_night: number;
  /** An agent may cost so much a night; 0 for as much as it likes. */
  cost_usd_per_night: number;
  /** The hour of the day at which a night starts; it lasts until the next one. */
  night_starts_hour: number;
  /** A result that a parked session does not take up within this time is lost. */
  lost_result_seconds: number;
  /** A turn that ended with a promise, and is followed by nothing for so long, stopped early. */
  stopped_early_seconds: number;
  /** After so long a program ends a silent request itself, where the user changed that; 0 for what its profile says. */
  own_timeout_seconds: number;
  /** A submitted prompt that nothing answers within this time never started. */
  never_started_seconds: number;
  /** A started program that shows nothing at all within this time never started; slow MCP servers take a minute. */
  never_shown_seconds: number;
  /** A headless process that lives on so long after its result never exits. */
  never_exited_seconds: number;
  /** A silent stream or a frozen screen is told so many times later; learned from false alarms. */
  silence_patience: number;
  /** The same for open tools. */
  tool_patience: number;
}

/** What a prompt may ask for, to be written when all is done. */
export const COMPLETION_MARKER = "<promise>COMPLETE</promise>";

export const DEFAULTS: Readonly<Defaults> = {
  poll_interval_secs: 30,
  stuck_threshold_intervals: 3,
  output_preview_lines: 5,
  idle_timeout_minutes: 15,
  completion_timeout_minutes: 10,
  rate_limit_backoff_seconds: 60,
  repeated_error_threshold: 5,
  repeated_error_window_minutes: 10,
  checkpoint_stall_minutes: 20,
  claim_stale_minutes: 60,
  lookback_minutes: 60,
  min_confidence_threshold: 0.5,
  tier1_window_seconds: 3600,
  tier2_window_seconds: 1800,
  tier3_window_seconds: 900,
  retry_ceiling_minutes: 10,
  burn_output_tokens: 100_000,
  burn_active_minutes: 30,
  tokens_per_night: 0,
  cost_usd_per_night: 0,
  night_starts_hour: 20,
  lost_result_seconds: 60,
  stopped_early_seconds: 60,
  own_timeout_seconds: 0,
  never_started_seconds: 60,
  never_shown_seconds: 120,
  never_exited_seconds: 60,
  silence_patience: 1,
  tool_patience: 1,
};

/** So many of the last lines of a screen are kept for quoting, with every reading: twenty would make a journal 1.66 times as large. */
export const PREVIEW_LINES_MAX = 5;
/** So many times of one error are kept: no threshold can ask for more. */
export const SAME_ERRORS_MAX = 32;

export interface Settings extends Partial<Defaults> {
  /**
   * Those that the user said, by a file of their own, a variable or a flag: neither a default nor a project's word. What may
   * end a session on a time alone asks these.
   */
  own?: Readonly<Partial<Defaults>>;
}

/** The setting as overridden for this call, else the default. A value that is no finite number is no override. */
export function settingOf(settings: Settings | undefined, name: keyof Defaults): number {
  const value = settings?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : DEFAULTS[name];
}

/** No budget looks further back than this, so what is older need not be kept. */

export const PERIOD_MAX_MS: number = 24 * 3600000;
