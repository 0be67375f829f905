/** Metrics for Prometheus, computed on request. No label names an agent, so the number of series stays small. */
import { Gauge, Registry } from "prom-client";
import { resultOf } from "../core/action.js";
import { isOpen } from "../core/incidents/incident.js";
import { scoreRecoveries } from "../core/incidents/recovery-score.js";
import { burnRates } from "../core/judgement/evidence/burn.js";
import { STATES } from "../core/states.js";
import type { DaemonParts } from "../daemon/parts.js";
import { unacknowledgedEnds } from "../daemon/unacknowledged-ends.js";
import type { AgentControl } from "./agent-control.js";
import type { Events } from "./events.js";

interface Source extends Pick<DaemonParts, "loop" | "journal"> {
  events: Events;
  agentControl: AgentControl;
}

export class Metrics {
  readonly #registry = new Registry();

  constructor(source: Source) {
    for (const { name, help, labels, rows } of FIGURES) {
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [this.#registry],
        collect() {
          this.reset();
          for (const { value, ...row } of rows(source)) this.set(row as Record<string, string>, value);
        },
      });
    }
  }

  async read(): Promise<{ text: string; type: string }> {
    return { text: await this.#registry.metrics(), type: this.#registry.contentType };
  }
}

type MetricRow = { value: number } & Record<string, string | number>;

interface Figure {
  name: string;
  help: string;
  labels: readonly string[];
  rows: (source: Source) => Iterable<MetricRow>;
}

function counted<T>(things: readonly T[], labels: (thing: T) => Record<string, string>): MetricRow[] {
  const counts = new Map<string, number>();
  for (const thing of things) {
    const key = JSON.stringify(labels(thing));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, value]) => ({ ...(JSON.parse(key) as Record<string, string>), value }));
}

function quantiles(spans: readonly number[]): MetricRow[] {
  const sorted = [...spans].sort((a, b) => a - b);
  const at = (share: number): number => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / 1000;
  return sorted.length === 0 ? [] : [0.5, 0.95].map((share) => ({ quantile: String(share), value: at(share) }));
}

const one = (value: number): MetricRow[] => [{ value }];
const alive = ({ loop }: Source) => loop.sessions().filter(({ session }) => session.endedAt === null);

