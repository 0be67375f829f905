/**
 * The ten activity sources of the agent resume system in their three tiers, and the table that maps rouse's signals to
 * them.
 *
 * A kind mapped to null proves at most that a program runs: repaints, bytes, CPU time, a busy flag, an outgoing
 * request, a retry. A hung agent shows all of these.
 */
import type { PerKind } from "../of-kind.js";
import { ofKind } from "../of-kind.js";
import type { FileSignal, Signal } from "../signal.js";

export interface Reliability {
  readonly tier: 1 | 2 | 3;
  /** How reliable one signal of this source is by itself. Shown with the signal; the tiers decide. */
  readonly confidence: number;
  /** Its signals, in the plural. */
  readonly wording: string;
}

export type ActivitySource =
  | "telemetry_event"
  | "git_commit"
  | "contract_claimed"
  | "test_execution"
  | "status_update"
  | "file_modification"
  | "devlog_created"
  | "inbox_processing"
  | "message_queue"
  | "workspace_access";

export const ACTIVITY_SOURCES: Readonly<Record<ActivitySource, Reliability>> = {
  telemetry_event: { tier: 1, confidence: 0.9, wording: "tool and model calls" },
  git_commit: { tier: 1, confidence: 0.85, wording: "commits" },
  contract_claimed: { tier: 1, confidence: 0.85, wording: "claimed tasks" },
  test_execution: { tier: 1, confidence: 0.8, wording: "test runs" },
  status_update: { tier: 2, confidence: 0.7, wording: "status changes" },
  file_modification: { tier: 2, confidence: 0.65, wording: "changed files" },
  devlog_created: { tier: 2, confidence: 0.7, wording: "devlog entries" },
  inbox_processing: { tier: 2, confidence: 0.6, wording: "read messages" },
  message_queue: { tier: 3, confidence: 0.4, wording: "queued messages" },
  workspace_access: { tier: 3, confidence: 0.3, wording: "file reads" },
};

const FILE_ROLES: Readonly<Record<NonNullable<FileSignal["role"]>, ActivitySource>> = {
  workspace: "file_modification",
  devlog: "devlog_created",
  status: "status_update",
  inbox: "inbox_processing",
  contract: "contract_claimed",
  telemetry: "telemetry_event",
  access: "workspace_access",
};

const none = (): null => null;

const SOURCE_OF: PerKind<ActivitySource | null> = {
  turn: (signal) => (signal.phase === "end" ? "telemetry_event" : null),
  tool_start: (signal) =>
    signal.class === "test" ? "test_execution" : signal.class === "instant" ? "workspace_access" : "telemetry_event",
  tool_end: (signal) => (signal.refused || signal.interrupted || signal.infra ? null : "telemetry_event"),
  message: (signal) => (signal.own ? null : signal.role === "assistant" ? "telemetry_event" : "message_queue"),
  delta: (signal) => (signal.chars > 0 ? "telemetry_event" : null),
  tokens: (signal) => (signal.output > 0 ? "telemetry_event" : null),
  compaction: (signal) => (signal.phase === "end" ? "telemetry_event" : null),
  // Only a screen with a changed reply or token counter counts: `takeActivity` compares them.
  screen: () => "status_update",
  file: (signal) => FILE_ROLES[signal.role ?? "workspace"] ?? null,
  commit: () => "git_commit",
  test: () => "test_execution",
  checkpoint: () => "telemetry_event",
  claim: () => "contract_claimed",
  report: (signal) => (signal.heartbeat ? null : "status_update"),
  queue: (signal) => (signal.op === "dequeue" ? "inbox_processing" : "message_queue"),
  session: none,
  status: none,
  repetition: none,
  request: none,
  retry: none,
  limit: none,
  error: none,
  prompt: none,
  output: none,
  process: none,
  exit: none,
  input: none,
  gap: none,
  sight: none,
  habits: none,
  supervisor: none,
};

export function activitySourceOf(signal: Signal): ActivitySource | null {
  return ofKind(SOURCE_OF, signal, null);
}
