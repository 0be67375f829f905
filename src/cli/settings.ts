/**
 * The settings of a command. Errors in them, or in profiles of the user, are reported once; the command continues without
 * the wrong value.
 */

import { type ConfigIssue, issueText } from "../config/issue.js";
import type { Config } from "../config/keys.js";
import { loadConfig } from "../config/load.js";
import { rousePaths } from "../config/paths.js";
import { ownProfiles } from "../config/profiles-on-demand.js";
import { sanitize } from "../core/text/sanitize.js";
import { foldText } from "./text/width.js";

const reported = new Set<string>();
/** Loaded here, because `settings` is synchronous. */
const ofProfiles = (await ownProfiles(rousePaths().config)).issues;

export function loadSettings(): Config {
  const { config, issues } = loadConfig();
  reportIssues([...issues, ...ofProfiles]);
  return config;
}

/** Reports each issue once. The file of a project is untrusted: its text is sanitized. */
export function reportIssues(issues: readonly ConfigIssue[]): void {
  for (const issue of issues) {
    const line = `rouse: ${issue.level}: ${sanitize(issueText(issue))}\n`;
    if (!reported.has(line)) process.stderr.write(foldText(line, process.stderr));
    reported.add(line);
  }
}
