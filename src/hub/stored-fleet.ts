/** The fleet's part of a hub over its store: checks the input, calls one operation, throws what the store refused. */
import type {
  CommandOutcome,
  FleetCommand,
  FleetHub,
  FlushRequest,
  FollowAnswer,
  LeaveAnswer,
  NewCommand,
  StartedNode,
} from "./fleet.js";
import { refusalError } from "./hub-error.js";
import { bodyOf, integerOf, LIMITS, lineOf } from "./input.js";
import { type Arguments, type FleetOperation, type HubStore, isRefused } from "./store.js";

const EXPIRES_MAX_MS = 3_600_000;

export class StoredFleet implements FleetHub {
  readonly #store: HubStore;

  constructor(store: HubStore) {
    this.#store = store;
  }

  start({ instance, version }: { instance: string; version: string }): Promise<StartedNode> {
    return this.#call("node_start", {
      instance: lineOf(instance, "the installation", LIMITS.name, false),
      version: lineOf(version, "the version", LIMITS.name, false),
    });
  }

  flush(request: FlushRequest): Promise<{ now: number }> {
    return this.#call("node_flush", { ...request });
  }

  follow(request: { since: number; known: Readonly<Record<string, number>> }): Promise<FollowAnswer> {
    return this.#call("fleet_follow", request);
  }

  async stop(run: number): Promise<void> {
    await this.#call("node_stop", { run });
  }

  leave(options: { release: boolean }): Promise<LeaveAnswer> {
    return this.#call("node_leave", options);
  }

  async send({ expiresMs, ...command }: NewCommand): Promise<FleetCommand> {
    return this.#call("command_send", {
      ...command,
      agent: lineOf(command.agent, "the agent", LIMITS.name, false),
      author: lineOf(command.author, "the author", LIMITS.name, false),
      expiresMs: integerOf(expiresMs, "the expiry", 100, EXPIRES_MAX_MS),
    });
  }

  take(run: number): Promise<FleetCommand[]> {
    return this.#call("command_take", { run });
  }

  async finish({ reason, ...outcome }: CommandOutcome): Promise<void> {
    const text = bodyOf(reason.slice(0, LIMITS.checkpoint), "the reason", LIMITS.checkpoint);
    await this.#call("command_finish", { ...outcome, reason: text });
  }

  command(id: string): Promise<FleetCommand> {
    return this.#call("command_read", { id });
  }

  takeAlert(key: string, holdMs: number): Promise<boolean> {
    return this.#call("alert_take", { key, holdMs });
  }

  async settleAlert(key: string): Promise<void> {
    await this.#call("alert_settle", { key });
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #call<T>(operation: FleetOperation, values: Arguments): Promise<T> {
    const answer = await this.#store.call(operation, values);
    if (isRefused(answer)) throw refusalError(answer.refused);
    return answer as T;
  }
}
