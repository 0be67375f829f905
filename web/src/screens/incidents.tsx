/** Open incidents, how the earlier ones ended, and figures per cause and week. */
import { lazy, Suspense } from "preact/compat";
import { useEffect, useMemo, useState } from "preact/hooks";
import { get } from "../api.js";
import { ENDINGS, endingOf, figuresOf, median } from "../incident-figures.js";
import type { Incident } from "../records.js";
import { hashOf, route, setQuery } from "../route.js";
import { onEvent } from "../stream.js";
import { age, clock, duration } from "../time.js";
import { FilterBox } from "../ui/filter-box.js";
import { words } from "../ui/state.js";
import { IncidentBox } from "./agent.js";

const Chart = lazy(() => import("./chart.js"));
const WEEKS = 8;
const RELOAD_MS = 500;
const SHOWN_MAX = 300;
const CAUSES_MAX = 5;

export function Incidents() {
  const [incidents, setIncidents] = useState<Incident[] | null>(null);
  const [error, setError] = useState("");
  const { name, query } = route.value;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        get<{ incidents: Incident[] }>("/v1/incidents?all=true").then(
          (answer) => setIncidents(answer.incidents),
          (caught: Error) => setError(caught.message),
        );
      }, RELOAD_MS);
    };
    load();
    const stop = onEvent(({ kind }) => {
      if (kind === "incident" || kind === "hello" || kind === "missed") load();
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  const figures = useMemo(() => figuresOf(incidents ?? [], Date.now(), WEEKS), [incidents]);
  const causes = useMemo(
    () =>
      figures.problems.slice(0, CAUSES_MAX).map(({ problem, counts }) => ({ label: words(problem), values: counts })),
    [figures],
  );
  const recovery = useMemo(() => [{ label: "median", values: figures.recovery }], [figures]);
  if (error !== "")
    return (
      <main class="page">
        <p class="empty bad">× {error}</p>
      </main>
    );
  if (!incidents)
    return (
      <main class="page">
        <p class="empty">Loading…</p>
      </main>
    );
  const text = (query.q ?? "").toLowerCase();
  const found = incidents.filter(
    (one) =>
      (text === "" || `${one.agent} ${one.problem} ${one.kind}`.toLowerCase().includes(text)) &&
      (!query.ending || endingOf(one) === query.ending) &&
      (name === "" || one.id.startsWith(name)),
  );
  const open = found.filter((one) => one.ended_at === null);
  const ended = found.filter((one) => one.ended_at !== null);
  const times = incidents.flatMap(({ phase, ended_at, opened_at }) =>
    phase === "recovered" && ended_at ? [(Date.parse(ended_at) - Date.parse(opened_at)) / 1000] : [],
  );
  const typical = median(times);
  return (
    <main class="page">
      <h1>Incidents</h1>
      <div class="chips" role="group" aria-label="Incidents by ending">
        {ENDINGS.map((ending) => (
          <button
            key={ending}
            type="button"
            class="chip"
            aria-pressed={query.ending === ending}
            onClick={() => setQuery({ ending: query.ending === ending ? "" : ending })}
          >
            <b>{incidents.filter((one) => endingOf(one) === ending).length}</b> {ending}
          </button>
        ))}
        <span class="total">{typical === null ? "" : `median time to recover ${duration(typical)}`}</span>
      </div>
      <div class="tools">
        <FilterBox of="incidents" hint=" by agent or problem" />
        {name !== "" ? <a href={hashOf("incidents")}>Show all</a> : null}
      </div>
      <h2>Open ({open.length})</h2>
      {open.length === 0 ? <p class="empty good">✓ No open incident.</p> : null}
      {open.map((one) => (
        <div key={one.id}>
          <h3>
            <a href={hashOf("agent", one.agent)}>{one.agent}</a>
          </h3>
          <IncidentBox incident={one} />
        </div>
      ))}
      {incidents.length > 0 ? (
        <section class="charts" aria-label="Charts">
          <Suspense fallback={<p class="empty">Loading charts…</p>}>
            {causes.length > 0 ? (
              <Chart title="Incidents per week and problem" times={figures.weeks} series={causes} unit={whole} />
            ) : null}
            <Chart title="Time to recover, median per week" times={figures.weeks} series={recovery} unit={duration} />
          </Suspense>
        </section>
      ) : null}
      <h2>Ended ({ended.length})</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Opened</th>
              <th>Agent</th>
              <th>Problem</th>
              <th>Lasted</th>
              <th>Ended</th>
              <th>Actions</th>
            </tr>
          </thead>
          <tbody>
            {ended.slice(0, SHOWN_MAX).map((one) => (
              <tr key={one.id}>
                <td title={one.opened_at}>
                  {clock(one.opened_at)} <span class="dim">({age(one.opened_at)} ago)</span>
                </td>
                <td>
                  <a href={hashOf("agent", one.agent, { t: one.opened_at })}>{one.agent}</a>
                </td>
                <td>{words(one.problem)}</td>
                <td>{duration((Date.parse(one.ended_at ?? one.opened_at) - Date.parse(one.opened_at)) / 1000)}</td>
                <td>{endingOf(one)}</td>
                <td class="wide">{one.actions.map((action) => `${action.do}: ${action.result}`).join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {ended.length > SHOWN_MAX ? <p class="dim">The latest {SHOWN_MAX} are shown.</p> : null}
    </main>
  );
}

const whole = (value: number): string => String(Math.round(value));
