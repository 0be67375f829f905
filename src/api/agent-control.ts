/**
 * A client's order to type into an agent or to end it. It runs like rouse's own actions, with the same checks and refusals,
 * one at a time per agent. The order is logged before it runs and its result afterwards.
 */

import type { Action } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { rememberBounded } from "../core/judgement/evidence/bounded.js";
import type { DaemonParts } from "../daemon/parts.js";
import { carryOut, type MessageOptions, typeMessage } from "../effects/index.js";
import type { AuditAuthor } from "../store/audit-entry.js";
import type { ControlResult } from "./control-result.js";
import { ApiError } from "./error.js";
import type { Events } from "./events.js";
import type { OrderLog } from "./order-log.js";

type ControlAction = "send_input" | "stop";

export interface ControlOrder {
  /** Name of the client, for events and repeated requests. */
  client: string;
  by: AuditAuthor;
  session: AgentSession;
  /** A client that missed the answer repeats the request with the same id; the order does not run twice. */
  requestId?: string | undefined;
}

const ANSWERS_MAX = 1000;
const STOP_MS = 60_000;
const USED = "request_id: already used for another request; expected a new one";

export class AgentControl {
  readonly #parts: Pick<DaemonParts, "loop" | "effectContext">;
  readonly #events: Events;
  readonly #orders: OrderLog;
  readonly #busy = new Set<string>();
  readonly #answers = new Map<string, { order: string; answer: Promise<ControlResult> }>();
  /** By action and result, for the metrics. */
  readonly counts = new Map<string, number>();

  constructor(parts: Pick<DaemonParts, "loop" | "effectContext">, events: Events, orders: OrderLog) {
    this.#parts = parts;
    this.#events = events;
    this.#orders = orders;
  }

  sendInput(order: ControlOrder, text: string, options: MessageOptions = {}): Promise<ControlResult> {
    const { effectContext } = this.#parts;
    return this.#once("send_input", order, text, () => typeMessage(text, order.session, effectContext, options));
  }

  stop(order: ControlOrder): Promise<ControlResult> {
    return this.#once("stop", order, "", () => {
      const now = this.#parts.loop.now();
      const { name, id: session } = order.session;
      const action: Action = {
        id: `api-${now}`,
        incident: "",
        agent: name,
        session,
        problem: "gone",
        do: "stop",
        attempt: 1,
        deadlineMs: STOP_MS,
        proof: "process_gone",
        waitMs: 0,
      };
      return carryOut(action, order.session, { ...this.#parts.effectContext, isOrder: true });
    });
  }

  async #once(
    action: ControlAction,
    order: ControlOrder,
    text: string,
    work: () => Promise<ControlResult>,
  ): Promise<ControlResult> {
    const key = order.requestId === undefined ? null : JSON.stringify([order.client, order.requestId]);
    const what = JSON.stringify([action, order.session.id, text]);
    const known = key === null ? undefined : this.#answers.get(key);
    if (known && known.order !== what) throw new ApiError("bad", USED);
    if (known) return known.answer;
    const done = this.#do(action, order, text, work);
    if (key === null) return done;
    rememberBounded(this.#answers, key, { order: what, answer: done }, ANSWERS_MAX);
    // A refused order did nothing, so the same request may be retried.
    const forget = (): boolean => this.#answers.delete(key);
    done.then(({ result }) => result === "refused" && forget(), forget);
    return done;
  }

  async #do(
    action: ControlAction,
    order: ControlOrder,
    text: string,
    work: () => Promise<ControlResult>,
  ): Promise<ControlResult> {
    const { client, by, session } = order;
    if (this.#busy.has(session.id))
      throw new ApiError("refused", `another action on ${session.name} is under way; try again in a moment`);
    this.#busy.add(session.id);
    try {
      const line = this.#orders.begin(by, { action, agent: session.name, session: session.id, text });
      const { result, reason, proven } = await this.#recorded(line, work);
      const at = this.#parts.loop.now();
      const count = `${action} ${result}`;
      this.counts.set(count, (this.counts.get(count) ?? 0) + 1);
      this.#events.publish("control", at, session.name, { action, client, result, reason, proven });
      this.#parts.loop.take({ kind: "check", session: session.id });
      return { result, reason, proven };
    } finally {
      this.#busy.delete(session.id);
    }
  }

  async #recorded(line: number, work: () => Promise<ControlResult>): Promise<ControlResult> {
    try {
      const done = await work();
      this.#orders.finish(line, done.result, done.reason);
      return done;
    } catch (error) {
      this.#orders.finish(line, "unknown", (error as Error).message);
      throw error;
    }
  }
}
