/** The runner that the configuration names, or why there is none. */
import type { Config } from "../../config/keys.js";
import type { Cage } from "./cage.js";
import { claudeRunner } from "./claude.js";
import { endpointRunner } from "./endpoint.js";
import { commandRunner, programRunner } from "./program.js";
import type { Runner } from "./runner.js";

export function runnerOf(config: Config["diagnosis"], folder: string, env: NodeJS.ProcessEnv): Runner | string {
  const {
    runner,
    model,
    command,
    endpoint,
    endpoint_key_variable: variable,
    environment,
    read_folder: readFolder,
    sandbox,
  } = config;
  const cage: Cage = { folder, environment, sandbox };
  // The default model is one of Claude Code.
  const otherModel = model.startsWith("claude-") ? "" : model;
  switch (runner) {
    case "endpoint": {
      if (!/^https?:\/\/./.test(endpoint))
        return "diagnosis.endpoint must be an address such as http://127.0.0.1:11434";
      const key = variable === "" ? null : env[variable];
      if (key === undefined)
        return `diagnosis.endpoint_key_variable names ${variable}, which is not set in the daemon's environment`;
      return endpointRunner({ url: endpoint, model, key });
    }
    case "command": {
      const [file, ...args] = command;
      return file === undefined ? "diagnosis.command must name a program" : commandRunner([file, ...args], cage);
    }
    case "codex":
    case "gemini":
    case "opencode":
      return programRunner(runner, otherModel, cage);
    default:
      return claudeRunner({ file: "claude", model, readFolder, cage });
  }
}
