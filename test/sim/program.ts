/**
 * The program of a simulated agent, without its own decisions: its time, its sessions, its terminal, and the
 * signals that hosts and sensors would send.
 */
import type { AgentSession } from "../../src/core/agent.js";
import type { ScreenReading, Signal, ToolClass } from "../../src/core/signal.js";
import { SECOND } from "../../src/core/text/time.js";
import { CANARIES } from "../support/canaries.js";
import type { Random } from "./random.js";

export type Untimed<T = Signal> = T extends Signal ? Omit<T, "at"> : never;

/** What an agent needs from the world. */
export interface Air {
  /** True time, which cannot be set. */
  readonly now: number;
  /** The wall clock at a moment of true time. */
  wallAt(now: number): number;
  send(agent: Pick<SimProgram, "session">, signal: Signal): void;
  /** A session started or ended. */
  register(session: AgentSession): void;
  /** The service that it uses is down. */
  isDown(kind: string): boolean;
}

interface Heartbeat {
  at: number;
  do: () => void;
}

export interface Casting {
  name: string;
  kind: string;
  origin: AgentSession["origin"];
  /** It never has a problem. */
  sound: boolean;
  /** It has no hooks and no transcript. */
  bare: boolean;
}

const BLANK: ScreenReading = { reply: "", lastLine: "", busy: false, moving: false, composer: "empty" };

export abstract class SimProgram {
  readonly name: string;
  readonly casting: Casting;
  readonly random: Random;
  session: AgentSession;
  humanAt: number | null = null;
  protected readonly air: Air;
  /** The call that is open. */
  protected tool: string | null = null;
  #plan: Heartbeat[] = [];
  /** The moment of the step that is being played; null between steps. */
  #heartbeatAt: number | null = null;
  #count = 0;
  #reading: ScreenReading = BLANK;

  constructor(casting: Casting, air: Air, random: Random) {
    this.name = casting.name;
    this.casting = casting;
    this.random = random;
    this.air = air;
    this.session = this.newSession();
  }

  /** Called if nothing is planned. */
  protected abstract goOn(): void;

  get isSeen(): boolean {
    return this.casting.origin !== "transcript";
  }

  /** True time as the agent sees it. */
  get now(): number {
    return this.#heartbeatAt ?? this.air.now;
  }

  get wall(): number {
    return this.air.wallAt(this.now);
  }

  /** Time has passed: everything due until now happens. */
  run(): void {
    for (let heartbeat = this.#plan[0]; heartbeat && heartbeat.at <= this.air.now; heartbeat = this.#plan[0]) {
      this.#plan.shift();
      this.#heartbeatAt = heartbeat.at;
      heartbeat.do();
      if (this.#plan.length === 0) this.goOn();
    }
    this.#heartbeatAt = null;
  }

  /** The machine slept, and the agent with it. */
  sleep(ms: number): void {
    for (const heartbeat of this.#plan) heartbeat.at += ms;
  }

  /** Adds a step after the planned ones. */
  plan(after: number, act: () => void): void {
    this.#plan.push({ at: (this.#plan.at(-1)?.at ?? this.now) + after, do: act });
  }

  /** Drops the whole plan. */
  drop(): void {
    this.#plan = [];
  }

  // Its output.

  /** New text of the model on the screen. */
  protected reply(): void {
    this.show({ reply: this.fresh("r"), replying: true, tokens: this.#count });
  }

  write(): void {
    this.reply();
    this.emit({ kind: "message", source: "transcript", role: "assistant", digest: this.fresh("m") });
  }

  retry(attempt: number, seconds: number): void {
    const nextAt = this.wall + seconds * SECOND;
    this.emit({ kind: "retry", source: "transcript", attempt, max: 10, nextAt, infra: "overload" });
  }

  open(cls: ToolClass, call: string = this.fresh("k")): void {
    this.tool = this.fresh("t");
    const source = this.isSeen ? "hook" : "transcript";
    const subject = `run ${call} ${this.secret}`;
    this.emit({ kind: "tool_start", source, id: this.tool, tool: "Bash", class: cls, call, subject });
    this.#check(1);
  }

  close(outcome: string, ok = true): void {
    if (this.tool === null) return;
    const source = this.isSeen ? "hook" : "transcript";
    this.emit({ kind: "tool_end", source, id: this.tool, ok, outcome, raw: outcome });
    this.tool = null;
    this.#check(0);
  }

  /** What the process table shows. */
  #check(children: number): void {
    const at = children > 0 ? { newestChildAt: this.wall } : {};
    this.emit({ kind: "process", source: "process", alive: true, children, cpuMs: this.#count * 100, ...at });
  }

  /** Keys of a user. */
  type(submits: boolean): void {
    if (!this.isSeen) return;
    this.humanAt = this.now;
    this.emit({ kind: "input", source: "human", by: "human", bytes: 12, submits });
  }

  fresh(letter: string): string {
    this.#count++;
    return `${letter}${this.#count}`;
  }

  /** Agents write secrets wherever they write: another one each time. */
  get secret(): string {
    return CANARIES[this.#count % CANARIES.length] as string;
  }

  show(shown: Partial<ScreenReading>): void {
    const { reply, lastLine, busy, moving, composer, tokens, replying } = this.#reading;
    const stays = { reply, lastLine, busy, moving, composer, ...(tokens === undefined ? {} : { tokens }) };
    // Rows, marks and dialogs stay until the turn's state changes.
    const base = shown.busy === undefined ? this.#reading : { ...stays, replying: replying ?? false };
    this.#reading = { ...base, ...shown };
    this.emit({ kind: "screen", source: "screen", reading: { ...this.#reading } });
  }

  emit(signal: Untimed): void {
    const at = this.wall;
    if (!this.isSeen && signal.source !== "transcript" && signal.kind !== "exit") return;
    if (this.casting.bare && (signal.source === "transcript" || signal.source === "hook")) return;
    this.air.send(this, { ...signal, at } as Signal);
  }

  protected newSession(): AgentSession {
    const startedAt = this.wall;
    const { name, kind, origin } = this.casting;
    const session: AgentSession = {
      id: this.fresh(`${name}-`),
      name,
      kind,
      tags: [],
      origin,
      command: [kind],
      workspace: null,
      task: null,
      policy: null,
      pid: 7,
      pidStart: "boot:1",
      startedAt,
      hostSocket: null,
      pane: null,
      endedAt: null,
    };
    this.air.register(session);
    return session;
  }

  /** A session starts: the first output of its terminal and its hooks. */
  protected start(): void {
    this.#reading = BLANK;
    this.emit({ kind: "session", source: "hook", id: this.session.id, permissions: "asking" });
    this.#check(0);
    this.show({ busy: false, moving: false, composer: "empty" });
  }
}
