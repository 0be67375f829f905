/**
 * Runs a model program once: in a fresh private folder, with an environment built from nothing, its prompt on standard
 * input, and an end that is proven.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "../../config/paths.js";
import { forOutput } from "../../core/text/for-output.js";
import { type ChildResult, runChild } from "../child.js";
import type { RunnerLimits, RunnerResult } from "./runner.js";
import { sandboxed, sandboxProblem } from "./sandbox.js";

export interface Cage {
  /** Private folders are made here. */
  folder: string;
  /** Variables of the daemon that the program gets. */
  environment: readonly string[];
  /** A sandbox for programs with tools; see sandbox.ts. */
  sandbox: boolean;
}

/** Programs that have not answered with less never do. */
const OUTPUT_MAX = 256 * 1024;
const BASE = ["PATH", "HOME", "LANG", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CODEX_HOME"];

export interface CagedProgram {
  argv: readonly [string, ...string[]];
  input: string;
  /** Files of the private folder, by name. */
  files?: Readonly<Record<string, string>>;
  /** The file that holds the answer; default: standard output. */
  answerFile?: string;
  /** It has tools that could read files: it runs in a sandbox, if the cage has one. */
  hasTools?: boolean;
  /** Files and folders with its login, in the home folder. */
  login?: (env: Readonly<Record<string, string>>) => string[];
}

export interface CagedResult extends ChildResult {
  text: string;
}

export async function runInCage(
  program: CagedProgram,
  { folder, environment, sandbox }: Cage,
  limits: RunnerLimits,
): Promise<CagedResult> {
  makePrivateFolder(folder);
  const env = cageEnvironment(environment, process.env);
  const cwd = mkdtempSync(join(folder, "run-"));
  try {
    for (const [name, text] of Object.entries(program.files ?? {}))
      writeFileSync(join(cwd, name), text, { mode: 0o600 });
    const isSandboxed = sandbox && program.hasTools === true;
    const argv = isSandboxed
      ? sandboxed({ argv: program.argv, login: program.login?.(env) ?? [], cwd, env })
      : program.argv;
    if (typeof argv === "string") return notStarted(argv);
    const ran = await runChild({
      argv,
      name: program.argv[0],
      cwd,
      env,
      input: program.input,
      outputMax: OUTPUT_MAX,
      totalMs: limits.totalMs,
      connectedMs: limits.timeoutMs,
      signal: limits.signal,
    });
    const problem = isSandboxed && ran.code !== 0 ? sandboxProblem(ran.stderr) : null;
    if (problem !== null) return notStarted(problem);
    return { ...ran, text: program.answerFile === undefined ? ran.stdout : read(join(cwd, program.answerFile)) };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const notStarted = (reason: string): CagedResult => ({
  end: "not_started",
  code: null,
  stdout: "",
  stderr: "",
  tookMs: 0,
  isGone: true,
  reason,
  text: "",
});

/** API keys are left out: a program that has both a login and a key uses the key, and the user pays. */
export function cageEnvironment(more: readonly string[], from: NodeJS.ProcessEnv): Record<string, string> {
  const kept = [...BASE, ...more].flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]));
  return {
    ...Object.fromEntries(kept),
    ROUSE_INTERNAL: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

/** Why there is no answer, for a program that did not end well; null if it did. */
export function failureOf({ end, code, reason, stderr, isGone }: ChildResult): string | null {
  if (!isGone) return `${reason || "the program ended"}, and some of its processes could not be ended`;
  if (end === "exited" && code === 0) return null;
  const last = stderr.trim().split("\n").at(-1) ?? "";
  return last === "" ? reason : `${reason}: ${forOutput(last, 300)}`;
}

export const noAnswer = (reason: string, tookMs = 0, costUsd: number | null = null): RunnerResult => ({
  reason,
  tookMs,
  costUsd,
});

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, OUTPUT_MAX);
  } catch {
    return "";
  }
}
