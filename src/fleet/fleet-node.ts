/**
 * This machine as a node of a fleet: renews its lease, writes changed agents, follows the other nodes, takes commands. One call at
 * a time on a connection of its own. A hub that does not answer is tried again, at the latest after five seconds; until then
 * changes wait, and the node stands down after `STAND_DOWN_MS`.
 *
 * `idle` -> `calling` with each tick that has something to do, and back; `closed` is the end.
 */
import { type FleetCommand, type FleetHub, NODE_RENEW_MS } from "../hub/fleet.js";
import { HubError } from "../hub/hub-error.js";
import { AgentBacklog } from "./backlog.js";
import { HubRetry } from "./hub-retry.js";
import { CLOCKS, type Clocks, elapsed, isActive, type Reading, read } from "./lease.js";
import { Roster } from "./roster.js";

const STEP_MS = 100;
const FLUSH_EVERY_MS = 1_000;
const FOLLOW_EVERY_MS = 1_000;
const STOP_MS = 1_500;

export interface FleetNodeOptions {
  node: string;
  instance: string;
  version: string;
  open: () => Promise<FleetHub>;
  /** Carries out a command of another node. It is called once per command. */
  command: (command: FleetCommand, fleet: FleetHub, run: number) => Promise<void>;
  /** The fleet was followed; called at most once a second. */
  followed?: (roster: Roster, fleet: FleetHub) => void;
  log: (line: string) => void;
  clocks?: Clocks;
  random?: () => number;
}

export interface HubContact {
  /** The hub answered within the last `STAND_DOWN_MS`, and this node acts for the fleet. */
  active: boolean;
  /** Time since the last answer in ms; null before the first. */
  silentMs: number | null;
  /** Why the last call failed; null if it did not. */
  error: string | null;
  /** Agents whose change is not on the hub yet. */
  waiting: number;
}

/** The time in which this node is known to the hub: from its start there to the next. */
interface Run {
  id: number;
  /** Number of the last write: the hub refuses a repeated or delayed one. */
  seq: number;
  /** The hub holds the agents of an earlier run until the first write of this one. */
  hasWritten: boolean;
}

export class FleetNode {
  readonly node: string;
  readonly backlog = new AgentBacklog();
  readonly roster = new Roster();
  readonly #options: FleetNodeOptions;
  readonly #clocks: Clocks;
  readonly #retry: HubRetry;
  #state: "idle" | "calling" | "closed" = "idle";
  #fleet: FleetHub | null = null;
  #run: Run | null = null;
  #timer: NodeJS.Timeout | null = null;
  #renewedAt: Reading | null = null;
  #flushedAt: Reading | null = null;
  #followedAt: Reading | null = null;
  /** What was logged last about standing down. */
  #wasActive = false;

