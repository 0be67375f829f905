/**
 * This machine as a node of a fleet: renews its lease, writes changed agents, follows the other nodes, takes commands. One call at
 * a time on a connection of its own. A hub that does not answer is tried again, at the latest after five seconds; until then
 * changes wait, and the node stands down after `STAND_DOWN_MS`.
 */
import { type FleetCommand, type FleetHub, NODE_RENEW_MS, type StartedNode } from "../hub/fleet.js";
import { HubError } from "../hub/hub-error.js";
import { AgentBacklog } from "./backlog.js";
import { CLOCKS, type Clocks, elapsed, isActive, type Reading, read } from "./lease.js";
import { Roster } from "./roster.js";

const STEP_MS = 100;
const FLUSH_EVERY_MS = 1_000;
const FOLLOW_EVERY_MS = 1_000;
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 5_000;
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

export class FleetNode {
  readonly node: string;
  readonly backlog = new AgentBacklog();
  readonly roster = new Roster();
  readonly #options: FleetNodeOptions;
  readonly #clocks: Clocks;
  #fleet: FleetHub | null = null;
  #started: StartedNode | null = null;
  #seq = 0;
  #isFirst = true;
  #isBusy = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;
  #renewedAt: Reading | null = null;
  #flushedAt: Reading | null = null;
  #followedAt: Reading | null = null;
  #failedAt: Reading | null = null;
  #retryMs = 0;
  #failure: string | null = null;
  #wasActive = false;

  constructor(options: FleetNodeOptions) {
    this.#options = options;
    this.node = options.node;
    this.#clocks = options.clocks ?? CLOCKS;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.tick(), STEP_MS);
  }

  get isActive(): boolean {
    return !this.#isClosed && isActive(this.#renewedAt, read(this.#clocks));
  }

  contact(): HubContact {
    const now = read(this.#clocks);
    return {
      active: this.isActive,
      silentMs: this.#renewedAt && elapsed(this.#renewedAt, now),
      error: this.#failure,
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
    if (this.#fleet && this.#started && this.isActive) return this.#fleet;
    throw new HubError("unreachable", this.#failure ?? "the hub has not answered yet: try again in a moment");
  }

  /** To be called often. Never throws. */
  async tick(): Promise<void> {
    this.#noteActive();
    if (this.#isBusy || this.#isClosed || this.#isWaitingToRetry()) return;
    this.#isBusy = true;
    try {
      await this.#work();
      if (this.#failure !== null) this.#options.log("fleet: the hub answers again");
      this.#failure = null;
      this.#retryMs = 0;
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#isBusy = false;
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer) clearInterval(this.#timer);
    const [fleet, started] = [this.#fleet, this.#started];
    if (!fleet) return;
    const stopping = started ? fleet.stop(started.run).catch(() => {}) : Promise.resolve();
    await Promise.race([stopping, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    await fleet.close().catch(() => {});
  }

  async #work(): Promise<void> {
    this.#fleet ??= await this.#options.open();
    const fleet = this.#fleet;
    if (this.#started === null) await this.#begin(fleet);
    await this.#flushIfDue(fleet);
    await this.#followIfDue(fleet);
  }

  async #begin(fleet: FleetHub): Promise<void> {
    const sent = read(this.#clocks);
    this.#started = await fleet.start({ instance: this.#options.instance, version: this.#options.version });
    this.#seq = this.#started.seq;
    this.#isFirst = true;
    this.#renewedAt = sent;
    this.#options.log(`fleet: node ${this.node} reached the hub (run ${this.#started.run})`);
  }

  async #flushIfDue(fleet: FleetHub): Promise<void> {
    const sent = read(this.#clocks);
    const since = this.#flushedAt === null ? Number.POSITIVE_INFINITY : elapsed(this.#flushedAt, sent);
    const { backlog } = this;
    const hasChanges = backlog.isUrgent || (backlog.size > 0 && since >= FLUSH_EVERY_MS);
    const isRenewal = this.#renewedAt === null || elapsed(this.#renewedAt, sent) >= NODE_RENEW_MS;
    if (!this.#started || (!hasChanges && !isRenewal && !this.#isFirst)) return;
    const keep = this.#isFirst ? backlog.known() : null;
    const agents = backlog.take();
    try {
      await fleet.flush({ run: this.#started.run, seq: ++this.#seq, agents, keep });
    } catch (error) {
      backlog.restore(agents);
      throw error;
    }
    backlog.written(agents);
    this.#isFirst = false;
    this.#renewedAt = sent;
    this.#flushedAt = sent;
  }

  async #followIfDue(fleet: FleetHub): Promise<void> {
    const sent = read(this.#clocks);
    const awayMs = this.#followedAt === null ? 0 : elapsed(this.#followedAt, sent);
    if (this.#followedAt !== null && awayMs < FOLLOW_EVERY_MS) return;
    const answer = await fleet.follow(this.roster.request(awayMs));
    this.roster.take(answer);
    this.#followedAt = read(this.#clocks);
    if (answer.commands > 0 && this.#started && this.isActive) await this.#takeCommands(fleet, this.#started.run);
    this.#options.followed?.(this.roster, fleet);
  }

  async #takeCommands(fleet: FleetHub, run: number): Promise<void> {
    for (const command of await fleet.take(run))
      this.#options
        .command(command, fleet, run)
        .catch((error: Error) => this.#options.log(`fleet: the outcome of a command is not stored: ${error.message}`));
  }

  #isWaitingToRetry(): boolean {
    return this.#failedAt !== null && this.#retryMs > 0 && elapsed(this.#failedAt, read(this.#clocks)) < this.#retryMs;
  }

  #fail(error: Error): void {
    if (error.message !== this.#failure) this.#options.log(`fleet: ${error.message}`);
    this.#failure = error.message;
    this.#failedAt = read(this.#clocks);
    const doubled = Math.min(RETRY_MAX_MS, Math.max(RETRY_FIRST_MS, this.#retryMs * 2));
    this.#retryMs = doubled * (0.75 + 0.25 * (this.#options.random ?? Math.random)());
    // Another daemon took over this node's name, or it was removed: it stays down until it is started again.
    if (error instanceof HubError && error.code === "stale_run") this.#renewedAt = null;
  }

  /** Says once that it stands down, and once that it is back. */
  #noteActive(): void {
    const active = this.isActive;
    if (this.#wasActive && !active && !this.#isClosed)
      this.#options.log(
        "fleet: the hub has been silent for 20 s; this node does not act for the fleet until it answers",
      );
    this.#wasActive = active;
  }
}
