/** Diagnosis: asks a model to explain what is wrong, and carries out what the user permitted and rouse has checked. */
import { homedir } from "node:os";
import { join } from "node:path";
import { DIAGNOSIS_ACTIONS } from "../../config/diagnosis.js";
import { isOpen } from "../../core/incidents/incident.js";
import { planDiagnosisNotice } from "../../core/notices/diagnosis.js";
import type { SessionJudge } from "../../core/session-judge.js";
import { forOutput } from "../../core/text/for-output.js";
import { incidentViews } from "../../daemon/views/incident-view.js";
import { viewOf } from "../../daemon/views/view.js";
import { actOnHub, carryOutActions, type PipelineAccess } from "../../diagnosis/act.js";
import { askRunner } from "../../diagnosis/ask.js";
import { actOnCommand, readCommandPipeline } from "../../diagnosis/command-pair.js";
import { type AgentFacts, buildContext, type DiagnosisFacts } from "../../diagnosis/context.js";
import { checkRun, problemKey } from "../../diagnosis/due.js";
import { readHubPipeline } from "../../diagnosis/hub-pipeline.js";
import { NO_PIPELINE, type Pipeline } from "../../diagnosis/pipeline.js";
import { findPipelineProblems } from "../../diagnosis/pipeline-problems.js";
import { buildPrompt, type PromptText } from "../../diagnosis/prompt.js";
import { type DiagnosisRecord, DiagnosisRecords } from "../../diagnosis/records.js";
import { runnerOf } from "../../diagnosis/runners/index.js";
import type { Runner } from "../../diagnosis/runners/runner.js";
import { selectActions } from "../../diagnosis/whitelist.js";
import { rouse } from "../../store/audit-table.js";
import { ApiError } from "../error.js";
import { readPane } from "../pane.js";
import { findAgent, iso, type ServiceContext } from "./context.js";

/** Agents whose output is read, those with problems first. */
const OUTPUTS_MAX = 20;
/** More lines than are shown: a key that began above them is recognized. */
const READ_LINES = 400;
const TOTAL_MS = 180_000;
const DAY_MS = 24 * 3_600_000;

export type DiagnosisView = Omit<DiagnosisRecord, "at" | "context"> & { at: string };

export class DiagnosisService {
  readonly #context: ServiceContext;
  readonly #records: DiagnosisRecords;
  #running: AbortController | null = null;
  /** The last automatic run: its time, and what was wrong. */
  #last = { at: 0, key: "" };
  #logged = "";

  constructor(context: ServiceContext) {
    this.#context = context;
    // Tests of the table of operations give no paths.
    this.#records = new DiagnosisRecords(join(context.paths?.state ?? "", "diagnoses"));
  }

  /** Exactly what would be sent to a model. */
  async context(agent: string | undefined): Promise<{ lines: string[] }> {
    const { system, user } = this.#prompt(await this.#facts(agent));
    return { lines: `${system}\n\n${user}`.split("\n") };
  }

