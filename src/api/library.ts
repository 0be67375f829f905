/**
 * rouse as a library: `import { watch } from "rouse"`. It talks to this user's daemon over its socket. Nothing is watched or
 * judged in your process, so it may end and restart at any time.
 */
import { rousePaths } from "../config/paths.js";
import type { Problem } from "../core/incidents/problem.js";
import type { WatchRules } from "../daemon/intake/watch-rules.js";
import type { CheckedAgent } from "../daemon/views/check.js";
import type { SessionCoverage } from "../daemon/views/coverage.js";
import type { IncidentView } from "../daemon/views/incident-view.js";
import type { LineView } from "../daemon/views/line.js";
import type { RecoveryView } from "../daemon/views/recovery-view.js";
import type { SessionRecord } from "../daemon/views/session-record.js";
import type { SessionView } from "../daemon/views/view.js";
import type { AuditCheck } from "../store/audit-table.js";
import { DEAD_LETTER, type DeadLetter, type DeliverOptions, deadLetterInbox, deliverMessages } from "./deliver.js";
import { type EventsOptions, eventsOf } from "./event-client.js";
import type { ApiEvent, EventKind, OrderEvent } from "./events.js";
import type { OperationAnswer, OperationInput, OperationName } from "./operations/index.js";
import type { ClientMessage, MessageView, Notice } from "./operations/records.js";
import { OwnAgent, type OwnAgentOptions } from "./own-agent.js";
import { callOperation } from "./remote.js";
import type { AgentActivity } from "./service/activity.js";
import type { AgentFilter, AgentStatus, OrderResult, WhyAnswer } from "./service/agents.js";
import type { AlertsStatus, AlertTest, AlertView } from "./service/alerts.js";
import type { AuditLineView } from "./service/audit.js";
import type { DaemonView, HealthView, SummaryAnswer } from "./service/daemon.js";
import type { DiagnosisView } from "./service/diagnosis.js";
import type { CommandView, FleetAgentView, FleetView } from "./service/fleet.js";
import type { HistoryAnswer, StripsView } from "./service/history.js";
import type { MetricsView, MissedView } from "./service/incidents.js";
import type { OutgoingMessage } from "./service/messages.js";
import type { PermissionsView } from "./service/permissions.js";
import type { Report } from "./service/reports.js";
import type { SilencesView } from "./service/silences.js";
import type { SpawnedAgent } from "./service/spawn-order.js";
import type { LockView, TaskDetailView, TaskSummaryView, TaskView } from "./service/task-views.js";
import type { WatchdogView } from "./watchdogs.js";

export type { Signal } from "../core/signal.js";
export type { Cause, State } from "../core/states.js";
export { DaemonUnreachable } from "../daemon/client.js";
export { ApiError } from "./error.js";
export type {
  AgentActivity,
  AgentFilter,
  AgentStatus,
  AlertsStatus,
  AlertTest,
  AlertView,
  ApiEvent,
  AuditCheck,
  AuditLineView,
  CheckedAgent,
  ClientMessage,
  CommandView,
  DaemonView,
  DeadLetter,
  DeliverOptions,
  EventKind,
  EventsOptions,
  FleetAgentView,
  FleetView,
  HealthView,
  HistoryAnswer,
  IncidentView,
  LineView,
  LockView,
  MessageView,
  MetricsView,
  MissedView,
  Notice,
  OperationAnswer,
  OperationInput,
  OperationName,
  OrderEvent,
  OrderResult,
  OutgoingMessage,
  OwnAgent,
  OwnAgentOptions,
  PermissionsView,
  RecoveryView,
  Report,
  SessionCoverage,
  SessionRecord,
  SessionView,
  SilencesView,
  SpawnedAgent,
  StripsView,
  SummaryAnswer,
  TaskDetailView,
  TaskSummaryView,
  TaskView,
  WatchdogView,
  WatchRules,
  WhyAnswer,
};

export interface WatchOptions {
  /** Your name in messages and in the log of orders. */
  name?: string;
  /** Replaces ROUSE_HOME of the environment. */
  home?: string;
}

/** Connects to the daemon. Throws `DaemonUnreachable` if none is running: start it with `rouse up`. */
export async function watch({ name = "library", home }: WatchOptions = {}): Promise<Rouse> {
  const { daemonSocket } = rousePaths(home === undefined ? process.env : { ...process.env, ROUSE_HOME: home });
  const rouse = new Rouse(daemonSocket, name);
  await rouse.health();
  return rouse;
}

export class Rouse {
  readonly #socket: string;
  readonly #name: string;
  readonly #ending = new AbortController();
  readonly #agents = new Set<OwnAgent>();

