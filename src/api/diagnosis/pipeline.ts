/** Reads and changes the pipeline, wherever it is kept: in the hub, or behind the user's pair of commands. */
import { actOnHub, type PipelineAccess } from "../../diagnosis/act.js";
import { actOnCommand, readCommandPipeline } from "../../diagnosis/command-pair.js";
import { readHubPipeline } from "../../diagnosis/hub-pipeline.js";
import { NO_PIPELINE, type Pipeline } from "../../diagnosis/pipeline.js";
import type { ServiceContext } from "../service/context.js";

export const hasContextCommand = ({ config }: Pick<ServiceContext, "config">): boolean =>
  config.diagnosis.context.length > 0;

/** Or why it cannot be read. */
export async function readPipeline(
  context: Pick<ServiceContext, "config" | "hub" | "loop">,
): Promise<Pipeline | string> {
  const { config, hub, loop } = context;
  if (hasContextCommand(context)) return readCommandPipeline(config.diagnosis.context);
  if (!hub.isUsed()) return NO_PIPELINE;
  try {
    return await readHubPipeline(await hub.open(), (session) => {
      const judge = loop.state.sessions.get(session);
      return judge ? judge.session.endedAt === null && judge.evidence.exit === null : null;
    });
  } catch (error) {
    return `tasks: ${(error as Error).message}`;
  }
}

export const pipelineAccess = (context: Pick<ServiceContext, "config" | "hub" | "loop">): PipelineAccess => ({
  read: () => readPipeline(context),
  act: async (action, seen) => {
    const { hub, config } = context;
    if (!hasContextCommand(context)) return actOnHub(await hub.open(), action, seen);
    const failed = await actOnCommand(config.diagnosis.action, action);
    if (failed !== null) throw new Error(failed);
  },
});
