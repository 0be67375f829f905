/**
 * Every key of the configuration: name, default, what a project file may do, and one sentence. The file text, the JSON
 * Schema, the variables, `rouse config` and the checks are all made from this table.
 */
import type { Settings } from "../core/defaults.js";
import { COMPLETION_MARKER, DEFAULTS, PREVIEW_LINES_MAX, SAME_ERRORS_MAX } from "../core/defaults.js";
import { NOISE_PATTERNS } from "../core/judgement/noise.js";
import {
  booleanKey,
  type ConfigKey,
  type ConfigValue,
  detectorKey,
  integerKey,
  listKey,
  numberKey,
  patternKey,
  textKey,
} from "./key.js";

export const KEYS = {
  watchdog: {
    poll_interval_secs: detectorKey(
      "poll_interval_secs",
      "lower",
      "Seconds between two looks at a session when nothing happens; what happens is looked at at once.",
      { min: 0.5, max: 3600, variable: "ROUSE_WATCHDOG_POLL_INTERVAL" },
    ),
    stuck_threshold_intervals: detectorKey(
      "stuck_threshold_intervals",
      "lower",
      "So many unchanged looks at a busy session make it suspicious; where you do not set it, a still screen has about 100 s.",
      { min: 1, max: 1000, variable: "ROUSE_WATCHDOG_STUCK_THRESHOLD" },
    ),
    worker_tags: listKey(
      ["worker"],
      "add",
      "Agents with one of these tags are workers: they are watched without being asked for. Where you set it, or worker_pattern, messages are about workers only.",
    ),
    worker_pattern: patternKey(
      "",
      "never",
      "Agents whose name matches this regular expression are workers too; empty for none. Where you set it, messages are about workers only.",
    ),
    orchestrator_tag: textKey(
      "orchestrator",
      "never",
      "Messages about agents go into the inbox of this tag; an agent that has it is told nothing about itself.",
    ),
    output_preview_lines: detectorKey(
      "output_preview_lines",
      "lower",
      `So many of the last lines of the screen, of the ${PREVIEW_LINES_MAX} that are kept, are quoted in \`rouse why\` and in messages.`,
      { max: PREVIEW_LINES_MAX },
    ),
  },
  health: {
    enabled: booleanKey(true, "on", "Judge agents at all; off only keeps what is seen, and every state is unknown."),
    idle_timeout_minutes: detectorKey(
      "idle_timeout_minutes",
      "lower",
      "Minutes without output, with nothing that explains them, until a session is stalled. Where you say so yourself, a silent program of rouse's own that nobody knows is ended too, once acting is allowed.",
      { min: 0.01 },
    ),
    completion_timeout_minutes: detectorKey(
      "completion_timeout_minutes",
      "lower",
      "Minutes that a finished turn has to show the completion marker that it owes.",
      { min: 0.01 },
    ),
    completion_marker: textKey(
      COMPLETION_MARKER,
      "never",
      "Where a prompt asks for this text, a turn that ends without it has not signalled its end; empty for none.",
    ),
    rate_limit_backoff_seconds: detectorKey(
      "rate_limit_backoff_seconds",
      "higher",
      "Seconds to wait after a limit whose reset time is not known; doubles each time.",
      { min: 1 },
    ),
    repeated_error_threshold: detectorKey(
      "repeated_error_threshold",
      "lower",
      "The same error so many times is a repeated error.",
      { min: 2, max: SAME_ERRORS_MAX },
    ),
    repeated_error_window_minutes: detectorKey(
      "repeated_error_window_minutes",
      "never",
      "Minutes within which equal errors are counted.",
      { min: 0.1 },
    ),
    auto_kill_on_idle: booleanKey(
      true,
      "off",
      "End a stalled session of rouse's own, once acting is allowed; a program that nobody knows only where you say so here, or say the idle timeout.",
    ),
    auto_kill_on_repeated_error: booleanKey(
      false,
      "off",
      "End a session that repeats one error, once acting is allowed.",
    ),
    alert_channel: textKey(
      "ops",
      "never",
      "The channel ([channels.NAME] below) that gets the alerts which no channel's own severity, agents, tags or problems take.",
    ),
  },
  checkpoints: {
    checkpoint_stall_minutes: detectorKey(
      "checkpoint_stall_minutes",
      "lower",
      "A checkpoint older than this many minutes is a stall.",
      { min: 0.1 },
    ),
    claim_stale_minutes: detectorKey(
      "claim_stale_minutes",
      "lower",
      "A claim neither renewed nor followed by a checkpoint for so many minutes is stale.",
      { min: 0.1 },
    ),
  },
  activity: {
    lookback_minutes: detectorKey("lookback_minutes", "lower", "The activity assessment looks back so many minutes.", {
      min: 0.1,
    }),
    min_confidence_threshold: detectorKey(
      "min_confidence_threshold",
      "higher",
      "An agent is active from this confidence on.",
      { max: 1 },
    ),
    tier1_window_seconds: detectorKey(
      "tier1_window_seconds",
      "lower",
      "Seconds for which a commit, a test run or telemetry proves activity.",
    ),
    tier2_window_seconds: detectorKey(
      "tier2_window_seconds",
      "lower",
      "Seconds for which a status, a changed file, a devlog or an inbox proves activity.",
    ),
    tier3_window_seconds: detectorKey(
      "tier3_window_seconds",
      "lower",
      "Seconds for which a message queue or an accessed file hints at activity.",
    ),
    noise_patterns: listKey(
      NOISE_PATTERNS,
      "add",
      "A message or report that holds one of these is no activity, in upper or lower case; those of the default list never are.",
    ),
  },
  // Whatever counts as work holds alarms back, so a project names none of these.
  workspace: {
    devlog_files: listKey(
      ["devlogs/**/*.md", "devlog/**/*.md", "DEVLOG*.md"],
      "never",
      "Files below an agent's folder that are written when something was done; * is any part of a name, ** any folders.",
    ),
    status_files: listKey(
      ["status.json", "agent_workspaces/*/status.json"],
      "never",
      "Files in which an agent says how it is; a new time alone says nothing.",
    ),
    inbox_files: listKey(
      ["inbox/*", "agent_workspaces/*/inbox/*"],
      "never",
      "Messages to an agent, one file each: one that vanishes was dealt with.",
    ),
    message_queue_files: listKey(
      ["message_queue/*.json", "message_queue.json"],
      "never",
      "Files that hold a JSON list of messages: one that gets shorter was dealt with.",
    ),
    contract_files: listKey(["contracts/*.json"], "never", "Files that change when work is claimed."),
    commit_words: listKey(
      [],
      "never",
      "A commit counts only with one of these in its author or subject, {name} being the agent's name; every commit where there are none.",
    ),
  },
  resume: {
    validate_activity: booleanKey(true, "on", "Let activity hold a resume back, and the categories of `rouse check`."),
  },
  check: {
    warning_hours: numberKey(
      2,
      "lower",
      "`rouse check` calls an agent fresh below this age in hours, and warns from it on.",
    ),
    critical_hours: numberKey(6, "lower", "From this age in hours on it is critical."),
    auto_resume_hours: numberKey(12, "lower", "From this age in hours on it is to be resumed."),
  },
  detectors: {
    burn_output_tokens: detectorKey(
      "burn_output_tokens",
      "lower",
      "So many written tokens without a new outcome are no progress.",
      { min: 1000 },
    ),
    lost_result_seconds: detectorKey(
      "lost_result_seconds",
      "lower",
      "A result not taken up within so many seconds is lost.",
      { min: 1 },
    ),
    stopped_early_seconds: detectorKey(
      "stopped_early_seconds",
      "lower",
      "A turn that ended with a promise and is followed by nothing for so many seconds stopped early.",
      { min: 1, projectMin: 30 },
    ),
    own_timeout_seconds: detectorKey(
      "own_timeout_seconds",
      "never",
      "Where you changed after how many seconds a program ends a silent request itself (API_TIMEOUT_MS of Claude Code, stream_idle_timeout_ms of Codex): nobody is interrupted before; 0 for what its profile says.",
      { max: 86_400 },
    ),
    never_shown_seconds: detectorKey(
      "never_shown_seconds",
      "lower",
      "A program that shows nothing for so many seconds never started.",
      { min: 1 },
    ),
    silence_patience: detectorKey(
      "silence_patience",
      "lower",
      "A silent stream or a frozen screen is told so many times later than it would be.",
      { min: 0.02, projectMin: 0.5, max: 10 },
    ),
    tool_patience: detectorKey("tool_patience", "lower", "A tool that stays open is told so many times later.", {
      min: 0.02,
      projectMin: 0.5,
      max: 10,
    }),
  },
  alerts: {
    quiet_hours: textKey(
      "",
      "never",
      'Alerts are held in these hours and sent after them, such as "22:00-07:00"; empty for none.',
    ),
    quiet_except: textKey(
      "",
      "never",
      "From this severity on (info, warning, critical) quiet hours hold nothing; empty holds all.",
    ),
    reminder_minutes: numberKey(
      0,
      "never",
      "A problem that nobody has taken is told again after so many minutes; 0 for never.",
      {
        max: 100_000,
      },
    ),
    group_wait_seconds: numberKey(
      10,
      "never",
      "An alert waits so many seconds, so that what comes together is told together.",
      {
        max: 3600,
      },
    ),
    group_over: integerKey(5, "never", "More new problems than this at once become one alert.", {
      min: 1,
      max: 10_000,
    }),
    retry_seconds: numberKey(
      5,
      "never",
      "Seconds until an alert that failed is tried again; doubles each time, up to ten minutes.",
      {
        min: 0.01,
        max: 600,
      },
    ),
    digest: textKey("", "never", 'When a digest is sent, as a cron pattern such as "0 8 * * *"; empty for never.'),
  },
  // An agent that names its account could leave, or join, the waiting of others.
  accounts: {
    agents: listKey(
      [],
      "never",
      'Which account an agent uses, as "NAME=ACCOUNT", where its program does not tell or tells too little: those of one account wait for its limit together.',
    ),
    tags: listKey([], "never", 'The same for all agents with a tag, as "TAG=ACCOUNT".'),
  },
  spend: {
    tokens_per_night: detectorKey(
      "tokens_per_night",
      "budget",
      "An agent that used so many tokens in a night, read and written, is told once; 0 for no budget.",
    ),
    cost_usd_per_night: detectorKey(
      "cost_usd_per_night",
      "budget",
      "The same for what it cost in dollars, as far as a price is told; 0 for no budget.",
    ),
    night_starts_hour: {
      ...detectorKey(
        "night_starts_hour",
        "never",
        "The hour at which a night starts, in local time; it lasts until the next.",
        {
          max: 23,
        },
      ),
      type: "integer",
    },
  },
  mcp: {
    rights: listKey(
      ["read", "report"],
      "never",
      "What a client of `rouse mcp` may do: read, report, control. touch lets it start agents, type into them, recover and end them.",
    ),
  },
  journal: {
    max_age_days: numberKey(7, "never", "Signals older than so many days are removed.", { min: 0.01 }),
    max_megabytes: numberKey(512, "never", "The journal is kept below this size.", { min: 1 }),
    allow_network_file_system: booleanKey(false, "never", "Keep the journal on a network file system all the same."),
  },
  daemon: {
    http_port: integerKey(
      17_687,
      "never",
      "The daemon's port on 127.0.0.1 for the API, HTTP hooks and OpenTelemetry; 0 for none. Agents' settings name it, so it stays the same.",
      { max: 65_535 },
    ),
    http_address: textKey(
      "127.0.0.1",
      "never",
      "The address of that port. One that other machines can reach needs http_remote too.",
    ),
    http_remote: booleanKey(
      false,
      "never",
      "Other machines may reach the port: requests and tokens travel unencrypted.",
    ),
    http_hosts: listKey(
      [],
      "never",
      "What else this machine is called in requests to the port, such as rouse.example:17687; other names are refused.",
    ),
    dead_man_url: textKey(
      "",
      "never",
      "Fetched at the end of a finished round of judging, so that somebody else notices when rouse is gone; empty for none.",
    ),
  },
} as const satisfies Record<string, Record<string, ConfigKey>>;

