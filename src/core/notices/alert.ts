/** What humans are told: one alert per problem, followed up when it changes and when it is over. Plain data. */

export const SEVERITIES = ["info", "warning", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const atLeast = (severity: Severity, floor: Severity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(floor);

export type AlertEdge =
  | "opened"
  | "changed" // the same problem is of another kind now
  | "escalated" // it has become more serious: a human is needed
  | "reminder"
  | "resolved"
  | "digest"
  | "test";

/** What a channel sends: everything in it may be shown as it is, once the channel has escaped it in its own way. */
export interface Notice {
  /** The same whenever the same alert is sent, so that a receiver can drop what it has already. */
  key: string;
  /** The same for all that is said of one problem. */
  subject: string;
  kind: "watchdog" | "digest" | "test";
  edge: AlertEdge;
  severity: Severity;
  at: number;
  /** One line: who and what. */
  title: string;
  /** Why, since when, what was done, what can be done: short lines for a phone. */
  lines: readonly string[];
  agents: readonly string[];
  incidents: readonly string[];
}

/** Which alerts a channel gets. */
export interface AlertRoute {
  channel: string;
  /** From this severity on. */
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
  /** From this severity on nothing is held; null holds all. */
  passes: Severity | null;
  /** Minute of the day at a moment, in the zone of whoever sleeps. */
  minuteOfDay: (at: number) => number;
}

export interface AlertRules {
  routes: readonly AlertRoute[];
  /** Gets what no route takes; null for nobody. */
  fallback: string | null;
  quiet: QuietHours | null;
  reminder: { everyMs: number; max: number };
  /** A problem is told so long after it is certain: what comes together is told together. */
  groupWaitMs: number;
  /** More new problems than this at once become one alert. */
  groupOver: number;
  /** A limit is told after so long. */
  patienceMs: (agent: string) => number;
  tagsOf: (agent: string) => readonly string[];
}

/** What was told of one subject so far. */
export interface AlertState {
  subject: string;
  /** Incidents with their generation. */
  members: readonly string[];
  edges: readonly { edge: AlertEdge; at: number; severity: Severity; kind: string }[];
  /** Who was told. */
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
  /** What kind of problem, in the word of the message to orchestrators. */
  kind: string;
  severity: Severity;
  at: number;
  members: readonly string[];
  deliveries: readonly Delivery[];
}
