/** Collects what a diagnosis is made from: what is wrong, the agents with their last output, the pipeline. */
import { homedir } from "node:os";
import { isOpen } from "../../core/incidents/incident.js";
import type { SessionJudge } from "../../core/session-judge.js";
import { incidentViews } from "../../daemon/views/incident-view.js";
import { viewOf } from "../../daemon/views/view.js";
import type { AgentFacts, DiagnosisFacts } from "../../diagnosis/context.js";
import { NO_PIPELINE } from "../../diagnosis/pipeline.js";
import { findPipelineProblems } from "../../diagnosis/pipeline-problems.js";
import { ApiError } from "../error.js";
import { readPane } from "../pane.js";
import { findAgent, iso, type ServiceContext } from "../service/context.js";
import { hasContextCommand, readPipeline } from "./pipeline.js";

/** Agents whose output is read, those with problems first. */
const OUTPUTS_MAX = 20;
/** More lines than are shown: a key that began above them is recognized. */
const READ_LINES = 400;

/** `agent`: whom the user asks about; without it, everything. */
export async function readFacts(context: ServiceContext, agent?: string): Promise<DiagnosisFacts> {
  const { loop } = context;
  const asked = agent === undefined ? null : findAgent(context, agent).session;
  const pipeline = await readPipeline(context);
  if (typeof pipeline === "string" && hasContextCommand(context)) throw new ApiError("refused", pipeline);
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
  const wrong = new Set([...incidents.map(({ session }) => session), ...(asked ? [asked.id] : [])]);
  const read = await readAgents(context, wrong, now);
  return {
    at: iso(now),
    about: asked?.name ?? null,
    agents: read.agents,
    // Unexplained ones first: the message goes out with the first.
    incidents: incidents.sort((a, b) => Number(a.opinion !== null) - Number(b.opinion !== null)),
    problems: findPipelineProblems(known, now),
    pipeline: known,
    gaps: [...(typeof pipeline === "string" ? [pipeline] : []), ...read.gaps],
  };
}

async function readAgents(
  { loop, paths }: ServiceContext,
  wrong: ReadonlySet<string>,
  now: number,
): Promise<{ agents: AgentFacts[]; gaps: string[] }> {
  const isShown = ({ session }: SessionJudge): boolean => session.endedAt === null || wrong.has(session.id);
  const order = (judge: SessionJudge): number => Number(wrong.has(judge.session.id));
  const judges = loop
    .sessions()
    .filter(isShown)
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

/** The user's name is no part of a diagnosis. */
const withoutHome = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(homedir(), "~"));
