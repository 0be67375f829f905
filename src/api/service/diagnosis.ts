/** Diagnosis: what a model would get to explain what is wrong. */
import { homedir } from "node:os";
import { DIAGNOSIS_ACTIONS } from "../../config/diagnosis.js";
import type { SessionJudge } from "../../core/session-judge.js";
import { incidentViews } from "../../daemon/views/incident-view.js";
import { viewOf } from "../../daemon/views/view.js";
import { readCommandPipeline } from "../../diagnosis/command-pair.js";
import { type AgentFacts, buildContext, type DiagnosisFacts } from "../../diagnosis/context.js";
import { readHubPipeline } from "../../diagnosis/hub-pipeline.js";
import { NO_PIPELINE, type Pipeline } from "../../diagnosis/pipeline.js";
import { findPipelineProblems } from "../../diagnosis/pipeline-problems.js";
import { buildPrompt, type PromptText } from "../../diagnosis/prompt.js";
import { ApiError } from "../error.js";
import { readPane } from "../pane.js";
import { findAgent, iso, type ServiceContext } from "./context.js";

/** Agents whose output is read, those with problems first. */
const OUTPUTS_MAX = 20;
/** More lines than are shown: a key that began above them is recognized. */
const READ_LINES = 400;

export class DiagnosisService {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** Exactly what would be sent to a model. */
  async context(agent: string | undefined): Promise<{ lines: string[] }> {
    const { system, user } = this.#prompt(await this.#facts(agent));
    return { lines: `${system}\n\n${user}`.split("\n") };
  }

  #prompt(facts: DiagnosisFacts): PromptText {
    const settings = this.#context.config.diagnosis;
    const allowed = DIAGNOSIS_ACTIONS.filter((name) => name === "send_slack" || settings.actions.includes(name));
    return buildPrompt(buildContext(facts, { logLines: settings.log_lines }), { allowed });
  }

  async #facts(agent: string | undefined): Promise<DiagnosisFacts> {
    const { loop } = this.#context;
    const about = agent === undefined ? null : findAgent(this.#context, agent).session.name;
    const pipeline = await this.#pipeline();
    if (typeof pipeline === "string" && this.#hasContextCommand()) throw new ApiError("refused", pipeline);
    const now = loop.now();
    const incidents = incidentViews({ state: loop.state, now }, { all: false, since: null });
    const wrong = new Set([
      ...incidents.map((one) => one.session),
      ...(about === null ? [] : [findAgent(this.#context, about).session.id]),
    ]);
    const known = typeof pipeline === "string" ? NO_PIPELINE : pipeline;
    const read = await this.#agents(wrong, now);
    return {
      at: iso(now),
      about,
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

/** The user's name is no part of a diagnosis. */
const withoutHome = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(homedir(), "~"));
