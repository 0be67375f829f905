/** What happened between two times, on one page that can be printed: the same as `rouse summary`. */
import { useEffect, useState } from "preact/hooks";
import { get } from "../api.js";
import { endingOf } from "../incident-figures.js";
import type { Summary } from "../records.js";
import { hashOf, route, setQuery } from "../route.js";
import { clock, duration, fullTime, localInput } from "../time.js";
import { StateBadge, words } from "../ui/state.js";

const HOUR_MS = 3600_000;
const EVENING = 22;

/** The last 22:00 that is at least an hour ago. */
function lastEvening(now: number): number {
  const evening = new Date(now);
  evening.setHours(EVENING, 0, 0, 0);
  if (evening.getTime() > now - HOUR_MS) evening.setDate(evening.getDate() - 1);
  return evening.getTime();
}

export function Night() {
  const { query } = route.value;
  const since = Date.parse(query.since ?? "") || lastEvening(Date.now());
  const until = Date.parse(query.until ?? "") || null;
  const [summary, setSummary] = useState<Summary | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    const control = new AbortController();
    setSummary(null);
    setError("");
    const end = until === null ? "" : `&until=${encodeURIComponent(new Date(until).toISOString())}`;
    get<Summary>(`/v1/summary?since=${encodeURIComponent(new Date(since).toISOString())}${end}`, control.signal).then(
      setSummary,
      (caught: Error) => {
        if (!control.signal.aborted) setError(caught.message);
      },
    );
    return () => control.abort();
  }, [since, until]);
  return (
    <main class="page night">
      <h1>What happened</h1>
      <form class="tools noprint" onSubmit={(event) => event.preventDefault()}>
        <label>
          From{" "}
          <input
            type="datetime-local"
            value={localInput(since)}
            onChange={({ currentTarget }) => setTime("since", currentTarget.value)}
          />
        </label>
        <label>
          To{" "}
          <input
            type="datetime-local"
            value={until === null ? "" : localInput(until)}
            onChange={({ currentTarget }) => setTime("until", currentTarget.value)}
          />
        </label>
        <button type="button" onClick={() => print()}>
          Print
        </button>
      </form>
      {error !== "" ? <p class="empty bad">× {error}</p> : null}
      {summary ? <Page summary={summary} /> : error === "" ? <p class="empty">Loading…</p> : null}
    </main>
  );
}

function setTime(name: "since" | "until", local: string): void {
  const at = Date.parse(local);
  setQuery({ [name]: Number.isNaN(at) ? "" : new Date(at).toISOString() });
}

function Page({ summary }: { summary: Summary }) {
  const { agents, incidents } = summary;
  const escalated = incidents.filter(({ phase }) => phase === "escalated").length;
  const unobserved = agents.reduce((sum, agent) => sum + agent.unobserved_secs, 0);
  const cost = agents.reduce((sum, agent) => sum + agent.tokens.cost_usd, 0);
  const facts: [string, string | number][] = [
    ["agents", agents.length],
    ["need you", agents.filter(({ move, state }) => move === "you" && state !== "complete" && state !== "idle").length],
    ["complete", agents.filter(({ state }) => state === "complete").length],
    ["incidents", incidents.length],
    ["escalated", escalated],
    ["ended by rouse", incidents.filter((one) => endingOf(one) === "by rouse").length],
    ["unobserved", duration(unobserved)],
    ["cost", cost > 0 ? `$${cost.toFixed(2)}` : "unknown"],
  ];
  return (
    <>
      <p>
        {fullTime(summary.since)} to {fullTime(summary.until)}
      </p>
      <dl class="figures">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {agents.length === 0 ? <p class="empty">No agent was watched in this time.</p> : null}
      {agents.map((agent) => (
        <section key={agent.session} class="incident">
          <h2>
            <a href={hashOf("agent", agent.name)}>{agent.name}</a>{" "}
            <StateBadge state={agent.state} cause={agent.cause} />
          </h2>
          <p class="meta">
            {Object.entries(agent.states)
              .sort((a, b) => b[1] - a[1])
              .map(([state, secs]) => `${words(state)} ${duration(secs)}`)
              .join(" · ")}
          </p>
          <p class="meta">
            {[
              agent.commits > 0 ? `${agent.commits} commits` : "",
              agent.files > 0 ? `${agent.files} files` : "",
              agent.tests.passed + agent.tests.failed > 0
                ? `tests: ${agent.tests.passed} passed, ${agent.tests.failed} failed`
                : "",
              agent.tokens.output > 0 ? `${(agent.tokens.input + agent.tokens.output).toLocaleString()} tokens` : "",
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
          <ul>
            {agent.problems.map((one) => (
              <li key={`${one.from} ${one.state}`}>
                <a href={hashOf("agent", agent.name, { t: one.from })}>{clock(one.from)}</a> {words(one.state)}
                {one.cause ? ` · ${words(one.cause)}` : ""} for {duration(one.duration_secs)}
                {one.to === null ? " (ongoing)" : ""}: {one.reason}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
