/** Counts the copies of alerts at a receiver against the outbox of a daemon that is killed. */
import { loadSqlite } from "../../src/store/sqlite.js";
import type { Behaviour, Received } from "./receivers.js";

/**
 * Counts every copy of an alert that the receiver accepted, and those whose answer never reached the outbox. The
 * receiver knows which answers it dropped, and which senders had left; answers lost with a killed daemon are read from its
 * store.
 */
export class AlertLedger {
  readonly copies = new Map<string, number>();
  readonly lost = new Map<string, number>();
  /** Agents whose opening alert has arrived. */
  readonly agents = new Set<string>();
  /** Answered in this run of the daemon. */
  readonly #answered = new Set<string>();
  swallowed = 0;
  /** The sender was killed, or had no patience left, before this receiver read the alert. */
  late = 0;
  killed = 0;

  take({ body, isAbandoned }: Received, how: Behaviour): void {
    const isAccepted = typeof how === "object" && how.status === 200;
    if (!isAccepted && how !== "lost") return;
    const isAnswered = isAccepted && !isAbandoned;
    const { key, event, agents } = JSON.parse(body) as { key: string; event: string; agents: string[] };
    if (event === "opened") for (const name of agents) this.agents.add(name);
    add(this.copies, key);
    if (isAnswered) this.#answered.add(key);
    else {
      add(this.lost, key);
      if (isAccepted) this.late++;
      else this.swallowed++;
    }
  }

  /** After the end of a daemon: an answer that it did not record is lost. */
  ended(stored: ReadonlyMap<string, string>): number {
    const unrecorded = [...this.#answered].filter((key) => stored.get(key) === "pending");
    for (const key of unrecorded) add(this.lost, key);
    this.#answered.clear();
    this.killed += unrecorded.length;
    return unrecorded.length;
  }

  /** Keys with an unexpected number of copies: one is expected, plus one per lost answer. */
  unexplained(stored: ReadonlyMap<string, string>): object[] {
    const keys = [...new Set([...stored.keys(), ...this.copies.keys()])];
    return keys.flatMap((key) => {
      const [state, copies, lost] = [stored.get(key), this.copies.get(key) ?? 0, this.lost.get(key) ?? 0];
      return copies === lost + (state === "sent" ? 1 : 0) ? [] : [{ key, state, copies, lost }];
    });
  }
}

const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** The outcome of each alert of a channel in the store, read while nothing writes to it. */
export function storedDeliveries(journal: string, channel: string): Map<string, string> {
  const database = loadSqlite().open(journal);
  try {
    const rows = database.prepare("select key, state from deliveries where channel = ?").all(channel);
    return new Map(rows.map(({ key, state }) => [String(key), String(state)]));
  } finally {
    database.close();
  }
}