type Keys = typeof KEYS;
export type Section = keyof Keys;

type ValueOf<K> = K extends ConfigKey<infer T> ? T : never;

/** The whole configuration, by section. */
export type Config = { [S in Section]: { [K in keyof Keys[S]]: ValueOf<Keys[S][K]> } };

/** Every key by its full name, such as `watchdog.poll_interval_secs`, in the order of the table. */
export const KEY_BY_NAME: ReadonlyMap<string, ConfigKey> = new Map(
  Object.entries(KEYS).flatMap(([section, keys]) =>
    Object.entries(keys).map(([name, key]): [string, ConfigKey] => [`${section}.${name}`, key]),
  ),
);

/** Values by full name as one object of sections; a key without a value has its default. */
export function toConfig(values: ReadonlyMap<string, ConfigValue>): Config {
  const config: Record<string, Record<string, ConfigValue>> = {};
  for (const [full, key] of KEY_BY_NAME) {
    const [section = "", name = ""] = full.split(".");
    config[section] = { ...config[section], [name]: values.get(full) ?? key.default };
  }
  return config as Config;
}

/** What the detectors ask for. */
export function settingsOf(config: Config): Settings {
  const found: Record<string, number> = {};
  for (const section of Object.values<Record<string, ConfigValue>>(config))
    for (const [name, value] of Object.entries(section))
      if (Object.hasOwn(DEFAULTS, name) && typeof value === "number") found[name] = value;
  return found;
}
