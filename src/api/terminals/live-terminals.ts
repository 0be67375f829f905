/**
 * The terminals that clients of the event stream look at. Each is read once, whatever the number of its viewers, and drawn in
 * one thread for all of them. A source that writes faster than the thread reads is paused: its host then skips to the present.
 */
import { Worker } from "node:worker_threads";
import type { RousePaths } from "../../config/paths.js";
import type { AgentSession } from "../../core/agent.js";
import type { FromThread, ToThread } from "./screen-thread.js";
import { type OutputSource, openSource } from "./sources.js";

/** `data` draws on the frame before it (`seq` - 1), or, if `full`, on any screen. */
export type TerminalFrame =
  | { agent: string; session: string; seq: number; full: boolean; cols: number; rows: number; data: string }
  | { agent: string; session: string; ended: string };

interface LiveTerminal {
  session: AgentSession;
  agent: string;
  source: OutputSource | null;
  listeners: Set<(frame: TerminalFrame) => void>;
  seq: number;
  waitingBytes: number;
  ended: string | null;
}

const THREAD = new URL("./screen-thread.js", import.meta.url);
const MEMORY_MAX_MB = 256;
const TERMINALS_MAX = 16;
const WAITING_BYTES_MAX = 2 * 1024 * 1024;

export class LiveTerminals {
  readonly #paths: RousePaths;
  readonly #terminals = new Map<string, LiveTerminal>();
  #thread: Worker | null = null;

  constructor(paths: RousePaths) {
    this.#paths = paths;
  }

  /** Null if too many terminals are open. */
  watch(agent: string, session: AgentSession, listener: (frame: TerminalFrame) => void): (() => void) | null {
    const known = this.#terminals.get(session.id);
    if (!known && this.#terminals.size >= TERMINALS_MAX) return null;
    const terminal = known ?? this.#open(agent, session);
    terminal.listeners.add(listener);
    if (known) this.refresh(session.id);
    if (terminal.ended !== null) listener({ agent, session: session.id, ended: terminal.ended });
    return () => {
      terminal.listeners.delete(listener);
      if (terminal.listeners.size === 0) this.#close(terminal);
    };
  }

  /** Sends the whole screen to all its viewers. */
  refresh(session: string): void {
    this.#post({ do: "whole", id: session });
  }

  close(): void {
    for (const terminal of this.#terminals.values()) terminal.source?.close();
    this.#terminals.clear();
    void this.#thread?.terminate();
    this.#thread = null;
  }

  #open(agent: string, session: AgentSession): LiveTerminal {
    const { id } = session;
    const listeners: LiveTerminal["listeners"] = new Set();
    const terminal: LiveTerminal = { session, agent, source: null, listeners, seq: 0, waitingBytes: 0, ended: null };
    this.#terminals.set(id, terminal);
    this.#post({ do: "open", id, cols: 80, rows: 24 });
    terminal.source = openSource(session, this.#paths, {
      reset: (size) => this.#post({ do: "reset", id, ...size }),
      size: (size) => this.#post({ do: "size", id, ...size }),
      output: (data) => {
        terminal.waitingBytes += data.length;
        if (terminal.waitingBytes > WAITING_BYTES_MAX) terminal.source?.pause();
        this.#post({ do: "output", id, data });
      },
      ended: (reason) => {
        terminal.ended = reason;
        this.#tell(terminal, { agent, session: id, ended: reason });
      },
    });
    return terminal;
  }

  #close(terminal: LiveTerminal): void {
    terminal.source?.close();
    this.#terminals.delete(terminal.session.id);
    this.#post({ do: "close", id: terminal.session.id });
    if (this.#terminals.size > 0) return;
    void this.#thread?.terminate();
    this.#thread = null;
  }

  #post(message: ToThread): void {
    this.#thread ??= this.#startThread();
    this.#thread.postMessage(message);
  }

  #startThread(): Worker {
    const thread = new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB } });
    thread.unref();
    thread.on("message", (message: FromThread) => this.#take(message));
    thread.on("error", (error) => this.#failed(thread, error.message));
    return thread;
  }

  /** Its terminals end; the next viewer starts another thread. */
  #failed(thread: Worker, reason: string): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    for (const terminal of this.#terminals.values()) {
      terminal.source?.close();
      terminal.ended = `The terminal could not be drawn: ${reason.slice(0, 200)}.`;
      this.#tell(terminal, { agent: terminal.agent, session: terminal.session.id, ended: terminal.ended });
    }
    this.#terminals.clear();
  }

  #take(message: FromThread): void {
    const terminal = this.#terminals.get(message.id);
    if (!terminal) return;
    if (message.kind === "read") {
      terminal.waitingBytes -= message.bytes;
      if (terminal.waitingBytes < WAITING_BYTES_MAX / 2) terminal.source?.resume();
      return;
    }
    const { full, cols, rows, text } = message;
    const data = Buffer.from(text).toString("base64");
    const { agent, session } = terminal;
    this.#tell(terminal, { agent, session: session.id, seq: ++terminal.seq, full, cols, rows, data });
  }

  #tell({ listeners }: LiveTerminal, frame: TerminalFrame): void {
    for (const listener of listeners) listener(frame);
  }
}
