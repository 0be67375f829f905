/**
 * The settings that a command works by. What is wrong with them, or with profiles of the user's own, is said once, and
 * the command goes on without that.
 */
import type { Config } from "../config/keys.js";
import { loadConfig } from "../config/load.js";
import { rousePaths } from "../config/paths.js";
import { type Problem, problemText } from "../config/problem.js";
import { ownProfiles } from "../config/profile-folder.js";
import { plain } from "../core/plain.js";

const told = new Set<string>();
/** Here, since nobody who asks for settings waits for them. */
const ofProfiles = (await ownProfiles(rousePaths().config)).problems;

export function settings(): Config {
  const { config, problems } = loadConfig();
  tellProblems([...problems, ...ofProfiles]);
  return config;
}

/** Each once. A project's file is as hostile as its agent: nothing of it reaches the terminal as it is. */
export function tellProblems(problems: readonly Problem[]): void {
  for (const problem of problems) {
    const line = `rouse: ${problem.level}: ${plain(problemText(problem))}\n`;
    if (!told.has(line)) process.stderr.write(line);
    told.add(line);
  }
}
