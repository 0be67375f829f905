/** Starts a spawned agent again with a new host, under the same name, directory, environment and terminal size. */
import { rousePaths } from "../../config/paths.js";
import type { AgentSession } from "../../core/agent.js";
import { findRecord } from "../../terminal/registry.js";
import { startHost } from "../../terminal/start-host.js";
import type { EffectContext } from "../context.js";

export type StartResult =
  | { started: true; agent: AgentSession; note: string }
  /** `acted`: a start was attempted and failed. */
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
  if (!starting) return no("agents cannot be started here");
  if (agent.workspace === null) return no("its working directory is unknown");
  const before = findRecord(context.paths, agent.id);
  const { env, isOwn } = starting.environments.of(agent.id);
  if (rousePaths(env).sessions !== context.paths.sessions)
    return no("its environment points to other rouse directories");
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
    return { started: false, acted: true, reason: started.error ?? "it did not start (no reason given)" };
  const found = findRecord(context.paths, started.session);
  if (!found) return { started: false, acted: true, reason: "it was started but cannot be found" };
  return { started: true, agent: found, note: isOwn ? "" : ", with the daemon's environment" };
}