  /** Asks now. Nothing is sent to a channel: the user reads the answer. */
  async diagnose(agent: string | undefined): Promise<DiagnosisView> {
    const runner = this.#runner();
    return this.#exclusively(async (signal) => {
      const facts = await this.#facts(agent);
      const objection = checkRun(this.#situation(facts, runner));
      if (objection !== null) throw new ApiError("refused", objection);
      return viewOfRecord(await this.#run("user", facts, runner, signal));
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

  /** Runs if it is enabled, something is wrong, and it is not what the last run explained. */
  async tick(): Promise<void> {
    const { config, loop, log } = this.#context;
    const settings = config.diagnosis;
    const now = loop.now();
    if (!settings.enabled || this.#running !== null || now - this.#last.at < settings.interval_minutes * 60_000) return;
    this.#last = { ...this.#last, at: now };
    try {
      const runner = this.#runner();
      await this.#exclusively(async (signal) => {
        const facts = await this.#facts(undefined);
        const key = problemKey(facts);
        if (key === null || key === this.#last.key) return;
        const objection = checkRun(this.#situation(facts, runner));
        if (objection !== null) return this.#logOnce(objection);
        this.#last = { at: now, key };
        const record = await this.#run("automatic", facts, runner, signal);
        if (record.reason !== null) this.#logOnce(`no opinion: ${record.reason}`);
        else log(`diagnosis ${record.id}: ${forOutput(record.diagnosis ?? "", 200)}`);
        if (record.message !== null) this.#send(record, facts);
      });
    } catch (error) {
      this.#logOnce((error as Error).message);
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

  async #run(
    trigger: DiagnosisRecord["trigger"],
    facts: DiagnosisFacts,
    runner: Runner,
    signal: AbortSignal,
  ): Promise<DiagnosisRecord> {
    const { config, loop, journal } = this.#context;
    const { actions: permitted, model, timeout_seconds } = config.diagnosis;
    const prompt = this.#prompt(facts);
    const asked = await askRunner(runner, prompt, { timeoutMs: timeout_seconds * 1000, totalMs: TOTAL_MS, signal });
    const selected = asked.answer === null ? null : selectActions(asked.answer, permitted);
    const at = loop.now();
    const record: DiagnosisRecord = {
      id: this.#records.newId(at),
      at,
      trigger,
      about: facts.about,
      runner: runner.name,
      model,
      findings: findingsOf(facts),
      diagnosis: asked.answer === null ? null : forOutput(asked.answer.diagnosis, 8000),
      message: selected?.message == null ? null : forOutput(selected.message, 4000),
      reason: asked.reason,
      actions: (selected?.ignored ?? []).map(({ action, reason }) => ({
        action: forOutput(action, 100),
        result: "ignored" as const,
        reason,
      })),
      cost_usd: asked.costUsd,
      took_secs: Math.round(asked.tookMs / 1000),
      feedback: null,
      context: prompt.user,
    };
    const done = new Set(
      this.#records
        .list()
        .filter((one) => at - one.at < DAY_MS)
        .flatMap(({ actions }) => actions.flatMap(({ action, result }) => (result === "done" ? [action] : []))),
    );
    // Stored first: an action without its reason could not be explained.
    this.#records.put(record);
    if (selected === null || selected.actions.length === 0) return record;
    const outcomes = await carryOutActions(selected.actions, this.#access(), { now: () => loop.now(), done });
    for (const { action, result, reason } of outcomes)
      journal.audit.note({ ...rouse(loop.now()), action: "diagnosis", text: `${action}: ${result} ${reason}` });
    const final = {
      ...record,
      actions: [...outcomes.map((one) => ({ ...one, reason: forOutput(one.reason) })), ...record.actions],
    };
    this.#records.put(final);
    return final;
  }

  #send({ id, message }: DiagnosisRecord, { incidents }: DiagnosisFacts): void {
    const { loop, journal } = this.#context;
    const notice = planDiagnosisNotice(
      { id, message: message ?? "", incidents: incidents.map((one) => one) },
      loop.state.rules.alerts,
      loop.now(),
    );
    try {
      journal.outbox.inOne(() => journal.outbox.put([notice]));
    } catch {
      // The journal cannot be written, and reports that itself.
    }
  }

  #access(): PipelineAccess {
    const { hub, config } = this.#context;
    const { action: command } = config.diagnosis;
    return {
      read: () => this.#pipeline(),
      act: async (action, seen) => {
        if (!this.#hasContextCommand()) return actOnHub(await hub.open(), action, seen);
        const failed = await actOnCommand(command, action);
        if (failed !== null) throw new Error(failed);
      },
    };
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

  #prompt(facts: DiagnosisFacts): PromptText {
    const settings = this.#context.config.diagnosis;
    const allowed = DIAGNOSIS_ACTIONS.filter((name) => name === "send_slack" || settings.actions.includes(name));
    const mayRead = settings.runner === "claude" && settings.read_folder !== "";
    return buildPrompt(buildContext(facts, { logLines: settings.log_lines }), { allowed, mayRead });
  }

  async #facts(agent: string | undefined): Promise<DiagnosisFacts> {
    const { loop } = this.#context;
    const asked = agent === undefined ? null : findAgent(this.#context, agent).session;
    const pipeline = await this.#pipeline();
    if (typeof pipeline === "string" && this.#hasContextCommand()) throw new ApiError("refused", pipeline);
    const now = loop.now();
    // Confirmed ones alert a user; younger ones may still end by themselves.
    const confirmed = new Set(
      loop.incidents.incidents
        .filter((one) => isOpen(one) && (one.confirmedAt !== null || one.agent === asked?.name))
        .map(({ id }) => id),
    );
    const incidents = incidentViews({ state: loop.state, now }, { all: false, since: null }).filter(({ id }) =>
      confirmed.has(id),
    );
    const known = typeof pipeline === "string" ? NO_PIPELINE : pipeline;
    const read = await this.#agents(
      new Set([...incidents.map((one) => one.session), ...(asked ? [asked.id] : [])]),
      now,
    );
    return {
      at: iso(now),
      about: asked?.name ?? null,
      agents: read.agents,
      incidents,
      problems: findPipelineProblems(known, now),
      pipeline: known,
      gaps: [...(typeof pipeline === "string" ? [pipeline] : []), ...read.gaps],
    };
  }

  #hasContextCommand(): boolean {
    return this.#context.config.diagnosis.context.length > 0;
  }

  /** Or why it cannot be read. */
  async #pipeline(): Promise<Pipeline | string> {
    const { config, hub, loop } = this.#context;
    if (this.#hasContextCommand()) return readCommandPipeline(config.diagnosis.context);
    if (!hub.isUsed()) return NO_PIPELINE;
    try {
      return await readHubPipeline(await hub.open(), (session) => {
        const judge = loop.state.sessions.get(session);
        return judge ? judge.session.endedAt === null && judge.evidence.exit === null : null;
      });
    } catch (error) {
      return `tasks: ${(error as Error).message}`;
    }
  }

  async #agents(wrong: ReadonlySet<string>, now: number): Promise<{ agents: AgentFacts[]; gaps: string[] }> {
    const { loop, paths } = this.#context;
    const isOwn = ({ session }: SessionJudge): boolean => session.endedAt === null || wrong.has(session.id);
    const order = (judge: SessionJudge): number => Number(wrong.has(judge.session.id));
    const judges = loop
      .sessions()
      .filter(isOwn)
      .sort((a, b) => order(b) - order(a));
    const gaps: string[] = [];
    const agents = await Promise.all(
      judges.map(async (judge, index): Promise<AgentFacts> => {
        const output =
          index < OUTPUTS_MAX
            ? await readPane(judge.session, READ_LINES, paths).catch((error: Error) => {
                gaps.push(`output of ${judge.session.name}: ${error.message}`);
                return [...(judge.evidence.progress.reading?.tail ?? [])];
              })
            : [];
        const { name, kind, state, cause, since, doing, task, reasons } = viewOf(judge, now, loop.incidents);
        const isWrong = wrong.has(judge.session.id);
        return { name, kind, state, cause, since, doing, task, reasons, isWrong, output: withoutHome(output) };
      }),
    );
    return { agents, gaps };
  }
}

/** What the rules say: useful without a model. */
const findingsOf = ({ incidents, problems }: DiagnosisFacts): DiagnosisRecord["findings"] => [
  ...incidents.map(({ agent, problem, reasons, commands }) => ({
    about: agent,
    problem,
    reasons: [...reasons],
    advice: commands.slice(0, 2).join(", "),
  })),
  ...problems.map(({ project, kind, text, evidence, advice }) => ({
    about: project,
    problem: kind,
    reasons: [text, ...evidence].map((line) => forOutput(line)),
    advice: forOutput(advice),
  })),
];

function viewOfRecord(record: DiagnosisRecord): DiagnosisView {
  const { context: _context, at, ...view } = record;
  return { at: iso(at), ...view };
}

/** The user's name is no part of a diagnosis. */
const withoutHome = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(homedir(), "~"));
