/**
 * A machine with agents, a daemon that watches them, and every kind of fault, under one virtual clock. The loop,
 * the journal, the incident state, the incidents and `decide` are real; agents, links, disks and effects are not.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSession } from "../../src/core/agent.js";
import { POLICIES } from "../../src/core/policy/builtin.js";
import type { Policy } from "../../src/core/policy/policy.js";
import type { Signal } from "../../src/core/signal.js";
import { HOUR, MINUTE, SECOND } from "../../src/core/text/time.js";
import type { Moment } from "../../src/daemon/self/clock.js";
import { type ClockModel, HandClock } from "../support/hand-clock.js";
import { START } from "../support/steps.js";
import { SimAgent } from "./agents.js";
import { Life, type Parts, REAL } from "./daemon.js";
import { type Reach, SimEffects } from "./effects.js";
import type { Post } from "./ends.js";
import { type Blow, type CallFaults, drawBlows, type Mix, SeededFaults } from "./faults.js";
import { Invariants } from "./invariants.js";
import { Link, type LinkFaults, NO_FAULTS } from "./link.js";
import type { FaultName } from "./problems.js";
import type { Air, Casting } from "./program.js";
import type { Random } from "./random.js";

export interface Role extends Casting {
  policy: keyof typeof POLICIES;
  allowed: boolean;
}

export interface Setting {
  random: Random;
  hours: number;
  stepMs: number;
  model: ClockModel;
  cast: readonly Role[];
  mix: Mix;
  /** The last hours are free of faults, and no new problem starts: every incident must end. */
  calmHours: number;
  /** Which agent gets which problem, and after how many seconds at the earliest; instead of chance. */
  script?: readonly { after: number; agent: string; fault: FaultName }[];
  faults?: CallFaults;
  parts?: Partial<Parts>;
  careless?: boolean;
}

export interface SimRecord {
  /** Seconds of virtual time. */
  t: number;
  kind: string;
  [fact: string]: unknown;
}

/** A file system in memory, if there is one: a simulated day makes thousands of commits. */
const FOLDER = process.platform === "linux" ? "/dev/shm" : tmpdir();

export class World implements Air {
  readonly setting: Setting;
  readonly hand: HandClock;
  readonly agents: SimAgent[];
  readonly invariants: Invariants;
  readonly log: string[] = [];
  /** Every decision, action, outcome and alert, for the comparison with another commit. */
  readonly records: SimRecord[] = [];
  readonly sessions = new Map<string, AgentSession>();
  readonly signalFaults = { lost: 0, late: 0, doubled: 0, reordered: 0 };
  readonly blowCounts = new Map<string, number>();
  /** True time since the start. */
  now = 0;
  /** The part of it in which the machine was awake: a day of the simulation is one of these. */
  awake = 0;
  /** When the machine or the daemon last woke up. */
  wokeAt: number | null = null;
  /** The part of it in which rouse observed. */
  watchedMs = 0;
  life!: Life;
  readonly faults: CallFaults;
  readonly #parts: Parts;
  readonly #folder: string;
  readonly #links = new Map<string, Link>();
  readonly #blows: { at: number; blow: Blow }[];
  #later: { at: number; life: Life; act: () => void; byHost: boolean }[] = [];
  #upAt: number | null = null;
  /** When rouse could not see: all agents, or one. */
  readonly #dim: { name: string | null; from: number; to: number }[] = [];
  #checked: Moment | null = null;
  #storeDownUntil = 0;
  readonly #silentUntil = new Map<string, number>();
  readonly #downUntil = new Map<string, number>();
  #muteUntil = 0;
  #script: NonNullable<Setting["script"]>;
  readonly #random: Random;
  readonly #human: Random;

  constructor(setting: Setting) {
    this.setting = setting;
    const { random, mix, hours, calmHours } = setting;
    this.#parts = { ...REAL, ...setting.parts };
    this.#random = random.stream("world");
    this.#human = random.stream("human");
    this.hand = new HandClock(START, setting.model);
    this.faults = setting.faults ?? new SeededFaults(random.stream("calls"), mix.calls);
    this.#blows = drawBlows(random.stream("blows"), mix, 10 * MINUTE, Math.max(0, hours - calmHours) * HOUR);
    this.#folder = mkdtempSync(join(FOLDER, "rouse-sim-"));
    this.invariants = new Invariants(this);
    this.agents = [];
    this.#script = setting.script ?? [];
    for (const role of setting.cast) this.agents.push(new SimAgent(role, this, random.stream(role.name)));
    if (setting.script) for (const agent of this.agents) agent.calm = true;
    this.#start();
  }

  // The environment of the agents.

  wallAt(now: number): number {
    return Math.round(this.hand.wall - (this.now - now));
  }

  send(agent: Pick<SimAgent, "session">, signal: Signal): void {
    this.#links.get(agent.session.id)?.put(signal, this.now);
  }