const FIGURES: readonly Figure[] = [
  {
    name: "rouse_agents",
    help: "Agents by state: running agents, and ended agents with an unacknowledged problem",
    labels: ["state"],
    rows: (source) => {
      const now = source.loop.now();
      const counts = new Map<string, number>(STATES.map((state) => [state, 0]));
      for (const judge of [...alive(source), ...unacknowledgedEnds(source.loop)]) {
        const { state } = judge.peek(now);
        counts.set(state, (counts.get(state) ?? 0) + 1);
      }
      return [...counts].map(([state, value]) => ({ state, value }));
    },
  },
  {
    name: "rouse_agents_unobserved",
    help: "Running agents that are unobserved at present",
    labels: [],
    rows: (source) =>
      one(
        alive(source).filter(({ evidence, unreadableReason }) => evidence.blind !== null || unreadableReason !== null)
          .length,
      ),
  },
  {
    name: "rouse_tokens_per_hour",
    help: "Tokens of all running agents over the last hour",
    labels: ["direction"],
    rows: (source) => {
      const now = source.loop.now();
      const rates = alive(source).map(({ evidence }) => burnRates(evidence.burn, now));
      return [
        { direction: "input", value: rates.reduce((sum, rate) => sum + rate.input_per_hour, 0) },
        { direction: "output", value: rates.reduce((sum, rate) => sum + rate.output_per_hour, 0) },
      ];
    },
  },
  {
    name: "rouse_cost_usd_per_hour",
    help: "Cost of all running agents over the last hour, as far as they report it",
    labels: [],
    rows: (source) => {
      const now = source.loop.now();
      return one(alive(source).reduce((sum, { evidence }) => sum + burnRates(evidence.burn, now).cost_usd_per_hour, 0));
    },
  },
  {
    name: "rouse_incidents_open",
    help: "Open incidents by problem and phase",
    labels: ["problem", "phase"],
    rows: ({ loop }) => counted(loop.incidents.incidents.filter(isOpen), ({ problem, phase }) => ({ problem, phase })),
  },
  {
    name: "rouse_incidents_kept",
    help: "Stored incidents by problem and phase; old closed incidents are removed",
    labels: ["problem", "phase"],
    rows: ({ loop }) => counted(loop.incidents.incidents, ({ problem, phase }) => ({ problem, phase })),
  },
  {
    name: "rouse_incident_confirm_seconds",
    help: "Time from opening to confirmation of the stored incidents",
    labels: ["quantile"],
    rows: ({ loop }) =>
      quantiles(
        loop.incidents.incidents.flatMap(({ confirmedAt, openedAt }) =>
          confirmedAt === null ? [] : confirmedAt - openedAt,
        ),
      ),
  },
  {
    name: "rouse_incident_duration_seconds",
    help: "Time from opening to close of the stored closed incidents",
    labels: ["quantile"],
    rows: ({ loop }) =>
      quantiles(
        loop.incidents.incidents.flatMap(({ endedAt, openedAt }) => (endedAt === null ? [] : endedAt - openedAt)),
      ),
  },
  {
    name: "rouse_actions_kept",
    help: "Stored actions of rouse by result",
    labels: ["do", "result"],
    rows: ({ loop }) => {
      const now = loop.now();
      return counted(loop.incidents.actions, (action) => ({ do: action.do, result: resultOf(action, now) }));
    },
  },
  {
    name: "rouse_recoveries_kept",
    help: "Stored steps of recovery plans by arm (acted, or shadow: not permitted) and result within 10 minutes",
    labels: ["problem", "step", "arm", "result"],
    rows: ({ loop }) =>
      scoreRecoveries(loop.incidents, loop.now()).flatMap(({ problem, step, arm, tried, recovered }) => [
        { problem, step, arm, result: "recovered", value: recovered },
        { problem, step, arm, result: "not_recovered", value: tried - recovered },
      ]),
  },
  {
    name: "rouse_messages_waiting",
    help: "Unacknowledged messages",
    labels: [],
    rows: ({ journal }) => one(journal.messages.waiting().reduce((sum, { count }) => sum + count, 0)),
  },
  {
    name: "rouse_control_actions_total",
    help: "Requests of clients to type into agents or end them, by result",
    labels: ["action", "result"],
    rows: ({ agentControl }) =>
      [...agentControl.counts].map(([key, value]) => {
        const [action = "", result = ""] = key.split(" ");
        return { action, result, value };
      }),
  },
  {
    name: "rouse_tick_age_seconds",
    help: "Seconds since the last completed round of judging",
    labels: [],
    rows: ({ loop }) => (loop.tickedAt === null ? [] : one(Math.max(0, loop.now() - loop.tickedAt) / 1000)),
  },
  { name: "rouse_ticks_total", help: "Completed rounds of judging", labels: [], rows: ({ loop }) => one(loop.ticks) },
  {
    name: "rouse_journal_pending_signals",
    help: "Signals waiting to be stored",
    labels: [],
    rows: ({ journal }) => one(journal.stats().pending),
  },
  {
    name: "rouse_journal_commit_seconds",
    help: "Duration of the last commit",
    labels: [],
    rows: ({ journal }) => one(journal.stats().lastCommitMs / 1000),
  },
  {
    name: "rouse_journal_signals",
    help: "Signals in the journal",
    labels: [],
    rows: ({ journal }) => one(journal.stats().signals),
  },
  {
    name: "rouse_journal_bytes",
    help: "Size of the journal",
    labels: [],
    rows: ({ journal }) => one(journal.stats().bytes),
  },
  {
    name: "rouse_journal_failures_total",
    help: "Failed commits",
    labels: [],
    rows: ({ journal }) => one(journal.stats().failures),
  },
  {
    name: "rouse_journal_lost_total",
    help: "Signals that were numbered but never arrived",
    labels: [],
    rows: ({ journal }) => one(journal.stats().lost),
  },
  {
    name: "rouse_event_listeners",
    help: "Clients of the event stream",
    labels: [],
    rows: ({ events }) => one(events.listeners),
  },
  {
    name: "rouse_event_listeners_dropped_total",
    help: "Clients of the event stream dropped because they did not keep up",
    labels: [],
    rows: ({ events }) => one(events.dropped),
  },
];
