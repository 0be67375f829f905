/**
 * Keeps the tasks of this node and their sources in step: adds what a source lists, marks there what a session claims here,
 * and reports there how the work ended, at least once. A source that does not answer delays these updates, never the work.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { SourceSettings } from "../../config/sources.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { Claimed, Hub, TaskDetail, TaskSummary } from "../../hub/hub.js";
import { HubError } from "../../hub/hub-error.js";
import { persistently } from "./persistently.js";
import { conflictOf, type PollStep, planPoll, type SourceUpdate, type TrackedItem, updatesOf } from "./plan.js";
import { makeSource } from "./registry.js";
import { holderName, type Source, SourceError, type SourceItem } from "./source.js";
import { TrackedFile } from "./tracked-file.js";

/** After the first failure, doubled with each further one. */
const BACKOFF_MS = 5_000;
const BACKOFF_MAX_MS = 15 * 60_000;
const LIMITED_MS = 60_000;
/** Failures in a row after which a claim does not wait for its source. */
const FAILURES_MAX = 3;
const ATTEMPTS = 3;
/** No attempt to confirm a claim begins after this time: well within a lease. */
const CONFIRM_MS = 30_000;
const READS_MAX = 20;
const TASKS_PAGE = 1_000;

export interface SourceSyncOptions {
  settings: readonly SourceSettings[];
  state: string;
  node: string;
  now: () => number;
  log: (line: string) => void;
  make?: (settings: SourceSettings) => Source;
}

interface Known {
  settings: SourceSettings;
  source: Source;
  polledAt: number;
  /** Not asked before. */
  retryAt: number;
  failures: number;
  error: string | null;
}

export interface SourceView {
  name: string;
  kind: string;
  /** When it last answered a list. */
  listedAt: number | null;
  error: string | null;
  /** Items that it has still to learn about: the end of their work, at least. */
  waiting: number;
}

export class SourceSync {
  readonly #options: SourceSyncOptions;
  readonly #sources: ReadonlyMap<string, Known>;
  readonly #tracked: TrackedFile;
  #isRunning = false;

