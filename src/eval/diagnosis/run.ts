/** Runs the benchmark: rules alone, and with a runner the model alone and both together. */
import { askFor } from "../../diagnosis/ask.js";
import type { DiagnosisFacts } from "../../diagnosis/context.js";
import { type AskedRunner, guardRunner } from "./asked-runner.js";
import type { LabelledIncident } from "./label.js";
import { MENU_ANSWER, promptOf, verdictOfAnswer } from "./menu.js";
import { observeIncident, withoutRules } from "./observe.js";
import { type ArmFigures, bestConstant, type ConstantFigures, checkPass, type Judged, scoreArm } from "./score.js";
import { type Verdict, verdictOfRules } from "./verdict.js";

export interface DiagnosisFigures {
  incidents: number;
  constant: ConstantFigures;
  rules: ArmFigures;
  /** With a runner only. */
  model?: ArmFigures;
  rulesAndModel?: ArmFigures;
  /** Why the model does not pass; none: it passes. */
  objections?: string[];
}

export async function evalDiagnosis(
  incidents: readonly LabelledIncident[],
  folder: string,
  asked: AskedRunner | null,
  step: (label: string) => void,
): Promise<DiagnosisFigures> {
  const rules: Judged[] = [];
  const model: Judged[] = [];
  const both: Judged[] = [];
  const ask = asked === null ? null : askingOf(asked);
  for (const label of incidents) {
    step(label.id);
    const facts = await observeIncident(label, folder);
    const byRules = verdictOfRules(facts);
    rules.push({ label, verdict: byRules });
    if (ask === null) continue;
    model.push({ label, verdict: await ask(withoutRules(facts)) });
    const verdict = await ask(facts);
    const { costUsd, tookMs } = verdict;
    // Without an opinion, what the rules say stands.
    both.push({ label, verdict: verdict.cause === null ? { ...byRules, costUsd, tookMs } : verdict });
  }
  const figures = { incidents: incidents.length, constant: bestConstant(incidents), rules: scoreArm(rules) };
  if (ask === null) return figures;
  const rulesAndModel = scoreArm(both);
  const objections = checkPass(figures.rules, rulesAndModel);
  return { ...figures, model: scoreArm(model), rulesAndModel, objections };
}

function askingOf(asked: AskedRunner): (facts: DiagnosisFacts) => Promise<Verdict> {
  const check = guardRunner(asked);
  return async (facts) => {
    const result = await askFor(MENU_ANSWER, asked.runner, promptOf(facts), asked.limits);
    check(result);
    const { answer, costUsd, tookMs } = result;
    const said = answer === null ? { cause: null, actions: [], sendsMessage: false } : verdictOfAnswer(answer);
    return { ...said, costUsd, tookMs };
  };
}
