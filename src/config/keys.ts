/**
 * Every configuration key: name, default, rule for project files, and a description. The file text, the JSON Schema, the
 * variables, `rouse config` and the checks are generated from this table.
 */
import type { Settings } from "../core/defaults.js";
import { COMPLETION_MARKER, DEFAULTS, PREVIEW_LINES_MAX, SAME_ERRORS_MAX } from "../core/defaults.js";
import { NOISE_PATTERNS } from "../core/judgement/noise.js";
import { DIAGNOSIS_ACTIONS, DIAGNOSIS_RUNNERS } from "./diagnosis.js";
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
      "Seconds between two checks of a session without new activity; new activity is checked at once.",
      { min: 0.5, max: 3600, variable: "ROUSE_WATCHDOG_POLL_INTERVAL" },
    ),
    stuck_threshold_intervals: detectorKey(
      "stuck_threshold_intervals",
      "lower",
      "Number of unchanged checks after which a busy session is suspected to be stuck. If you do not set this key, a static screen is reported after about 100 s.",
      { min: 1, max: 1000, variable: "ROUSE_WATCHDOG_STUCK_THRESHOLD", unset: "rouse's own clocks apply" },
    ),
    worker_tags: listKey(
      ["worker"],
      "add",
      "Agents with one of these tags are workers. A tmux pane with one of them in @rouse_tags is adopted without `rouse watch`. If you set this key (even to its default) or worker_pattern, messages are sent for workers only.",
      { unset: "messages are sent for every agent" },
    ),
    worker_pattern: patternKey(
      "",
      "never",
      "Agents whose name matches this regular expression are workers too; empty for none; if you set it, messages are sent for workers only.",
    ),
    orchestrator_tag: textKey(
      "orchestrator",
      "never",
      "Messages about agents go to the inbox of this tag; an agent with this tag gets no messages about itself.",
    ),
    output_preview_lines: detectorKey(
      "output_preview_lines",
      "lower",
      `Number of last screen lines quoted in \`rouse why\` and in messages (at most ${PREVIEW_LINES_MAX}).`,
      { max: PREVIEW_LINES_MAX },
    ),
  },
  health: {
    enabled: booleanKey(
      true,
      "on",
      "Judge the state of agents; if off, signals are only recorded and every state is unknown.",
    ),
    idle_timeout_minutes: detectorKey(
      "idle_timeout_minutes",
      "lower",
      "Minutes of unexplained silence after which a program without a profile is reported as silent_stream. If you set this key, even to its default, auto-recovery may also stop such a program if it has a prompt and rouse started it.",
      { min: 0.01, unset: "a program with a prompt but no profile is not stopped" },
    ),
    completion_timeout_minutes: detectorKey(
      "completion_timeout_minutes",
      "lower",
      "Minutes that a finished turn has to show the requested completion marker.",
      { min: 0.01 },
    ),
    completion_marker: textKey(
      COMPLETION_MARKER,
      "never",
      "If a prompt or the command line asks for this text, a turn that ends without it is not complete; empty for none.",
    ),
    rate_limit_backoff_seconds: detectorKey(
      "rate_limit_backoff_seconds",
      "higher",
      "Seconds to wait after a rate limit without a known reset time; doubles each time.",
      { min: 1 },
    ),
    repeated_error_threshold: detectorKey(
      "repeated_error_threshold",
      "lower",
      "Number of equal errors within 10 minutes that count as a repeated error; identical calls with the same failure are reported after 4, whatever this value.",
      { min: 2, max: SAME_ERRORS_MAX },
    ),
    auto_kill_on_idle: booleanKey(
      true,
      "off",
      "Let auto-recovery stop a stalled session that rouse started; a program that has a prompt but no profile is stopped only if you set this key (even to its default) or idle_timeout_minutes.",
      { unset: "a program with a prompt but no profile is not stopped" },
    ),
    auto_kill_on_repeated_error: booleanKey(false, "off", "Let auto-recovery stop a session that repeats one error."),
    alert_channel: textKey(
      "ops",
      "never",
      "Default channel ([channels.NAME] below) for alerts that match no channel's severity, agents, tags or problems.",
    ),
  },
  checkpoints: {
    checkpoint_stall_minutes: detectorKey(
      "checkpoint_stall_minutes",
      "lower",
      "Minutes after its last checkpoint after which an agent that holds a task is stalled (no_checkpoint); prompts ask for a checkpoint twice as often.",
      { min: 0.1 },
    ),
    claim_stale_minutes: detectorKey(
      "claim_stale_minutes",
      "lower",
      "Minutes without a checkpoint or a renewal after which the claim of an agent is stale (stale_claim); also the lease of an agent that rouse cannot see.",
      { min: 0.1 },
    ),
  },
  // The instructions of an agent are the user's; an agent can write a project file.
  project: {
    mission: textKey("", "never", "The goal of your project, for the prompt of a resumed agent; empty for none."),
    priorities: listKey([], "never", "What matters most now, in this order, for the prompt of a resumed agent."),
    file: textKey(
      "",
      "never",
      "File with mission and priorities, instead of the two keys above; a relative path is taken from the agent's folder; empty for none.",
    ),
  },
  activity: {
    lookback_minutes: detectorKey(
      "lookback_minutes",
      "lower",
      "Minutes of history that the activity assessment covers; if you do not set it, more for an agent that works in bursts.",
      {
        min: 0.1,
      },
    ),
    min_confidence_threshold: detectorKey(
      "min_confidence_threshold",
      "higher",
      "Lowest confidence at which an agent counts as active.",
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
      "A message or report that contains one of these texts is not activity (case is ignored); the default list always applies.",
    ),
  },
  // What counts as work suppresses alarms, so a project may not set these.
  workspace: {
    commit_words: listKey(
      [],
      "never",
      "A commit counts only if its author or subject contains one of these texts ({name} is the agent's name); if empty, every commit counts.",
    ),
  },
  resume: {
    validate_activity: booleanKey(
      true,
      "on",
      "Let recent activity prevent a resume and lower the categories of `rouse check`.",
    ),
  },
  check: {
    warning_hours: numberKey(
      2,
      "lower",
      "Age in hours from which `rouse check` reports a warning; younger agents are fresh.",
    ),
    critical_hours: numberKey(6, "lower", "Age in hours from which `rouse check` reports an agent as critical."),
    auto_resume_hours: numberKey(
      12,
      "lower",
      "Age in hours from which `rouse check` recommends a nudge; your own value is also the time after the end of a recovery plan at which auto-recovery sends one last nudge.",
    ),
  },
  detectors: {
    own_timeout_seconds: detectorKey(
      "own_timeout_seconds",
      "never",
      "Seconds after which the program itself ends a silent request, if you changed that (such as stream_idle_timeout_ms in Codex); rouse does not interrupt earlier; 0 uses the profile's value.",
      { max: 86_400 },
    ),
  },
  alerts: {
    quiet_hours: textKey(
      "",
      "never",
      'Hours in which alerts are held and after which they are sent, such as "22:00-07:00"; empty for none.',
    ),
    quiet_except: textKey(
      "",
      "never",
      "Lowest severity that is sent during quiet hours: info (the end of a problem), warning or critical; empty holds every alert.",
    ),
    reminder_minutes: numberKey(
      0,
      "never",
      "Minutes after which an alert for an unacknowledged problem is repeated; 0 for never.",
      {
        max: 100_000,
      },
    ),
    digest: textKey("", "never", 'Time of the digest as a cron pattern such as "0 8 * * *"; empty for never.'),
  },
  // A model sees screens, costs money and may recommend actions: only the user's own file decides about it.
  diagnosis: {
    enabled: booleanKey(
      false,
      "off",
      "Ask a model by itself while something is wrong; it sends redacted screens to the model, and costs money.",
    ),
    interval_minutes: numberKey(
      2,
      "never",
      "Minutes between two automatic diagnoses, and between two looks at the problems of pipelines. No diagnosis runs if nothing changed.",
      {
        min: 0.1,
      },
    ),
    runner: textKey(
      "claude",
      "never",
      "What asks the model: claude (Claude Code without tools), endpoint (a server with OpenAI's chat interface), codex, gemini, opencode (in a sandbox), or command.",
      { choices: DIAGNOSIS_RUNNERS },
    ),
    model: textKey(
      "claude-sonnet-4-6",
      "never",
      "Model of the runner; codex, gemini and opencode use their own default instead of a model of Claude Code.",
    ),
    command: listKey(
      [],
      "never",
      "Program of the runner command: it gets the prompt on standard input and prints the answer as JSON.",
    ),
    endpoint: textKey("", "never", "Address of the runner endpoint, such as http://127.0.0.1:11434 for Ollama."),
    endpoint_key_variable: textKey(
      "",
      "never",
      "Environment variable of the daemon that holds the endpoint's API key; empty for none.",
    ),
    environment: listKey(
      [],
      "never",
      "Variables of the daemon that the runner's program gets, such as ANTHROPIC_API_KEY or HTTPS_PROXY; it gets no other API key.",
    ),
    read_folder: textKey(
      "",
      "never",
      "Folder whose files the runner claude may read and search, with no other tool; empty for none.",
    ),
    sandbox: booleanKey(
      true,
      "never",
      "Run codex, gemini, opencode and command in a sandbox (bubblewrap) that hides your files; without it they can read them.",
    ),
    timeout_seconds: numberKey(
      60,
      "never",
      "Seconds from the program's first connection after which a diagnosis is ended; 180 s in all.",
      { min: 1, max: 180 },
    ),
    max_sessions: integerKey(
      14,
      "never",
      "No diagnosis runs while at least this many sessions of the runner's program run.",
      {
        min: 1,
      },
    ),
    runs_per_day: integerKey(50, "never", "Number of diagnoses in 24 hours."),
    cost_usd_per_day: numberKey(
      2,
      "never",
      "Cost in US dollars of all diagnoses in 24 hours, if the runner reports it.",
    ),
    actions: listKey(
      [],
      "never",
      "Actions besides send_slack that rouse may carry out if a model recommends them and their precondition holds.",
      { choices: DIAGNOSIS_ACTIONS },
    ),
    context: listKey(
      [],
      "never",
      "Command that prints the state of a pipeline outside of rouse as JSON; empty: the tasks of rouse.",
    ),
    action: listKey(
      [],
      "never",
      "Command that carries out one permitted action in that pipeline; it gets the action as JSON on standard input.",
    ),
  },
  // An agent that sets its own account could leave or join the queue of other agents.
  accounts: {
    agents: listKey(
      [],
      "never",
      'Account of an agent as "NAME=ACCOUNT", if its program does not report one; agents of one account share its limits.',
    ),
    tags: listKey([], "never", 'Account of all agents with a tag, as "TAG=ACCOUNT".'),
  },
  spend: {
    tokens_per_night: detectorKey(
      "tokens_per_night",
      "budget",
      "Input (including cached) and output tokens per agent and night (24 hours) after which one message is sent; 0 for no budget.",
    ),
    cost_usd_per_night: detectorKey(
      "cost_usd_per_night",
      "budget",
      "Cost in US dollars per agent and night after which one message is sent, if the program reports prices; 0 for no budget.",
    ),
    night_starts_hour: {
      ...detectorKey(
        "night_starts_hour",
        "never",
        "Hour (local time) at which a new budget period of 24 hours starts.",
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
      "Rights of every client of `rouse mcp`: read, report, report_any, control. report_any lets it report about other agents than itself; control lets it start, type into, recover and stop agents. They are also the rights of clients inside of watched agents, if your own file sets them.",
    ),
  },
  journal: {
    max_age_days: numberKey(7, "never", "Days after which signals are removed.", { min: 0.01 }),
    max_megabytes: numberKey(512, "never", "Largest size of the journal in megabytes.", { min: 1 }),
    allow_network_file_system: booleanKey(false, "never", "Allow the journal on a network file system."),
  },
  daemon: {
    http_port: integerKey(
      17_687,
      "never",
      "The daemon's port on 127.0.0.1 for the API, HTTP hooks and OpenTelemetry; 0 for none; agents' settings contain it, so keep it stable.",
      { max: 65_535 },
    ),
    http_address: textKey(
      "127.0.0.1",
      "never",
      "Address that http_port listens on; an address that other machines can reach also needs http_remote.",
    ),
    http_remote: booleanKey(
      false,
      "never",
      "Allow other machines to reach the port; requests and tokens are sent unencrypted.",
    ),
    http_hosts: listKey(
      [],
      "never",
      "Additional host names accepted in requests to the port, such as rouse.example:17687; others are refused.",
    ),
    dead_man_url: textKey(
      "",
      "never",
      "URL fetched after each completed check of all agents, so that an external monitor notices when rouse is gone; empty for none.",
    ),
  },
  api: {
    public_hosts: listKey(
      [],
      "never",
      "Host names under which your own TLS proxy forwards checkpoints and reports of agents that rouse cannot see, such as rouse.example; they serve POST /v1/checkpoints and POST /v1/report only.",
    ),
  },
  work: {
    continue_with: textKey(
      "",
      "never",
      "Agent ([agents.NAME] below) that takes over the task of an agent that died or stalled; empty: an agent of the same configuration, else one with the same program.",
    ),
    check_schedule: textKey(
      "",
      "never",
      'When missing checkpoints and stale claims are acted on, as a cron pattern with optional seconds such as "0 */15 * * * *"; empty: as soon as they are confirmed.',
    ),
    check: listKey(
      [],
      "never",
      'Command that verifies tasks without a check of their own, such as ["npm", "test"]; no shell runs it; [projects.NAME] check replaces it for one project; only your own file counts.',
    ),
    check_timeout_minutes: numberKey(10, "never", "Time limit of the check of a task.", { min: 0.01, max: 1440 }),
  },
  hub: {
    url: textKey(
      "",
      "never",
      "Address of the PostgreSQL that a fleet shares (postgresql://NODE:PASSWORD@HOST:PORT/DATABASE), written by `rouse fleet join`; empty: this machine keeps its tasks in its own SQLite.",
    ),
    node: textKey("", "never", "Name of this machine in a fleet; empty: its host name.", { variable: "ROUSE_NODE" }),
  },
  fleet: {
    accept_commands_from: listKey(
      [],
      "never",
      "Names of the nodes whose users may stop and recover agents of this machine through the fleet; what this machine's own permissions refuse stays refused, and nothing is typed by such a command.",
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

/** The settings of the detectors. */
export function settingsOf(config: Config): Settings {
  const found: Record<string, number> = {};
  for (const section of Object.values<Record<string, ConfigValue>>(config))
    for (const [name, value] of Object.entries(section))
      if (Object.hasOwn(DEFAULTS, name) && typeof value === "number") found[name] = value;
  return found;
}