  constructor(options: SourceSyncOptions) {
    this.#options = options;
    const { settings, make = makeSource } = options;
    const never = Number.NEGATIVE_INFINITY;
    this.#sources = new Map(
      settings.map((one) => [
        one.name,
        { settings: one, source: make(one), polledAt: never, retryAt: never, failures: 0, error: null },
      ]),
    );
    this.#tracked = new TrackedFile(options.state);
  }

  isUsed(): boolean {
    return this.#sources.size > 0;
  }

  views(): SourceView[] {
    return [...this.#sources].map(([name, { settings, polledAt, error }]) => ({
      name,
      kind: settings.kind,
      listedAt: Number.isFinite(polledAt) ? polledAt : null,
      error,
      waiting: this.#tracked.all().filter(({ source }) => source === name).length,
    }));
  }

  /**
   * Marks a task that was just claimed, in its source. Returns why another client has it, or null: it is ours, or the source
   * does not answer and learns of the claim later.
   */
  async confirm(hub: Hub, { task, claim }: Claimed): Promise<string | null> {
    const known = this.#sources.get(task.source ?? "");
    if (!known || task.sourceKey === null) return null;
    const holder = holderName(claim);
    const item: TrackedItem = {
      task: task.id,
      fence: claim.fence,
      source: known.settings.name,
      key: task.sourceKey,
      holder,
      stage: "marking",
      delivered: [],
      markedAt: 0,
    };
    this.#tracked.keep(item);
    // A source that has been silent for a while is not waited for with every claim.
    if (known.failures >= FAILURES_MAX && this.#options.now() < known.retryAt) return null;
    try {
      const isOwn = ownNames(await hub.get(task.id));
      const conflict = await this.#mark(known, item, isOwn);
      if (conflict !== null) this.#tracked.remove(task.id);
      return conflict;
    } catch (error) {
      this.#failed(known, error);
      return null;
    }
  }

  /** To be called often. Never throws. */
  async tick(open: () => Promise<Hub>): Promise<void> {
    if (this.#isRunning || (!this.isUsed() && this.#tracked.all().length === 0)) return;
    this.#isRunning = true;
    try {
      const hub = await open();
      await this.#deliver(hub);
      for (const known of this.#sources.values()) await this.#poll(hub, known);
    } catch {
      // The hub is unreachable; the keeper of the claims reports it.
    } finally {
      this.#isRunning = false;
    }
  }

  async #deliver(hub: Hub): Promise<void> {
    for (const item of this.#tracked.all()) {
      const known = this.#sources.get(item.source);
      if (known && this.#options.now() < known.retryAt) continue;
      const task = await hub.get(item.task).catch((error: unknown) => {
        if (error instanceof HubError && error.code === "unknown_task") return null;
        throw error;
      });
      const updates = updatesOf(item, task, this.#options.node, this.#options.now());
      if (updates === null || task === null || !known) {
        if (this.#tracked.get(item.task)?.fence === item.fence) this.#tracked.remove(item.task);
        continue;
      }
      try {
        for (const update of updates) await this.#send(hub, known, task, item, update);
      } catch (error) {
        this.#failed(known, error);
      }
    }
  }

  async #send(hub: Hub, known: Known, task: TaskDetail, item: TrackedItem, update: SourceUpdate): Promise<void> {
    const { source, settings } = known;
    const isOwn = ownNames(task);
    if (update.do === "mark" && update.status === "claimed") {
      const conflict = await this.#mark(known, item, isOwn);
      if (conflict === null) return;
      this.#tracked.remove(item.task);
      await hub.transition(task.id, "block", { actor: "rouse", author: settings.name, error: conflict });
      this.#options.log(`task ${task.id} was stopped: ${conflict}`);
      return;
    }
    const there = await persistently(() => source.read(item.key));
    const other = there !== null && there.holder !== null && !isOwn(there.holder);
    if (there?.isOpen && !other) {
      if (update.do === "mark") await source.mark(item.key, update.status, item.holder);
      else await source[update.do](item.key, sanitize(update.text, 2_000), item.holder);
    } else if (there?.isOpen && update.do === "close") {
      // Another client has taken it: the result is reported, the item stays with that client.
      await source.comment(item.key, sanitize(update.text, 2_000), item.holder);
    }
    this.#answered(known);
    const now = this.#tracked.get(item.task);
    if (now?.fence === item.fence)
      this.#tracked.keep({ ...now, stage: "closing", delivered: [...now.delivered, update.name] });
  }

  /** Read, mark, wait, read back. Returns why another client has it. */
  async #mark(known: Known, item: TrackedItem, isOwn: (holder: string) => boolean): Promise<string | null> {
    const { source, settings } = known;
    const { key, holder } = item;
    const until = performance.now() + CONFIRM_MS;
    const read = (): Promise<SourceItem | null> => persistently(() => source.read(key), until);
    const found = await read();
    const before = conflictOf(settings.name, found, isOwn);
    if (before !== null) return before;
    const isOver = found !== null && found.holder !== null;
    for (let attempt = 1; ; attempt++) {
      // The answer may be lost although the mark was made: what counts is what is read back.
      const failure = await source.mark(key, "claimed", holder, isOver).then(
        () => null,
        (error: unknown) => error,
      );
      if (item.stage === "marking") await sleep(settings.settle_secs * 1000);
      const there = await read();
      const after = conflictOf(settings.name, there, isOwn);
      if (after !== null) {
        await source.withdraw?.(key, holder);
        return after;
      }
      if (there?.holder === holder) break;
      if (attempt === ATTEMPTS || performance.now() >= until)
        throw failure ?? new SourceError("broken", `${key} was marked and is not`);
    }
    this.#answered(known);
    this.#tracked.keep({ ...item, stage: "marked", markedAt: this.#options.now() });
    return null;
  }

  async #poll(hub: Hub, known: Known): Promise<void> {
    const { settings, source } = known;
    const now = this.#options.now();
    if (now < known.retryAt || now - known.polledAt < settings.poll_secs * 1000) return;
    known.polledAt = now;
    try {
      const items = await source.list();
      const tasks = await this.#tasksOf(hub, settings.name);
      let reads = 0;
      for (const step of planPoll(items, tasks))
        if (step.do !== "read" || reads++ < READS_MAX) await this.#apply(hub, known, step);
      this.#answered(known);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.#failed(known, error);
    }
  }

  async #apply(hub: Hub, { settings, source }: Known, step: PollStep): Promise<void> {
    const { name, project, workspace = null } = settings;
    const about = { actor: "rouse", author: name } as const;
    try {
      if (step.do === "add") {
        const { key, title, description, tags, priority, steps } = step.item;
        const origin = { source: name, sourceKey: key };
        await hub.add({ title, description, tags, priority, steps, project, workspace, ...origin }, name);
      } else if (step.do === "edit") {
        const { title, description, priority } = step.item;
        await hub.edit(step.task, { title, description, priority }, name);
      } else if (step.do === "unblock") await hub.transition(step.task, "unblock", about);
      else if (step.do === "close") this.#track(step.task, name, step.key);
      else {
        const task = await hub.get(step.task);
        const item = await source.read(step.key);
        const conflict = conflictOf(name, item, ownNames(task));
        // What was worked on here, and then closed there, is left to the user.
        const operation = item?.isOpen || task.attempts > 0 ? "block" : "reject";
        if (conflict !== null) await hub.transition(step.task, operation, { ...about, error: conflict });
      }
    } catch (error) {
      // The task has changed since it was listed, or the hub refuses a field: the next poll looks again.
      if (!(error instanceof HubError) || error.code === "unreachable") throw error;
    }
  }

  /** Done here, and nothing is left that says so there: such as after a lost file. */
  #track(task: number, source: string, key: string): void {
    if (this.#tracked.get(task)) return;
    const holder = `rouse@${this.#options.node}`;
    this.#tracked.keep({ task, fence: 0, source, key, holder, stage: "closing", delivered: [], markedAt: 0 });
  }

  async #tasksOf(hub: Hub, source: string): Promise<TaskSummary[]> {
    const all: TaskSummary[] = [];
    for (let after = 0; ; ) {
      const page = await hub.list({ source, after, limit: TASKS_PAGE });
      all.push(...page);
      after = page.at(-1)?.id ?? after;
      if (page.length < TASKS_PAGE) return all;
    }
  }

  #answered(known: Known): void {
    if (known.error !== null) this.#options.log(`work source ${known.settings.name} answers again`);
    known.error = null;
    known.failures = 0;
    known.retryAt = Number.NEGATIVE_INFINITY;
  }

  #failed(known: Known, error: unknown): void {
    if (!(error instanceof SourceError)) throw error;
    const { name } = known.settings;
    const backoff = Math.min(BACKOFF_MS * 2 ** known.failures, BACKOFF_MAX_MS);
    known.retryAt = this.#options.now() + Math.max(backoff, error.kind === "limited" ? LIMITED_MS : 0);
    known.failures++;
    if (error.message !== known.error)
      this.#options.log(`work source ${name} does not answer (${error.kind}): ${error.message}; its updates wait`);
    known.error = error.message;
  }
}

/** The names under which sessions of rouse held a task: what one of them marked is no foreign claim. */
function ownNames({ claims }: TaskDetail): (holder: string) => boolean {
  const names = new Set(claims.map(holderName));
  return (holder) => names.has(holder);
}
