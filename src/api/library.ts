/**
 * rouse for programs of your own: `import { watch } from "rouse"`. It speaks with the daemon of this user over its socket;
 * nothing is watched or judged in your process, so that it may end and come back at any time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { rousePaths } from "../config/paths.js";
import type { IncidentView } from "../daemon/incident-view.js";
import type { MessageView } from "../daemon/message-routes.js";
import type { Summary } from "../daemon/summary.js";
import type { SessionView } from "../daemon/view.js";
import type { Why } from "../daemon/why.js";
import { type EventsOptions, eventsOf } from "./event-client.js";
import type { ApiEvent } from "./events.js";
import type { OperationName } from "./operations.js";
import { OwnAgent, type OwnAgentOptions } from "./own-agent.js";
import { askService } from "./remote.js";
import type { AgentFilter, AgentStatus, Report, Sent } from "./service.js";
import type { TouchResult } from "./touching.js";
import type { WatchdogView } from "./watchdogs.js";

export type { Signal } from "../core/signal.js";
export type { Cause, State } from "../core/states.js";
export { Unreachable } from "../daemon/client.js";
export { ApiProblem } from "./problem.js";
export type {
  AgentFilter,
  AgentStatus,
  ApiEvent,
  EventsOptions,
  IncidentView,
  MessageView,
  OwnAgent,
  OwnAgentOptions,
  Report,
  Sent,
  SessionView,
  Summary,
  TouchResult,
  WatchdogView,
  Why,
};

export interface WatchOptions {
  /** What you are called in messages and in the record of touches. */
  name?: string;
  /** Another home than that of the environment (ROUSE_HOME). */
  home?: string;
}

/** Connects to the daemon. Throws `Unreachable` where none runs: start it with `rouse up`. */
export async function watch({ name = "library", home }: WatchOptions = {}): Promise<Rouse> {
  const { daemonSocket } = rousePaths(home === undefined ? process.env : { ...process.env, ROUSE_HOME: home });
  const rouse = new Rouse(daemonSocket, name);
  await rouse.health();
  return rouse;
}

export class Rouse {
  readonly #socket: string;
  readonly #name: string;
  readonly #ending = new AbortController();
  readonly #agents = new Set<OwnAgent>();

  constructor(socket: string, name: string) {
    this.#socket = socket;
    this.#name = name;
  }

  health(): Promise<{ ok: boolean; version: string }> {
    return this.#ask("health");
  }

  async agents(filter: AgentFilter = {}): Promise<SessionView[]> {
    return (await this.#ask<{ agents: SessionView[] }>("agents", filter)).agents;
  }

  /** By name, session id or tmux pane id. */
  status(agent: string): Promise<AgentStatus> {
    return this.#ask("status", { agent });
  }

  why(agent: string): Promise<Why> {
    return this.#ask("why", { agent });
  }

  async incidents(which: { agent?: string; all?: boolean; since?: number } = {}): Promise<IncidentView[]> {
    return (await this.#ask<{ incidents: IncidentView[] }>("incidents", which)).incidents;
  }

  summary(since: Date): Promise<Summary> {
    return this.#ask("summary", { since: since.getTime() });
  }

  async readPane(agent: string, lines = 40): Promise<string[]> {
    return (await this.#ask<{ lines: string[] }>("read_pane", { agent, lines })).lines;
  }

  report(agent: string, report: Report): Promise<{ agent: string }> {
    return this.#ask("report", { agent, ...report });
  }

  /** Types one line and presses Enter. Throws `ApiProblem` when that is refused. */
  sendInput(agent: string, text: string, requestId?: string): Promise<TouchResult> {
    return this.#ask("send_input", { agent, text, request_id: requestId });
  }

  /** Ends an agent that rouse spawned. */
  stop(agent: string): Promise<TouchResult> {
    return this.#ask("stop", { agent });
  }

  startWatchdog(agent: string, intervalSecs: number, message = "check"): Promise<WatchdogView> {
    return this.#ask("watchdog_start", { agent, interval_secs: intervalSecs, message });
  }

  stopWatchdog(agent: string): Promise<{ stopped: boolean }> {
    return this.#ask("watchdog_stop", { agent });
  }

  messages(which: { tag?: string; after?: number; all?: boolean; limit?: number } = {}): Promise<{
    messages: MessageView[];
    cursor: number;
  }> {
    return this.#ask("messages", which);
  }

  ack(upTo: number, tag?: string): Promise<{ acked: number }> {
    return this.#ask("ack_messages", { up_to: upTo, tag });
  }

  send({ tag, type, payload, key }: Sent): Promise<{ cursor: number }> {
    return this.#ask("send_message", { target: { tag }, msg_type: type, payload, key });
  }

  /** Everything as it happens, over restarts of the daemon too, until you stop listening or close. */
  events(options: EventsOptions = {}): AsyncGenerator<ApiEvent> {
    return eventsOf(this.#socket, options, this.#ending.signal);
  }

  /**
   * A channel of your own: every message of an inbox goes to `deliver`, in order, and is acknowledged when that has
   * returned. One that throws gets the same message again, after a pause. Ends when you close.
   */
  async deliver(deliver: (message: MessageView) => unknown, { tag }: { tag?: string } = {}): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      let isDone = false;
      try {
        const { messages } = await this.messages({ ...(tag === undefined ? {} : { tag }), limit: PAGE });
        for (const message of messages) {
          if (signal.aborted) return;
          await deliver(message);
          await this.ack(message.cursor, message.target.tag);
        }
        isDone = messages.length === PAGE;
      } catch {
        // The daemon was restarted, or the channel is away: what was not acknowledged is shown again.
      }
      if (!isDone) await sleep(DELIVER_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** A sensor of your own: an agent that rouse cannot see by itself, watched by the signals that you tell. */
  addAgent(options: OwnAgentOptions): OwnAgent {
    const agent = new OwnAgent(this.#socket, options);
    this.#agents.add(agent);
    return agent;
  }

  /** Ends every stream and channel. Of agents of your own nobody tells any more, and rouse says so. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#agents].map((agent) => agent.leave()));
  }

  #ask<T>(operation: OperationName, input: object = {}): Promise<T> {
    return askService(this.#socket, operation, { ...input }, { name: this.#name }) as Promise<T>;
  }
}

const PAGE = 100;
const DELIVER_MS = 500;
