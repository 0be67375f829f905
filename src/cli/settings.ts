/**
 * The settings that a command works by. What is wrong with them, or with profiles of the user's own, is said once, and
 * the command goes on without that.
 */

import { type ConfigIssue, issueText } from "../config/issue.js";
import type { Config } from "../config/keys.js";
import { loadConfig } from "../config/load.js";
import { rousePaths } from "../config/paths.js";
import { ownProfiles } from "../config/profiles-on-demand.js";
import { sanitize } from "../core/text/sanitize.js";

const reported = new Set<string>();
/** Here, since nobody who asks for settings waits for them. */
const ofProfiles = (await ownProfiles(rousePaths().config)).issues;

export function loadSettings(): Config {
  const { config, issues } = loadConfig();
  reportIssues([...issues, ...ofProfiles]);
  return config;
}

/** Each once. A project's file is as hostile as its agent: nothing of it reaches the terminal as it is. */
export function reportIssues(issues: readonly ConfigIssue[]): void {
  for (const issue of issues) {
    const line = `rouse: ${issue.level}: ${sanitize(issueText(issue))}\n`;
    if (!reported.has(line)) process.stderr.write(line);
    reported.add(line);
  }
}
