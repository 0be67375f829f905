/** Scripted agents under the real loop: signals with fixed times, a tick per second. */
import type { AgentSession } from "../../src/core/agent.js";
import type { Signal } from "../../src/core/signal.js";
import type { LoopSetup } from "../../src/daemon/loop-setup.js";
import type { HandClock } from "./hand-clock.js";
import type { Untimed } from "./loops.js";
import { sessionOf } from "./sessions.js";
import { screen } from "./steps.js";

/** Names of the actions that the daemon carried out, filled by the test. */
export const actionsDone: string[] = [];

export class ScriptedAgents {
  readonly #setup: LoopSetup;
  readonly #hand: HandClock;
  readonly #onTime: (now: number) => void;
  readonly #sent = new Map<string, number>();
  readonly #sessions = new Map<string, string>();
  /** Agents whose host sends nothing, not even a heartbeat. */
  readonly silent = new Set<string>();

  constructor(setup: LoopSetup, hand: HandClock, onTime: (now: number) => void) {
    this.#setup = setup;
    this.#hand = hand;
    this.#onTime = onTime;
  }

  allow(agent: string): void {
    this.#setup.permission.take({ agents: [agent], allowed: true, except: [], until: null }, this.#hand.wall);
  }

  start(name: string, more: Partial<AgentSession> = {}): void {
    const id = more.id ?? `s-${name}`;
    this.#sessions.set(name, id);
    const base = {
      id,
      name,
      kind: "claude-code",
      command: ["claude"],
      pid: 4_000_000,
      pidStart: "boot:1",
    };
    this.#setup.loop.register(
      sessionOf({
        ...base,
        origin: "spawn",
        hostSocket: "/run/host.sock",
        workspace: "/src/app",
        startedAt: this.#hand.wall,
        ...more,
      }),
    );
  }

  async working(name: string, reply: string): Promise<void> {
    const bytes = (receivedBytes: number): Untimed<Signal> => ({
      kind: "process",
      source: "process",
      alive: true,
      children: 0,
      cpuMs: 100,
      sockets: 1,
      receivedBytes,
    });
    await this.send(name, [
      { kind: "turn", source: "hook", phase: "start", byUser: true },
      { kind: "turn", source: "transcript", phase: "start", byUser: true },
      { kind: "status", source: "title", status: "working" },
      screen({ busy: true, moving: true, replying: true, reply, tail: [reply, "✳ Writing… (esc to interrupt)"] }),
      bytes(100),
    ]);
    await this.run(1);
    await this.send(name, [bytes(9000)]);
  }

  async send(name: string, signals: readonly Untimed<Signal>[]): Promise<void> {
    const session = this.#sessions.get(name) ?? "";
    const from = (this.#sent.get(session) ?? 0) + 1;
    this.#sent.set(session, from + signals.length - 1);
    await this.#setup.loop.ingest(
      session,
      from,
      signals.map((signal) => ({ at: this.#hand.wall, ...signal }) as Signal),
    );
  }

  async runUntil(name: string): Promise<void> {
    for (let second = 0; second < 900 && !actionsDone.includes(name); second++) await this.run(1);
  }

  /** A tick per second; every promise of an action gets its turn. */
  async run(seconds: number): Promise<void> {
    const { loop } = this.#setup;
    for (let second = 0; second < seconds; second++) {
      this.#hand.pass(1000);
      this.#onTime(this.#hand.wall);
      for (const { session } of loop.sessions())
        if (!this.silent.has(session.name))
          loop.recordLiveness(session.id, session.origin === "tmux" ? "pane" : "host");
      loop.tick();
      await new Promise(setImmediate);
    }
  }
}
