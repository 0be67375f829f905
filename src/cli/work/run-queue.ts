/** Runs agents over the queue: observes, lets `nextSteps` decide, and carries out its steps until nothing is left. */

import type { ControlResult } from "../../api/control-result.js";
import { ApiError } from "../../api/error.js";
import type { TaskSummaryView } from "../../api/service/task-views.js";
import { sanitize } from "../../core/text/sanitize.js";
import { SECOND } from "../../core/text/time.js";
import { DaemonRefusal, DaemonUnreachable } from "../../daemon/client.js";
import type { SessionView } from "../../daemon/views/view.js";
import { nextSteps, type OwnTask, type QueueAgent, type QueueStep, type QueueUse } from "../../work/queue-run.js";
import type { call, OperationAnswer, OperationInput } from "../client.js";
import { START_LIMIT_MS } from "../start-limit.js";
import { QueueReport } from "./queue-report.js";

const TASKS_MAX = 1000;

export interface QueueRunOptions {
  call: typeof call;
  /** Name of the agents: a configured one, or that of `order.command`. */
  as: string;
  max: number;
  filter: Pick<OperationInput<"tasks">, "project" | "kind" | "stage" | "tags">;
  /** What `spawn` gets besides task and name. */
  order: Omit<OperationInput<"spawn">, "task" | "as">;
  print: (line: string) => void;
  now: () => number;
  /** Between two observations; returns early at Ctrl-C. */
  pause: () => Promise<void>;
  isInterrupted: () => boolean;
  /** Makes a daemon that ended answer again; false: the user stopped it. */
  restart: () => Promise<boolean>;
}

export interface QueueRunResult {
  why: "empty" | "interrupted" | "budget" | "daemon stopped";
  started: number[];
  /** Tasks that could not be started. */
  skipped: { task: number; reason: string }[];
  /** How the tasks ended that this run started. */
  tasks: { task: number; status: string }[];
  /** Agents of this run that are still running. */
  running: { agent: string; task: number }[];
}

interface Observation {
  tasks: TaskSummaryView[];
  agents: SessionView[];
  accounts: ReadonlyMap<string, string>;
  recovering: ReadonlySet<string>;
}

export class QueueRun {
  readonly #options: QueueRunOptions;
  readonly #report: QueueReport;
  #own: OwnTask[] = [];
  readonly #started: number[] = [];
  readonly #skipped = new Map<number, string>();
  readonly #accounts = new Set<string>();
  readonly #used = new Map<string, QueueUse>();
  #budget: QueueUse = { tokens: 0, costUsd: 0 };
  /** Tasks whose start had no answer: the next holder with a fitting name is an agent of this run. */
  readonly #uncertain = new Set<number>();
  #living: { agent: string; task: number }[] = [];

  constructor(options: QueueRunOptions) {
    this.#options = options;
    this.#report = new QueueReport(options.print, options.now);
  }

  /** Throws what the first observation throws: no daemon, or no hub. */
  async run(): Promise<QueueRunResult> {
    const { pause, isInterrupted } = this.#options;
    let seen: Observation | "none" = await this.#observe();
    for (;;) {
      if (isInterrupted()) return this.#result("interrupted");
      if (seen !== "none") {
        const step = this.#step(seen);
        await this.#carryOut(step);
        if (step.isEnd) return this.#result(step.wait?.why === "budget" ? "budget" : "empty");
      }
      await pause();
      if (isInterrupted()) return this.#result("interrupted");
      const found = await this.#observe().catch((error: unknown) => this.#outage(error));
      if (found === "stopped") return this.#result("daemon stopped");
      seen = found;
    }
  }

  /** `none`: observe again later. */
  async #outage(error: unknown): Promise<"none" | "stopped"> {
    const isOutage =
      error instanceof DaemonUnreachable ||
      error instanceof DaemonRefusal ||
      (error instanceof ApiError && error.kind === "unavailable");
    if (!isOutage) throw error;
    this.#report.outage((error as Error).message);
    if (!(error instanceof DaemonUnreachable) || !error.isDown) return "none";
    return (await this.#options.restart()) ? "none" : "stopped";
  }

