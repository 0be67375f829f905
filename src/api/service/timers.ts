/** Watchdog timers, by agent. */
import type { Client } from "../../daemon/http/tokens.js";
import type { WatchdogView } from "../watchdogs.js";
import { controllableAgent, findAgent, type ServiceContext } from "./context.js";

export class TimerService {
  readonly #context: Pick<ServiceContext, "loop" | "permission" | "watchdogs">;

  constructor(context: Pick<ServiceContext, "loop" | "permission" | "watchdogs">) {
    this.#context = context;
  }

  start({ name, token }: Client, agent: string, interval_secs: number, message: string): WatchdogView {
    const session = controllableAgent(this.#context, agent);
    return this.#context.watchdogs.start({
      client: name,
      token: token ?? null,
      session: session.id,
      agent: session.name,
      interval_secs,
      message,
    });
  }

  stop(agent: string): { stopped: boolean } {
    return { stopped: this.#context.watchdogs.stop(findAgent(this.#context, agent).session.id) };
  }

  list(): WatchdogView[] {
    return this.#context.watchdogs.list();
  }
}
