/** One machine of the simulated fleet: the real node, the real keeper of claims, and sessions that work, die and report. */
import { FleetNode } from "../../../src/fleet/fleet-node.js";
import type { Clocks } from "../../../src/fleet/lease.js";
import type { ClaimRef, Hub } from "../../../src/hub/hub.js";
import { HubError } from "../../../src/hub/hub-error.js";
import type { HubStore } from "../../../src/hub/store.js";
import { StoredFleet } from "../../../src/hub/stored-fleet.js";
import { StoredHub } from "../../../src/hub/stored-hub.js";
import { ClaimKeeper } from "../../../src/work/claim-keeper.js";
import type { NodeHub } from "../../../src/work/node-hub.js";
import type { Random } from "../random.js";
import { PATIENCE_MS } from "./rules.js";

/** `quiet`: what is under way arrives, and nothing new begins. */
export type Phase = "faulty" | "calm" | "quiet";

const RECEIVER = "orchestrator";
const SESSIONS = 2;
const STEPS = 8;

interface Session {
  id: string;
  agent: string;
  claim: ClaimRef | null;
  steps: number;
  /** What the node said of it last. */
  state: "idle" | "working";
}

interface SimNodeOptions {
  name: string;
  random: Random;
  store: HubStore;
  now: () => number;
  /** A session ended without a word. */
  died: (session: string) => void;
  executed: (command: string) => void;
  count: (name: string) => void;
}

export class SimNode {
  readonly name: string;
  readonly #options: SimNodeOptions;
  readonly #hub: Hub;
  readonly #clocks: Clocks & { skew: number };
  #sessions: Session[] = [];
  #sessionNo = 0;
  #messageNo = 0;
  /** Not acknowledged by the hub; kept over restarts, as in the journal. */
  readonly outbox: string[] = [];
  readonly produced: string[] = [];
  readonly #pending: Promise<unknown>[] = [];
  fleet: FleetNode | null = null;
  #keeper: ClaimKeeper | null = null;
  isFrozen = false;
  /** Since then its daemon runs and is not frozen. */
  awakeSince = 0;

  constructor(options: SimNodeOptions) {
    this.#options = options;
    this.name = options.name;
    this.#hub = new StoredHub(options.store);
    const { random, now } = options;
    const [rate, offset] = [0.98 + 0.04 * random.next(), random.between(-86_400_000, 86_400_000)];
    const clocks = { skew: offset, monotonic: () => now() * rate, wall: () => now() * rate + clocks.skew };
    this.#clocks = clocks;
  }

  get isUp(): boolean {
    return this.fleet !== null && !this.isFrozen;
  }

  get sessions(): readonly Session[] {
    return this.#sessions;
  }

  setClock(ms: number): void {
    this.#clocks.skew += ms;
  }

