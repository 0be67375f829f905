/** `rouse eval --diagnosis`: scores rules and a model on labelled incidents. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DIAGNOSIS_RUNNERS } from "../../config/diagnosis.js";
import { loadConfig } from "../../config/load.js";
import { rousePaths } from "../../config/paths.js";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { runnerOf } from "../../diagnosis/runners/index.js";
import { type LabelledIncident, parseIncident } from "../../eval/diagnosis/label.js";
import { type AskedRunner, evalDiagnosis } from "../../eval/diagnosis/run.js";
import { BadInput, readLines, recordOfLine } from "../../replay/files.js";
import { isFolder } from "../../replay/replay-case.js";
import { diagnosisFiguresText, mistakesText } from "../text/eval-diagnosis.js";
import { startProgress } from "../text/progress.js";
import { snakeCased } from "../text/snake-case.js";

const FILE = "incidents.jsonl";
const TOTAL_MS = 180_000;

export interface DiagnosisEvalOptions {
  diagnosis: string;
  runner?: (typeof DIAGNOSIS_RUNNERS)[number] | undefined;
  json?: boolean | undefined;
  worst?: boolean | undefined;
  strict?: boolean | undefined;
}

/** The exit code. */
export async function runDiagnosisEval(options: DiagnosisEvalOptions): Promise<number> {
  const { diagnosis: folder, runner, json, worst, strict } = options;
  const incidents = await readIncidents(folder);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  const progress = startProgress("incidents", incidents.length);
  try {
    const asked = runner === undefined ? null : askedRunner(runner, stop.signal);
    const figures = await evalDiagnosis(incidents, folder, asked, (label) => progress.step(label));
    progress.end();
    if (json) process.stdout.write(`${sanitizedJson(snakeCased({ runner: runner ?? null, ...figures }), 1)}\n`);
    else {
      process.stdout.write(diagnosisFiguresText(figures, runner ?? null, process.stdout.columns ?? 100));
      if (worst) process.stdout.write(mistakesText(figures));
    }
    return strict && (figures.objections?.length ?? 0) > 0 ? 1 : 0;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    throw error;
  } finally {
    progress.end();
    process.off("SIGINT", interrupt);
  }
}

/** As the configuration sets it, but without files to read. */
function askedRunner(name: NonNullable<DiagnosisEvalOptions["runner"]>, signal: AbortSignal): AskedRunner {
  const { config } = loadConfig({ projects: false });
  const settings = { ...config.diagnosis, runner: name, read_folder: "" };
  const runner = runnerOf(settings, join(rousePaths().runtime, "diagnosis"), process.env);
  if (typeof runner === "string") throw new BadInput(runner);
  return { runner, limits: { timeoutMs: settings.timeout_seconds * 1000, totalMs: TOTAL_MS, signal } };
}

/** A label that is not valid ends the run: a figure without it would be about another set. */
async function readIncidents(folder: string): Promise<LabelledIncident[]> {
  const path = join(folder, FILE);
  if (!(await isFolder(folder)) || !existsSync(path)) throw new BadInput(`${folder} contains no ${FILE}`);
  const incidents: LabelledIncident[] = [];
  const known = new Set<string>();
  let number = 0;
  for await (const line of readLines(path)) {
    number++;
    if (line.trim() === "") continue;
    const row = recordOfLine(line, { lines: 0 });
    const incident = row === null ? "not a JSON object" : parseIncident(row);
    if (typeof incident === "string") throw new BadInput(`${path}:${number}: ${incident}`);
    if (known.has(incident.id)) throw new BadInput(`${path}:${number}: a second ${incident.id}`);
    known.add(incident.id);
    incidents.push(incident);
  }
  if (incidents.length === 0) throw new BadInput(`${path} contains no labelled incident`);
  return incidents;
}
