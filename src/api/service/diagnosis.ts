/** Diagnosis: asks a model to explain what is wrong, on demand and by itself. */
import { join } from "node:path";
import type { IncidentChange } from "../../core/incidents/course.js";
import { forOutput } from "../../core/text/for-output.js";
import type { DiagnosisFacts } from "../../diagnosis/context.js";
import { checkRun, problemKey } from "../../diagnosis/due.js";
import { type DiagnosisRecord, DiagnosisRecords, type DiagnosisSummary } from "../../diagnosis/records.js";
import { runnerOf } from "../../diagnosis/runners/index.js";
import type { Runner } from "../../diagnosis/runners/runner.js";
import { readFacts } from "../diagnosis/facts.js";
import { DAY_MS, type DiagnosisRun, promptFor, runDiagnosis } from "../diagnosis/run.js";
import { PipelineWatch } from "../diagnosis/watch.js";
import { ApiError } from "../error.js";
import { iso, isoOrNull, type ServiceContext } from "./context.js";

export type DiagnosisView = Omit<DiagnosisSummary, "at" | "key" | "outcomes"> & {
  at: string;
  outcomes: (Omit<DiagnosisRecord["outcomes"][number], "at"> & { at: string | null })[];
};

export class DiagnosisService {
  readonly #context: ServiceContext;
  readonly #records: DiagnosisRecords;
  readonly #pipelines: PipelineWatch;
  #running: AbortController | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #logged = "";

  constructor(context: ServiceContext) {
    this.#context = context;
    this.#pipelines = new PipelineWatch(context);
    // Tests of the table of operations give no paths.
    this.#records = new DiagnosisRecords(join(context.paths?.state ?? "", "diagnoses"));
  }

