/** The stand-in model of the benchmarks as a runner: a real process. `folder` has its answers, and counts its runs. */
import { join } from "node:path";
import { toConfig } from "../../src/config/keys.js";
import { runnerOf } from "../../src/diagnosis/runners/index.js";
import type { AskedRunner } from "../../src/eval/diagnosis/asked-runner.js";

const STAND_IN = join(import.meta.dirname, "../stand-ins/menu-model.mjs");

export function standIn(folder: string, play: string): AskedRunner {
  const command = [process.execPath, STAND_IN, play, join(folder, "answers.json"), join(folder, "runs")];
  const settings = { ...toConfig(new Map()).diagnosis, runner: "command" as const, command, sandbox: false };
  const runner = runnerOf(settings, join(folder, "cage"), {});
  if (typeof runner === "string") throw new Error(runner);
  return { runner, limits: { timeoutMs: 60_000, totalMs: 120_000, signal: new AbortController().signal } };
}
