/**
 * The checks that run now. One per task: a second `done` waits for the result of the first. What runs is written down before it
 * starts, so that after a restart of the daemon nothing of it is left, and the task says that its check was interrupted.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../config/whole-file.js";
import type { Hub } from "../hub/hub.js";
import { HubError } from "../hub/hub-error.js";
import { type CheckLeader, type CheckResult, endLeftCheck, runCheck } from "./verify.js";

export interface CheckOptions {
  task: number;
  command: readonly string[];
  folder: string | null;
  limitMs: number;
}

const AUTHOR = "rouse";
const INTERRUPTED = "its check was interrupted by a restart of rouse; report the task as done again";
/** More at once would make each other exceed their time limit. */
const AT_ONCE = 4;

export class TaskChecks {
  readonly #folder: string;
  readonly #running = new Map<number, Promise<CheckResult>>();
  #waiting: (() => void)[] = [];
  #active = 0;
  #isClosed = false;

  constructor(state: string) {
    this.#folder = join(state, "checks");
  }

  /** The result is stored as a comment on the task. */
  run(hub: Hub, options: CheckOptions): Promise<CheckResult> {
    const { task } = options;
    const running = this.#running.get(task) ?? this.#run(hub, options).finally(() => this.#running.delete(task));
    this.#running.set(task, running);
    return running;
  }

  async #run(hub: Hub, { task, ...request }: CheckOptions): Promise<CheckResult> {
    if (this.#active >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#active++;
    const file = join(this.#folder, `${task}.json`);
    try {
      this.#refuseIfClosed(task);
      const result = await runCheck({ ...request, started: (leader) => this.#keep(file, leader) });
      this.#refuseIfClosed(task);
      await hub.comment(task, commentOf(result), AUTHOR);
      return result;
    } finally {
      // Of an interrupted check the next start tells the task.
      if (!this.#isClosed) rmSync(file, { force: true });
      this.#active--;
      this.#waiting.shift()?.();
    }
  }

  /** Ends what runs, before the daemon stops. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const leaders = namesIn(this.#folder).map((name) => readLeader(join(this.#folder, name)));
    await Promise.all(leaders.filter((leader) => leader !== null).map(endLeftCheck));
  }

  #refuseIfClosed(task: number): void {
    if (this.#isClosed) throw new HubError("closed", `task ${task}: ${INTERRUPTED}`);
  }

  /** Ends what an earlier daemon left running, and says so in its task. To be called once, before the first check. */
  async recover(open: () => Promise<Hub>): Promise<void> {
    for (const name of namesIn(this.#folder)) {
      const file = join(this.#folder, name);
      const leader = readLeader(file);
      if (leader) await endLeftCheck(leader);
      const task = Number(name.slice(0, -".json".length));
      const hub = await open();
      await hub.comment(task, INTERRUPTED, AUTHOR).catch(() => {});
      await hub.edit(task, { lastError: INTERRUPTED }, AUTHOR).catch(() => {});
      rmSync(file, { force: true });
    }
  }

  #keep(file: string, leader: CheckLeader): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeWhole(file, JSON.stringify(leader));
  }
}

const commentOf = ({ verification, text, output }: CheckResult): string =>
  `Check ${verification}: ${text}${output === "" ? "" : `\n${output}`}`;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d{1,15}\.json$/.test(name));
  } catch {
    return [];
  }
}

function readLeader(file: string): CheckLeader | null {
  try {
    const { pid, start, mark } = JSON.parse(readFileSync(file, "utf8")) as CheckLeader;
    return Number.isSafeInteger(pid) && pid > 1 && typeof start === "string" && typeof mark === "string"
      ? { pid, start, mark }
      : null;
  } catch {
    return null;
  }
}
