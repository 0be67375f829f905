/** A spawned agent once more, under its name, in its folder, with its environment and size, by a host of its own. */
import { rousePaths } from "../../config/paths.js";
import type { AgentSession } from "../../core/agent.js";
import { findRecord } from "../../terminal/registry.js";
import { startHost } from "../../terminal/start-host.js";
import type { EffectContext } from "../context.js";

export type StartResult =
  | { started: true; agent: AgentSession; note: string }
  /** `touched`: something was begun, and it came to nothing. */
  | { started: false; acted: boolean; reason: string };

const no = (reason: string): StartResult => ({ started: false, acted: false, reason });

const COLS = 120;
const ROWS = 40;

export async function spawnAgain(
  agent: AgentSession,
  command: readonly string[],
  context: EffectContext,
): Promise<StartResult> {
  const { starting } = context;
  if (!starting) return no("nothing can be started here");
  if (agent.workspace === null) return no("its folder is not known");
  const before = findRecord(context.paths, agent.id);
  const { env, isOwn } = starting.environments.of(agent.id);
  if (rousePaths(env).sessions !== context.paths.sessions) return no("its environment has other folders of rouse");
  const { name, kind, tags, task, policy, workspace } = agent;
  const started = await startHost(
    {
      spec: { wanted: name, kind, tags, task, policy, command: [...command], workspace, origin: "spawn" },
      cols: before?.cols ?? COLS,
      rows: before?.rows ?? ROWS,
    },
    { script: starting.hostScript, paths: context.paths, env },
  );
  if (started.session === undefined)
    return { started: false, acted: true, reason: started.error ?? "its host did not say why it did not start" };
  const found = findRecord(context.paths, started.session);
  if (!found) return { started: false, acted: true, reason: "it was started, and is not to be found" };
  return { started: true, agent: found, note: isOwn ? "" : ", with the daemon's environment" };
}
