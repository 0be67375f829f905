/** `rouse checkpoint`: an agent reports a completed step of its task. */
import { rousePaths } from "../../config/paths.js";
import { type HttpAnswer, sendRequest } from "../send.js";
import { callerHeaders } from "./hook.js";

const TEXT_MAX = 4000;
const LIMIT_MS = 10_000;
const USAGE = 'usage: rouse checkpoint [TASK] --step N "what was completed" [--name AGENT]';

interface CheckpointInput {
  task?: number;
  step?: number;
  text: string;
  agent?: string;
  request_id: string;
}

export async function runCheckpoint(args: readonly string[]): Promise<number> {
  const input = parseCheckpoint(args);
  if (typeof input === "string") return say(`${input}\n${USAGE}`, 2);
  const answer = await sendRequest({
    socketPath: rousePaths().daemonSocket,
    path: "/v1/checkpoints",
    body: JSON.stringify(input),
    headers: callerHeaders(),
    limitMs: LIMIT_MS,
  });
  if (answer === null) return store(input, "the daemon does not answer now; the checkpoint is delivered when it does");
  if (answer.status === 503) return store(input, `${reasonOf(answer)}; the checkpoint is delivered later`);
  if (answer.status !== 200) return say(reasonOf(answer), 1);
  process.stdout.write(`${doneText(answer)}\n`);
  return 0;
}

/** The checkpoint is delivered later. */
async function store(input: CheckpointInput, why: string): Promise<number> {
  const [{ spool }, { reporter }] = await Promise.all([
    import("../../work/spool.js"),
    import("../../work/reporter.js"),
  ]);
  const paths = rousePaths();
  const stored = { operation: "checkpoint", at: Date.now(), ...reporter(paths), input: { ...input } } as const;
  const problem = spool(paths.state, stored);
  if (problem !== null) return say(`the checkpoint could be neither delivered nor stored: ${problem}`, 69);
  process.stdout.write(`Stored: ${why}.\n`);
  return 0;
}

function parseCheckpoint(args: readonly string[]): CheckpointInput | string {
  const words: string[] = [];
  let step: number | undefined;
  let agent: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      words.push(...args.slice(at + 1));
      break;
    }
    if (word === "--step" || word.startsWith("--step=")) {
      const value = word === "--step" ? args[++at] : word.slice("--step=".length);
      if (value === undefined || !/^\d{1,6}$/.test(value)) return "--step requires the number of a step, such as 3";
      step = Number(value);
    } else if (word === "--name") {
      agent = args[++at];
      if (agent === undefined) return "--name requires the name of an agent";
    } else if (word.startsWith("--")) return `unknown option ${JSON.stringify(word.slice(0, 40))}`;
    else words.push(word);
  }
  const task =
    /^#?\d{1,9}$/.test(words[0] ?? "") && words.length > 1 ? Number(words.shift()?.replace("#", "")) : undefined;
  const text = words.join(" ").trim().slice(0, TEXT_MAX);
  if (text === "") return "the text is missing: say what was completed";
  return {
    ...(task === undefined ? fromEnvironment() : { task }),
    ...(step === undefined ? {} : { step }),
    ...(agent === undefined ? {} : { agent }),
    text,
    request_id: `${Date.now().toString(36)}-${process.pid}`,
  };
}

/** The task that a continuation was started for. */
function fromEnvironment(): { task?: number } {
  const { ROUSE_TASK = "" } = process.env;
  return /^\d{1,9}$/.test(ROUSE_TASK) ? { task: Number(ROUSE_TASK) } : {};
}

function doneText({ body }: HttpAnswer): string {
  const { task, steps, completed_steps } = JSON.parse(body) as {
    task: number;
    steps: number;
    completed_steps: number[];
  };
  const done = completed_steps.filter((step) => step > 0).length;
  return steps === 0
    ? `Checkpoint of task ${task} stored.`
    : `Checkpoint of task ${task} stored: ${done} of ${steps} steps done.`;
}

function reasonOf({ body }: HttpAnswer): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === "string" ? error.slice(0, 500) : "the daemon refused the checkpoint";
  } catch {
    return "the daemon refused the checkpoint";
  }
}

async function say(message: string, code: number): Promise<number> {
  const { foldText } = await import("../text/width.js");
  process.stderr.write(foldText(`rouse: ${message}\n`, process.stderr));
  return code;
}
