/** All agents: those that need the user first, healthy ones as a number. */
import { signal } from "@preact/signals";
import { get } from "../api.js";
import { agents, counts, isCalm, list, loadState, ORDERS, order, selected, strips } from "../fleet-store.js";
import type { Incident } from "../records.js";
import { hashOf, route, setQuery } from "../route.js";
import { onEvent } from "../stream.js";
import { age, clock } from "../time.js";
import { AgentActions } from "../ui/actions.js";
import { FilterBox } from "../ui/filter-box.js";
import { SIGNS, STATE_ORDER, StateBadge, TONES, words } from "../ui/state.js";
import { Strip } from "../ui/strip.js";
import { VirtualList } from "../ui/virtual-list.js";

const NARROW = matchMedia("(max-width: 640px)");
const isNarrow = signal(NARROW.matches);
NARROW.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});
const ROW = { wide: 68, narrow: 128 };

export function Fleet() {
  const { names, calm } = list.value;
  const { all = "" } = route.value.query;
  return (
    <main class="fleet">
      <h1 class="sr">Fleet</h1>
      <Counts />
      <div class="tools">
        <FilterBox of="agents" />
        <label class="inline">
          Order{" "}
          <select
            value={order.value}
            data-key="o"
            onChange={({ currentTarget }) => setQuery({ o: currentTarget.value })}
          >
            {ORDERS.map((name) => (
              <option key={name} value={name}>
                {ORDER_TEXT[name]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loading />
      <VirtualList
        names={names}
        rowHeight={isNarrow.value ? ROW.narrow : ROW.wide}
        open={selected.value}
        label="Agents"
        row={(name, isOpen) => <Row name={name} isOpen={isOpen} />}
      />
      {calm > 0 || all !== "" ? (
        <button type="button" class="calm-line" onClick={() => setQuery({ all: all === "" ? "1" : "" })}>
          {all === "" ? `▸ ${calm} healthy ${calm === 1 ? "agent" : "agents"}` : "▾ Hide healthy agents"}
        </button>
      ) : null}
    </main>
  );
}

const ORDER_TEXT = {
  move: "needs you first",
  name: "name",
  age: "longest in its state",
  cost: "tokens per hour",
} as const;

function Counts() {
  const { you, total, states } = counts.value;
  const { state = "" } = route.value.query;
  const chip = (name: string, label: string, count: number, tone: string, sign: string) => (
    <button
      key={name}
      type="button"
      class={`chip ${tone}`}
      aria-pressed={state === name}
      onClick={() => setQuery({ state: state === name ? "" : name })}
    >
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <b>{count}</b> {label}
    </button>
  );
  return (
    <div class="chips" role="group" aria-label="Agents by state">
      {chip("you", you === 1 ? "needs you" : "need you", you, you > 0 ? "you" : "calm", "?")}
      {STATE_ORDER.filter((name) => states.has(name)).map((name) =>
        chip(name, words(name), states.get(name) ?? 0, TONES[name] ?? "odd", SIGNS[name] ?? "~"),
      )}
      <span class="total">{total} agents</span>
    </div>
  );
}

function Loading() {
  const state = loadState.value;
  if (state === "loading") return <p class="empty">Loading…</p>;
  if (typeof state === "object") return <p class="empty bad">× {state.error}</p>;
  if (agents.size === 0)
    return (
      <p class="empty">
        No agents yet. Start one with <code>rouse run -- claude</code>, or watch running ones with{" "}
        <code>rouse watch</code>.
      </p>
    );
  if (list.value.names.length === 0 && list.value.calm === 0) return <p class="empty">No agent matches this filter.</p>;
  return list.value.names.length === 0 ? <p class="empty good">✓ No agent needs you.</p> : null;
}

/** The most urgent open incident per agent. */
const openIncidents = signal<ReadonlyMap<string, Incident>>(new Map());

let loading: ReturnType<typeof setTimeout> | undefined;
const loadIncidents = (): void => {
  if (loading !== undefined) return;
  loading = setTimeout(async () => {
    loading = undefined;
    const answer = await get<{ incidents: Incident[] }>("/v1/incidents").catch(() => null);
    if (answer) openIncidents.value = new Map(answer.incidents.reverse().map((one) => [one.agent, one]));
  }, 300);
};

export function startIncidents(): void {
  onEvent(({ kind }) => {
    if (kind === "incident" || kind === "hello" || kind === "missed") loadIncidents();
  });
}

function Row({ name, isOpen }: { name: string; isOpen: boolean }) {
  const agent = agents.get(name)?.value;
  if (!agent) return null;
  const { state, cause, question, reasons, doing, task, node, kind, last_activity, since, until } = agent;
  const text = question ?? (isCalm(agent) && doing !== "" ? doing : reasons[0]) ?? "";
  const toggle = (): void => {
    selected.value = isOpen ? null : name;
  };
  return (
    <article class={`row ${TONES[state] ?? "odd"} ${isCalm(agent) ? "quiet" : ""}`} aria-label={name}>
      <div class="head">
        <a class="name" href={hashOf("agent", name)}>
          {name}
        </a>
        <StateBadge state={state} cause={cause} />
        <span class="age" title={`since ${since}`}>
          {age(since)}
        </span>
        {until ? <span class="until">until {clock(until)}</span> : null}
        <span class="grow" />
        <Strip states={strips.value.get(name) ?? []} />
        <button type="button" class="more" aria-expanded={isOpen} aria-label={`Actions for ${name}`} onClick={toggle}>
          {isOpen ? "▾" : "▸"}
        </button>
      </div>
      <p class={question === null ? "text" : "text quote"}>{question === null ? text : `“${text}”`}</p>
      <p class="meta">
        {[kind, node, task, agent.ended_at ? `ended ${age(agent.ended_at)} ago` : `active ${age(last_activity)} ago`]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {isOpen ? <AgentActions agent={agent} incident={openIncidents.value.get(name) ?? null} /> : null}
    </article>
  );
}