  constructor(options: FleetNodeOptions) {
    this.#options = options;
    this.node = options.node;
    this.#clocks = options.clocks ?? CLOCKS;
    this.#retry = new HubRetry(this.#clocks, options.random ?? Math.random);
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.tick(), STEP_MS);
  }

  get isActive(): boolean {
    return !this.#isClosed() && isActive(this.#renewedAt, read(this.#clocks));
  }

  contact(): HubContact {
    const now = read(this.#clocks);
    return {
      active: this.isActive,
      silentMs: this.#renewedAt && elapsed(this.#renewedAt, now),
      error: this.#retry.failure,
      waiting: this.backlog.size,
    };
  }

  /** The database's time, from its last answer and the time since then. */
  hubNow(): number {
    const { hubTime } = this.roster;
    return this.#followedAt === null ? hubTime : hubTime + elapsed(this.#followedAt, read(this.#clocks));
  }

  /** The hub, for a call that a user waits for. Throws `HubError` while it is not reachable. */
  hub(): FleetHub {
    if (this.#fleet && this.#run && this.isActive) return this.#fleet;
    throw new HubError("unreachable", this.#retry.failure ?? "the hub has not answered yet: try again in a moment");
  }

  /** To be called often. Never throws. */
  async tick(): Promise<void> {
    this.#noteActive();
    if (this.#state !== "idle" || this.#retry.isWaiting()) return;
    this.#state = "calling";
    try {
      await this.#work();
      if (this.#retry.succeed()) this.#options.log("fleet: the hub answers again");
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      if (!this.#isClosed()) this.#state = "idle";
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed()) return;
    this.#state = "closed";
    if (this.#timer) clearInterval(this.#timer);
    const [fleet, run] = [this.#fleet, this.#run];
    if (!fleet) return;
    const stopping = run ? fleet.stop(run.id).catch(() => {}) : Promise.resolve();
    await Promise.race([stopping, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    await fleet.close().catch(() => {});
  }

  async #work(): Promise<void> {
    this.#fleet ??= await this.#options.open();
    this.#run ??= await this.#startRun(this.#fleet);
    await this.#flushIfDue(this.#fleet, this.#run);
    await this.#followIfDue(this.#fleet, this.#run);
  }

  async #startRun(fleet: FleetHub): Promise<Run> {
    const sent = read(this.#clocks);
    const { run: id, seq } = await fleet.start({ instance: this.#options.instance, version: this.#options.version });
    this.#renewedAt = sent;
    this.#options.log(`fleet: node ${this.node} reached the hub (run ${id})`);
    return { id, seq, hasWritten: false };
  }

  async #flushIfDue(fleet: FleetHub, run: Run): Promise<void> {
    const sent = read(this.#clocks);
    const since = this.#flushedAt === null ? Number.POSITIVE_INFINITY : elapsed(this.#flushedAt, sent);
    const { backlog } = this;
    const hasChanges = backlog.isUrgent || (backlog.size > 0 && since >= FLUSH_EVERY_MS);
    const isRenewal = this.#renewedAt === null || elapsed(this.#renewedAt, sent) >= NODE_RENEW_MS;
    if (!hasChanges && !isRenewal && run.hasWritten) return;
    const keep = run.hasWritten ? null : backlog.known();
    const agents = backlog.take();
    try {
      await fleet.flush({ run: run.id, seq: ++run.seq, agents, keep });
    } catch (error) {
      backlog.restore(agents);
      throw error;
    }
    backlog.written(agents);
    run.hasWritten = true;
    this.#renewedAt = sent;
    this.#flushedAt = sent;
  }

  async #followIfDue(fleet: FleetHub, run: Run): Promise<void> {
    const sent = read(this.#clocks);
    const awayMs = this.#followedAt === null ? 0 : elapsed(this.#followedAt, sent);
    if (this.#followedAt !== null && awayMs < FOLLOW_EVERY_MS) return;
    const answer = await fleet.follow(this.roster.request(awayMs));
    this.roster.take(answer);
    this.#followedAt = read(this.#clocks);
    if (answer.commands > 0 && this.isActive) await this.#takeCommands(fleet, run.id);
    this.#options.followed?.(this.roster, fleet);
  }

  async #takeCommands(fleet: FleetHub, run: number): Promise<void> {
    for (const command of await fleet.take(run))
      this.#options
        .command(command, fleet, run)
        .catch((error: Error) => this.#options.log(`fleet: the outcome of a command is not stored: ${error.message}`));
  }

  #fail(error: Error): void {
    if (this.#retry.fail(error.message)) this.#options.log(`fleet: ${error.message}`);
    // Another daemon took over this node's name, or it was removed: it stays down until it is started again.
    if (error instanceof HubError && error.code === "stale_run") this.#renewedAt = null;
  }

  #isClosed(): boolean {
    return this.#state === "closed";
  }

  /** Logs once that it stands down. */
  #noteActive(): void {
    const active = this.isActive;
    if (this.#wasActive && !active && !this.#isClosed())
      this.#options.log(
        "fleet: the hub has been silent for 20 s; this node does not act for the fleet until it answers",
      );
    this.#wasActive = active;
  }
}
