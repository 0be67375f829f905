/**
 * What the user's own file grants to orchestrators that are watched agents themselves. No project file and no variable counts:
 * an agent can write the one and set the other.
 */
import { loadConfig } from "./load.js";

export interface OwnRights {
  /** Rights of clients inside of watched agents, as written. */
  rights: readonly string[];
  workerTags: readonly string[];
  workerPattern: string;
  orchestratorTag: string;
}

export function ownRights(env: Readonly<Record<string, string | undefined>> = process.env): OwnRights {
  const places = ["ROUSE_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];
  const { config } = loadConfig({ projects: false, env: Object.fromEntries(places.map((name) => [name, env[name]])) });
  const { worker_tags, worker_pattern, orchestrator_tag } = config.watchdog;
  return {
    rights: config.mcp.rights,
    workerTags: worker_tags,
    workerPattern: worker_pattern,
    orchestratorTag: orchestrator_tag,
  };
}
