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

export interface Cage {
  /** Private folders are made here. */
  folder: string;
  /** Variables of the daemon that the program gets. */
  environment: readonly string[];
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
}

export interface CagedResult extends ChildResult {
  text: string;
}

export async function runInCage(
  program: CagedProgram,
  { folder, environment }: Cage,
  limits: RunnerLimits,
): Promise<CagedResult> {
  makePrivateFolder(folder);
  const cwd = mkdtempSync(join(folder, "run-"));
  try {
    for (const [name, text] of Object.entries(program.files ?? {}))
      writeFileSync(join(cwd, name), text, { mode: 0o600 });
    const ran = await runChild({
      argv: program.argv,
      cwd,
      env: cageEnvironment(environment, process.env),
      input: program.input,
      outputMax: OUTPUT_MAX,
      totalMs: limits.totalMs,
      connectedMs: limits.timeoutMs,
      signal: limits.signal,
    });
    return { ...ran, text: program.answerFile === undefined ? ran.stdout : read(join(cwd, program.answerFile)) };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

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
