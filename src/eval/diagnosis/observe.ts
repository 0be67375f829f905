/** Observes a labelled incident as the daemon would have: the same judgement, incidents and rules over the pipeline. */
import { join } from "node:path";
import { type Incident, isOpen } from "../../core/incidents/incident.js";
import type { AgentFacts, DiagnosisFacts, IncidentFacts } from "../../diagnosis/context.js";
import { NO_PIPELINE } from "../../diagnosis/pipeline.js";
import { findPipelineProblems } from "../../diagnosis/pipeline-problems.js";
import { profileFor } from "../../programs/registry.js";
import { openCase, SOURCE_NAMES } from "../../replay/case-folder.js";
import { type FoldResult, foldRecording } from "../../replay/fold.js";
import { fromArray, type RecordedInput } from "../../replay/inputs.js";
import type { LabelledAgent, LabelledIncident } from "./label.js";

/** Lines of a program without a terminal that are kept. */
const LINES_MAX = 400;

interface Observed {
  agent: AgentFacts;
  incidents: IncidentFacts[];
  endAt: number;
}

/** `folder` holds the file of the labels. */
export async function observeIncident(incident: LabelledIncident, folder: string): Promise<DiagnosisFacts> {
  const { recording, pipeline = NO_PIPELINE, settings } = incident;
  const observed = [
    ...(recording === undefined ? [] : [await observeRecording(join(folder, recording), incident)]),
    ...(await Promise.all(incident.agents.map((agent) => observeAgent(agent, incident.at ?? 0, settings)))),
  ];
  const at = incident.at ?? observed[0]?.endAt ?? 0;
  return {
    at: iso(at),
    about: null,
    agents: observed.map(({ agent }) => agent),
    incidents: observed.flatMap(({ incidents }) => incidents),
    problems: findPipelineProblems(pipeline, at),
    pipeline,
    gaps: [],
  };
}

/** The same without anything that a rule concluded. */
export const withoutRules = (facts: DiagnosisFacts): DiagnosisFacts => ({
  ...facts,
  agents: facts.agents.map((agent) => ({ ...agent, state: "not judged", cause: null, reasons: [], since: facts.at })),
  incidents: [],
  problems: [],
});

async function observeAgent(
  { name, kind, task, seconds, signals, output }: LabelledAgent,
  at: number,
  settings: LabelledIncident["settings"],
): Promise<Observed> {
  const startAt = at - seconds * 1000;
  const profile = profileFor(kind);
  const inputs = signals.map(
    (signal): RecordedInput => ({
      t: signal.at / 1000,
      kind: "signals",
      signals: [{ ...signal, at: startAt + signal.at }],
    }),
  );
  const folded = await foldRecording(fromArray([...inputs, { t: seconds, kind: "end" }]), {
    profile,
    startAt,
    zone: "UTC",
    size: null,
    settings,
  });
  return observedOf(folded, { name, kind: profile.id, task, output, endAt: at });
}

async function observeRecording(path: string, { seconds: endsAt, settings }: LabelledIncident): Promise<Observed> {
  const { profile, startAt, size, inputs, meta } = await openCase(path, new Set(SOURCE_NAMES));
  // What follows is the recorder that ends the program.
  const seconds = endsAt ?? (typeof meta.t_end === "number" ? meta.t_end : Number.POSITIVE_INFINITY);
  const lines: string[] = [];
  let end = 0;
  async function* untilEnd(): AsyncGenerator<RecordedInput> {
    for await (const input of inputs) {
      if (input.t > seconds) break;
      end = input.t;
      lines.push(...linesOf(input));
      lines.splice(0, lines.length - LINES_MAX);
      yield input;
    }
    end = Number.isFinite(seconds) ? seconds : end;
    yield { t: end, kind: "end" };
  }
  const folded = await foldRecording(untilEnd(), { profile, startAt, zone: "UTC", size, settings });
  const output = folded.screen ?? lines;
  return observedOf(folded, {
    name: "agent",
    kind: profile.id,
    task: null,
    output,
    endAt: startAt + end * 1000,
  });
}

/** What a program without a terminal wrote, or its records. */
function linesOf(input: RecordedInput): string[] {
  if (input.kind === "stdout") return Buffer.from(input.bytes).toString("utf8").split("\n");
  if (input.kind === "stderr") return input.text.split("\n");
  return input.kind === "record" ? [JSON.stringify(input.record)] : [];
}

function observedOf(
  { assessment, since, incidents }: FoldResult,
  { endAt, ...agent }: Pick<AgentFacts, "name" | "kind" | "task" | "output"> & { endAt: number },
): Observed {
  // As in a diagnosis of this agent, which does not wait for a confirmation: the latest first.
  const open = incidents.filter(isOpen).sort((a, b) => b.openedAt - a.openedAt);
  const { state, cause, reasons } = assessment;
  return {
    agent: { ...agent, state, cause, since: iso(since), doing: "", reasons, isWrong: true },
    incidents: open.map((one) => incidentFacts(one, agent.name)),
    endAt,
  };
}

const incidentFacts = ({ id, problem, phase, openedAt, reasons }: Incident, agent: string): IncidentFacts => ({
  id,
  agent,
  problem,
  phase,
  opened_at: iso(openedAt),
  reasons,
  actions: [],
  commands: [],
});

const iso = (ms: number): string => new Date(ms).toISOString();