  register(session: AgentSession): void {
    const role = this.roleOf(session.name);
    if (!this.#links.has(session.id)) {
      const faults: LinkFaults = role.sound
        ? { ...this.setting.mix.link, lost: 0, doubled: 0, lateMs: 10 * SECOND }
        : this.setting.mix.link;
      const link = new Link(
        this.setting.random.stream(`link ${session.id}`),
        this.isCalm ? NO_FAULTS : faults,
        this.signalFaults,
      );
      this.#links.set(session.id, link);
    }
    this.sessions.set(session.id, session);
    if (this.life && !this.life.isDead) this.#registerWith(session);
  }

  isDown(kind: string): boolean {
    return (this.#downUntil.get(kind) ?? 0) > this.now;
  }

  #registerWith(session: AgentSession): void {
    try {
      this.life.loop.register(session);
    } catch {
      // Reported again when the daemon is back.
    }
  }

  roleOf(name: string): Role {
    return this.setting.cast.find((role) => role.name === name) as Role;
  }

  policyOf(name: string): Policy {
    return POLICIES[this.roleOf(name).policy];
  }

  get isCalm(): boolean {
    return this.awake >= (this.setting.hours - this.setting.calmHours) * HOUR;
  }

  get canStore(): boolean {
    return this.#storeDownUntil <= this.now;
  }

  get isUp(): boolean {
    return this.#upAt === null && !this.life.isDead;
  }

