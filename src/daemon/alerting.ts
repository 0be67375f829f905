/** Alerts of the daemon: what is owed to humans is put into the outbox together with the change that it is about. */
import type { AlertRules, AlertState, Planned } from "../core/alert/alert.js";
import { noticeOf } from "../core/alert/notice.js";
import { membersIn, membersOf, planAlerts } from "../core/alert/plan.js";
import { type Incidents, silencedUntil } from "../core/incident/incident.js";
import type { Seen } from "../core/message/contents.js";
import type { OutboxTable, Owed, StoredDelivery } from "../store/outbox.js";

export interface AlertingOptions {
  outbox: OutboxTable;
  rules: AlertRules;
  clock: (at: number) => string;
}

export class Alerting {
  readonly #options: AlertingOptions;
  readonly #known: Map<string, AlertState>;

  constructor(options: AlertingOptions) {
    this.#options = options;
    this.#known = new Map(options.outbox.states().map((state) => [state.subject, state]));
  }

  due(book: Incidents, seen: (agent: string) => Seen | null, now: number): Owed[] {
    const { rules, clock } = this.#options;
    // Whoever names a channel later hears of what is open then.
    if (rules.routes.length === 0) return [];
    const known = [...this.#known.values()];
    return planAlerts({ book, known, rules, now }).map((planned) => ({
      planned,
      notice: noticeOf(planned, { book, seen, clock, now }),
    }));
  }

  /** Inside the transaction of the book. */
  put(owed: readonly Owed[]): void {
    this.#options.outbox.put(owed);
  }

  remember(owed: readonly Owed[]): void {
    for (const { planned } of owed) this.#known.set(planned.subject, later(this.#known.get(planned.subject), planned));
  }

  /** Whoever has taken or silenced a trouble since need not be told of it any more. */
  isWanted({ notice }: StoredDelivery, book: Incidents, now: number): boolean {
    if (notice.kind !== "watchdog" || notice.edge === "resolved") return true;
    const incidents = membersOf(book, {
      subject: notice.subject,
      members: this.#known.get(notice.subject)?.members ?? [],
    });
    const isTaken = incidents.every(
      (incident) => incident.ackedAt !== null || silencedUntil(book, incident, now) !== null,
    );
    return incidents.length === 0 || !isTaken;
  }

  /** Subjects that are over and no longer in the outbox are forgotten. */
  prune(book: Incidents, now: number): void {
    const members = membersIn(book);
    const live = new Set(
      [...this.#known.values()].filter((state) => members(state).length > 0).map(({ subject }) => subject),
    );
    this.#options.outbox.prune(live, now);
    const kept = new Set(this.#options.outbox.states().map(({ subject }) => subject));
    for (const subject of this.#known.keys()) if (!kept.has(subject)) this.#known.delete(subject);
  }
}

function later(
  state: AlertState | undefined,
  { subject, members, edge, at, severity, kind, deliveries }: Planned,
): AlertState {
  return {
    subject,
    members: state?.members ?? members,
    edges: [...(state?.edges ?? []), { edge, at, severity, kind }],
    channels: [...new Set([...(state?.channels ?? []), ...deliveries.map(({ channel }) => channel)])],
  };
}
