/** Watchdog timers, by agent. */
import type { Identity } from "../identity.js";
import type { WatchdogView } from "../watchdogs.js";
import { controllableAgent, findAgent, type ServiceContext } from "./context.js";

export interface TimerOrder {
  agent: string;
  interval_secs: number;
  message: string;
  /** Type only when the inbox has new messages. */
  on_messages: boolean;
  tag?: string | undefined;
}

export class TimerService {
  readonly #context: Pick<ServiceContext, "loop" | "permission" | "watchdogs" | "config">;

  constructor(context: Pick<ServiceContext, "loop" | "permission" | "watchdogs" | "config">) {
    this.#context = context;
  }

  start(
    { name, author, token, inside }: Identity,
    { agent, interval_secs, message, on_messages, tag }: TimerOrder,
  ): WatchdogView {
    const session = controllableAgent(this.#context, agent);
    return this.#context.watchdogs.start({
      client: name,
      author,
      token,
      by: inside?.session.id ?? null,
      session: session.id,
      agent: session.name,
      interval_secs,
      message,
      inbox: on_messages ? (tag ?? this.#context.config.watchdog.orchestrator_tag) : null,
    });
  }

  stop(agent: string): { stopped: boolean } {
    return { stopped: this.#context.watchdogs.stop(findAgent(this.#context, agent).session.id) };
  }

  list(): WatchdogView[] {
    return this.#context.watchdogs.list();
  }
}
