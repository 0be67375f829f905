/** The agents: one signal each, so that a change redraws one row, and their order. */
import { batch, computed, type Signal, signal } from "@preact/signals";
import { compareByMove } from "../../src/core/move.js";
import { get, Refused } from "./api.js";
import type { Agent, Strips } from "./records.js";
import { route } from "./route.js";
import { session } from "./session.js";
import { onEvent, streamState } from "./stream.js";

const FLUSH_MS = 200;
const RELOAD_MS = 120_000;
const STRIPS_MS = 300_000;

export const agents = new Map<string, Signal<Agent>>();
/** Grows with every change of the list or of what it is sorted by. */
const version = signal(0);
export const loadState = signal<"loading" | "ready" | { error: string }>("loading");
export const strips = signal<ReadonlyMap<string, readonly (string | null)[]>>(new Map());
export const selected = signal<string | null>(null);

export const ORDERS = ["move", "name", "age", "cost"] as const;
export type Order = (typeof ORDERS)[number];

const COMPARE: Readonly<Record<Order, (a: Agent, b: Agent) => number>> = {
  move: compareByMove,
  name: (a, b) => (a.name < b.name ? -1 : 1),
  age: (a, b) => (a.since < b.since ? -1 : 1),
  cost: (a, b) => b.tokens_per_hour - a.tokens_per_hour || compareByMove(a, b),
};

export const order = computed<Order>(() => {
  const given = route.value.query.o ?? "";
  return (ORDERS as readonly string[]).includes(given) ? (given as Order) : "move";
});

/** Healthy, and nothing for the user to do: shown as a number. */
const CALM: ReadonlySet<string> = new Set(["working", "waiting", "idle", "complete", "starting"]);
export const isCalm = ({ state, move, healthy }: Agent): boolean =>
  healthy && CALM.has(state) && (move !== "you" || state === "idle" || state === "complete");

export const counts = computed(() => {
  void version.value;
  const found = new Map<string, number>();
  let you = 0;
  for (const { value } of agents.values()) {
    found.set(value.state, (found.get(value.state) ?? 0) + 1);
    if (value.move === "you" && !isCalm(value)) you++;
  }
  return { you, total: agents.size, states: found };
});

export interface FleetList {
  names: readonly string[];
  /** How many healthy agents are shown only as a number. */
  calm: number;
}

/** The rows: those that need the user first; healthy agents only if asked for. */
export const list = computed<FleetList>(() => {
  void version.value;
  const { state = "", q = "", all = "" } = route.value.query;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown: Agent[] = [];
  let calm = 0;
  for (const { value } of agents.values()) {
    if (state === "you" ? value.move !== "you" || isCalm(value) : state !== "" && value.state !== state) continue;
    if (!words.every((word) => searchText(value).includes(word))) continue;
    if (isCalm(value) && state === "" && q === "" && all === "") calm++;
    else shown.push(value);
  }
  return { names: shown.sort(COMPARE[order.value]).map(({ name }) => name), calm };
});

const searchText = ({ name, kind, state, cause, task, tags }: Agent): string =>
  `${name} ${kind} ${state} ${cause ?? ""} ${task ?? ""} ${tags.join(" ")}`.toLowerCase();

const waiting = new Map<string, Agent>();
let flushing: ReturnType<typeof setTimeout> | undefined;

export function startFleet(): void {
  onEvent(({ kind, data }) => {
    if (kind === "hello" || kind === "missed") void load();
    if (kind !== "assessment") return;
    const { data: agent } = data as { data: Agent };
    waiting.set(agent.name, agent);
    if (flushing === undefined) flushing = setTimeout(flush, FLUSH_MS);
  });
  setInterval(() => {
    if (!document.hidden && streamState.value === "live") void load();
  }, RELOAD_MS);
  setInterval(() => {
    if (!document.hidden) void loadStrips();
  }, STRIPS_MS);
  let wasSignedIn = false;
  session.subscribe((value) => {
    if (value && !wasSignedIn) void load();
    wasSignedIn = value !== null;
  });
}

function flush(): void {
  flushing = undefined;
  batch(() => {
    let isSorted = true;
    for (const [name, agent] of waiting) isSorted = put(name, agent) && isSorted;
    if (!isSorted) version.value++;
  });
  waiting.clear();
}

/** False if the order may have changed. */
function put(name: string, agent: Agent): boolean {
  const known = agents.get(name);
  if (!known) {
    agents.set(name, signal(agent));
    return false;
  }
  const { state, move, since, healthy, tokens_per_hour } = known.peek();
  known.value = agent;
  return (
    state === agent.state &&
    move === agent.move &&
    since === agent.since &&
    healthy === agent.healthy &&
    (order.peek() !== "cost" || tokens_per_hour === agent.tokens_per_hour)
  );
}

let isLoading = false;

async function load(): Promise<void> {
  if (!session.value || isLoading) return;
  isLoading = true;
  try {
    const { agents: found } = await get<{ agents: Agent[] }>("/v1/agents?recent=true");
    batch(() => {
      const names = new Set(found.map(({ name }) => name));
      for (const name of agents.keys()) if (!names.has(name)) agents.delete(name);
      for (const agent of found) put(agent.name, agent);
      version.value++;
      loadState.value = "ready";
    });
    void loadStrips();
  } catch (error) {
    if (loadState.value !== "ready") loadState.value = { error: (error as Error).message };
  } finally {
    isLoading = false;
  }
}

async function loadStrips(): Promise<void> {
  try {
    const { agents: found } = await get<Strips>("/v1/strips?slot_mins=30");
    strips.value = new Map(found.map(({ agent, states }) => [agent, states]));
  } catch (error) {
    // A list without strips is complete but for them.
    if (!(error instanceof Refused)) throw error;
  }
}