  isSilent(name: string): boolean {
    return (this.#silentUntil.get(name) ?? 0) > this.now;
  }

  /** Nothing kept rouse from observing this agent in that time. */
  isClear(name: string, from: number, to: number): boolean {
    if (this.setting.mix.link.lost > 0 && !this.roleOf(name).sound) return false;
    return !this.#dim.some((span) => (span.name ?? name) === name && span.from < to && span.to > from);
  }

  write(text: string): void {
    this.log.push(`${(this.now / 1000).toFixed(0)} ${text}`);
  }

  record(kind: string, facts: Readonly<Record<string, unknown>>): void {
    this.records.push({ t: this.now / 1000, kind, ...facts });
  }

  // Time.

  async run(): Promise<void> {
    const end = this.setting.hours * HOUR;
    let wasCalm = false;
    while (this.awake < end) {
      this.#pass(this.setting.stepMs);
      if (this.isCalm && !wasCalm) {
        wasCalm = true;
        this.#calmDown();
      }
      for (let next = this.#blows[0]; next && next.at <= this.awake; next = this.#blows[0]) {
        this.#blows.shift();
        this.#strike(next.blow);
      }
      for (const agent of this.agents) agent.run();
      this.#play();
      await this.#doLater();
      await this.#check();
      this.invariants.step();
    }
    this.invariants.end();
  }

  close(): void {
    this.life.bury();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #pass(ms: number): void {
    this.now += ms;
    this.awake += ms;
    this.hand.pass(ms);
  }

  #play(): void {
    this.#script = this.#script.filter(({ after, agent: name, fault }) => {
      const agent = this.agents.find((one) => one.name === name);
      if (!agent || this.now < after * SECOND || agent.mode !== "turn" || agent.fault) return true;
      agent.fall(fault);
      return false;
    });
  }

  #calmDown(): void {
    if (this.faults instanceof SeededFaults) this.faults.isCalm = true;
    for (const link of this.#links.values()) link.faults = NO_FAULTS;
    for (const agent of this.agents) agent.calm = true;
    this.#storeDownUntil = 0;
    this.#silentUntil.clear();
    this.#downUntil.clear();
    this.#muteUntil = 0;
  }

  async #check(): Promise<void> {
    if (this.life.isDead && this.#upAt === null) {
      this.write("the daemon died");
      this.life.bury();
      this.#upAt = this.now + this.#random.between(1, 300) * SECOND;
      this.#dimmed(null, this.#upAt - this.now);
    }
    if (this.#upAt !== null) {
      if (this.now < this.#upAt) return;
      this.#upAt = null;
      this.#start();
    }
    const { life } = this;
    const waiting: Promise<unknown>[] = [];
    for (const [session, link] of this.#links)
      for (const { from, signals } of link.take(this.now)) {
        const taken = life.loop.ingest(session, from, signals);
        waiting.push(
          taken.then(
            (acked) => link.ack(from === null ? 0 : acked),
            () => from === null && link.back(signals),
          ),
        );
      }
    life.flush();
    await Promise.all(waiting);
    if (life.isDead) return;
    for (const { id: session, name, origin, endedAt } of this.sessions.values())
      if (endedAt === null && !this.isSilent(name))
        life.loop.recordLiveness(session, origin === "tmux" ? "pane" : origin === "transcript" ? "sensor" : "host");
    life.loop.tick();
    life.compact();
    life.flush();
    this.watchedMs += this.setting.stepMs;
    if (!life.isDead) this.#checked = this.hand.clock.moment;
  }

  async #doLater(): Promise<void> {
    const due = this.#later.filter(({ at }) => at <= this.now);
    if (due.length === 0) return;
    this.#later = this.#later.filter(({ at }) => at > this.now);
    for (const { life, act, byHost } of due) if (!life.isDead || byHost) act();
    // Calls that waited for an answer continue now.
    await new Promise((resolve) => setImmediate(resolve));
    this.life.flush();
  }

  #dimmed(name: string | null, ms: number): void {
    this.#dim.push({ name, from: this.now - 10 * MINUTE, to: this.now + ms + 10 * MINUTE });
  }

  #strike(blow: Blow): void {
    const mark = `${blow.kind}`;
    this.blowCounts.set(mark, (this.blowCounts.get(mark) ?? 0) + 1);
    this.write(`blow ${JSON.stringify(blow)}`);
    switch (blow.kind) {
      case "crash":
        if (!this.isUp) return;
        this.invariants.folded();
        this.life.bury();
        this.#upAt = this.now + blow.downMs;
        this.#dimmed(null, blow.downMs);
        return;
      case "suspend":
        this.#dimmed(null, blow.ms);
        this.now += blow.ms;
        this.wokeAt = this.now;
        this.hand.sleep(blow.ms);
        for (const agent of this.agents) agent.sleep(blow.ms);
        for (const entry of this.#later) entry.at += blow.ms;
        return;
      case "jump":
        this.#dimmed(null, Math.abs(blow.ms));
        this.hand.set(blow.ms);
        return;
      case "store_down":
        this.#dimmed(null, blow.ms);
        this.#storeDownUntil = this.now + blow.ms;
        return;
      case "silent_host": {
        const { name } = this.#random.pick(this.setting.cast.filter(({ sound }) => !sound));
        this.#dimmed(name, blow.ms);
        this.#silentUntil.set(name, this.now + blow.ms);
        return;
      }
      case "outage":
        this.#downUntil.set("claude-code", this.now + blow.ms);
        for (const agent of this.agents)
          if (!agent.casting.sound && agent.casting.kind === "claude-code" && agent.mode === "turn" && !agent.fault)
            agent.fall("api");
        return;
      case "mute":
        this.#muteUntil = this.now + blow.ms;
        return;
      case "silence": {
        const agent = this.#random.pick(this.agents).name;
        if (!this.isUp) return;
        const at = this.life.loop.now();
        try {
          this.life.loop.apply({ kind: "silenced", silence: { agent, problem: null, at, until: at + blow.ms } });
        } catch {
          // The caller gets its answer.
        }
        return;
      }
    }
  }

  /** A notified user comes at some time, or does not. */
  callHuman(name: string): void {
    const agent = this.agents.find((one) => one.name === name);
    if (!agent || this.#human.chance(0.3)) return;
    const spell = agent.fault?.spell;
    const at = this.now + this.#human.between(3, 90) * MINUTE;
    const act = (): void => {
      if (agent.fault && agent.fault.spell === spell) agent.visit();
    };
    this.#later.push({ at, life: this.life, act, byHost: true });
  }

  // The daemon.

  #start(): void {
    const clock = this.hand.again();
    const isFirst = this.life === undefined;
    const reach = this.#reach();
    this.life = new Life({
      path: join(this.#folder, "state", "journal.db"),
      clock,
      faults: this.faults,
      effects: new SimEffects(reach, this.setting.careless),
      parts: this.#parts,
      policyOf: ({ name }) => this.#parts.policy(this.policyOf(name)),
      isAllowed: ({ name }) => this.roleOf(name).allowed,
      checked: this.#checked,
      isStoreDown: () => !this.canStore,
      onStored: (incidentState) => this.invariants.stored(incidentState),
      onChange: (changes, incidentState) => this.invariants.changed(changes, incidentState),
      post: this.#post(),
    });
    for (const session of this.sessions.values()) this.#registerWith(session);
    if (!isFirst) this.wokeAt = this.now;
    if (!isFirst) this.invariants.restarted(this.life.loop.incidents);
  }

  #post(): Post {
    const { reported } = this.invariants;
    return {
      faults: this.faults,
      isDown: () => this.#muteUntil > this.now,
      later: (ms, act) => {
        this.#later.push({ at: this.now + ms, life: this.life, act, byHost: true });
      },
      arrived: (channel, notice) => reported.reached(channel, notice),
      answered: (channel, notice, sent) => reported.answered(channel, notice, sent),
    };
  }

  #reach(): Reach {
    const random = this.setting.random.stream(`hands ${this.now}`);
    const of = (): Life => this.life;
    return {
      faults: this.faults,
      random,
      agentOf: ({ name }) => this.agents.find((agent) => agent.name === name) ?? null,
      now: () => of().loop.now(),
      trueNow: () => this.now,
      later: (ms, act) => {
        this.#later.push({ at: this.now + ms, life: of(), act, byHost: this.#random.chance(0.5) });
      },
      die: () => {
        of().isDead = true;
      },
      asked: (action) => this.invariants.asked(action),
      acted: (action, agent) => this.invariants.acted(action, agent),
      answered: (action, outcome) => this.invariants.answered(action, outcome),
    };
  }
}
