/** Starts a configured agent for a task on a client's request. An agent that holds the task is stopped first. */

import { agentOfCommand, isAgentName } from "../../config/agents.js";
import { ownRights } from "../../config/own-rights.js";
import type { Action } from "../../core/action.js";
import { isUnseen } from "../../core/agent-decisions.js";
import { sanitize } from "../../core/text/sanitize.js";
import { stopAgent } from "../../effects/process/stop.js";
import type { Claim } from "../../hub/hub.js";
import { HubError } from "../../hub/hub-error.js";
import { holderOf } from "../../work/holder.js";
import { NotStarted, type TaskStart } from "../../work/task-starter.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import { insideObjection } from "./access.js";
import type { ServiceContext } from "./context.js";
import { kindOfHubError } from "./hub-errors.js";
import type { SpawnedAgent, SpawnOrder } from "./spawn-order.js";

type TaskOrder = Omit<SpawnOrder, "request_id"> & { as: string };

const STOP_MS = 90_000;

export async function startForTask(context: ServiceContext, client: Identity, order: TaskOrder): Promise<SpawnedAgent> {
  const { orders, hub, taskStarter } = context;
  const task = taskIdOf(order);
  const text = `${order.as} for task ${task}`;
  const line = orders.begin(client, { action: "spawn", agent: order.name ?? null, session: null, text });
  try {
    const { claim } = await (await hub.open()).get(task);
    const from = claim === null ? undefined : await freed(context, client, order, claim);
    const { as, command, name = null, approach, directive, worktree, cwd: workspace, env, cols, rows } = order;
    const { kind = null, policy = null, tags } = order;
    const start: TaskStart = { task, as, name, workspace, env, cols, rows };
    const started = await taskStarter.start({
      ...start,
      ...(command ? { agent: agentOfCommand(as, command, { kind, policy, tags }) } : {}),
      ...(from ? { from } : {}),
      ...(approach ? { approach } : {}),
      ...(directive ? { directive } : {}),
      ...(worktree === undefined ? {} : { worktree }),
    });
    if (started.result === "exhausted") throw new NotStarted([started.title, ...started.history].join("\n"));
    const { agent, session, pid, prompt } = started;
    orders.finish(line, "done", `${agent}, session ${session}`);
    return { agent, session, pid, prompt };
  } catch (error) {
    const result = error instanceof ApiError ? "refused" : "failed";
    orders.finish(line, result, (error as Error).message.slice(0, 300));
    const text = `the agent was not started: ${sanitize((error as Error).message, 4000)}`;
    if (error instanceof HubError)
      throw new ApiError(kindOfHubError(error.code) === "unavailable" ? "unavailable" : "refused", text);
    if (error instanceof NotStarted) throw new ApiError("refused", text);
    throw error;
  }
}

function taskIdOf({ task, as, preset, prompt }: TaskOrder): number {
  if (preset !== undefined || prompt !== undefined)
    throw new ApiError("bad", "as: the prompt is made from the task; use it without preset and prompt");
  if (!isAgentName(as))
    throw new ApiError(
      "bad",
      `as: ${JSON.stringify(sanitize(as, 80))} is not accepted; expected letters, digits, - and _`,
    );
  if (task === undefined || !/^\d{1,15}$/.test(task))
    throw new ApiError("bad", "task: expected the number of a task, such as 7; see `rouse task list`");
  return Number(task);
}

/** The claim, after its session is proven ended. */
async function freed(
  context: ServiceContext,
  client: Identity,
  { take_over, task }: TaskOrder,
  claim: Claim,
): Promise<NonNullable<TaskStart["from"]>> {
  const { loop, hub, effectContext, orders } = context;
  const own = claim.node === hub.node ? loop.find(claim.session) : null;
  if (claim.node !== hub.node && own === null && claim.leaseUntil >= Date.now())
    throw new ApiError(
      "refused",
      `task ${task} is held by ${claim.agent} on ${claim.node}; release it there, or wait until its lease lapses`,
    );
  const holder = own ? loop.find(holderOf(loop, claim) ?? claim.session) : null;
  const isUnknown = holder === null || isUnseen(holder);
  const isAlive = !isUnknown && holder.session.endedAt === null && holder.evidence.exit === null;
  if ((isAlive || isUnknown) && take_over !== true)
    throw new ApiError(
      "refused",
      `task ${task} is held by ${claim.agent}${isAlive ? ", which is running" : ", which rouse cannot see"}; to hand it over anyway, use --take-over`,
    );
  const exit = holder?.evidence.exit ?? null;
  const reason =
    isUnknown || isAlive
      ? `${client.author} started another session`
      : `${claim.agent} ended before it finished the task (${exit?.signal != null ? `signal ${exit.signal}` : exit?.code != null ? `exit code ${exit.code}` : "exit code unknown"})`;
  if (isAlive) {
    const { session } = holder;
    const objection = insideObjection("workers", client, session, ownRights());
    if (objection !== null) throw new ApiError("identity", `${objection}; run the command in another terminal`);
    const action: Action = {
      id: `take-over-${claim.task}-${claim.fence}`,
      do: "stop",
      incident: "",
      agent: session.name,
      session: session.id,
      problem: "stale_claim",
      attempt: 1,
      deadlineMs: STOP_MS,
      proof: "process_gone",
      waitMs: 0,
    };
    const text = `task ${claim.task} was given to another session`;
    const line = orders.begin(client, { action: "stop", agent: session.name, session: session.id, text });
    const stopped = await stopAgent(action, session, { ...effectContext, isOrder: true });
    orders.finish(line, stopped.result, stopped.reason);
    if (stopped.result !== "done")
      throw new ApiError(
        "refused",
        `${session.name} could not be stopped, so task ${task} stays with it: ${stopped.reason}`,
      );
  }
  const mayStillRun = isUnknown
    ? `rouse cannot see the earlier session (${claim.agent}), so it may still be running. Its reports are refused from now on. Before you change a file, check whether something else is changing it.`
    : null;
  return { claim, reason, mayStillRun };
}