  constructor(socket: string, name: string) {
    this.#socket = socket;
    this.#name = name;
  }

  health(): Promise<HealthView> {
    return this.call("health");
  }

  // Agents

  async agents(filter: AgentFilter = {}): Promise<SessionView[]> {
    return (await this.call("agents", filter)).agents;
  }

  /** By name, session id or tmux pane id. */
  status(agent: string): Promise<AgentStatus> {
    return this.call("status", { agent });
  }

  why(agent: string): Promise<WhyAnswer> {
    return this.call("why", { agent });
  }

  async readPane(agent: string, lines = 40): Promise<string[]> {
    return (await this.call("read_pane", { agent, lines })).lines;
  }

  /** The text of the agent's screen at that time, as far as it is kept. */
  screen(agent: string, at: Date): Promise<OperationAnswer<"screen">> {
    return this.call("screen", { agent, at: at.toISOString() });
  }

  /** When the agent's state changed and its screen was stored; the latest first. */
  async screens(agent: string): Promise<OperationAnswer<"screens">["screens"]> {
    return (await this.call("screens", { agent })).screens;
  }

  async sessions(): Promise<SessionRecord[]> {
    return (await this.call("sessions")).agents;
  }

  /** Starts an agent, detached, in a terminal of its own. No shell is used. */
  spawn(order: OperationInput<"spawn">): Promise<SpawnedAgent> {
    return this.call("spawn", order);
  }

  /** Types one line and presses Enter. Throws `ApiError` if it is refused. */
  sendInput(agent: string, text: string, requestId?: string, timeoutSeconds?: number): Promise<OrderResult> {
    return this.call("send_input", { agent, text, request_id: requestId, timeout_secs: timeoutSeconds });
  }

  /** Runs the recovery plan of an agent's problem now. */
  recover(agent: string, options: { dry_run?: boolean; restart?: boolean } = {}): Promise<RecoveryView> {
    return this.call("recover", { agent, ...options });
  }

  /** Ends an agent that rouse spawned, even if it waits for an answer. */
  stop(agent: string, requestId?: string): Promise<OrderResult> {
    return this.call("stop", { agent, request_id: requestId });
  }

  report(agent: string, report: Report): Promise<{ agent: string }> {
    return this.call("report", { agent, ...report });
  }

  // Activity

  /** Whether one agent is active, and whether it may be resumed. */
  getActivity(agent: string): Promise<AgentActivity> {
    return this.call("get_activity", { agent });
  }

  async check(options: OperationInput<"check"> = {}): Promise<CheckedAgent[]> {
    return (await this.call("check", options)).agents;
  }

  // Incidents

  async incidents(which: OperationInput<"incidents"> = {}): Promise<IncidentView[]> {
    return (await this.call("incidents", which)).incidents;
  }

  /** By id, by its first characters, or by the name of an agent with one open incident. */
  incident(incident: string): Promise<IncidentView> {
    return this.call("incident", { incident });
  }

  /** Acknowledges an incident and stops further action on it. */
  ackIncident(incident: string): Promise<IncidentView> {
    return this.call("ack", { incident });
  }

  feedback(incident: string, feedback: "false-alarm" | "right"): Promise<IncidentView> {
    return this.call("feedback", { incident, feedback });
  }

  /** Reports a stall that rouse did not report. */
  missed(agent: string, about: { at?: Date; problem?: Problem } = {}): Promise<MissedView> {
    const { at, ...problem } = about;
    return this.call("missed", { agent, ...problem, ...(at ? { at: at.getTime() } : {}) });
  }

  /** Asks a model to explain what is wrong. It takes up to three minutes. */
  diagnose(agent?: string): Promise<DiagnosisView> {
    return this.call("diagnose", agent === undefined ? {} : { agent });
  }

  /** The newest first. */
  diagnoses(limit?: number): Promise<OperationAnswer<"diagnoses">> {
    return this.call("diagnoses", limit === undefined ? {} : { limit });
  }

  diagnosisFeedback(diagnosis: string, feedback: "right" | "wrong"): Promise<DiagnosisView> {
    return this.call("diagnosis_feedback", { diagnosis, feedback });
  }

  /** Exactly what a diagnosis would send to a model, about one agent or about all. */
  async diagnosisContext(agent?: string): Promise<string[]> {
    return (await this.call("diagnosis_context", agent === undefined ? {} : { agent })).lines;
  }

  /** Detection, recovery, false positives and time to recovery of stalls, and how often agents recovered after a step. */
  metrics(options: { weeks?: number } = {}): Promise<MetricsView> {
    return this.call("metrics", options);
  }

  // Work