  async #observe(): Promise<Observation> {
    const { call: ask, filter } = this.#options;
    const { tasks } = await ask("tasks", { ...filter, limit: TASKS_MAX });
    // Closed ones are not in the list, nor are those that were moved to another stage.
    const missing = this.#own.filter(
      ({ task }) => !tasks.some(({ id }) => id === task) && !this.#report.isClosed(task),
    );
    const own = await Promise.all(missing.map(({ task }) => this.#task(task)));
    const { agents } = await ask("agents", {});
    const { agents: sessions } = await ask("sessions", {});
    const { incidents } = await ask("incidents", {});
    const recovering = incidents.filter(({ allowed, next }) => allowed && next?.do != null).map(({ agent }) => agent);
    return {
      tasks: [...tasks, ...own.filter((task) => task !== null)],
      agents,
      accounts: new Map(sessions.map(({ id, kind, account }) => [id, account ?? kind])),
      recovering: new Set(recovering),
    };
  }

  /** Null: it was removed. */
  async #task(task: number): Promise<OperationAnswer<"task"> | null> {
    try {
      return await this.#options.call("task", { task });
    } catch (error) {
      if (error instanceof ApiError && error.kind === "unknown") return null;
      throw error;
    }
  }

  #step({ tasks, agents, accounts, recovering }: Observation): QueueStep {
    const { max, now } = this.#options;
    this.#adopt(tasks);
    const names = new Set(this.#own.flatMap((own) => own.agents));
    for (const { name, session, spend } of agents) {
      if (!names.has(name)) continue;
      this.#accounts.add(accounts.get(session) ?? "");
      if (spend === null) continue;
      this.#used.set(name, { tokens: spend.tokens, costUsd: spend.cost_usd ?? 0 });
      this.#budget = { tokens: spend.tokens_budget ?? 0, costUsd: spend.cost_usd_budget ?? 0 };
    }
    const step = nextSteps({
      now: now(),
      max,
      tasks: tasks.map(({ id, status, waits_for, claim }) => ({
        id,
        status,
        isReady: waits_for.length === 0,
        holder: claim?.agent ?? null,
      })),
      agents: agents.map((agent) => queueAgent(agent, accounts)),
      recovering,
      own: this.#own,
      skipped: new Set(this.#skipped.keys()),
      accounts: this.#accounts,
      used: sumOf([...this.#used.values()]),
      budget: this.#budget,
    });
    this.#own = step.own;
    this.#living = step.own.flatMap(({ task, agents: mine }) =>
      agents.filter(({ name }) => mine.includes(name)).map(({ name }) => ({ agent: name, task })),
    );
    for (const { task } of step.own) this.#report.task(tasks.find(({ id }) => id === task));
    this.#report.wait(step.wait);
    return step;
  }

  /** The answer to a start was lost, but the agent runs. */
  #adopt(tasks: readonly TaskSummaryView[]): void {
    for (const { id, claim } of tasks) {
      if (claim === null || !this.#uncertain.has(id)) continue;
      if (claim.agent.startsWith(`${this.#options.as.slice(0, 48)}-${id}`)) this.#follow(id, claim.agent);
      this.#uncertain.delete(id);
    }
  }

  #follow(task: number, agent: string): void {
    const { agents = [] } = this.#own.find((one) => one.task === task) ?? {};
    const own = { task, agents: [...new Set([...agents, agent])], missingSince: null, leftSince: null };
    this.#own = [...this.#own.filter((one) => one.task !== task), own];
    this.#living = [...this.#living.filter((one) => one.agent !== agent), { agent, task }];
    if (!this.#started.includes(task)) this.#started.push(task);
  }

  async #carryOut({ stops, continues, starts }: QueueStep): Promise<void> {
    await Promise.all(stops.map((agent) => this.#stop(agent)));
    if (this.#options.isInterrupted()) return;
    await Promise.all([...continues, ...starts].map((task) => this.#start(task, continues.includes(task))));
  }

  async #stop(agent: string): Promise<void> {
    try {
      await this.#options.call("stop", { agent }, START_LIMIT_MS);
      this.#living = this.#living.filter((one) => one.agent !== agent);
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind === "unknown" || error.kind === "unavailable") return;
      // It ended meanwhile: the next observation misses it, and its task is continued.
      if (!(await this.#isRunning(agent))) return;
      this.#report.line(`${agent} could not be stopped: ${error.message}. It keeps running.`);
      this.#own = this.#own.map((own) => ({ ...own, agents: own.agents.filter((name) => name !== agent) }));
    }
  }

  async #isRunning(agent: string): Promise<boolean> {
    const answer = await this.#options.call("agents", {}).catch(() => null);
    return answer?.agents.some(({ name }) => name === agent) ?? false;
  }

  async #start(task: number, isContinued: boolean): Promise<void> {
    const { call: ask, as, order } = this.#options;
    try {
      const { agent, prompt } = await ask("spawn", { ...order, as, task: String(task) }, START_LIMIT_MS);
      this.#follow(task, agent);
      this.#report.started(task, agent, isContinued);
      if (prompt !== null && prompt.result !== "done") await this.#stopUnprompted(agent, prompt);
    } catch (error) {
      await this.#notStarted(task, error, isContinued);
    }
  }

  /** Without its prompt it would wait for input: the next session continues the task. */
  async #stopUnprompted(agent: string, { reason }: ControlResult): Promise<void> {
    this.#report.line(`${agent} did not take its prompt: ${reason}. It is stopped if it still runs.`);
    await this.#stop(agent);
  }

  async #notStarted(task: number, error: unknown, isContinued: boolean): Promise<void> {
    if (!(error instanceof ApiError)) {
      if (!(error instanceof DaemonUnreachable || error instanceof DaemonRefusal)) throw error;
      this.#uncertain.add(task);
      return;
    }
    if (error.kind === "unavailable") return;
    if (isContinued) {
      // The recovery plan was faster, or no continuation was left: the next observation shows it.
      this.#own = this.#own.map((own) => (own.task === task ? { ...own, missingSince: this.#options.now() } : own));
      return;
    }
    const found = await this.#task(task).catch(() => null);
    if (found?.status !== "pending" || found.claim !== null) return;
    const reason = error.message.replace(/^the agent was not started: /, "");
    this.#skipped.set(task, reason);
    this.#report.line(`Task ${task} was not started: ${reason}`);
  }

  #result(why: QueueRunResult["why"]): QueueRunResult {
    return {
      why,
      started: [...this.#started],
      skipped: [...this.#skipped].map(([task, reason]) => ({ task, reason })),
      tasks: this.#started.map((task) => ({ task, status: this.#report.statusOf(task) ?? "in_progress" })),
      running: this.#living,
    };
  }
}

function queueAgent(agent: SessionView, accounts: ReadonlyMap<string, string>): QueueAgent {
  const { name, session, state, until } = agent;
  return {
    name: sanitize(name, 80),
    account: accounts.get(session) ?? "",
    limitedUntil: state !== "rate_limited" ? null : until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
    isIdle: state === "complete" || state === "idle",
  };
}

const sumOf = (uses: readonly QueueUse[]): QueueUse =>
  uses.reduce((sum, { tokens, costUsd }) => ({ tokens: sum.tokens + tokens, costUsd: sum.costUsd + costUsd }), {
    tokens: 0,
    costUsd: 0,
  });

export const PAUSE_MS: number = SECOND;
