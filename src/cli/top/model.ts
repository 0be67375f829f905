/** What `rouse top` shows: plain data, changed by keys and by the daemon's answers. */
import { compareByMove, needsUser } from "../../core/move.js";
import type { State } from "../../core/states.js";
import type { SessionView } from "../../daemon/views/view.js";
import { ORDERS, type SortName } from "../sort-agents.js";

export interface TopModel {
  agents: readonly SessionView[];
  /** The last 24 hours by agent, one state per slot. */
  strips: ReadonlyMap<string, readonly (State | null)[]>;
  /** Agents whose problem the user acknowledged or silenced: how. */
  handled: ReadonlyMap<string, string>;
  order: SortName;
  filter: string;
  /** Which list is shown: 0 for all, with the healthy agents as a number. */
  group: GroupNumber;
  /** Name of the selected agent; `HEALTHY` for the line that counts them. */
  selected: string | null;
  /** Null: the list. */
  page: Page | null;
  /** A line that the user types, or a question to the user. */
  input: Input | null;
  /** Result of the last action. */
  notice: Notice | null;
  /** Since when the daemon has not answered. */
  goneAt: number | null;
  isColoured: boolean;
}

export interface Page {
  kind: "why" | "logs" | "help";
  /** The agent. */
  about: string | null;
  title: string;
  /** Not folded: the frame does that, for every width. */
  lines: readonly string[];
  offset: number;
}

export interface Input {
  kind: "filter" | "silence" | "answer" | "recover";
  label: string;
  text: string;
  /** The agent. */
  about: string;
}

export interface Notice {
  text: string;
  isBad: boolean;
  at: number;
}

/** The line that counts the healthy agents. No agent can have this name. */
const HEALTHY = "\u0000healthy";

export type GroupNumber = 0 | 1 | 2 | 3 | 4 | 5;
export const HEALTHY_GROUP: GroupNumber = 5;

interface Group {
  number: GroupNumber;
  name: string;
  has: (agent: SessionView, isHandled: boolean) => boolean;
}

const isStalled = (agent: SessionView): boolean => agent.move === "none" || (agent.move === "you" && !agent.healthy);

/** Every agent belongs to the first group that has it. */
export const GROUPS: readonly Group[] = [
  { number: 4, name: "acknowledged", has: (agent, isHandled) => isHandled && (needsUser(agent) || isStalled(agent)) },
  { number: 1, name: "needs you", has: needsUser },
  { number: 2, name: "stalled", has: isStalled },
  { number: 3, name: "limited", has: ({ move, state }) => move === "provider" || state === "rate_limited" },
  { number: HEALTHY_GROUP, name: "healthy", has: () => true },
];

export const groupOf = ({ handled }: Pick<TopModel, "handled">, agent: SessionView): GroupNumber =>
  GROUPS.find(({ has }) => has(agent, handled.has(agent.name)))?.number ?? HEALTHY_GROUP;

export const emptyModel = (isColoured: boolean): TopModel => ({
  agents: [],
  strips: new Map(),
  handled: new Map(),
  order: "move",
  filter: "",
  group: 0,
  selected: null,
  page: null,
  input: null,
  notice: null,
  goneAt: null,
  isColoured,
});

/** One line of the list: an agent, or the number of healthy ones. */
export type ListRow =
  | { kind: "agent"; agent: SessionView; group: GroupNumber }
  | { kind: "healthy"; agents: SessionView[] };

export function listRows(model: TopModel): ListRow[] {
  const words = model.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = model.agents.filter((agent) => words.every((word) => textOf(agent).includes(word)));
  const sorted = found.toSorted((a, b) => ORDERS[model.order](a, b) || compareByMove(a, b));
  const grouped = sorted.map((agent) => ({ kind: "agent" as const, agent, group: groupOf(model, agent) }));
  if (model.group !== 0) return grouped.filter(({ group }) => group === model.group);
  // A search shows what it found.
  if (words.length > 0) return grouped;
  const healthy = grouped.filter(({ group }) => group === HEALTHY_GROUP).map(({ agent }) => agent);
  const open = grouped.filter(({ group }) => group !== HEALTHY_GROUP);
  const isTaken = ({ group }: (typeof open)[number]): boolean => group === 4;
  const others = [...open.filter((row) => !isTaken(row)), ...open.filter(isTaken)];
  return healthy.length === 0 ? others : [...others, { kind: "healthy", agents: healthy }];
}

const textOf = ({ name, kind, state, cause, tags, task }: SessionView): string =>
  [name, kind, state, cause ?? "", ...tags, task ?? ""].join(" ").toLowerCase();

export const keyOf = (row: ListRow): string => (row.kind === "agent" ? row.agent.name : HEALTHY);

/** The selected row; the first one if the agent is no longer listed. */
export function selectedRow(model: TopModel, rows: readonly ListRow[] = listRows(model)): number {
  return Math.max(
    0,
    rows.findIndex((row) => keyOf(row) === model.selected),
  );
}

export function selectedAgent(model: TopModel): SessionView | null {
  if (model.page?.about != null) return model.agents.find(({ name }) => name === model.page?.about) ?? null;
  const rows = listRows(model);
  const row = rows[selectedRow(model, rows)];
  return row?.kind === "agent" ? row.agent : null;
}

export function moveSelection(model: TopModel, by: number): TopModel {
  const rows = listRows(model);
  const to = Math.min(rows.length - 1, Math.max(0, selectedRow(model, rows) + by));
  const row = rows[to];
  return row === undefined ? model : { ...model, selected: keyOf(row) };
}

/** The agent after the selected one that needs the user; the first one again after the last. */
export function selectNext(model: TopModel): TopModel | null {
  const rows = listRows({ ...model, group: 1, filter: "" });
  const here = listRows(model)[selectedRow(model)];
  const at = rows.findIndex((row) => here !== undefined && keyOf(row) === keyOf(here));
  const row = rows[(at + 1) % Math.max(1, rows.length)];
  return row === undefined ? null : { ...model, page: null, group: 0, filter: "", selected: keyOf(row) };
}

/** A changed agent, in place. */
export function putAgent(model: TopModel, agent: SessionView): TopModel {
  const others = model.agents.filter(({ name }) => name !== agent.name);
  return { ...model, agents: [...others, agent].toSorted(compareByMove) };
}
