/** `rouse diagnose`: what rules and a model say about what is wrong. */
import type { Command } from "@commander-js/extra-typings";
import type { DiagnosisView } from "../../api/service/diagnosis.js";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { parseNamed } from "../arguments.js";
import { call, type OperationAnswer } from "../client.js";
import { localTime } from "../text/incident.js";
import { columnsOf, foldLine } from "../text/width.js";

const CONTEXT_MS = 60_000;
/** Reading the context, the longest run and its actions. */
const RUN_MS = 300_000;

export function addDiagnose(program: Command, setExit: (code: number) => void): void {
  program
    .command("diagnose")
    .summary("Explain what is wrong, with a model's help")
    .description(
      "Show the problems that rouse found, and ask a model for their cause ([diagnosis] in the configuration selects it). The\n" +
        "answer is an opinion: rouse takes only actions that diagnosis.actions permits, and only if it finds their\n" +
        "preconditions met. Exits 1 if the model gives no answer.",
    )
    .argument("[agent]", "agent to diagnose (default: all)", parseNamed)
    .option("--print-context", "print everything the model would get, and send nothing")
    .option("--history", "list earlier diagnoses, with cost and hit rate")
    .option("--right <id>", "mark a diagnosis as right", parseNamed)
    .option("--wrong <id>", "mark a diagnosis as wrong", parseNamed)
    .option("--json", "print JSON")
    .action(async (agent, { printContext, history, right, wrong, json }, self) => {
      const modes = [printContext, history, right, wrong].filter((mode) => mode !== undefined);
      if (modes.length > 1)
        self.error("error: --print-context, --history, --right and --wrong cannot be combined", { exitCode: 2 });
      if (agent !== undefined && (history || right || wrong))
        self.error("error: this option takes no agent", { exitCode: 2 });
      const asked = agent === undefined ? {} : { agent };
      const print = <T>(answer: T, text: (answer: T) => string): void =>
        void process.stdout.write(json ? `${sanitizedJson(answer)}\n` : text(answer));
      const screen = process.stdout;
      if (printContext)
        print(await call("diagnosis_context", asked, CONTEXT_MS), ({ lines }) => `${lines.join("\n")}\n`);
      else if (history) print(await call("diagnoses", {}), (answer) => historyText(answer, screen));
      else if (right !== undefined || wrong !== undefined) {
        const feedback = right === undefined ? "wrong" : "right";
        const answer = await call("diagnosis_feedback", { diagnosis: right ?? wrong ?? "", feedback });
        print(answer, ({ id }) => `Diagnosis ${id} is marked as ${feedback}.\n`);
      } else {
        const answer = await withProgress(() => call("diagnose", asked, RUN_MS));
        print(answer, (one) => diagnosisText(one, screen));
        if (answer.diagnosis === null) setExit(1);
      }
    });
}

/** One line on the terminal, which the answer replaces. */
async function withProgress<T>(work: () => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work();
  const started = Date.now();
  const show = (): void => void stderr.write(`\rAsking a model: ${Math.round((Date.now() - started) / 1000)} s `);
  show();
  const timer = setInterval(show, 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    stderr.write("\r\u001b[K");
  }
}

interface OutputStream {
  isTTY?: boolean;
  columns?: number;
}

export function diagnosisText(view: DiagnosisView, screen: OutputStream): string {
  const { id, findings, diagnosis, message, reason, actions, runner, model, cost_usd, took_secs } = view;
  const cost = cost_usd === null ? "" : `, $${cost_usd.toFixed(3)}`;
  const found = findings.flatMap(({ about, problem, reasons, advice }) => [
    `  ${about === "" ? "" : `${about}: `}${problem}: ${reasons.join("; ")}`,
    ...(advice === "" ? [] : [`    you can: ${advice}`]),
  ]);
  const lines = [
    "What rules found:",
    ...(found.length === 0 ? ["  nothing"] : found),
    "",
    `A model's opinion (${runner}${model === "" || runner === "command" ? "" : `, ${model}`}, ${took_secs} s${cost}):`,
    ...(diagnosis === null ? [`  none: ${reason ?? ""}`] : diagnosis.split("\n").map((line) => `  ${line}`)),
    ...(message === null ? [] : [`  Message: ${message}`]),
    ...(actions.length === 0 ? [] : ["", "Recommended actions:", ...actions.map(actionText)]),
    ...(diagnosis === null ? [] : ["", `Was it right? rouse diagnose --right ${id}, or --wrong ${id}`]),
  ];
  return `${lines.flatMap((line) => foldLine(line, columnsOf(screen), 4)).join("\n")}\n`;
}

const actionText = ({ action, result, reason }: DiagnosisView["actions"][number]): string =>
  `  ${action}: ${result}${reason === "" ? "" : `: ${reason}`}`;

function outcomeText({ agent, problem, result, at }: DiagnosisView["outcomes"][number], now: number): string {
  const ended = result === "recovered" ? "recovered" : "no longer seen since";
  return `  ${agent}: ${problem}: ${result === "open" || at === null ? "open" : `${ended} ${localTime(at, now)}`}`;
}

export function historyText(
  { diagnoses, right, wrong }: OperationAnswer<"diagnoses">,
  screen: OutputStream,
  now: number = Date.now(),
): string {
  if (diagnoses.length === 0) return "No diagnoses yet.\n";
  const lines = diagnoses.flatMap(({ id, at, about, diagnosis, reason, actions, outcomes, cost_usd, feedback }) => [
    `${localTime(at, now)}  ${id}  ${about ?? "all"}${cost_usd === null ? "" : `  $${cost_usd.toFixed(3)}`}${feedback === null ? "" : `  ${feedback}`}`,
    `  ${diagnosis ?? `no opinion: ${reason ?? ""}`}`,
    ...actions.map(actionText),
    ...outcomes.map((one) => outcomeText(one, now)),
  ]);
  const marked = right + wrong;
  const rate = marked === 0 ? "none marked as right or wrong yet" : `${right} of ${marked} marked ones were right`;
  return `${[...lines, "", `Hit rate: ${rate}`].flatMap((line) => foldLine(line, columnsOf(screen), 4)).join("\n")}\n`;
}