  start(): void {
    const { name: node, random, store } = this.#options;
    this.isFrozen = false;
    this.awakeSince = this.#options.now();
    const fleet = new FleetNode({
      node,
      instance: node,
      version: "sim",
      open: async () => new StoredFleet(store),
      command: ({ id }, hub, run) => {
        this.#options.executed(id);
        const stored = hub.finish({ id, run, result: "done", reason: "", answer: null }).catch(() => {});
        this.#pending.push(stored);
        return stored;
      },
      log: () => {},
      clocks: this.#clocks,
      random: () => random.next(),
    });
    this.fleet = fleet;
    this.#keeper = new ClaimKeeper({
      hub: { node, isUsed: () => true, open: async () => this.#hub } as unknown as NodeHub,
      holderOf: (claim) => {
        const session = this.#sessions.find(({ id }) => id === claim.session);
        if (!session) return null;
        // The answer to its claim was lost.
        session.claim ??= { task: claim.task, fence: claim.fence };
        return session.claim.task === claim.task ? session.id : null;
      },
      isKnown: () => true,
      known: () =>
        this.#sessions.flatMap(({ id, agent, claim }) => (claim ? [{ session: id, agent, task: claim.task }] : [])),
      lost: async ({ session, claim }) => this.#drop(session, claim),
      signal: async () => {},
      now: this.#clocks.monotonic,
      log: () => {},
      patienceMs: PATIENCE_MS,
    });
    while (this.#sessions.length < SESSIONS) this.#sessions.push(this.#newSession());
    for (const session of this.#sessions) this.#report(session);
  }

  /** The daemon ends without a word, or with its whole machine. */
  kill({ withSessions }: { withSessions: boolean }): void {
    this.fleet = null;
    this.#keeper = null;
    if (withSessions) for (const { id } of this.#sessions.splice(0)) this.#options.died(id);
  }

  async stop(): Promise<void> {
    await this.fleet?.close();
    this.kill({ withSessions: true });
  }

  thaw(): void {
    if (!this.isFrozen) return;
    this.isFrozen = false;
    this.awakeSince = this.#options.now();
  }

  async step(phase: Phase): Promise<void> {
    const { fleet } = this;
    if (!fleet || this.isFrozen) return;
    await fleet.tick();
    await Promise.all(this.#pending.splice(0));
    await this.#keeper?.tick();
    if (phase !== "quiet") {
      for (const session of this.#sessions) await this.#work(session, fleet.isActive, phase === "faulty");
      this.#produce();
    }
    await this.#sendFirst();
  }

  async #work(session: Session, mayClaim: boolean, mayDie: boolean): Promise<void> {
    const { random } = this.#options;
    if (mayDie && random.chance(0.004)) return this.#die(session);
    if (session.claim === null) {
      if (!mayClaim || !random.chance(0.3)) return;
      const claimed = await this.#try(() => this.#hub.claimNext({}, { agent: session.agent, session: session.id }));
      if (claimed) {
        session.claim = { task: claimed.task.id, fence: claimed.claim.fence };
        session.steps = 0;
      }
    } else if (random.chance(0.2)) {
      const { claim } = session;
      const key = `${session.id}-${session.steps}`;
      const isStored = await this.#write(session, () =>
        this.#hub.checkpoint(claim, { text: "a step", source: "cli", key }),
      );
      if (
        isStored &&
        ++session.steps >= STEPS &&
        (await this.#write(session, () => this.#hub.finish(claim, { outcome: "done" })))
      )
        session.claim = null;
    }
    this.#report(session);
  }

  /** A write that the database refused for its fence: the session stops. */
  async #write(session: Session, call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      if (error.code === "stale_fence") {
        this.#options.count("late write refused");
        session.claim = null;
      }
      return false;
    }
  }

  async #try<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof HubError) return null;
      throw error;
    }
  }

  #produce(): void {
    if (!this.#options.random.chance(0.1)) return;
    const key = `${this.name}-${++this.#messageNo}`;
    this.produced.push(key);
    this.outbox.push(key);
  }

  async #sendFirst(): Promise<void> {
    const [key] = this.outbox;
    if (key === undefined) return;
    const message = { receiver: RECEIVER, key, type: "worker.complete", sender: this.name, payload: {} };
    // A repetition is answered too.
    if (await this.#try(async () => (await this.#hub.send(message)) ?? "repetition")) this.outbox.shift();
  }

  async read(after: number): Promise<{ seq: number; key: string }[]> {
    const messages = (await this.#try(() => this.#hub.read(RECEIVER, { after }))) ?? [];
    if (messages.length > 0)
      await this.#try(() =>
        this.#hub.ack(
          RECEIVER,
          messages.map(({ seq }) => seq),
          this.name,
        ),
      );
    return messages;
  }

  async send(id: string, node: string): Promise<void> {
    const { fleet } = this;
    if (!fleet?.isActive) return;
    const order = { id, node, verb: "stop", agent: "x", args: {}, author: "user", expiresMs: 20_000 } as const;
    await this.#try(() => fleet.hub().send(order));
  }

  #newSession(): Session {
    const id = `${this.name}-s${++this.#sessionNo}`;
    return { id, agent: id, claim: null, steps: 0, state: "idle" };
  }

  #die(session: Session): void {
    const { died } = this.#options;
    died(session.id);
    this.fleet?.backlog.remove(session.id, this.#options.now());
    const next = this.#newSession();
    this.#sessions = this.#sessions.map((one) => (one === session ? next : one));
    this.#report(next);
  }

  #drop(id: string, { task, fence }: ClaimRef): void {
    const session = this.#sessions.find((one) => one.id === id);
    if (session?.claim?.task !== task || session.claim.fence !== fence) return;
    this.#options.count("stood down");
    session.claim = null;
    this.#report(session);
  }

  #report(session: Session): void {
    session.state = session.claim === null ? "idle" : "working";
    const { id, agent: name, state } = session;
    this.fleet?.backlog.put({ id, name, state, since: this.#options.now(), body: "{}" }, false);
  }
}
