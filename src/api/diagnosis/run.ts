/** One diagnosis: asks the runner, stores the answer, carries out what is permitted, stores the outcome. */
import { DIAGNOSIS_ACTIONS } from "../../config/diagnosis.js";
import { forOutput } from "../../core/text/for-output.js";
import { carryOutActions } from "../../diagnosis/act.js";
import { askRunner } from "../../diagnosis/ask.js";
import { buildContext, type DiagnosisFacts, isOfAgent } from "../../diagnosis/context.js";
import { problemKey } from "../../diagnosis/due.js";
import { buildPrompt, type PromptText } from "../../diagnosis/prompt.js";
import type { DiagnosisRecord, DiagnosisRecords } from "../../diagnosis/records.js";
import type { Runner } from "../../diagnosis/runners/runner.js";
import { selectActions } from "../../diagnosis/whitelist.js";
import { rouse } from "../../store/audit-table.js";
import type { ServiceContext } from "../service/context.js";
import { pipelineAccess } from "./pipeline.js";

const TOTAL_MS = 180_000;
export const DAY_MS: number = 24 * 3_600_000;

export interface DiagnosisRun {
  trigger: DiagnosisRecord["trigger"];
  facts: DiagnosisFacts;
  runner: Runner;
  records: DiagnosisRecords;
  signal: AbortSignal;
}

export async function runDiagnosis(context: ServiceContext, run: DiagnosisRun): Promise<DiagnosisRecord> {
  const { config, loop, journal } = context;
  const { trigger, facts, runner, records, signal } = run;
  const { actions: permitted, model, timeout_seconds } = config.diagnosis;
  const prompt = promptFor(context, facts);
  const asked = await askRunner(runner, prompt, { timeoutMs: timeout_seconds * 1000, totalMs: TOTAL_MS, signal });
  const selected = asked.answer === null ? null : selectActions(asked.answer, permitted);
  const at = loop.now();
  const record: DiagnosisRecord = {
    id: records.newId(at),
    at,
    trigger,
    about: facts.about,
    runner: runner.name,
    model,
    key: problemKey(facts),
    findings: findingsOf(facts),
    diagnosis: asked.answer === null ? null : forOutput(asked.answer.diagnosis, 8000),
    message: selected?.message == null ? null : forOutput(selected.message, 4000),
    reason: asked.reason,
    actions: (selected?.ignored ?? []).map(({ action, reason }) => ({
      action: forOutput(action, 100),
      result: "ignored" as const,
      reason,
    })),
    outcomes: facts.incidents.map(({ id, agent, problem }) => ({
      incident: id,
      agent,
      problem,
      result: "open" as const,
      at: null,
    })),
    cost_usd: asked.costUsd,
    took_secs: Math.round(asked.tookMs / 1000),
    feedback: null,
    context: prompt.user,
  };
  const today = records.list().filter((one) => at - one.at < DAY_MS);
  const done = new Set(
    today.flatMap(({ actions }) => actions.flatMap((one) => (one.result === "done" ? one.action : []))),
  );
  // Stored first: an action without its reason could not be explained.
  records.put(record);
  if (selected === null || selected.actions.length === 0) return record;
  const outcomes = await carryOutActions(selected.actions, pipelineAccess(context), { now: () => loop.now(), done });
  for (const { action, result, reason } of outcomes)
    journal.audit.note({ ...rouse(loop.now()), action: "diagnosis", text: `${action}: ${result} ${reason}` });
  const final = {
    ...record,
    actions: [...outcomes.map((one) => ({ ...one, reason: forOutput(one.reason) })), ...record.actions],
  };
  records.put(final);
  return final;
}

export function promptFor({ config }: Pick<ServiceContext, "config">, facts: DiagnosisFacts): PromptText {
  const settings = config.diagnosis;
  const allowed = DIAGNOSIS_ACTIONS.filter((name) => name === "send_slack" || settings.actions.includes(name));
  const mayRead = settings.runner === "claude" && settings.read_folder !== "";
  return buildPrompt(buildContext(facts), { allowed, mayRead });
}

/** What the rules say: useful without a model. */
const findingsOf = ({ incidents, problems }: DiagnosisFacts): DiagnosisRecord["findings"] => [
  ...incidents.filter(isOfAgent).map(({ agent, problem, reasons, commands }) => ({
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
