/**
 * What a session does for the task that it holds, besides its own commands: a marked line of its reply is a checkpoint; commits,
 * passing tests, visible calls and its todo list become inferred checkpoints, so that a continuation knows them even if the
 * agent reports nothing. When tests turn green, the state of the workspace is kept.
 */
import type { AgentSession } from "../core/agent.js";
import type { Signal, Source, Todos } from "../core/signal.js";
import { sanitize } from "../core/text/sanitize.js";
import type { Hub } from "../hub/hub.js";
import { HubError } from "../hub/hub-error.js";
import type { WorkSignal } from "./claim-keeper.js";
import {
  createWorkFacts,
  type DueWork,
  dueTodos,
  type Inferred,
  type Marked,
  markKey,
  takeWork,
  type WorkFacts,
} from "./inferred.js";
import { keepState } from "./keep-state.js";
import type { NodeHub } from "./node-hub.js";
import { type HeldTask, heldTasks } from "./own-claim.js";

const SESSIONS_MAX = 2_000;

export interface SessionWorkOptions {
  hub: NodeHub;
  now: () => number;
  log: (line: string) => void;
  /** What the judgement learns of a checkpoint. */
  signal?: (session: string, signal: WorkSignal & { at: number; source: Source }) => Promise<void>;
  /** The todo list that the session's program keeps in files. */
  todoFiles?: (session: AgentSession) => Promise<Todos | null>;
}

export class SessionWork {
  readonly #options: SessionWorkOptions;
  readonly #facts = new Map<string, WorkFacts>();
  /** The end of what is under way, per session: in the order of its signals. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(options: SessionWorkOptions) {
    this.#options = options;
  }

  /** Never throws. Resolves when what follows from the signals is stored. */
  take(session: AgentSession, signals: readonly Signal[]): Promise<void> {
    const { hub, now } = this.#options;
    if (!hub.isUsed()) return Promise.resolve();
    const facts = this.#factsOf(session.id);
    const due = takeWork(facts, signals, now());
    if (!due.isGreen && !due.readsTaskFiles && due.marked.length === 0 && due.inferred.length === 0)
      return Promise.resolve();
    const before = this.#last.get(session.id) ?? Promise.resolve();
    const stored = before.then(() => this.#store(session, facts, due));
    this.#last.set(session.id, stored);
    void stored.then(() => this.#last.get(session.id) === stored && this.#last.delete(session.id));
    return stored;
  }

  #factsOf(session: string): WorkFacts {
    const known = this.#facts.get(session);
    if (known) return known;
    if (this.#facts.size >= SESSIONS_MAX) this.#facts.clear();
    const made = createWorkFacts();
    this.#facts.set(session, made);
    return made;
  }

  async #store(session: AgentSession, facts: WorkFacts, due: DueWork): Promise<void> {
    const { hub: node, now, log, todoFiles } = this.#options;
    try {
      if (due.readsTaskFiles) facts.todos = (await todoFiles?.(session)) ?? facts.todos;
      const listed = due.readsTaskFiles ? dueTodos(facts, now()) : null;
      const inferred = listed ? [...due.inferred, listed] : due.inferred;
      if (!due.isGreen && due.marked.length === 0 && inferred.length === 0) return;
      const hub = await node.open();
      const held = await heldTasks(hub, node.node, session.id);
      for (const mark of due.marked) await this.#mark(hub, session, held, mark);
      for (const task of held) {
        for (const one of inferred) await this.#infer(hub, task, one);
        if (due.isGreen) await this.#infer(hub, task, await this.#keep(task, session.workspace, now()));
      }
    } catch (error) {
      log(`the work of ${sanitize(session.name, 80)} was not recorded: ${(error as Error).message}`);
    }
  }

  /** Only for a task that the session holds, and only a line that was written since it claimed it. */
  async #mark(hub: Hub, session: AgentSession, held: readonly HeldTask[], mark: Marked): Promise<void> {
    const { log, signal } = this.#options;
    const [only, ...others] = held;
    const task = mark.task === undefined && others.length === 0 ? only : held.find(({ id }) => id === mark.task);
    if (!task || mark.at < task.claim.claimedAt) return;
    const { step, text } = mark;
    try {
      const checkpoint = { step: step ?? null, text, source: "marker", key: markKey(mark), at: mark.at } as const;
      await hub.checkpoint({ task: task.id, fence: task.claim.fence }, checkpoint);
    } catch (error) {
      if (!(error instanceof HubError) || error.retryable) throw error;
      log(`a checkpoint of ${sanitize(session.name, 80)} was refused: ${sanitize(error.message, 300)}`);
      return;
    }
    const about = { kind: "checkpoint", task: String(task.id), text, ...(step === undefined ? {} : { step }) } as const;
    await signal?.(session.id, { ...about, at: mark.at, source: mark.by });
  }

  /** Without a repository, or with one that is too large, there is a checkpoint and no kept state. */
  async #keep({ id, workspace }: HeldTask, own: string | null, at: number): Promise<Inferred | null> {
    const folder = workspace ?? own;
    const passed = { source: "tool", text: "Tests passed", key: `passed ${at}` } as const;
    if (folder === null) return passed;
    const state = await keepState({
      folder,
      task: id,
      reason: "tests passed",
      now: await (await this.#options.hub.open()).now(),
    });
    if (typeof state !== "string")
      return (
        state && {
          ...passed,
          text: `Tests passed; state kept as ${state.commit.slice(0, 12)}`,
          key: `kept ${state.commit}`,
        }
      );
    this.#options.log(`the state of task ${id} was not kept: ${sanitize(state, 300)}`);
    return passed;
  }

  async #infer(hub: Hub, { id, claim }: HeldTask, inferred: Inferred | null): Promise<void> {
    if (inferred) await hub.checkpoint({ task: id, fence: claim.fence }, { ...inferred, inferred: true });
  }
}
