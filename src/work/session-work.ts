/**
 * What a session does for the task that it holds, besides its own reports: when tests turn green, the state of the workspace is
 * kept; that and its commits become inferred checkpoints, so that a continuation knows them even if the agent reports nothing.
 */
import type { AgentSession } from "../core/agent.js";
import type { Signal } from "../core/signal.js";
import { sanitize } from "../core/text/sanitize.js";
import type { CheckpointSource, Hub } from "../hub/hub.js";
import { keepState } from "./keep-state.js";
import type { NodeHub } from "./node-hub.js";
import { type HeldTask, heldTasks } from "./own-claim.js";

/** Per session: tests and commits in quick succession count once. The newest ones matter. */
const EVERY_MS = 30_000;
const SUBJECT_MAX = 200;
const SESSIONS_MAX = 2_000;

interface Inferred {
  source: CheckpointSource;
  text: string;
  key: string;
}

export class SessionWork {
  readonly #hub: NodeHub;
  readonly #now: () => number;
  readonly #log: (line: string) => void;
  readonly #takenAt = new Map<string, number>();
  readonly #running = new Set<string>();

  constructor(hub: NodeHub, now: () => number, log: (line: string) => void) {
    this.#hub = hub;
    this.#now = now;
    this.#log = log;
  }

  /** Never throws. Resolves when what follows from the signals is stored. */
  async take(session: AgentSession, signals: readonly Signal[]): Promise<void> {
    const isGreen = signals.some((signal) => signal.kind === "test" && signal.ok === true);
    const commit = signals.findLast((signal) => signal.kind === "commit");
    if ((!isGreen && !commit) || !this.#hub.isUsed() || this.#running.has(session.id)) return;
    const now = this.#now();
    const kind = `${session.id} ${isGreen ? "test" : "commit"}`;
    if (now - (this.#takenAt.get(kind) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    if (this.#takenAt.size >= SESSIONS_MAX) this.#takenAt.clear();
    this.#takenAt.set(kind, now);
    this.#running.add(session.id);
    try {
      const hub = await this.#hub.open();
      for (const held of await heldTasks(hub, this.#hub.node, session.id)) {
        if (commit) await this.#infer(hub, held, commitCheckpoint(commit.id, commit.subject));
        const folder = held.workspace ?? session.workspace;
        const kept = isGreen && folder !== null ? await this.#keep(hub, held, folder) : null;
        if (kept) await this.#infer(hub, held, kept);
      }
    } catch (error) {
      this.#log(`the work of ${sanitize(session.name, 80)} was not recorded: ${(error as Error).message}`);
    } finally {
      this.#running.delete(session.id);
    }
  }

  async #keep(hub: Hub, { id }: HeldTask, folder: string): Promise<Inferred | null> {
    const state = await keepState({ folder, task: id, reason: "tests passed", now: await hub.now() });
    if (typeof state === "string") this.#log(`the state of task ${id} was not kept: ${sanitize(state, 300)}`);
    if (state === null || typeof state === "string") return null;
    const text = `Tests passed; state kept as ${state.commit.slice(0, 12)}`;
    return { source: "tool", text, key: `kept ${state.commit}` };
  }

  async #infer(hub: Hub, { id, claim }: HeldTask, inferred: Inferred): Promise<void> {
    await hub.checkpoint({ task: id, fence: claim.fence }, { ...inferred, inferred: true });
  }
}

const commitCheckpoint = (id: string, subject = ""): Inferred => ({
  source: "commit",
  text: `Commit ${sanitize(id.slice(0, 12), 12)}: ${sanitize(subject, SUBJECT_MAX)}`,
  key: `commit ${sanitize(id, 64)}`,
});
