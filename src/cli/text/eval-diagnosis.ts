/** Figures of the diagnosis benchmark as text: one row per arm, then whether the model passes. */
import { sanitize } from "../../core/text/sanitize.js";
import type { AttributionFigures } from "../../eval/diagnosis/attribution.js";
import type { DiagnosisFigures } from "../../eval/diagnosis/run.js";
import type { ArmFigures, Mistake } from "../../eval/diagnosis/score.js";
import { wrapText } from "./width.js";

export function diagnosisFiguresText(figures: DiagnosisFigures, runner: string | null, columns: number): string {
  const { incidents, constant, rules, model, rulesAndModel, objections } = figures;
  const share = (count: number): string => `${count}/${incidents}`;
  const lines = [
    `${incidents} labelled incidents`,
    "",
    row("", "cause", "action", "harm", "abstained", "p95 s", "cost"),
    row("best constant answer", share(constant.rightCauses), share(constant.rightActions), "–", "–", "–", "–"),
    ...[["rules", rules] as const, ["model", model] as const, ["rules and model", rulesAndModel] as const].flatMap(
      ([name, arm]) => (arm === undefined ? [] : armRow(name, arm)),
    ),
    "",
    ...wrapText(`best constant answer: cause ${constant.cause}, action ${constant.action}`, columns),
  ];
  if (objections !== undefined) {
    const verdict = objections.length === 0 ? "passes" : `does not pass: ${objections.join("; ")}`;
    lines.push(...wrapText(`${runner ?? "the model"} ${verdict}`, columns));
  }
  return `${lines.join("\n")}\n`;
}

/** Every incident that an arm got wrong. */
export function mistakesText({ rules, model, rulesAndModel }: DiagnosisFigures): string {
  const arms = [["rules", rules] as const, ["model", model] as const, ["rules and model", rulesAndModel] as const];
  return arms
    .flatMap(([name, arm]) => (arm === undefined ? [] : ["", `${name}: wrong`, ...arm.mistakes.map(mistakeLine)]))
    .map((line) => `${line}\n`)
    .join("");
}

const mistakeLine = ({ id, cause, said, action, isActionRight, harm }: Mistake): string =>
  `  ${id}  ${cause}${said === cause ? "" : `, said ${said ?? "nothing"}`}${isActionRight ? "" : `; wrong action: ${action}`}${harm.length === 0 ? "" : `; harm: ${harm.join(", ")}`}`;

export function attributionText({ runs, constant, model }: AttributionFigures, set: string): string {
  const share = (count: number): string => `${count}/${runs}`;
  const agents = (count: number): string => (constant.agent === null ? "–" : share(count));
  const lines = [
    `${runs} failed ${runs === 1 ? "run" : "runs"} of ${set}`,
    "",
    row("", "step", "agent", "located", "abstained", "p95 s", "cost"),
    row("best constant answer", share(constant.rightSteps), agents(constant.rightAgents), "–", "–", "–", "–"),
    ...(model === undefined
      ? []
      : [
          row(
            "model",
            share(model.rightSteps),
            agents(model.rightAgents),
            model.located.toFixed(3),
            String(model.abstained),
            secondsText(model.p95Secs),
            costText(model.costUsd),
          ),
        ]),
    "",
    `best constant answer: step ${constant.step + 1} of the run${constant.agent === null ? "" : `, agent ${sanitize(constant.agent, 60)}`}`,
  ];
  return `${lines.join("\n")}\n`;
}

const secondsText = (seconds: number | null): string => (seconds === null ? "–" : seconds.toFixed(1));
const costText = (cost: number | null): string => (cost === null ? "–" : `$${cost.toFixed(2)}`);

const armRow = (name: string, arm: ArmFigures): string =>
  row(
    name,
    `${arm.rightCauses}/${arm.incidents}`,
    `${arm.rightActions}/${arm.incidents}`,
    String(arm.harmful),
    String(arm.abstained),
    secondsText(arm.p95Secs),
    costText(arm.costUsd),
  );

const row = (name: string, ...cells: string[]): string =>
  `  ${name.padEnd(21)}${cells.map((cell) => cell.padStart(11)).join("")}`;
