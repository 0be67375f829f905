/**
 * The event stream, which clients can resume: each event has a number, the latest events are kept, and a client that
 * returns with the number of its last event gets the rest. A listener that does not keep up is dropped.
 */
import { randomBytes } from "node:crypto";
import type { IncidentChange } from "../core/incidents/course.js";
import type { IncidentView } from "../daemon/views/incident-view.js";
import type { SessionView } from "../daemon/views/view.js";
import type { ControlResult } from "./control-result.js";
import { redactOutput } from "./leaving.js";
import type { MessageView } from "./operations/records.js";

export const EVENT_KINDS = ["assessment", "incident", "message", "control"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Result of a client's request. */
export interface OrderEvent {
  action: string;
  client: string;
  result: ControlResult["result"];
  reason: string;
  proven: boolean | null;
}

interface EventData {
  assessment: SessionView;
  incident: IncidentView & { change: IncidentChange["change"] };
  message: MessageView;
  control: OrderEvent;
}

interface EventOf<Kind extends EventKind> {
  /** `<run of the daemon>-<number>`, so that an id of an earlier run is recognized. */
  id: string;
  kind: Kind;
  at: string;
  /** Name of the agent. */
  agent: string;
  data: EventData[Kind];
}

/** `data` has the type of its `kind`. */
export type ApiEvent<Kind extends EventKind = EventKind> = { [K in Kind]: EventOf<K> }[Kind];

export interface Listener {
  /** False if it cannot take more; then it is dropped. */
  take(event: ApiEvent): boolean;
  dropped(): void;
}

const KEPT_MAX = 2000;
const LISTENERS_MAX = 64;
/** Of one token, so that it leaves room for others. */
const LISTENERS_PER_OWNER_MAX = 16;

export class Events {
  readonly #run = randomBytes(6).toString("hex");
  readonly #kept: ApiEvent[] = [];
  /** With the digest of its token; null over the socket. */
  readonly #listeners = new Map<Listener, string | null>();
  #number = 0;
  /** Number of listeners dropped because they did not keep up. */
  dropped = 0;

  get listeners(): number {
    return this.#listeners.size;
  }

  publish<Kind extends EventKind>(kind: Kind, at: number, agent: string, data: EventData[Kind]): void {
    const event = redactOutput({
      id: `${this.#run}-${++this.#number}`,
      kind,
      at: new Date(at).toISOString(),
      agent,
      data,
    }) as ApiEvent;
    this.#kept.push(event);
    if (this.#kept.length > KEPT_MAX) this.#kept.shift();
    for (const listener of this.#listeners.keys()) if (!listener.take(event)) this.#drop(listener);
  }

  /**
   * Sends the events after `lastId` and all later ones. `isWhole` is false if some are no longer kept, or if the id is of an
   * earlier run: then the listener has to read the current state. Null if there are too many listeners.
   */
  listen(
    listener: Listener,
    lastId: string | null,
    owner: string | null = null,
  ): { isWhole: boolean; stop: () => void } | null {
    const own = [...this.#listeners.values()].filter((one) => one === owner).length;
    if (this.#listeners.size >= LISTENERS_MAX || (owner !== null && own >= LISTENERS_PER_OWNER_MAX)) return null;
    const { isWhole, missed } = this.#since(lastId);
    this.#listeners.set(listener, owner);
    for (const event of missed) {
      if (listener.take(event)) continue;
      this.#drop(listener);
      break;
    }
    return { isWhole, stop: () => this.#listeners.delete(listener) };
  }

  close(): void {
    for (const listener of this.#listeners.keys()) listener.dropped();
    this.#listeners.clear();
  }

  #since(lastId: string | null): { isWhole: boolean; missed: ApiEvent[] } {
    if (lastId === null) return { isWhole: true, missed: [] };
    const [run, number] = lastId.split("-");
    const last = Number(number);
    if (run !== this.#run || !Number.isSafeInteger(last) || last > this.#number) return { isWhole: false, missed: [] };
    const missed = this.#kept.slice(Math.max(0, this.#kept.length - (this.#number - last)));
    return { isWhole: missed.length === this.#number - last, missed };
  }

  #drop(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    this.dropped++;
    listener.dropped();
  }
}
