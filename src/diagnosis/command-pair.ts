/** The user's two commands for a pipeline outside of rouse: one prints its state, the other carries out one action. */
import { homedir } from "node:os";
import { forOutput } from "../core/text/for-output.js";
import type { PipelineAction } from "./answer.js";
import { runChild } from "./child.js";
import { type Pipeline, parsePipeline } from "./pipeline.js";

const CONTEXT_MS = 30_000;
const OUTPUT_MAX = 1024 * 1024;

/** The pipeline, or why it is not known. */
export async function readCommandPipeline(command: readonly string[]): Promise<Pipeline | string> {
  const ran = await runCommand("context", command, "");
  if (typeof ran === "string") return ran;
  let value: unknown;
  try {
    value = JSON.parse(ran.stdout);
  } catch (error) {
    return `diagnosis.context: ${command[0]} did not print JSON: ${forOutput((error as Error).message, 200)}`;
  }
  const pipeline = parsePipeline(value);
  return typeof pipeline === "string" ? `diagnosis.context: ${command[0]}: ${pipeline}` : pipeline;
}

/** Null if it was carried out, otherwise why not. */
export async function actOnCommand(command: readonly string[], action: PipelineAction): Promise<string | null> {
  const ran = await runCommand("action", command, `${JSON.stringify(action)}\n`);
  return typeof ran === "string" ? ran : null;
}

async function runCommand(
  key: "context" | "action",
  [file, ...args]: readonly string[],
  input: string,
): Promise<{ stdout: string } | string> {
  if (file === undefined) return `diagnosis.${key}: no command`;
  const ran = await runChild({
    argv: [file, ...args],
    cwd: homedir(),
    env: { ...withoutSession(process.env), ROUSE_INTERNAL: "1" },
    input,
    outputMax: OUTPUT_MAX,
    totalMs: CONTEXT_MS,
  });
  if (ran.end === "exited" && ran.code === 0) return { stdout: ran.stdout };
  const [last = ""] = ran.stderr.trim().split("\n").slice(-1);
  return `diagnosis.${key}: ${ran.reason}${last === "" ? "" : `: ${forOutput(last, 200)}`}`;
}

/** ROUSE_SESSION marks the processes of an agent. */
const withoutSession = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[0] !== "ROUSE_SESSION" && entry[1] !== undefined,
    ),
  );
