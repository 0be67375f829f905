/** Alerts to users: one per problem, with follow-ups when it changes and when it is resolved. Plain data. */

export const SEVERITIES = ["info", "warning", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Every problem is at least a warning, and its end goes where its alert went, so a channel for `info` would get no more. */
export const CHANNEL_SEVERITIES: readonly ["warning", "critical"] = ["warning", "critical"];

export const atLeast = (severity: Severity, floor: Severity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(floor);

export const ALERT_EDGES = [
  "opened",
  "changed", // the problem is of another kind now
  "escalated", // it became more serious and needs the user
  "reminder",
  "resolved",
  "digest",
  "diagnosis", // a model explains it
  "security", // a client tried what it may not, or records were altered; it has no follow-ups
  "test",
] as const;
export type AlertEdge = (typeof ALERT_EDGES)[number];

export const NOTICE_KINDS = ["watchdog", "digest", "security", "test"] as const;

/** What a channel sends. The text is safe to show once the channel has escaped it. */
export interface Notice {
  /** Equal for every attempt to send the same alert, so that a receiver can drop duplicates. */
  key: string;
  /** Equal for all alerts about one problem. */
  subject: string;
  kind: (typeof NOTICE_KINDS)[number];
  edge: AlertEdge;
  severity: Severity;
  at: number;
  /** One line: agent and problem. */
  title: string;
  /** Reason, start, actions, suggested commands: short lines for a phone. */
  lines: readonly string[];
  agents: readonly string[];
  incidents: readonly string[];
}

/** Which alerts a channel gets. */
export interface AlertRoute {
  channel: string;
  /** Minimum severity. */
  severity: Severity;
  /** Null for all. */
  agents: readonly string[] | null;
  tags: readonly string[] | null;
  problems: readonly string[] | null;
  /** False: quiet hours do not hold it. */
  honoursQuiet: boolean;
}

export interface QuietHours {
  /** Minutes of the day; a window may span midnight. */
  from: number;
  to: number;
  /** Alerts of at least this severity are sent anyway; null holds all. */
  passes: Severity | null;
  /** Minute of the day in the user's zone. */
  minuteOfDay: (at: number) => number;
}

export interface AlertRules {
  routes: readonly AlertRoute[];
  /** Channel for alerts without a matching route; null for none. */
  fallback: string | null;
  quiet: QuietHours | null;
  reminder: { everyMs: number; max: number };
  /** Delay after confirmation, so that problems that start together become one alert. */
  groupWaitMs: number;
  /** More new problems than this at once become one alert. */
  groupOver: number;
  /** A limit is reported after this time. */
  patienceMs: (agent: string) => number;
  tagsOf: (agent: string) => readonly string[];
}

/** The alerts about one subject so far. */
export interface AlertState {
  subject: string;
  /** Incidents with their generation. */
  members: readonly string[];
  edges: readonly { edge: AlertEdge; at: number; severity: Severity; kind: string }[];
  /** Channels that received it. */
  channels: readonly string[];
}

export interface Delivery {
  channel: string;
  dueAt: number;
}

export interface PlannedAlert {
  key: string;
  subject: string;
  edge: AlertEdge;
  /** The kind of problem, as the message type for orchestrators. */
  kind: string;
  severity: Severity;
  at: number;
  members: readonly string[];
  deliveries: readonly Delivery[];
}
