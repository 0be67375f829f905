/** What a run over the queue prints: each change once, with the time. */
import type { TaskSummaryView } from "../../api/service/task-views.js";
import { localZone } from "../../config/local-zone.js";
import { sanitize } from "../../core/text/sanitize.js";
import { clockTime } from "../../core/text/when.js";
import { CLOSED, type TaskStatus } from "../../hub/task-states.js";
import type { QueueStep, QueueWait } from "../../work/queue-run.js";

export class QueueReport {
  readonly #print: (line: string) => void;
  readonly #now: () => number;
  readonly #statuses = new Map<number, TaskStatus>();
  #wait = "";
  #outage = "";

  constructor(print: (line: string) => void, now: () => number) {
    this.#print = print;
    this.#now = now;
  }

  line(text: string): void {
    const now = this.#now();
    this.#print(`${clockTime(now, now, localZone())}  ${sanitize(text, 2000)}`);
  }

  statusOf(task: number): TaskStatus | null {
    return this.#statuses.get(task) ?? null;
  }

  isClosed(task: number): boolean {
    const status = this.statusOf(task);
    return status !== null && CLOSED.includes(status);
  }

  started(task: number, agent: string, isContinued: boolean): void {
    this.#statuses.set(task, "in_progress");
    this.line(isContinued ? `${agent} continues task ${task}.` : `${agent} started on task ${task}.`);
  }

  /** `task`: undefined if it was removed. */
  task(task: TaskSummaryView | undefined): void {
    if (!task || this.#statuses.get(task.id) === task.status) return;
    this.#statuses.set(task.id, task.status);
    const text = statusText(task);
    if (text !== null) this.line(text);
  }

  wait(wait: QueueStep["wait"]): void {
    const text = wait === null ? "" : waitText(wait, this.#now());
    if (text !== "" && text !== this.#wait) this.line(text);
    this.#wait = text;
    this.#outage = "";
  }

  outage(message: string): void {
    if (message !== this.#outage) this.line(`Waiting: ${message}.`);
    this.#outage = message;
  }
}

function statusText({ id, title, status, verification, last_error, result }: TaskSummaryView): string | null {
  const why = last_error === null || last_error === "" ? "" : ` Reason: ${last_error}`;
  const what = `Task ${id} (${sanitize(title, 80)})`;
  switch (status) {
    case "done": {
      const how = verification === null ? "" : ` (${verification})`;
      return `${what} is done${how}.${result === null || result === "" ? "" : ` ${result}`}`;
    }
    case "failed":
      return `${what} failed.${why}`;
    case "blocked":
      return `${what} is blocked.${why}`;
    case "rejected":
      return `${what} was rejected.`;
    case "pending":
      return `${what} was released and is offered again.${why}`;
    default:
      return null;
  }
}

function waitText(wait: QueueWait, now: number): string {
  if (wait.why === "budget") return "The budget is used up. No more tasks are started.";
  if (!Number.isFinite(wait.until)) return "The account has reached a limit. Waiting until it is lifted.";
  return `The account has reached a limit. Waiting until ${clockTime(wait.until, now, localZone())}.`;
}