  async tasks(filter: OperationInput<"tasks"> = {}): Promise<TaskSummaryView[]> {
    return (await this.call("tasks", filter)).tasks;
  }

  /** With its claims, checkpoints and comments. */
  task(task: number): Promise<TaskDetailView> {
    return this.call("task", { task });
  }

  /** The task that would be claimed next. */
  async nextTask(filter: OperationInput<"next_task"> = {}): Promise<TaskView | null> {
    return (await this.call("next_task", filter)).task;
  }

  addTask(task: OperationInput<"add_task">): Promise<TaskView> {
    return this.call("add_task", task);
  }

  editTask(task: number, changes: Omit<OperationInput<"edit_task">, "task">): Promise<TaskView> {
    return this.call("edit_task", { task, ...changes });
  }

  commentTask(task: number, text: string, agent?: string): Promise<OperationAnswer<"comment_task">> {
    return this.call("comment_task", { task, text, agent });
  }

  /** Approves, queues, rejects, blocks, unblocks, closes, reopens or releases a task. */
  decideTask(task: number, decision: Omit<OperationInput<"decide_task">, "task">): Promise<TaskView> {
    return this.call("decide_task", { task, ...decision });
  }

  /** A second attempt from the workspace at an earlier checkpoint. */
  forkTask(fork: OperationInput<"fork_task">): Promise<TaskView> {
    return this.call("fork_task", fork);
  }

  /** The prompt that would resume an agent now; null if it is not to be resumed. */
  resumePrompt(agent: string): Promise<OperationAnswer<"resume_prompt">> {
    return this.call("resume_prompt", { agent });
  }

  claimTask(claim: OperationInput<"claim_task">): Promise<OperationAnswer<"claim_task">> {
    return this.call("claim_task", claim);
  }

  releaseTask(release: OperationInput<"release_task">): Promise<TaskView> {
    return this.call("release_task", release);
  }

  finishTask(finish: OperationInput<"finish_task">): Promise<TaskView> {
    return this.call("finish_task", finish);
  }

  /** The nodes of the fleet and their agents. */
  fleet(): Promise<FleetView> {
    return this.call("fleet");
  }

  /** NAME@NODE. */
  fleetAgent(agent: string): Promise<FleetAgentView> {
    return this.call("fleet_agent", { agent });
  }

  /** Stops or recovers an agent of another node, which checks its own permissions. */
  fleetCommand(command: OperationInput<"fleet_command">): Promise<CommandView> {
    return this.call("fleet_command", command);
  }

  checkpoint(checkpoint: OperationInput<"checkpoint">): Promise<OperationAnswer<"checkpoint">> {
    return this.call("checkpoint", checkpoint);
  }

  async locks(project?: string): Promise<LockView[]> {
    return (await this.call("locks", { project })).locks;
  }

  takeLock(lock: OperationInput<"take_lock">): Promise<LockView> {
    return this.call("take_lock", lock);
  }

  async releaseLock(lock: OperationInput<"release_lock">): Promise<boolean> {
    return (await this.call("release_lock", lock)).released;
  }

  // Permissions and silences

  permissions(): Promise<PermissionsView> {
    return this.call("permissions");
  }

  /** Turns auto-recovery on or off. */
  allow(allowance: OperationInput<"allow">): Promise<PermissionsView> {
    return this.call("allow", allowance);
  }

  /** The newest lines of the audit trail, the oldest of them first. */
  audit(query: OperationInput<"audit"> = {}): Promise<{ lines: AuditLineView[] }> {
    return this.call("audit", query);
  }

  /** Whether lines of the audit trail are missing or were altered. */
  checkAudit(): Promise<AuditCheck> {
    return this.call("audit_check");
  }

  /** Accepts the present problems of the audit trail. */
  async acceptAudit(): Promise<string[]> {
    return (await this.call("accept_audit")).accepted;
  }

  silences(): Promise<SilencesView> {
    return this.call("silences");
  }

  /** Silences an agent or a problem; `for_secs` null ends the silence. */
  silence(silence: OperationInput<"silence">): Promise<SilencesView> {
    return this.call("silence", silence);
  }

  // Alerts

  async alerts(limit = 50): Promise<AlertView[]> {
    return (await this.call("alerts", { limit })).alerts;
  }

  alertStatus(): Promise<AlertsStatus> {
    return this.call("alert_status");
  }

  testAlert(channel: string): Promise<AlertTest> {
    return this.call("test_alert", { channel });
  }

  retryAlerts(): Promise<{ retried: number }> {
    return this.call("retry_alerts");
  }

  dismissAlerts(): Promise<{ dismissed: number }> {
    return this.call("dismiss_alerts");
  }

  // Watchdog timers

