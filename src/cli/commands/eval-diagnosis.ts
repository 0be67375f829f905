/** `rouse eval --diagnosis`: scores rules and a model on labelled incidents. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DIAGNOSIS_RUNNERS } from "../../config/diagnosis.js";
import { loadConfig } from "../../config/load.js";
import { rousePaths } from "../../config/paths.js";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { runnerOf } from "../../diagnosis/runners/index.js";
import type { AskedRunner } from "../../eval/diagnosis/asked-runner.js";
import { evalAttribution } from "../../eval/diagnosis/attribution.js";
import type { PublicSet } from "../../eval/diagnosis/failed-run.js";
import { type LabelledIncident, parseIncident } from "../../eval/diagnosis/label.js";
import { evalDiagnosis } from "../../eval/diagnosis/run.js";
import { BadInput, readLines, recordOfLine } from "../../replay/files.js";
import { isFolder } from "../../replay/replay-case.js";
import { readPublicSet } from "../public-set.js";
import { attributionText, diagnosisFiguresText, mistakesText } from "../text/eval-diagnosis.js";
import { startProgress } from "../text/progress.js";
import { snakeCased } from "../text/snake-case.js";

const FILE = "incidents.jsonl";
const TOTAL_MS = 180_000;

export interface DiagnosisEvalOptions {
  diagnosis: string;
  format?: PublicSet | undefined;
  runner?: (typeof DIAGNOSIS_RUNNERS)[number] | undefined;
  json?: boolean | undefined;
  worst?: boolean | undefined;
  strict?: boolean | undefined;
}

/** The exit code. */
export async function runDiagnosisEval(options: DiagnosisEvalOptions): Promise<number> {
  const { diagnosis: folder, format, runner = null, json, worst, strict } = options;
  const columns = process.stdout.columns ?? 100;
  const print = (figures: object, text: string): void =>
    void process.stdout.write(json ? `${sanitizedJson(snakeCased({ runner, ...figures }), 1)}\n` : text);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  try {
    const asked = runner === null ? null : askedRunner(runner, stop.signal);
    if (format !== undefined) {
      const runs = readPublicSet(folder, format);
      const figures = await counted("runs", runs.length, (step) => evalAttribution(runs, asked, step));
      print({ set: format, ...figures }, attributionText(figures, format));
      return 0;
    }
    const incidents = await readIncidents(folder);
    const figures = await counted("incidents", incidents.length, (step) =>
      evalDiagnosis(incidents, folder, asked, step),
    );
    print(figures, diagnosisFiguresText(figures, runner, columns) + (worst ? mistakesText(figures) : ""));
    return strict && (figures.objections?.length ?? 0) > 0 ? 1 : 0;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    throw error;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

async function counted<T>(
  title: string,
  total: number,
  run: (step: (label: string) => void) => Promise<T>,
): Promise<T> {
  const progress = startProgress(title, total);
  try {
    return await run((label) => progress.step(label));
  } finally {
    progress.end();
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
