/**
 * What happens, as a stream that can be taken up again: each event has a number, the last few are kept, and whoever comes
 * back with the number of the last one that was seen gets the rest. A listener that does not keep up is dropped.
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

/** What came of a client's order. */
export interface OrderEvent {
  action: string;
  client: string;
  result: ControlResult["result"];
  reason: string;
  proven: boolean | null;
}

interface EventData {
  assessment: SessionView;
  incident: IncidentView & { how: IncidentChange["how"] };
  message: MessageView;
  control: OrderEvent;
}

interface EventOf<Kind extends EventKind> {
  /** `<life of the daemon>-<number>`: an id of an earlier life is known as such. */
  id: string;
  kind: Kind;
  at: string;
  /** The agent that it is about. */
  agent: string;
  data: EventData[Kind];
}

/** `data` has the type of its `kind`. */
export type ApiEvent<Kind extends EventKind = EventKind> = { [K in Kind]: EventOf<K> }[Kind];

export interface Listener {
  /** False when it cannot take more: it is dropped. */
  take(event: ApiEvent): boolean;
  dropped(): void;
}

const KEPT_MAX = 2000;
const LISTENERS_MAX = 64;

export class Events {
  readonly #life = randomBytes(6).toString("hex");
  readonly #kept: ApiEvent[] = [];
  readonly #listeners = new Set<Listener>();
  #number = 0;
  /** Listeners that were dropped because they did not keep up. */
  dropped = 0;

  get listeners(): number {
    return this.#listeners.size;
  }

  publish<Kind extends EventKind>(kind: Kind, at: number, agent: string, data: EventData[Kind]): void {
    const event = redactOutput({
      id: `${this.#life}-${++this.#number}`,
      kind,
      at: new Date(at).toISOString(),
      agent,
      data,
    }) as ApiEvent;
    this.#kept.push(event);
    if (this.#kept.length > KEPT_MAX) this.#kept.shift();
    for (const listener of this.#listeners) if (!listener.take(event)) this.#drop(listener);
  }

  /**
   * Events after `lastId`, and those to come. `isWhole` is false when some between are no longer kept, or the id is of an
   * earlier life: then the listener has to ask for the present state. Null when there are too many listeners.
   */
  listen(listener: Listener, lastId: string | null): { isWhole: boolean; stop: () => void } | null {
    if (this.#listeners.size >= LISTENERS_MAX) return null;
    const { isWhole, missed } = this.#since(lastId);
    this.#listeners.add(listener);
    for (const event of missed) {
      if (listener.take(event)) continue;
      this.#drop(listener);
      break;
    }
    return { isWhole, stop: () => this.#listeners.delete(listener) };
  }

  close(): void {
    for (const listener of this.#listeners) listener.dropped();
    this.#listeners.clear();
  }

  #since(lastId: string | null): { isWhole: boolean; missed: ApiEvent[] } {
    if (lastId === null) return { isWhole: true, missed: [] };
    const [life, number] = lastId.split("-");
    const last = Number(number);
    if (life !== this.#life || !Number.isSafeInteger(last) || last > this.#number)
      return { isWhole: false, missed: [] };
    const missed = this.#kept.slice(Math.max(0, this.#kept.length - (this.#number - last)));
    return { isWhole: missed.length === this.#number - last, missed };
  }

  #drop(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    this.dropped++;
    listener.dropped();
  }
}
