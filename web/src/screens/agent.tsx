/** One agent: why it is in its state, what rouse does next, its terminal now and at earlier times. */
import { lazy, Suspense } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import { get, part, Refused } from "../api.js";
import { agents } from "../fleet-store.js";
import type { History, Incident, ScreenAt, Why } from "../records.js";
import { hashOf, route, setQuery } from "../route.js";
import { onEvent } from "../stream.js";
import { age, clock, duration, now } from "../time.js";
import { ActionButton, AgentActions, acknowledge, FeedbackButtons, ReceiptLine, recover } from "../ui/actions.js";
import { StateBadge, TONES, words } from "../ui/state.js";

const LiveTerminal = lazy(() => import("./terminal.js"));
const RELOAD_MS = 400;
const REFRESH_MS = 10_000;

export function AgentScreen({ name }: { name: string }) {
  const [why, setWhy] = useState<Why | null>(null);
  const [past, setPast] = useState<History | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        setWhy(await get<Why>(`/v1/agents/${part(name)}/why`, control.signal));
        setError("");
        setPast(await get<History>(`/v1/agents/${part(name)}/history`, control.signal).catch(() => null));
      } catch (caught) {
        if (caught instanceof Refused) setError(caught.message);
      }
    };
    const soon = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void load(), RELOAD_MS);
    };
    setWhy(null);
    setPast(null);
    void load();
    const stop = onEvent(({ kind, data }) => {
      if (kind === "hello" || kind === "missed") soon();
      else if ((kind === "assessment" || kind === "incident") && (data as { agent: string }).agent === name) soon();
    });
    const often = setInterval(() => !document.hidden && void load(), REFRESH_MS);
    return () => {
      control.abort();
      clearTimeout(timer);
      clearInterval(often);
      stop();
    };
  }, [name]);

  if (error !== "")
    return (
      <main class="page">
        <h1>{name}</h1>
        <p class="empty bad">× {error}</p>
        <p>
          <a href={hashOf("fleet")}>Back to the fleet</a>
        </p>
      </main>
    );
  if (!why)
    return (
      <main class="page">
        <h1>{name}</h1>
        <p class="empty">Loading…</p>
      </main>
    );
  const agent = { ...why, ...agents.get(name)?.value };
  const incident = why.incidents[0] ?? null;
  return (
    <main class="page agent">
      <header class={`title ${TONES[agent.state] ?? "odd"}`}>
        <h1>{name}</h1>
        <StateBadge state={agent.state} cause={agent.cause} />
        <span class="age">{age(agent.since)}</span>
        <span class="dim">confidence {agent.confidence}</span>
      </header>
      <div class="columns">
        <div class="left">
          <section aria-label="Verdict">
            {agent.question !== null ? <blockquote>{agent.question}</blockquote> : null}
            <ul class="reasons">
              {agent.reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
            <AgentActions agent={agent} incident={incident} />
          </section>
          {why.incidents.map((one) => (
            <IncidentBox key={one.id} incident={one} />
          ))}
          <section>
            <h2>Evidence</h2>
            <table>
              <thead>
                <tr>
                  <th>About</th>
                  <th>Value</th>
                  <th>Age</th>
                  <th>Source</th>
                </tr>
              </thead>
              <tbody>
                {why.evidence.map((one) => (
                  <tr key={`${one.name} ${one.source} ${one.value}`}>
                    <td>{one.name}</td>
                    <td class="wide">{one.value}</td>
                    <td class="age">{duration(one.age_secs)}</td>
                    <td>{one.source}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {why.changes.length > 0 ? <h3>What would change the verdict</h3> : null}
            <ul>
              {why.changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          </section>
          <Facts agent={agent} />
        </div>
        <div class="right">
          <Timeline why={why} past={past} />
          <Screen name={name} why={why} />
        </div>
      </div>
    </main>
  );
}

function Facts({ agent }: { agent: Why }) {
  const facts: [string, string | null][] = [
    ["Program", agent.kind],
    ["Started as", agent.origin],
    ["Task", agent.task],
    ["Folder", agent.workspace],
    ["Tags", agent.tags.join(", ") || null],
    ["Process", agent.pid === null ? null : String(agent.pid)],
    ["Started", `${age(agent.started_at)} ago`],
    ["Last activity", `${age(agent.last_activity)} ago`],
    ["Last output", agent.last_output === null ? null : `${age(agent.last_output)} ago`],
    ["Tokens per hour", agent.tokens_per_hour > 0 ? agent.tokens_per_hour.toLocaleString() : null],
    ["Cost per hour", agent.cost_usd_per_hour > 0 ? `$${agent.cost_usd_per_hour.toFixed(2)}` : null],
    agent.ended_at === null ? ["Open it", `rouse go ${agent.name}`] : ["Its output", `rouse logs ${agent.name}`],
  ];
  return (
    <section>
      <h2>Agent</h2>
      <dl>
        {facts.map(([label, value]) =>
          value === null ? null : (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

export function IncidentBox({ incident }: { incident: Incident }) {
  const { id, problem, phase, actions, next, allowed, acked_at, silenced_until } = incident;
  const canAct = acked_at === null && incident.ended_at === null;
  return (
    <section class="incident">
      <h2>
        {words(problem)}{" "}
        <span class="dim">
          · {phase} · open {age(incident.opened_at)}
        </span>
      </h2>
      <ul class="reasons">
        {incident.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {actions.length > 0 ? (
        <ol class="steps">
          {actions.map((action) => (
            <li key={`${action.at} ${action.do}`}>
              {clock(action.at)} <b>{action.do}</b>: {action.result}
              {action.proven === true ? ", effect seen" : ""}
              {action.reason ? ` (${action.reason})` : ""}
            </li>
          ))}
        </ol>
      ) : null}
      <p class="next">
        {next ? (
          <>
            <b>Next:</b> {next.do === null ? "" : `${next.do}${next.at ? ` at ${clock(next.at)}` : ""}. `}
            {sentence(next.reason)}
            {allowed || next.do === null ? "" : " Auto-recovery is off."}
          </>
        ) : (
          "No further step."
        )}
        {acked_at ? ` Acknowledged ${age(acked_at)} ago.` : ""}
        {silenced_until ? ` Silenced until ${clock(silenced_until)}.` : ""}
        {incident.feedback ? ` Marked as ${words(incident.feedback)}.` : ""}
      </p>
      <div class="buttons">
        {canAct && next?.do ? (
          <>
            <ActionButton
              label="Now"
              right="control"
              about={id}
              run={recover(incident.agent)}
              confirm={`${next.do} now?`}
            />
            <ActionButton label="Never" right="control" about={id} run={acknowledge(id)} />
          </>
        ) : null}
        <FeedbackButtons incident={incident} />
      </div>
      <ReceiptLine about={id} />
    </section>
  );
}

/** As a sentence: the daemon's reasons are parts of a line. */
const sentence = (text: string): string =>
  text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

interface Span {
  from: number;
  to: number;
  state: string;
  cause: string | null;
  reason: string;
}

/** From the history, else from the timeline of the present session. */
function spansOf(why: Why, past: History | null, end: number): Span[] {
  if (past && past.states.length > 0)
    return past.states.map(({ from, to, state, cause, reason }) => ({
      from: Date.parse(from),
      to: to === null ? end : Date.parse(to),
      state,
      cause,
      reason,
    }));
  const start = Date.parse(why.started_at);
  return why.timeline.map((one, i) => {
    const next = why.timeline[i + 1];
    const to = next ? start + next.t * 1000 : end;
    return { from: start + one.t * 1000, to, state: one.state, cause: one.cause, reason: one.reasons[0] ?? "" };
  });
}

function Timeline({ why, past }: { why: Why; past: History | null }) {
  const ended = why.ended_at === null ? now.value : Date.parse(why.ended_at);
  const spans = spansOf(why, past, ended);
  // The end is judged a little later than it happened.
  const end = Math.max(ended, ...spans.slice(-1).map(({ from }) => from));
  const start = spans[0]?.from ?? end;
  const length = Math.max(1, end - start);
  const asked = Date.parse(route.value.query.t ?? "");
  const at = Number.isNaN(asked) ? end : Math.max(start, Math.min(end, asked));
  const current = spans.findLast((span) => span.from <= at);
  const scrub = (value: number): void =>
    setQuery({ t: value >= 1000 ? "" : new Date(start + (value / 1000) * length).toISOString() });
  return (
    <section class="timeline">
      <h2>Timeline</h2>
      <div class="bar" aria-hidden="true">
        {spans.map((span) => (
          <i
            key={span.from}
            class={TONES[span.state] ?? "odd"}
            title={`${clock(span.from)} ${words(span.state)}${span.cause ? ` · ${words(span.cause)}` : ""}`}
            style={{
              left: `${((span.from - start) / length) * 100}%`,
              width: `${((span.to - span.from) / length) * 100}%`,
            }}
          />
        ))}
        <span class="mark" style={{ left: `${((at - start) / length) * 100}%` }} />
      </div>
      <input
        type="range"
        min={0}
        max={1000}
        step={1}
        value={Math.round(((at - start) / length) * 1000)}
        aria-label="Time"
        aria-valuetext={Number.isNaN(asked) ? "now" : clock(at)}
        onInput={({ currentTarget }) => scrub(Number(currentTarget.value))}
      />
      <p class="dim">
        {clock(start)} to {why.ended_at === null ? "now" : clock(end)}.{" "}
        {current ? (
          <>
            <b>{Number.isNaN(asked) ? "Now" : new Date(at).toLocaleTimeString([], { hour12: false })}:</b>{" "}
            {words(current.state)}
            {current.cause ? ` · ${words(current.cause)}` : ""}. {Number.isNaN(asked) ? why.reasons[0] : current.reason}
          </>
        ) : null}
      </p>
      {Number.isNaN(asked) ? null : (
        <button type="button" onClick={() => setQuery({ t: "" })}>
          Back to now
        </button>
      )}
    </section>
  );
}

const SCRUB_MS = 200;

function Screen({ name, why }: { name: string; why: Why }) {
  const { t = "" } = route.value.query;
  const [shown, setShown] = useState<ScreenAt | null>(null);
  useEffect(() => {
    if (t === "") return;
    const control = new AbortController();
    setShown(null);
    const timer = setTimeout(() => {
      get<ScreenAt>(`/v1/agents/${part(name)}/screen?at=${encodeURIComponent(t)}`, control.signal).then(setShown, () =>
        setShown({ at: null, source: "none", lines: [] }),
      );
    }, SCRUB_MS);
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [name, t]);
  if (t === "")
    return (
      <section>
        <h2>Terminal</h2>
        <Suspense fallback={<p class="empty">Loading the terminal…</p>}>
          <LiveTerminal agent={name} />
        </Suspense>
      </section>
    );
  return (
    <section>
      <h2>Screen at {new Date(t).toLocaleTimeString([], { hour12: false })}</h2>
      {shown === null ? <p class="empty">Loading…</p> : <PastScreen shown={shown} why={why} />}
    </section>
  );
}

function PastScreen({ shown, why }: { shown: ScreenAt; why: Why }) {
  if (shown.source === "none")
    return (
      <>
        <p class="empty">The screen of that time is no longer kept. This is the evidence of now:</p>
        <pre class="past">{why.evidence.map((one) => `${one.name}: ${one.value} (${one.source})`).join("\n")}</pre>
      </>
    );
  return (
    <>
      <pre class="past">{shown.lines.join("\n")}</pre>
      <p class="dim">
        {shown.source === "output"
          ? "Drawn from the output that is still kept."
          : `Stored at the change of state at ${clock(shown.at ?? 0)}; what followed until then is no longer kept.`}
      </p>
    </>
  );
}
