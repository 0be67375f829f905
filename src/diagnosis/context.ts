/**
 * The document that a model gets: everything that rouse knows about what is wrong, redacted and bounded. Each line of data
 * begins with `| `, so nothing that an agent writes can look like an instruction's end. Pure.
 */
import { isPipelineProblem } from "../core/incidents/pipeline.js";
import type { Problem } from "../core/states.js";
import { redact } from "../core/text/redact.js";
import { sanitizeLine } from "../core/text/sanitize.js";
import type { Pipeline } from "./pipeline.js";
import type { FoundProblem } from "./pipeline-problems.js";

export interface AgentFacts {
  name: string;
  kind: string;
  state: string;
  cause: string | null;
  since: string;
  doing: string;
  task: string | null;
  reasons: readonly string[];
  /** It has an open incident, or the user asked about it. */
  isWrong: boolean;
  /** The last lines of its output, oldest first. */
  output: readonly string[];
}

export interface IncidentFacts {
  id: string;
  agent: string;
  problem: Problem;
  phase: string;
  opened_at: string;
  reasons: readonly string[];
  actions: readonly { at: string; do: string; result: string; reason: string }[];
  /** What the user can do. */
  commands: readonly string[];
}

export interface DiagnosisFacts {
  at: string;
  /** The agent that the user asked about. */
  about: string | null;
  agents: readonly AgentFacts[];
  incidents: readonly IncidentFacts[];
  problems: readonly FoundProblem[];
  pipeline: Pipeline;
  /** What could not be read. */
  gaps: readonly string[];
}

/** Characters of the whole document: about 15,000 tokens. */
export const CONTEXT_MAX = 60_000;
const LINE_MAX = 400;
/** Largest share of the document for one section; output gets what is left. */
const SHARE = 0.15;

interface Section {
  title: string;
  lines: readonly string[];
}

/** Last lines of each agent. */
const OUTPUT_LINES = 100;

export function buildContext(facts: DiagnosisFacts, { max = CONTEXT_MAX } = {}): string {
  const cap = Math.floor(max * SHARE);
  const sections = sectionsOf(facts).filter(({ lines }) => lines.length > 0);
  const fixed = sections
    .map(({ title, lines }) => sectionText(title, fitLines(lines.map(dataLine), cap, "first")))
    .join("");
  return fixed + outputs(facts.agents, max - fixed.length);
}

/** The most useful section first. */
function sectionsOf({ at, about, agents, incidents, problems, pipeline, gaps }: DiagnosisFacts): Section[] {
  const [wrong, well] = [agents.filter(({ isWrong }) => isWrong), agents.filter(({ isWrong }) => !isWrong)];
  const { stage, jobs, proposals, locks, events, notes } = pipeline;
  const open = jobs.filter(({ status }) => status !== "done");
  return [
    { title: "TIME", lines: [at, ...(about === null ? [] : [`the user asks about the agent ${about}`])] },
    { title: "NOT READ", lines: gaps },
    {
      title: "PROBLEMS OF THE PIPELINE, FOUND BY RULES",
      lines: problems.flatMap(({ text, evidence }) => [text, ...evidence.map((one) => `  ${one}`)]),
    },
    {
      title: "OPEN INCIDENTS, FOUND BY RULES",
      lines: incidents
        .filter(isOfAgent)
        .flatMap(({ id, agent, problem, phase, opened_at, reasons, actions }) => [
          `${id} ${agent}: ${problem} (${phase}) since ${opened_at}`,
          ...reasons.map((reason) => `  reason: ${reason}`),
          ...actions.map((action) => `  action: ${action.at} ${action.do}: ${action.result} ${action.reason}`),
        ]),
    },
    { title: "AGENTS WITH PROBLEMS", lines: wrong.flatMap(agentLines) },
    { title: "STAGE", lines: stage === null ? [] : [stage] },
    {
      title: "LOCKS",
      lines: locks.map(
        ({ project, name, holder, since }) => `${project} ${name}: held by ${holder} since ${iso(since)}`,
      ),
    },
    {
      title: "PROPOSALS",
      lines: newest(proposals).map(
        ({ id, project, title, status, score, threshold, cycle }) =>
          `${id} [${project}] ${status}, score ${score ?? "none"}, threshold ${threshold ?? "none"}, cycle ${cycle ?? "none"}: ${title}`,
      ),
    },
    { title: "JOBS", lines: newest(open).map(jobLine) },
    { title: "NOTES OF THE PROJECT", lines: notes },
    { title: "FINISHED JOBS", lines: newest(jobs.filter(({ status }) => status === "done")).map(jobLine) },
    {
      title: "EVENTS, NEWEST FIRST",
      lines: events.toSorted((a, b) => b.at - a.at).map(({ at: when, kind, text }) => `${iso(when)} ${kind} ${text}`),
    },
    { title: "OTHER AGENTS", lines: well.flatMap(agentLines) },
  ];
}

