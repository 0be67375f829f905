/** An agent that only your program can see: you send its signals, and rouse judges it like any other. */
import { randomUUID } from "node:crypto";
import { type AgentSession, createSession, NO_PROFILE } from "../core/agent.js";
import { checkAgentLimits } from "../core/agent-limits.js";
import type { Signal } from "../core/signal.js";
import { DaemonLink } from "../terminal/daemon-link.js";
import { ApiError } from "./error.js";

export interface OwnAgentOptions {
  name: string;
  /** A program that rouse knows, such as codex; default: `generic`. */
  kind?: string;
  tags?: readonly string[];
  task?: string;
  workspace?: string;
}

/** A signal; default time: now. */
export type OwnSignal = Signal extends infer S ? (S extends Signal ? Omit<S, "at"> & { at?: number } : never) : never;

const LEAVE_MS = 5000;

export class OwnAgent {
  readonly #link: DaemonLink;
  #session: AgentSession;

  /** Throws `ApiError` if a field is too long. */
  constructor(socketPath: string, { name, kind, tags, task, workspace }: OwnAgentOptions) {
    this.#session = createSession({
      id: randomUUID(),
      name,
      kind: kind ?? NO_PROFILE,
      tags: [...(tags ?? [])],
      // Your program holds the agent; rouse cannot reach it.
      origin: "run",
      workspace: workspace ?? null,
      task: task ?? null,
      startedAt: Date.now(),
    });
    const objection = checkAgentLimits(this.#session);
    if (objection !== null) throw new ApiError("bad", objection);
    this.#link = new DaemonLink({ socketPath, session: this.#session });
  }

  get session(): string {
    return this.#session.id;
  }

  /** Sends signals in order and keeps them until the daemon has stored them. Never waits and never throws. */
  send(...signals: readonly OwnSignal[]): void {
    for (const signal of signals) this.#link.give({ ...signal, at: signal.at ?? Date.now() } as Signal);
  }

  /** Reports the end of the agent. True if the daemon has stored it. */
  end(code: number | null = 0): Promise<boolean> {
    this.send({ kind: "exit", source: "process", code, signal: null });
    this.#session = { ...this.#session, endedAt: Date.now() };
    this.#link.update(this.#session);
    return this.leave();
  }

  /** Stops sending; the agent may keep running. True if the daemon has stored all signals. */
  leave(): Promise<boolean> {
    return this.#link.close(LEAVE_MS);
  }
}
