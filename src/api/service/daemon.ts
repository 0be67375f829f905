/** The daemon itself: health, overview, history, what it sees, what it watches. */
import { type AgentSession, isAdopted } from "../../core/agent.js";
import { awaitsUser } from "../../core/incidents/incident.js";
import { compareByMove } from "../../core/move.js";
import type { WorkTotals } from "../../core/notices/pipeline-text.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { HttpView } from "../../daemon/http/server.js";
import type { WatchRules } from "../../daemon/intake/watch-rules.js";
import type { PulseView } from "../../daemon/self/pulse.js";
import { coverageOf, type SessionCoverage } from "../../daemon/views/coverage.js";
import { type IncidentView, incidentViews } from "../../daemon/views/incident-view.js";
import { type LineView, lineOf } from "../../daemon/views/line.js";
import { type Summary, summaryOf } from "../../daemon/views/summary.js";
import { viewOf } from "../../daemon/views/view.js";
import type { JournalStats } from "../../store/journal.js";
import { workOverview } from "../../work/overview.js";
import { ApiError } from "../error.js";
import type { ServiceContext } from "./context.js";
import { inPieces } from "./pieces.js";
import { summaryView, type TaskSummaryView } from "./task-views.js";

export interface HealthView {
  ok: boolean;
  version: string;
  pid: number;
  ticks: number;
  since_tick_ms: number | null;
  judging: { after_ms: number; cpu_ms: number } | null;
  agents: number;
  sessions: number;
  journal: { pending: number; failures: number };
}

export type JournalView = Omit<JournalStats, "lastError" | "lastCommitMs" | "damage"> & {
  last_error: string | null;
  last_commit_ms: number;
  damage: { at: string; text: string } | null;
};

export interface DaemonView {
  journal: JournalView;
  http: HttpView;
  heartbeats: PulseView[];
}

/** The queue of work; tasks are held now, or were blocked or closed in the period. */
export type WorkView = WorkTotals & { tasks: TaskSummaryView[] };

/**
 * The summary of each agent, the actions that rouse took or would have taken, and the queue of work. No work: there are no tasks, or
 * the hub does not answer.
 */
export type SummaryAnswer = Summary & { incidents: IncidentView[]; work: WorkView | null };

export class DaemonService {
  readonly #context: Pick<ServiceContext, "loop" | "journal" | "version" | "control" | "hub">;

  #firstTick: HealthView["judging"] = null;

  constructor(context: Pick<ServiceContext, "loop" | "journal" | "version" | "control" | "hub">) {
    this.#context = context;
    const unsubscribe = context.loop.subscribe(({ kind }) => {
      if (kind !== "tick") return;
      this.#firstTick = sinceStart();
      unsubscribe();
    });
  }

  health(): HealthView {
    const { loop, version, journal } = this.#context;
    const { pending, failures } = journal.stats();
    const sessions = loop.sessions();
    return {
      ok: true,
      version,
      pid: process.pid,
      ticks: loop.ticks,
      since_tick_ms: loop.tickedAt === null ? null : loop.now() - loop.tickedAt,
      judging: this.#firstTick,
      agents: sessions.filter(({ session }) => session.endedAt === null).length,
      sessions: sessions.length,
      journal: { pending, failures },
    };
  }

  show(): DaemonView {
    const { journal, control } = this.#context;
    const { lastError, lastCommitMs, damage, ...stats } = journal.stats();
    const shown = damage && { at: new Date(damage.at).toISOString(), text: damage.text };
    return {
      journal: { ...stats, last_error: lastError, last_commit_ms: lastCommitMs, damage: shown },
      http: control.http(),
      heartbeats: control.pulses(),
    };
  }

  line(): LineView {
    const { loop } = this.#context;
    const now = loop.now();
    const agents = loop.sessions().map((judge) => viewOf(judge, now, loop.incidents));
    agents.sort(compareByMove);
    return lineOf(agents, incidentViews({ state: loop.state, now }, { all: false, since: null }));
  }

  sources(): SessionCoverage[] {
    const { loop } = this.#context;
    const now = loop.now();
    return loop.sessions().flatMap((judge) => (judge.session.endedAt === null ? [coverageOf(judge, now)] : []));
  }

  /** `until`: what came later does not count; states are those of that time. */
  async summary(since: number, until = Number.POSITIVE_INFINITY): Promise<SummaryAnswer> {
    const { journal, loop } = this.#context;
    const now = Math.min(loop.now(), until);
    const incidents = incidentViews({ state: loop.state, now: loop.now() }, { all: true, since }).filter(
      ({ opened_at }) => Date.parse(opened_at) <= now,
    );
    const read = function* (session: string) {
      for (const stored of journal.read(session)) if (stored.signal.at <= now) yield stored;
    };
    const needsUser = ({ id, name }: AgentSession): boolean =>
      now < until && loop.find(name)?.session.id === id && awaitsUser(loop.incidents, name, now);
    const fold = summaryOf(journal.sessions(), read, since, now, loop.state.rules.settingsFor, needsUser);
    return { ...(await inPieces(fold)), incidents, work: await this.#work(since, now) };
  }

  async #work(since: number, until: number): Promise<WorkView | null> {
    const { hub } = this.#context;
    if (!hub.isUsed()) return null;
    try {
      const { tasks, ...totals } = await workOverview(await hub.open(), since);
      return { ...totals, tasks: tasks.filter(({ updatedAt }) => updatedAt <= until).map(summaryView) };
    } catch {
      return null;
    }
  }

  async watch({ programs, tags, names, replace }: WatchRules): Promise<WatchRules> {
    const { control } = this.#context;
    const rules = await control.watch({ programs, tags, names, ...(replace === undefined ? {} : { replace }) });
    return { programs: rules.programs, tags: rules.tags, names: rules.names };
  }

  /** Only adopted agents: an agent that rouse started is watched until it ends. */
  async unwatch(names: readonly string[]): Promise<{ unwatched: string[] }> {
    const { loop, control } = this.#context;
    const rules = control.watchRules();
    const running = loop.sessions().flatMap(({ session }) => (session.endedAt === null ? [session] : []));
    for (const name of names) {
      const agent = running.find((session) => session.name === name);
      if (agent && !isAdopted(agent))
        throw new ApiError("refused", `${name} was started by rouse; to end it, use \`rouse stop ${name}\``);
      if (!agent && !rules.names.includes(name))
        throw new ApiError("unknown", `no adopted agent named "${sanitize(name, 80)}"; see \`rouse status\``);
    }
    const agents = running.filter((session) => isAdopted(session) && names.includes(session.name));
    await control.unwatch(names, agents);
    return { unwatched: [...names] };
  }

  async shutDown(): Promise<{ ok: boolean }> {
    await this.#context.control.shutDown();
    return { ok: true };
  }
}

/** Time and CPU time since the start of the process. */
function sinceStart(): { after_ms: number; cpu_ms: number } {
  const { user, system } = process.cpuUsage();
  return { after_ms: Math.round(performance.now()), cpu_ms: Math.round((user + system) / 1000) };
}
