/**
 * The thresholds of the detectors. A user and a project can change those with a configuration key of the same name;
 * feedback on alarms can also raise the others. A detector reads them with `settingOf(options, name)`.
 */
export interface Defaults {
  /** The time between two checks of a session; the unit of the fingerprint. */
  poll_interval_secs: number;
  /** Unchanged checks of a busy session before its fingerprint is suspicious. */
  stuck_threshold_intervals: number;
  /** Number of output lines that a message quotes. */
  output_preview_lines: number;
  /** Unexplained silence for this long is a stall. */
  idle_timeout_minutes: number;
  /** Time for a finished turn to show its required completion marker. */
  completion_timeout_minutes: number;
  /** The first wait after a limit with an unknown reset time. */
  rate_limit_backoff_seconds: number;
  /** Number of equal errors within the window that count as a repeated error. */
  repeated_error_threshold: number;
  /** The window in which equal errors are counted. */
  repeated_error_window_minutes: number;
  /** A checkpoint older than this is a stall: two missed ones. */
  checkpoint_stall_minutes: number;
  /** A claim without a renewal or a checkpoint for this long is stale. */
  claim_stale_minutes: number;
  /** How far back the activity assessment goes. */
  lookback_minutes: number;
  /** An agent is active from this confidence on. */
  min_confidence_threshold: number;
  /** How long a tier-1 signal counts. */
  tier1_window_seconds: number;
  /** How long a tier-2 signal counts. */
  tier2_window_seconds: number;
  /** How long a tier-3 signal counts. */
  tier3_window_seconds: number;
  /** Retrying without success for longer than this is a storm: clients give up after 3 minutes. */
  retry_ceiling_minutes: number;
  /** Output tokens without a new outcome: 1.5 times the longest single reply (64 k). */
  burn_output_tokens: number;
  /** Minutes of model output without a new outcome; waiting does not count. */
  burn_active_minutes: number;
  /** Token budget of an agent per night; 0 for no limit. */
  tokens_per_night: number;
  /** Cost budget of an agent per night; 0 for no limit. */
  cost_usd_per_night: number;
  /** The hour of the day at which a night starts; it lasts until the next one. */
  night_starts_hour: number;
  /** A result that a parked session does not take up within this time is lost. */
  lost_result_seconds: number;
  /** A turn that ended with a promise and is followed by nothing for this long stopped early. */
  stopped_early_seconds: number;
  /** The program's own timeout for a silent request, if the user changed it; 0 for the profile's value. */
  own_timeout_seconds: number;
  /** A submitted prompt without a reply for this long never started. */
  never_started_seconds: number;
  /** A started program that shows nothing at all within this time never started; slow MCP servers take a minute. */
  never_shown_seconds: number;
  /** A headless process that is still running this long after its result never exits. */
  never_exited_seconds: number;
  /** Factor on the time before a silent stream or a frozen screen is reported; learned from false alarms. */
  silence_patience: number;
  /** The same for open tools. */
  tool_patience: number;
}

/** Completion markers that a prompt can ask for. */
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

/**
 * Screen lines stored with every reading, for quoting, if a user wants that many. Twenty make the journal 1.66 times as
 * large, so by default only as many as are quoted by default.
 */
export const PREVIEW_LINES_MAX = 50;
/** Stored times per error: no threshold can be larger. */
export const SAME_ERRORS_MAX = 32;

export interface Settings extends Partial<Defaults> {
  /**
   * Settings that the user made by a file, a variable or a flag: neither defaults nor values of a project. Rules that
   * may end a session on time alone require these.
   */
  own?: Readonly<Partial<Defaults>>;
}

/** The overridden setting, else the default. A value that is not a finite number is ignored. */
export function settingOf(settings: Settings | undefined, name: keyof Defaults): number {
  const value = settings?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : DEFAULTS[name];
}

/** The longest budget period: older actions are not needed. */
export const PERIOD_MAX_MS: number = 24 * 3_600_000;
