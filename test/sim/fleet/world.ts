/**
 * Twenty nodes on one real PostgreSQL whose clock the simulation moves: partitions, lossy links, killed, frozen and stopped nodes,
 * clocks that jump, and crashes of the database. The last part is free of faults.
 */
import type { HubStore } from "../../../src/hub/store.js";
import { Random } from "../random.js";
import { CLEAR, Link, LOSSY } from "./link.js";
import { SimNode } from "./node.js";
import { Rules } from "./rules.js";

const SECOND = 1_000;
const MINUTE = 60_000;
const FAULTY_MS = 14 * MINUTE;
/** A claim that lapses last is offered again within its lease and the patience. */
const QUIET_MS = FAULTY_MS + 9 * MINUTE;
const END_MS = QUIET_MS + 2 * MINUTE;
/** Renewal of claims and of the lease, the longest pause of a node that did not reach the hub, and a step. */
const SETTLED_MS = 60 * SECOND;

export interface SimDatabase {
  nodes: readonly string[];
  stores: ReadonlyMap<string, HubStore>;
  setClock: (ms: number) => Promise<void>;
  /** Kills a process of the server, which ends all connections, and waits until it answers again. */
  crash: () => Promise<void>;
}

export interface Report {
  seed: string;
  violations: string[];
  counts: Record<string, number>;
  /** Equal for equal seeds. */
  trace: string[];
}

export class World {
  readonly #database: SimDatabase;
  readonly #seed: string;
  readonly #random: Random;
  readonly #rules: Rules;
  readonly #nodes: SimNode[];
  readonly #due: { at: number; act: () => void | Promise<void> }[] = [];
  readonly #executed = new Map<string, number>();
  readonly #read: string[] = [];
  readonly #trace: string[] = [];
  #now = 0;
  #cursor = 0;
  #awayUntil = 0;
  #commands = 0;
  readonly #cut = new Map<string, number>();
  readonly #lossy = new Map<string, number>();

  constructor(database: SimDatabase, seed: string) {
    this.#database = database;
    this.#seed = seed;
    this.#random = new Random(`fleet ${seed}`);
    this.#rules = new Rules(() => this.#now);
    this.#nodes = database.nodes.map((name) => this.#makeNode(name));
  }

