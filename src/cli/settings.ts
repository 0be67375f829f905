/** The settings that a command works by. What is wrong with them is said once, and the command goes on without that. */
import type { Config } from "../config/keys.js";
import { loadConfig } from "../config/load.js";
import { type Problem, problemText } from "../config/problem.js";
import { plain } from "../core/plain.js";

let isTold = false;

export function settings(): Config {
  const { config, problems } = loadConfig();
  if (!isTold) tellProblems(problems);
  isTold = true;
  return config;
}

/** A project's file is as hostile as its agent: nothing of it reaches the terminal as it is. */
export function tellProblems(problems: readonly Problem[]): void {
  for (const problem of problems) process.stderr.write(`rouse: ${problem.level}: ${plain(problemText(problem))}\n`);
}