  async watchdogs(): Promise<WatchdogView[]> {
    return (await this.call("watchdogs")).watchdogs;
  }

  startWatchdog(agent: string, intervalSecs: number, message = "check"): Promise<WatchdogView> {
    return this.call("watchdog_start", { agent, interval_secs: intervalSecs, message });
  }

  stopWatchdog(agent: string): Promise<{ stopped: boolean }> {
    return this.call("watchdog_stop", { agent });
  }

  // Messages

  messages(which: OperationInput<"messages"> = {}): Promise<{ messages: MessageView[]; cursor: number }> {
    return this.call("messages", which);
  }

  ack(upTo: number, tag?: string): Promise<{ acked: number }> {
    return this.call("ack_messages", { up_to: upTo, tag });
  }

  send({ tag, type, payload, key }: OutgoingMessage): Promise<{ cursor: number }> {
    return this.call("send_message", { target: { tag }, msg_type: type, payload, key });
  }

  inboxes(): Promise<OperationAnswer<"inboxes">> {
    return this.call("inboxes");
  }

  /**
   * Passes every message of an inbox to your handler, in order, and acknowledges it after the handler returns. A handler
   * that throws gets the message again after a growing pause; after `attempts` the message becomes a dead letter and the
   * next one follows. Ends when you close.
   */
  deliver(handler: (message: MessageView) => unknown, options: DeliverOptions = {}): Promise<void> {
    return deliverMessages(this, handler, options, this.#ending.signal);
  }

  /** Messages that `deliver` could not deliver, oldest first. Acknowledge them with `ack(cursor, deadLetterInbox(tag))`. */
  async deadLetters(tag?: string): Promise<DeadLetter[]> {
    const inbox = deadLetterInbox(tag ?? (await this.inboxes()).orchestrator_tag);
    const { messages } = await this.messages({ tag: inbox, limit: PAGE });
    return messages.flatMap(({ msg_type, payload, cursor }) =>
      msg_type === DEAD_LETTER ? [{ ...(payload as Omit<DeadLetter, "dead_cursor">), dead_cursor: cursor }] : [],
    );
  }

  // The daemon

  line(): Promise<LineView> {
    return this.call("line");
  }

  summary(since: Date): Promise<SummaryAnswer> {
    return this.call("summary", { since: since.getTime() });
  }

  /** Sessions, states, incidents, tokens and cost of one agent; without `since`, of the last 24 hours. */
  history(agent: string, since?: Date): Promise<HistoryAnswer> {
    return this.call("history", { agent, ...(since === undefined ? {} : { since: since.getTime() }) });
  }

  /** The last 24 hours of each agent, one state per slot of time. */
  strips(slotMins: 15 | 30 | 60 = 30): Promise<StripsView> {
    return this.call("strips", { slot_mins: slotMins });
  }

  /** Gives a running agent another name. */
  rename(agent: string, name: string): Promise<{ agent: string; before: string }> {
    return this.call("rename", { agent, name });
  }

  async sources(): Promise<SessionCoverage[]> {
    return (await this.call("sources")).agents;
  }

  daemon(): Promise<DaemonView> {
    return this.call("daemon");
  }

  /** Adds rules for adopting agents that already run. */
  watch(rules: OperationInput<"watch">): Promise<WatchRules> {
    return this.call("watch", rules);
  }

  /** Stops watching adopted agents; they keep running. */
  unwatch(agents: string[]): Promise<{ unwatched: string[] }> {
    return this.call("unwatch", { agents });
  }

  /** Events as they happen, across restarts of the daemon, until you stop listening or close. */
  events<Kind extends EventKind = EventKind>(options: EventsOptions<Kind> = {}): AsyncGenerator<ApiEvent<Kind>> {
    return eventsOf(this.#socket, options, this.#ending.signal);
  }

  /** A sensor of your own: an agent that rouse cannot see by itself, watched by the signals that you send. */
  addAgent(options: OwnAgentOptions): OwnAgent {
    const agent = new OwnAgent(this.#socket, options);
    this.#agents.add(agent);
    return agent;
  }

  /** Closes all streams. rouse then reports your own agents as unobserved. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#agents].map((agent) => agent.leave()));
  }

  /** Calls an operation by its name. */
  call<Name extends OperationName>(
    operation: Name,
    ...[input]: Record<string, never> extends OperationInput<Name>
      ? [input?: OperationInput<Name>]
      : [input: OperationInput<Name>]
  ): Promise<OperationAnswer<Name>> {
    const headers = { "x-rouse-client": encodeURIComponent(this.#name) };
    return callOperation(this.#socket, operation, (input ?? {}) as OperationInput<Name>, { headers });
  }
}

const PAGE = 100;