/** Those of a pipeline have a section of their own. */
export const isOfAgent = ({ problem }: Pick<IncidentFacts, "problem">): boolean => !isPipelineProblem(problem);

const newest = <T extends { updated: number | null }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (b.updated ?? 0) - (a.updated ?? 0));

const jobLine = ({
  id,
  project,
  kind,
  status,
  worker,
  worker_alive,
  attempts,
  error,
  title,
  cycle,
}: Pipeline["jobs"][number]): string =>
  `${id} [${project}] ${kind} ${status}, cycle ${cycle ?? "none"}, worker ${worker ?? "none"}${worker_alive === false ? " (dead)" : ""}, attempts ${attempts}: ${title}${error === null ? "" : `; error: ${error}`}`;

const agentLines = ({ name, kind, state, cause, since, doing, task, reasons }: AgentFacts): string[] => [
  `${name} (${kind}): ${state}${cause === null ? "" : `/${cause}`} since ${since}${doing === "" ? "" : `, doing: ${doing}`}${task === null ? "" : `, task: ${task}`}`,
  ...reasons.map((reason) => `  reason: ${reason}`),
];

/** The last lines of each agent: those with problems share the room first. */
function outputs(agents: readonly AgentFacts[], room: number): string {
  let text = "";
  for (const isWrong of [true, false]) {
    const group = agents.filter((agent) => agent.isWrong === isWrong && agent.output.length > 0);
    for (const [index, { name, output }] of group.entries()) {
      const title = `LAST OUTPUT OF ${titleName(name)}`;
      const share = Math.floor((room - text.length) / (group.length - index)) - title.length - 4;
      const lines = fitLines(redactLines(output).slice(-OUTPUT_LINES).map(dataLine), share, "last");
      if (lines.length > 0) text += sectionText(title, lines);
    }
  }
  return text;
}

const titleName = (name: string): string =>
  sanitizeLine(redact(name))
    .replace(/[^\w.@:+-]/g, "_")
    .slice(0, 80);

/** A key that began above the first line is masked to its end. */
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

function redactLines(output: readonly string[]): string[] {
  const end = output.findIndex((line) => KEY_END.test(line));
  const hasBeginning = output.slice(0, end).some((line) => line.includes("-----BEGIN "));
  const known =
    end > 0 && !hasBeginning ? output.map((line, at) => (at < end ? "*".repeat(line.length) : line)) : output;
  return redact(known.join("\n")).split("\n");
}

/** One line of data: redacted, without control characters, behind the fence. */
export const dataLine = (line: string): string => {
  const safe = sanitizeLine(redact(line.slice(0, LINE_MAX * 20)));
  return `| ${safe.length > LINE_MAX ? `${safe.slice(0, LINE_MAX - 1)}…` : safe}`;
};

/** Whole lines that fit, and how many were left out. */
function fitLines(lines: readonly string[], max: number, keeps: "first" | "last"): string[] {
  const ordered = keeps === "first" ? lines : lines.toReversed();
  const note = 40;
  let used = 0;
  let count = 0;
  for (const line of ordered) {
    const isFinal = count === lines.length - 1;
    if (used + line.length + 1 > max - (isFinal ? 0 : note)) break;
    used += line.length + 1;
    count++;
  }
  if (count === lines.length) return [...lines];
  if (count === 0 && max < note) return [];
  const left = `(${lines.length - count} lines left out)`;
  return keeps === "first" ? [...lines.slice(0, count), left] : [left, ...lines.slice(lines.length - count)];
}

const sectionText = (title: string, lines: readonly string[]): string => `${title}\n${lines.join("\n")}\n\n`;

/** A time that a program gave may be outside of what a date can hold. */
const iso = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms));
