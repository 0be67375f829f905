/** Promises about messages and alerts, checked at the receivers and on the disk, not in their planning. */
import type { DeliveryResult } from "../../src/channels/channel.js";
import { type Incident, isOpen, silencedUntil } from "../../src/core/incidents/incident.js";
import type { Notice } from "../../src/core/notices/alert.js";
import { MINUTE } from "../../src/core/text/time.js";
import { CANARIES } from "../support/canaries.js";
import type { World } from "./world.js";

export type Must = (holds: boolean, rule: string, what: () => string) => void;

/** The maximum time from a certain problem to its report, while rouse can observe and write. */
const REPORTED_MS = 5 * MINUTE;
/** How often the stored data is read, in steps. */
const EVERY = 40;

interface Arrival {
  /** Number of daemon runs so far. */
  life: number;
  /** Whether the daemon learned that it arrived. */
  isAnswered: boolean;
}

export class Reported {
  readonly #world: World;
  readonly #must: Must;
  /** By channel and key. */
  readonly #arrivals = new Map<string, Arrival[]>();
  /** Since when, in observed time, an incident should be reported. */
  readonly #owedSince = new Map<string, number>();
  /** Until then nothing could be stored. */
  #unstoredAt = Number.NEGATIVE_INFINITY;
  #steps = 0;
  lives = 0;
  lost = 0;

  constructor(world: World, must: Must) {
    this.#world = world;
    this.#must = must;
  }

  get arrived(): number {
    return [...this.#arrivals.values()].reduce((sum, { length }) => sum + length, 0);
  }

  get twice(): number {
    return this.arrived - this.#arrivals.size;
  }

  reached(channel: string, notice: Notice): void {
    const key = `${channel} ${notice.key}`;
    const before = this.#arrivals.get(key) ?? [];
    const last = before.at(-1);
    // A daemon may have died before it could mark it.
    const isExplained = !last?.isAnswered || last.life !== this.lives;
    this.#must(isExplained, "R8 an alert is sent twice only if its delivery is unknown", () => notice.title);
    this.#arrivals.set(key, [...before, { life: this.lives, isAnswered: false }]);
    this.#world.write(`${channel}: ${notice.edge} ${notice.title}`);
    const { edge, severity, title, lines } = notice;
    this.#world.record("alert", { channel, edge, severity, title, lines });
    this.leaves(JSON.stringify(notice));
  }

  answered(channel: string, notice: Notice, sent: DeliveryResult | null): void {
    const last = this.#arrivals.get(`${channel} ${notice.key}`)?.at(-1);
    if (last && sent?.result === "sent") last.isAnswered = true;
    if (sent === null) this.lost++;
  }

  /** Every text that leaves the machine or is stored for a reader. */
  leaves(text: string): void {
    const found = CANARIES.find((canary) => text.includes(JSON.stringify(canary).slice(1, -1)));
    this.#must(found === undefined, "no secret leaves the machine", () => text);
  }

  step(): void {
    const { life, watchedMs } = this.#world;
    const incidentState = life.loop.incidents;
    const now = life.loop.now();
    const owed = incidentState.incidents.filter((incident) => this.#isOwed(incident, now));
    if (!this.#world.canStore) this.#unstoredAt = watchedMs;
    const ids = new Set(owed.map(memberOf));
    for (const id of this.#owedSince.keys()) if (!ids.has(id)) this.#owedSince.delete(id);
    for (const id of ids) if (!this.#owedSince.has(id)) this.#owedSince.set(id, watchedMs);
    if (++this.#steps % EVERY === 0) this.#covered(owed);
  }

  #isOwed(incident: Incident, now: number): boolean {
    const { confirmedAt, quietSince, ackedAt, feedback } = incident;
    const isSeen = isOpen(incident) && confirmedAt !== null && quietSince === null;
    const incidentState = this.#world.life.loop.incidents;
    return isSeen && ackedAt === null && feedback === null && silencedUntil(incidentState, incident, now) === null;
  }

  /** Every certain problem has an alert, also while the disk is full, and a stored message. */
  #covered(owed: readonly Incident[]): void {
    const { life, watchedMs } = this.#world;
    const patient = owed.filter((incident) => {
      const { patienceMs } = this.#world.policyOf(incident.agent);
      const most = REPORTED_MS + (incident.problem === "rate_limited" ? 2 * patienceMs : 0);
      return watchedMs - (this.#owedSince.get(memberOf(incident)) ?? watchedMs) > most;
    });
    if (patient.length === 0) return;
    const live = life.alerts.states().filter(({ edges }) => edges.every(({ edge }) => edge !== "resolved"));
    const reported = life.journal.messages.sentEdges();
    for (const incident of patient) {
      const what = (): string => `${incident.agent} ${incident.problem} ${incident.phase}`;
      const isAlerted = live.some(
        ({ subject, members }) => members.includes(memberOf(incident)) || subject === `outage:${incident.outage}`,
      );
      this.#must(isAlerted, "R8 every lasting problem has an alert", what);
      // Messages wait for the disk.
      if (watchedMs - this.#unstoredAt > REPORTED_MS)
        this.#must(reported.has(memberOf(incident)), "every lasting problem has a message", what);
    }
  }

  /** After the calm: everything due has arrived, and no message exists twice. */
  end(): void {
    const { life } = this.#world;
    const now = life.loop.now();
    for (const { key, channel, state, dueAt, error: problem, notice } of life.journal.outbox.list(100_000)) {
      const what = (): string => `${channel} ${notice.edge} ${notice.title}: ${state} ${problem}`;
      this.#must(state !== "pending" || dueAt > now - 30 * MINUTE, "R3 each alert is delivered after the faults", what);
      this.#must(state !== "dead" || problem !== null, "R8 a dead alert has a reason", what);
      const isThere = this.#arrivals.has(`${channel} ${key}`);
      this.#must(state !== "sent" || isThere, "R8 an alert marked as sent has arrived", what);
    }
    const messages = life.journal.messages.read(null, 0, true, 500);
    const keys = new Set(messages.map(({ receiver, key }) => `${receiver} ${key}`));
    this.#must(keys.size === messages.length, "no message exists twice", () => `${messages.length - keys.size}`);
    for (const { payload } of messages) this.leaves(JSON.stringify(payload));
  }
}

/** An incident and its generation, as both kinds of notices name them. */
const memberOf = ({ id, reopened }: Incident): string => `${id}.${reopened}`;
