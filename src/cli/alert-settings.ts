/** Errors of channels and alert rules, as the daemon would report them, with their place in the file. */
import { type LoadedChannels, loadChannels } from "../config/channels.js";
import type { ConfigIssue } from "../config/issue.js";
import { type LoadedConfig, loadConfig } from "../config/load.js";
import { alertRules } from "../daemon/alert-rules.js";

export function alertSettings(
  { config, origins }: LoadedConfig = loadConfig(),
  env: NodeJS.ProcessEnv = process.env,
): Pick<LoadedChannels, "shown" | "issues"> {
  const { channels, shown, issues } = loadChannels(env, "person");
  const ofRules = alertRules(config, channels).issues.map(({ where: key, text, level }): ConfigIssue => {
    const origin = origins[key];
    return { level, where: origin?.where || key, position: origin?.position, text: `${key}: ${text}` };
  });
  return { shown, issues: [...issues, ...ofRules] };
}
