/** The orders of a list of agents. */
import type { SessionView } from "../daemon/views/view.js";

type Compare = (a: SessionView, b: SessionView) => number;

/** The daemon's own order, by what has to act next, decides between equal agents. */
export const ORDERS = {
  move: () => 0,
  name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  age: (a, b) => Date.parse(a.since) - Date.parse(b.since),
  activity: (a, b) => Date.parse(a.last_activity) - Date.parse(b.last_activity),
  tokens: (a, b) => b.tokens_per_hour - a.tokens_per_hour,
  cost: (a, b) => (b.cost_usd_24h ?? 0) - (a.cost_usd_24h ?? 0),
} as const satisfies Record<string, Compare>;

export type SortName = keyof typeof ORDERS;
export const SORT_NAMES = Object.keys(ORDERS) as SortName[];

export const sortAgents = (agents: readonly SessionView[], order: SortName): SessionView[] =>
  agents.toSorted(ORDERS[order]);
