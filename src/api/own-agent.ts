/** An agent that only your program can see: you tell its signals, and rouse judges it like any other. */
import { randomUUID } from "node:crypto";
import type { AgentSession } from "../core/agent.js";
import { tooMuch } from "../core/agent-limits.js";
import type { Signal } from "../core/signal.js";
import { DaemonLink } from "../terminal/daemon-link.js";
import { ApiError } from "./error.js";

export interface OwnAgentOptions {
  name: string;
  /** A program that rouse knows, such as codex; `generic` without one. */
  kind?: string;
  tags?: readonly string[];
  task?: string;
  workspace?: string;
}

/** A signal; its time is now where none is given. */
export type OwnReport = Signal extends infer S ? (S extends Signal ? Omit<S, "at"> & { at?: number } : never) : never;

const LEAVE_MS = 5000;

export class OwnAgent {
  readonly #link: DaemonLink;
  #session: AgentSession;

  /** Throws `ApiError` where more is said of it than is kept. */
  constructor(socketPath: string, { name, kind, tags, task, workspace }: OwnAgentOptions) {
    this.#session = {
      id: randomUUID(),
      name,
      kind: kind ?? "generic",
      tags: [...(tags ?? [])],
      // You hold it, as a host would; rouse has no way to it.
      origin: "run",
      command: [],
      workspace: workspace ?? null,
      task: task ?? null,
      policy: null,
      pid: null,
      pidStart: null,
      startedAt: Date.now(),
      hostSocket: null,
      pane: null,
      endedAt: null,
    };
    const unkept = tooMuch(this.#session);
    if (unkept !== null) throw new ApiError("bad", unkept);
    this.#link = new DaemonLink({ socketPath, session: this.#session });
  }

  get session(): string {
    return this.#session.id;
  }

  /** In order, and kept until the daemon has them; never waits and never throws. */
  send(...signals: readonly OwnReport[]): void {
    for (const signal of signals) this.#link.give({ ...signal, at: signal.at ?? Date.now() } as Signal);
  }

  /** It ended. True when the daemon knows. */
  end(code: number | null = 0): Promise<boolean> {
    this.send({ kind: "exit", source: "process", code, signal: null });
    this.#session = { ...this.#session, endedAt: Date.now() };
    this.#link.update(this.#session);
    return this.leave();
  }

  /** Nobody tells of it any more; it may live on. True when the daemon has everything that was told. */
  leave(): Promise<boolean> {
    return this.#link.close(LEAVE_MS);
  }
}
