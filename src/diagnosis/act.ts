/** Carries out permitted actions: each reads the pipeline again, checks its precondition, and acts at once. */
import type { Hub } from "../hub/hub.js";
import type { PipelineAction } from "./answer.js";
import type { Pipeline } from "./pipeline.js";
import { actionKey, checkAction } from "./whitelist.js";

export interface ActionOutcome {
  action: string;
  result: "done" | "refused" | "failed";
  reason: string;
}

/** Reading and changing a pipeline, wherever it is kept. */
export interface PipelineAccess {
  /** Or why it cannot be read. */
  read(): Promise<Pipeline | string>;
  /** Throws if it fails. */
  act(action: PipelineAction, seen: Pipeline): Promise<void>;
}

export async function carryOutActions(
  actions: readonly PipelineAction[],
  access: PipelineAccess,
  { now, done }: { now: () => number; done: ReadonlySet<string> },
): Promise<ActionOutcome[]> {
  const outcomes: ActionOutcome[] = [];
  for (const action of actions) {
    const key = actionKey(action);
    const outcome = async (): Promise<Omit<ActionOutcome, "action">> => {
      // What helped only until the next time is a problem for the user.
      if (done.has(key)) return { result: "refused", reason: "rouse did this within the last 24 h" };
      const pipeline = await access.read();
      if (typeof pipeline === "string") return { result: "refused", reason: pipeline };
      const objection = checkAction(action, pipeline, now());
      if (objection !== null) return { result: "refused", reason: objection };
      await access.act(action, pipeline);
      return { result: "done", reason: "" };
    };
    outcomes.push({
      action: key,
      ...(await outcome().catch((error: Error) => ({ result: "failed" as const, reason: error.message }))),
    });
  }
  return outcomes;
}

const AUTHOR = "rouse (diagnosis)";

/** Acts on the hub. Each change is refused by the hub itself if another client was faster. */
export async function actOnHub(hub: Hub, action: PipelineAction, seen: Pipeline): Promise<void> {
  switch (action.type) {
    case "retrigger_job": {
      const { claim, id: task } = await hub.get(Number(action.job_id));
      const job = seen.jobs.find(({ id }) => id === action.job_id);
      // Only the claim whose worker was found dead.
      if (claim === null || claim.leaseUntil - claim.leaseMs !== job?.worker_seen)
        throw new Error("another worker took the job meanwhile");
      await hub.release(
        { task, fence: claim.fence },
        { reason: action.reason || "its worker is dead", abandoned: true },
      );
      return;
    }
    case "reject_proposal":
      await hub.transition(Number(action.proposal_id), "reject", {
        actor: "rouse",
        author: AUTHOR,
        error: action.reason,
        onlyIf: { status: "approved", isChildless: true },
      });
      return;
    case "release_merge_lock": {
      const lock = seen.locks.find(({ project, name }) => project === action.project_id && name === "merge");
      if (!lock || !(await hub.releaseLock({ ...lock, author: AUTHOR })))
        throw new Error("the lock changed hands meanwhile");
      return;
    }
    case "trigger_scout": {
      const times = [...seen.jobs, ...seen.proposals].flatMap((one) =>
        one.project === action.project_id ? (one.updated ?? []) : [],
      );
      await hub.add(
        {
          title: "Scout for new work",
          kind: "scout",
          stage: "scout",
          project: action.project_id,
          source: "diagnosis",
          // The same idle pipeline gets one scout.
          sourceKey: `${action.project_id} ${Math.max(0, ...times)}`,
        },
        AUTHOR,
      );
      return;
    }
    case "reset_job_attempts":
      await hub.transition(Number(action.job_id), "reopen", {
        actor: "rouse",
        author: AUTHOR,
        onlyIf: { status: "failed" },
      });
      await hub.edit(Number(action.job_id), { attempts: 0, lastError: null }, AUTHOR);
  }
}
