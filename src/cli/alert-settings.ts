/** What is wrong with channels and alerts, told as the daemon would tell it once it runs, and where it stands. */
import { type LoadedChannels, loadChannels } from "../config/channels.js";
import { type LoadedConfig, loadConfig } from "../config/load.js";
import type { Problem } from "../config/problem.js";
import { alertRules } from "../daemon/alert-rules.js";

export function alertSettings(
  { config, origins }: LoadedConfig = loadConfig(),
  env: NodeJS.ProcessEnv = process.env,
): Pick<LoadedChannels, "shown" | "problems"> {
  const { channels, shown, problems } = loadChannels(env, "person");
  const ofRules = alertRules(config, channels).problems.map(({ where: key, text, level }): Problem => {
    const origin = origins[key];
    return { level, where: origin?.where || key, position: origin?.position, text: `${key}: ${text}` };
  });
  return { shown, problems: [...problems, ...ofRules] };
}
