/**
 * Alerts about the fleet itself: a lost node, and the brake. Every node sees them, and one sends them: the hub gives each key to
 * one node at a time, and to another one if that node is lost before its alert is stored.
 */
import { formatDuration } from "../core/text/duration.js";
import type { Roster } from "../fleet/roster.js";
import { type FleetHub, NODE_LEASE_MS } from "../hub/fleet.js";
import type { SecurityAlerts } from "./security-alerts.js";

/** A node that returns within this time was restarted, or only busy. */
const CONFIRM_MS = 60_000;
/** Storing an alert takes milliseconds; a node that has not done it by then is gone. */
const HOLD_MS = 30_000;
const NAMED_MAX = 10;

interface FleetFinding {
  key: string;
  title: string;
  lines: string[];
}

export class FleetAlerts {
  readonly #node: string;
  readonly #hasChannels: () => boolean;
  readonly #alerts: Pick<SecurityAlerts, "sendTask">;
  readonly #log: (line: string) => void;
  /** Keys that are settled, or that another node holds until then. */
  readonly #asked = new Map<string, number>();

  constructor(
    node: string,
    hasChannels: () => boolean,
    alerts: Pick<SecurityAlerts, "sendTask">,
    log: (line: string) => void,
  ) {
    this.#node = node;
    this.#hasChannels = hasChannels;
    this.#alerts = alerts;
    this.#log = log;
  }

  /** Called after each answer of the hub; never throws. */
  async take(roster: Roster, hub: Pick<FleetHub, "takeAlert" | "settleAlert">): Promise<void> {
    const now = roster.hubTime;
    // A node without a channel would take the alert away from one that can send it.
    if (!this.#hasChannels()) return;
    try {
      for (const finding of findings(roster, now)) {
        if ((this.#asked.get(finding.key) ?? 0) > now) continue;
        this.#asked.set(finding.key, now + HOLD_MS);
        if (!(await hub.takeAlert(finding.key, HOLD_MS))) continue;
        const { key: id, title, lines } = finding;
        this.#alerts.sendTask({ id, title, lines: [...lines, `sent by ${this.#node}`], agent: null });
        await hub.settleAlert(finding.key);
        this.#asked.set(finding.key, Number.POSITIVE_INFINITY);
      }
    } catch (error) {
      this.#log(`fleet: an alert waits: ${(error as Error).message}`);
    }
  }
}

/** Pure: what is to be reported now. With the brake on, one finding instead of one for each node. */
function findings(roster: Roster, now: number): FleetFinding[] {
  const { brake, reachableSince } = roster;
  // After an absence of the hub, its nodes need a lease to return.
  if (reachableSince !== null && now - reachableSince < NODE_LEASE_MS + CONFIRM_MS) return [];
  const lost = roster
    .nodes(now)
    .flatMap(({ name, state, since, agents }) =>
      state === "lost" && since !== null && now - since >= CONFIRM_MS ? [{ name, since, agents }] : [],
    );
  const [first] = [...lost].sort((a, b) => a.since - b.since);
  if (!first) return [];
  if (brake === 0)
    return lost.map(({ name, since, agents }) => ({
      key: `node lost ${name} ${since}`,
      title: `node ${name} is lost: it has not renewed its lease for ${formatDuration(now - since)}`,
      lines: [
        `its ${agents} ${agents === 1 ? "agent is" : "agents are"} unknown; its tasks are offered again after 5 min`,
        `you can: check it (ssh ${name}) · remove it (rouse fleet leave ${name} --url …)`,
      ],
    }));
  const names = lost.slice(0, NAMED_MAX).map(({ name }) => name);
  const more = lost.length > names.length ? ` and ${lost.length - names.length} more` : "";
  return [
    {
      key: `brake ${first.since}`,
      title: `${brake} nodes were lost together (possible outage): no task is taken over`,
      lines: [
        `lost: ${names.join(", ")}${more}`,
        "you can: bring them back · remove those that are gone (rouse fleet leave NAME --url …)",
      ],
    },
  ];
}