  /** Exactly what would be sent to a model. */
  async context(agent: string | undefined): Promise<{ lines: string[] }> {
    const { system, user } = promptFor(this.#context, await readFacts(this.#context, agent));
    return { lines: `${system}\n\n${user}`.split("\n") };
  }

  /** Asks now. Nothing is sent to a channel: the user reads the answer. */
  async diagnose(agent: string | undefined): Promise<DiagnosisView> {
    const runner = this.#runner();
    return this.#exclusively(async (signal) => {
      const facts = await readFacts(this.#context, agent);
      const objection = checkRun(this.#situation(facts, runner));
      if (objection !== null) throw new ApiError("refused", objection);
      return viewOfRecord(await this.#run({ trigger: "user", facts, runner, signal }));
    });
  }

  list(limit: number): { diagnoses: DiagnosisView[]; right: number; wrong: number } {
    const all = this.#records.list();
    const count = (feedback: DiagnosisRecord["feedback"]): number =>
      all.filter((one) => one.feedback === feedback).length;
    return { diagnoses: all.slice(0, limit).map(viewOfRecord), right: count("right"), wrong: count("wrong") };
  }

  feedback(id: string, feedback: "right" | "wrong"): DiagnosisView {
    const record = this.#records.find(id);
    if (!record)
      throw new ApiError("unknown", `no diagnosis matches ${JSON.stringify(id)}; see \`rouse diagnose --history\``);
    this.#records.put({ ...record, feedback });
    return viewOfRecord({ ...record, feedback });
  }

  /** Watches the pipelines, and explains what is wrong. */
  async tick(): Promise<void> {
    await this.#pipelines.tick().catch((error: Error) => this.#logOnce(error.message));
    await this.#explain();
  }

  /** Runs if it is enabled, something is wrong, and it is not what the last run explained. */
  async #explain(): Promise<void> {
    const { config, loop, log } = this.#context;
    const settings = config.diagnosis;
    const now = loop.now();
    if (!settings.enabled || this.#running !== null || now - this.#checkedAt < settings.interval_minutes * 60_000)
      return;
    this.#checkedAt = now;
    try {
      const runner = this.#runner();
      await this.#exclusively(async (signal) => {
        const facts = await readFacts(this.#context);
        const key = problemKey(facts);
        // Also what was explained before a restart.
        const last = this.#records.list().find(({ trigger }) => trigger === "automatic");
        if (key === null || key === last?.key) return;
        const objection = checkRun(this.#situation(facts, runner));
        if (objection !== null) return this.#logOnce(objection);
        const record = await this.#run({ trigger: "automatic", facts, runner, signal });
        if (record.reason !== null) this.#logOnce(`no opinion: ${record.reason}`);
        else log(`diagnosis ${record.id}: ${forOutput(record.diagnosis ?? "", 200)}`);
      });
    } catch (error) {
      this.#logOnce((error as Error).message);
    }
  }

  /** Incidents changed: their ends are kept with the diagnoses that explained them. */
  follow(changes: readonly IncidentChange[]): void {
    for (const { incident: id, phase } of changes) {
      if (phase !== "recovered" && phase !== "closed") continue;
      const incident = this.#context.loop.incidents.incidents.find((one) => one.id === id);
      const record = incident?.opinion ? this.#records.find(incident.opinion.id) : null;
      if (!record) continue;
      const outcomes = record.outcomes.map((one) =>
        one.incident === id ? { ...one, result: phase, at: incident?.endedAt ?? null } : one,
      );
      this.#records.put({ ...record, outcomes });
    }
  }

  /** Ends a run when the daemon stops. */
  close(): void {
    this.#running?.abort();
  }

  #logOnce(line: string): void {
    if (line !== this.#logged) this.#context.log(`diagnosis: ${line}`);
    this.#logged = line;
  }

  #runner(): Runner {
    const { config, paths } = this.#context;
    const runner = runnerOf(config.diagnosis, join(paths.runtime, "diagnosis"), process.env);
    if (typeof runner === "string") throw new ApiError("refused", runner);
    return runner;
  }

  async #exclusively<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#running !== null) throw new ApiError("refused", "a diagnosis is running; try again when it has ended");
    this.#running = new AbortController();
    try {
      return await work(this.#running.signal);
    } finally {
      this.#running = null;
    }
  }

  async #run(run: Omit<DiagnosisRun, "records">): Promise<DiagnosisRecord> {
    const record = await runDiagnosis(this.#context, { ...run, records: this.#records });
    this.#attach(record);
    return record;
  }

  /** With the incidents that it explains: their alerts follow it up, and their ends are its outcome. */
  #attach({ id, at, diagnosis, message, outcomes, trigger }: DiagnosisRecord): void {
    if (diagnosis === null || outcomes.length === 0) return;
    try {
      this.#context.loop.apply({
        kind: "explained",
        incidents: outcomes.map(({ incident }) => incident),
        // On demand, the user reads it.
        opinion: { id, at, text: diagnosis, message: trigger === "user" ? null : message },
      });
    } catch {
      // The journal cannot be written, and reports that itself.
    }
  }

  #situation(facts: DiagnosisFacts, runner: Runner): Parameters<typeof checkRun>[0] {
    const { config, loop } = this.#context;
    const { max_sessions, runs_per_day, cost_usd_per_day } = config.diagnosis;
    const own = loop.sessions().filter(({ session }) => session.endedAt === null && session.kind === runner.program);
    const today = this.#records.list().filter(({ at }) => loop.now() - at < DAY_MS);
    return {
      stage: facts.pipeline.stage,
      sessions: own.length,
      isLimited: own.some((judge) => judge.peek(loop.now()).state === "rate_limited"),
      runner: runner.name,
      maxSessions: max_sessions,
      runsToday: today.length,
      runsPerDay: runs_per_day,
      costToday: today.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
      costPerDay: cost_usd_per_day,
    };
  }
}

function viewOfRecord(record: DiagnosisSummary & { context?: string }): DiagnosisView {
  const { context: _context, key: _key, at, outcomes, ...view } = record;
  return { at: iso(at), ...view, outcomes: outcomes.map((one) => ({ ...one, at: isoOrNull(one.at) })) };
}