  async run(): Promise<Report> {
    await this.#advance(0);
    for (const node of this.#nodes) node.start();
    while (this.#now < END_MS) {
      await this.#advance(this.#random.between(4 * SECOND, 9 * SECOND));
      if (this.#now < FAULTY_MS) await this.#breakSomething();
      const phase = this.#now < FAULTY_MS ? "faulty" : this.#now < QUIET_MS ? "calm" : "quiet";
      for (const node of this.#nodes) await node.step(phase);
      if (phase !== "quiet") await this.#order();
      await this.#readMessages();
      this.#checkSettled();
    }
    this.#checkEnd();
    const { violations, counts } = this.#rules;
    return { seed: this.#seed, violations, counts, trace: this.#trace };
  }

  #makeNode(name: string): SimNode {
    const random = this.#random.stream(name);
    const store = this.#database.stores.get(name);
    if (!store) throw new Error(`no store for ${name}`);
    const link = new Link({
      store,
      random: random.stream("link"),
      isCut: () => this.#now < this.#awayUntil || this.#now < (this.#cut.get(name) ?? 0),
      mix: () => (this.#now < (this.#lossy.get(name) ?? 0) ? LOSSY : CLEAR),
      // What reaches a database that is down is lost.
      later: (ms, call) =>
        this.#due.push({ at: this.#now + ms, act: () => (this.#now < this.#awayUntil ? undefined : call()) }),
      answered: (operation, values, answer) => {
        this.#rules.answered(name, operation, values, answer);
        this.#trace.push(`${this.#now} ${name} ${operation}`);
      },
      count: (fault) => this.#rules.count(fault),
    });
    return new SimNode({
      name,
      random,
      store: link,
      now: () => this.#now,
      died: (session) =>
        this.#rules.faults.push({ node: session, kind: "its session ended", from: this.#now, to: this.#now }),
      executed: (id) => this.#executed.set(id, (this.#executed.get(id) ?? 0) + 1),
      count: (what) => this.#rules.count(what),
    });
  }

  /** Time passes; what is due happens before anything new. */
  async #advance(ms: number): Promise<void> {
    this.#now += ms;
    await this.#database.setClock(this.#now);
    for (const due of this.#due.filter(({ at }) => at <= this.#now)) {
      this.#due.splice(this.#due.indexOf(due), 1);
      await due.act();
    }
  }

  /** `from`, `to`: how many seconds it lasts. Returns the time of its end. */
  #fault(node: string | null, kind: string, from: number, to: number): number {
    const until = Math.min(this.#now + this.#random.between(from, to) * SECOND, FAULTY_MS);
    this.#rules.faults.push({ node, kind, from: this.#now, to: until });
    this.#rules.count(kind);
    this.#trace.push(`${this.#now} ${kind} ${node ?? "hub"} until ${until}`);
    return until;
  }

  async #breakSomething(): Promise<void> {
    const chance = (probability: number): boolean => this.#random.chance(probability);
    const pick = (): SimNode => this.#random.pick(this.#nodes);
    if (chance(0.03)) {
      const size = this.#random.between(1, this.#random.chance(0.3) ? 12 : 4);
      const [first, seconds] = [this.#random.between(0, this.#nodes.length - 1), this.#random.between(20, 480)];
      for (let n = 0; n < size; n++) {
        const { name } = this.#nodes[(first + n) % this.#nodes.length] as SimNode;
        this.#cut.set(name, this.#fault(name, "cut off", seconds, seconds));
      }
    }
    if (chance(0.06)) {
      const { name } = pick();
      this.#lossy.set(name, this.#fault(name, "lossy", 60, 240));
    }
    if (chance(0.06))
      await this.#down(pick(), "killed", (node) => node.kill({ withSessions: this.#random.chance(0.5) }));
    if (chance(0.01)) await this.#down(pick(), "stopped", (node) => node.stop());
    if (chance(0.06)) {
      const node = pick();
      if (node.isUp) {
        node.isFrozen = true;
        this.#due.push({ at: this.#fault(node.name, "frozen", 5, 480), act: () => node.thaw() });
      }
    }
    if (chance(0.05)) {
      const node = pick();
      const ms = this.#random.between(-600, 600) * SECOND;
      this.#rules.faults.push({ node: node.name, kind: "clock set", from: this.#now, to: this.#now + MINUTE });
      this.#rules.count("clock set");
      node.setClock(ms);
    }
    if (chance(0.02) && this.#now >= this.#awayUntil) {
      this.#awayUntil = this.#fault(null, "hub crash", 2, this.#random.chance(0.5) ? 15 : 240);
      await this.#database.crash();
    }
  }

  #down(node: SimNode, kind: string, end: (node: SimNode) => void | Promise<void>): void | Promise<void> {
    if (!node.isUp) return;
    const until = this.#fault(node.name, kind, 5, 600);
    this.#due.push({ at: until, act: () => node.start() });
    return end(node);
  }

  async #order(): Promise<void> {
    if (!this.#random.chance(0.2)) return;
    const [from, to] = [this.#random.pick(this.#nodes), this.#random.pick(this.#nodes)];
    const id = `00000000-0000-4000-8000-${String(++this.#commands).padStart(12, "0")}`;
    if (from.isUp) await from.send(id, to.name);
  }

  /** The orchestrator reads wherever a node is up. */
  async #readMessages(): Promise<void> {
    const reader = this.#random.pick(this.#nodes);
    if (!reader.isUp) return;
    for (const { seq, key } of await reader.read(this.#cursor)) {
      if (seq !== this.#cursor + 1) this.#rules.violate(`message ${seq} was read after ${this.#cursor}`);
      this.#cursor = seq;
      this.#read.push(key);
      this.#rules.count("messages");
    }
  }

  /** A node without a fault for a while works on what it holds, and on nothing else. */
  #checkSettled(): void {
    const from = this.#now - SETTLED_MS;
    for (const node of this.#nodes) {
      const isBroken = this.#rules.faults.some(({ node: of, to }) => (of === null || of === node.name) && to >= from);
      if (!node.isUp || isBroken || node.awakeSince > from) continue;
      if (!node.fleet?.isActive)
        this.#rules.violate(`${node.name} does not act for the fleet: ${node.fleet?.contact().error}`);
      for (const { id, claim } of node.sessions)
        if (claim && !this.#rules.mayWork(node.name, claim))
          this.#rules.violate(`${id} works on task ${claim.task}, fence ${claim.fence}, which the hub took away`);
    }
  }

  #checkEnd(): void {
    const violate = (text: string): void => this.#rules.violate(text);
    const sessions = new Map(this.#nodes.flatMap((node) => node.sessions.map((one) => [one.id, one] as const)));
    for (const { session, task, fence } of this.#rules.openClaims()) {
      const claim = sessions.get(session)?.claim;
      if (claim?.task !== task || claim.fence !== fence)
        violate(`task ${task} is still held by ${session}, which does not work on it`);
    }
    for (const [id, times] of this.#executed) if (times > 1) violate(`command ${id} was carried out ${times} times`);
    const read = new Set(this.#read);
    if (read.size !== this.#read.length) violate(`${this.#read.length - read.size} messages were read twice`);
    const lost = this.#nodes.flatMap((node) => node.produced).filter((key) => !read.has(key));
    if (lost.length > 0) violate(`${lost.length} messages were lost: ${lost.slice(0, 5).join(", ")}`);
    this.#checkRosters(violate);
  }

  /** Every node shows the agents of all others as those are. */
  #checkRosters(violate: (text: string) => void): void {
    const truth = this.#nodes.flatMap(({ name, sessions }) =>
      sessions.map(({ id, state }) => `${id}@${name} ${state}`),
    );
    for (const { name, fleet } of this.#nodes) {
      if (!fleet) continue;
      const now = fleet.hubNow();
      const missing = fleet.roster.nodes(now).filter(({ state }) => state !== "live");
      if (missing.length > 0) violate(`${name} shows ${missing.map((one) => `${one.name} ${one.state}`).join(", ")}`);
      if (fleet.roster.brake > 0) violate(`${name} shows the brake`);
      const shown = fleet.roster.agents(now).map(({ node, row }) => `${row.id}@${node} ${row.state}`);
      const different = [
        ...truth.filter((one) => !shown.includes(one)),
        ...shown.filter((one) => !truth.includes(one)),
      ];
      if (different.length > 0) violate(`${name} is wrong about ${different.join(", ")}`);
    }
  }
}
