/** The queue of work, for clients: which of them may report about a task, and how refusals of the hub reach them. */

import { ownCheck } from "../../config/own-check.js";
import type { AgentSession } from "../../core/agent.js";
import { sanitize } from "../../core/text/sanitize.js";
import { MINUTE } from "../../core/text/time.js";
import type { CheckpointSource, Finish, Hub, QueueFilter, Task, TaskDetail, TaskSummary } from "../../hub/hub.js";
import { HubError, refusalError } from "../../hub/hub-error.js";
import { CLOSED, statusesFor, TASK_STATUSES, type TaskOperation, type TaskStatus } from "../../hub/task-states.js";
import type { WorkSignal } from "../../work/claim-keeper.js";
import { forkState, removeFork } from "../../work/fork-state.js";
import { holderOf } from "../../work/holder.js";
import { chooseHeld, type HeldTask, heldTasks } from "../../work/own-claim.js";
import { explainNext } from "../../work/planner.js";
import { secondAttempt } from "../../work/second-attempt.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import type { TaskInput } from "../operations/task-inputs.js";
import { checkReporter } from "./access.js";
import { findAgent, type ServiceContext } from "./context.js";
import { kindOfHubError } from "./hub-errors.js";
import {
  type CheckpointView,
  type ClaimView,
  checkpointView,
  claimView,
  detailView,
  hubFields,
  type LockView,
  lockView,
  summaryView,
  type TaskDetailView,
  type TaskSummaryView,
  type TaskView,
  taskView,
} from "./task-views.js";
import { UnseenAgents } from "./unseen-agents.js";

type Verified = Pick<Finish, "verification" | "mustBeVerified" | "error">;

/** Lines of a check's output in the answer to its holder; the task keeps more. */
const OUTPUT_LINES = 20;
const NOT_VERIFIED = { contradicted: "its check failed", unverified: "its check has no result", verified: "" } as const;
const OPEN: readonly TaskStatus[] = TASK_STATUSES.filter((status) => !CLOSED.includes(status));

export class TaskService {
  readonly #context: Pick<ServiceContext, "loop" | "hub" | "checks" | "tuning">;
  readonly #unseen: UnseenAgents;

  constructor(context: Pick<ServiceContext, "loop" | "hub" | "checks" | "tuning">) {
    this.#context = context;
    this.#unseen = new UnseenAgents(context.loop);
  }

  list({ status = [...OPEN], ...input }: TaskInput<"tasks">): Promise<{ tasks: TaskSummaryView[] }> {
    return this.#ask(async (hub) => ({ tasks: (await hub.list({ status, ...given(input) })).map(summaryView) }));
  }

  show(task: number): Promise<TaskDetailView> {
    return this.#ask(async (hub) => detailView(await hub.get(task)));
  }

  next(filter: TaskInput<"next_task">): Promise<{ task: TaskView | null; reasons: string[] }> {
    return this.#ask(async (hub) => {
      const queue = queueOf(filter);
      const task = await hub.next(queue);
      const pending = await hub.list({ ...queue, status: ["pending"] });
      return { task: task && taskView(task), reasons: explainNext(task, pending) };
    });
  }

  async add(fields: TaskInput<"add_task">, identity: Identity): Promise<TaskView> {
    checkCheck(fields, identity);
    return this.#ask(async (hub) => taskView(await hub.add(hubFields(fields), identity.author)));
  }

  async edit(task: number, changes: Omit<TaskInput<"edit_task">, "task">, identity: Identity): Promise<TaskView> {
    checkCheck(changes, identity);
    return this.#ask(async (hub) => taskView(await hub.edit(task, hubFields(changes), identity.author)));
  }

  comment(
    task: number,
    text: string,
    agent: string | undefined,
    identity: Identity,
  ): Promise<{ id: number; author: string; text: string; at: string }> {
    return this.#ask(async (hub) => {
      const session = this.#reporter(identity, agent);
      const claim = session && (await this.#held(hub, session)).find(({ id }) => id === task)?.claim;
      const comment = await hub.comment(task, text, identity.author, claim ?? undefined);
      if (session && claim) await this.#signal(session, { kind: "checkpoint", task: String(task), text });
      return { id: comment.id, author: comment.author, text: comment.text, at: new Date(comment.at).toISOString() };
    });
  }

  decide(
    task: number,
    { decision, error, result }: Omit<TaskInput<"decide_task">, "task">,
    identity: Identity,
  ): Promise<TaskView> {
    const options = { actor: "user", author: identity.author, ...given({ error, result }) } as const;
    return this.#ask(async (hub) => {
      if (decision !== "done") return taskView(await hub.transition(task, decision satisfies TaskOperation, options));
      return this.#verified(hub, await hub.get(task), (outcome) =>
        hub.transition(task, decision, { ...options, ...outcome }),
      );
    });
  }

  /** A new task with a folder and branch of its own; the first attempt and its history stay as they are. */
  fork({ task, at }: TaskInput<"fork_task">, identity: Identity): Promise<TaskView> {
    return this.#ask(async (hub) => {
      const found = await hub.get(task);
      const checkpoint = found.checkpoints.find(({ id }) => id === at);
      if (!checkpoint) {
        const known = found.checkpoints.slice(-10).map(({ id }) => id);
        const near = known.length === 0 ? "it has none" : `the last ones are ${known.join(", ")}`;
        throw new ApiError("bad", `task ${task} has no checkpoint ${at}; ${near}, see \`rouse task show ${task}\``);
      }
      if (found.workspace === null)
        throw new ApiError(
          "refused",
          `task ${task} has no workspace; set one with \`rouse task edit ${task} --workspace\``,
        );
      const fork = await forkState(found.workspace, task, checkpoint.at);
      if (typeof fork === "string") throw new ApiError("refused", fork);
      try {
        return taskView(await hub.add(secondAttempt(found, checkpoint, fork), identity.author));
      } catch (error) {
        await removeFork(found.workspace, fork.folder, fork.branch);
        throw error;
      }
    });
  }

  claim(
    { task, agent, ...filter }: TaskInput<"claim_task">,
    identity: Identity,
  ): Promise<{ task: TaskView | null; claim: ClaimView | null; is_continuation: boolean }> {
    return this.#ask(async (hub) => {
      const session = this.#reporter(identity, agent);
      if (!session) throw new ApiError("bad", "agent: missing; name the agent that works on the task");
      const holder = { agent: session.name, session: session.id };
      const claimed = task === undefined ? await hub.claimNext(queueOf(filter), holder) : await hub.claim(task, holder);
      if (!claimed) return { task: null, claim: null, is_continuation: false };
      await this.#signal(session, { kind: "claim", task: String(claimed.task.id), phase: "taken" });
      return { task: taskView(claimed.task), claim: claimView(claimed.claim), is_continuation: claimed.isContinuation };
    });
  }

  release({ task, reason, agent }: TaskInput<"release_task">, identity: Identity): Promise<TaskView> {
    return this.#ask(async (hub) => {
      const { held, session } = await this.#claimOf(hub, identity, { task, agent });
      const released = await hub.release({ task: held.id, fence: held.claim.fence }, { reason });
      await this.#signal(session, { kind: "claim", task: String(task), phase: "released" });
      return taskView(released);
    });
  }

  finish({ task, outcome, error, result, agent }: TaskInput<"finish_task">, identity: Identity): Promise<TaskView> {
    return this.#ask(async (hub) => {
      const { held, session } = await this.#claimOf(hub, identity, { task, agent });
      const claim = { task: held.id, fence: held.claim.fence };
      const close = (verified: Verified): Promise<Task> =>
        hub.finish(claim, { outcome, ...given({ error, result }), ...verified });
      const finished = outcome === "done" ? await this.#verified(hub, held, close, session) : taskView(await close({}));
      await this.#signal(session, { kind: "claim", task: String(task), phase: "released" });
      return finished;
    });
  }

  /** Runs the check of the task, and closes it only if it passes. A task without a check is closed unverified. */
  async #verified(
    hub: Hub,
    task: TaskSummary,
    close: (verified: Verified) => Promise<Task>,
    holder?: AgentSession | null,
  ): Promise<TaskView> {
    if (!statusesFor("done").includes(task.status)) return taskView(await close({}));
    const own = orRefused(() => ownCheck(task.project));
    const command = task.check ?? (own.command.length > 0 ? own.command : null);
    if (command === null) return taskView(await close({ verification: "unverified" }));
    const { loop, hub: node, checks } = this.#context;
    const session = holder ?? (task.claim?.node === node.node ? loop.find(task.claim.session)?.session : undefined);
    const folder = task.workspace ?? session?.workspace ?? null;
    const limitMs = own.work.check_timeout_minutes * 60_000;
    const { verification, text, output } = await checks.run(hub, {
      task: task.id,
      command,
      folder,
      limitMs,
    });
    const isVerified = verification === "verified";
    const outcome = { verification, mustBeVerified: true, ...(isVerified ? {} : { error: text }) };
    try {
      return taskView(await close(outcome));
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== "unverified") throw error;
      const end = output === "" ? "" : `\nEnd of its output:\n${output.split("\n").slice(-OUTPUT_LINES).join("\n")}`;
      throw new ApiError(
        "refused",
        `task ${task.id} stays ${task.status}: ${NOT_VERIFIED[verification]}: ${text}${end}`,
      );
    }
  }

  checkpoint(
    { task, step = null, text, at, request_id, agent }: TaskInput<"checkpoint">,
    identity: Identity,
    source: CheckpointSource = "http",
  ): Promise<{ task: number; checkpoint: CheckpointView; steps: number; completed_steps: number[] }> {
    return this.#ask(async (hub) => {
      const unseen = agent === undefined ? null : this.#unseen.find(identity, agent);
      const { held, session } =
        agent !== undefined && unseen !== null
          ? await this.#claimByReport(hub, identity, { agent, known: unseen === "new" ? null : unseen, task, step })
          : await this.#claimOf(hub, identity, { task, agent });
      const claim = { task: held.id, fence: held.claim.fence };
      const key = request_id === undefined ? undefined : `${identity.author} ${request_id}`;
      const stored = await hub.checkpoint(claim, { step, text, source, ...given({ at, key }) });
      await this.#signal(
        session,
        { kind: "checkpoint", task: String(held.id), text, ...(step === null ? {} : { step }) },
        at,
      );
      const completed = new Set(step === null || step === 0 ? held.completedSteps : [...held.completedSteps, step]);
      return {
        task: held.id,
        checkpoint: checkpointView(stored),
        steps: held.steps.length,
        completed_steps: [...completed].sort((a, b) => a - b),
      };
    });
  }

  locks(project?: string): Promise<{ locks: LockView[] }> {
    return this.#ask(async (hub) => ({ locks: (await hub.locks(given({ project }))).map(lockView) }));
  }

  takeLock({ project, name, lease_secs, agent }: TaskInput<"take_lock">, identity: Identity): Promise<LockView> {
    return this.#ask(async (hub) => {
      const session = this.#reporter(identity, agent);
      const [held] = session ? await this.#held(hub, session) : [];
      const request = { project, name, holder: session?.name ?? identity.author };
      return lockView(
        await hub.takeLock({
          ...request,
          ...(held ? { claim: { task: held.id, fence: held.claim.fence } } : {}),
          ...(lease_secs === undefined ? {} : { leaseMs: lease_secs * 1000 }),
        }),
      );
    });
  }

  releaseLock({ project, name, agent }: TaskInput<"release_lock">, identity: Identity): Promise<{ released: boolean }> {
    return this.#ask(async (hub) => {
      const session = this.#reporter(identity, agent);
      const lock = { project, name, author: identity.author };
      return { released: await hub.releaseLock(session ? { ...lock, holder: session.name } : lock) };
    });
  }

  /** The claim that a report is about. The user may report about any task, in the name of the agent that holds it. */
  async #claimOf(
    hub: Hub,
    identity: Identity,
    { task, agent }: { task?: number | undefined; agent?: string | undefined },
  ): Promise<{ held: HeldTask; session: AgentSession | null }> {
    const session = this.#reporter(identity, agent);
    if (session) return { held: chooseHeld(await this.#held(hub, session), shown(session.name), task), session };
    if (task === undefined) throw new ApiError("bad", "task: missing; name the task, or run this inside the agent");
    const { claim, ...found } = await hub.get(task);
    if (claim === null)
      throw new ApiError("refused", `task ${task} is ${found.status}, and no agent holds it; claim it first`);
    const own =
      this.#context.hub.node === claim.node
        ? (this.#context.loop.find(holderOf(this.#context.loop, claim) ?? claim.session)?.session ?? null)
        : null;
    return { held: { ...found, claim }, session: own };
  }

  /**
   * The claim that a checkpoint of an agent that rouse cannot see is about. Its first one claims the task: the agent can ask
   * for nothing else. A claim that it lost is used as it is, so that the hub refuses the write and records it.
   */
  async #claimByReport(
    hub: Hub,
    identity: Identity,
    {
      agent,
      known,
      task,
      step,
    }: { agent: string; known: AgentSession | null; task: number | undefined; step: number | null },
  ): Promise<{ held: HeldTask; session: AgentSession }> {
    const mine = known ? await this.#heldBy(hub, known) : [];
    if (known && (task === undefined || mine.some(({ id }) => id === task)))
      return { held: chooseHeld(mine, shown(agent), task), session: known };
    if (task === undefined) throw new ApiError("bad", `task: missing; ${shown(agent)} holds no task yet, so name one`);
    const found = await hub.get(task);
    const lost = known && found.claims.findLast(({ session }) => session === known.id);
    if (known && lost && found.status !== "pending") return { held: { ...found, claim: lost }, session: known };
    checkClaimable(found, step);
    const session = known ?? (await this.#unseen.create(identity, agent));
    // Only its checkpoints renew this claim.
    const leaseMs = this.#context.tuning.configOf(session).checkpoints.claim_stale_minutes * MINUTE;
    const holder = { agent: session.name, session: session.id, leaseMs };
    const claimed = await hub.claim(task, holder);
    await this.#signal(session, { kind: "claim", task: String(task), phase: "taken" });
    return { held: { ...claimed.task, claim: claimed.claim }, session };
  }

  /**
   * An agent that rouse cannot see reported that its work is complete. Its task is closed as by `done`, unless steps are left:
   * then another session continues it when the claim expires. A check takes its time, so it is not waited for.
   */
  async closeReported(agent: string, identity: Identity): Promise<void> {
    const session = this.#unseen.find(identity, agent);
    if (session === null || session === "new") return;
    await this.#ask(async (hub) => {
      const [held, ...others] = await this.#heldBy(hub, session);
      const isComplete = held?.steps.every((_, index) => held.completedSteps.includes(index + 1));
      if (!held || others.length > 0 || !isComplete) return;
      const claim = { task: held.id, fence: held.claim.fence };
      const closing = this.#verified(
        hub,
        held,
        (verified) => hub.finish(claim, { outcome: "done", ...verified }),
        session,
      );
      const closed = closing.then(() =>
        this.#signal(session, { kind: "claim", task: String(held.id), phase: "released" }),
      );
      const hasCheck = held.check !== null || orRefused(() => ownCheck(held.project)).command.length > 0;
      // Its result is a comment on the task.
      if (hasCheck) closed.catch(() => {});
      else await closed;
    });
  }

  #heldBy(hub: Hub, { id }: AgentSession): Promise<HeldTask[]> {
    return heldTasks(hub, this.#context.hub.node, id);
  }

  #held(hub: Hub, session: AgentSession): Promise<HeldTask[]> {
    return heldTasks(hub, this.#context.hub.node, session.id, (claim) => holderOf(this.#context.loop, claim));
  }

  /** The session that a client speaks for: the named one, its own, or the only one of its token. Null for the user. */
  #reporter(identity: Identity, agent: string | undefined): AgentSession | null {
    const { inside, isInner, token, scope, rights } = identity;
    const [only, ...more] = scope.agents;
    const name = agent ?? (token !== null && only !== undefined && more.length === 0 ? only : undefined);
    if (name !== undefined) {
      const { session } = findAgent(this.#context, name);
      checkReporter(identity, session);
      return session;
    }
    if (inside && !isInner) return inside.session;
    if (inside === null && (token === null || rights.has("admin"))) return null;
    throw new ApiError("unknown", "this process belongs to no watched agent: name the agent");
  }

  /** What the judgement learns of it. */
  async #signal(session: AgentSession | null, body: WorkSignal, at?: number): Promise<void> {
    const { loop } = this.#context;
    const now = loop.now();
    if (session && session.endedAt === null)
      await loop.ingest(session.id, null, [{ ...body, at: Math.min(at ?? now, now), source: "report" }]);
  }

  async #ask<Answer>(request: (hub: Hub) => Promise<Answer>): Promise<Answer> {
    try {
      return await request(await this.#context.hub.open());
    } catch (error) {
      throw error instanceof HubError ? new ApiError(kindOfHubError(error.code), error.message) : error;
    }
  }
}

/** What a first checkpoint requires, before an agent is created for it. */
function checkClaimable({ id, status, claim, steps, waitsFor }: TaskDetail, step: number | null): void {
  if (claim !== null)
    throw new ApiError("refused", `task ${id} is claimed by ${shown(claim.agent)} on ${shown(claim.node)}`);
  if (status !== "pending") throw refusalError({ code: "not_possible", task: id, operation: "claim", status });
  if (waitsFor.length > 0) throw refusalError({ code: "waits", task: id, waitsFor });
  if (steps.length > 0 && (step ?? 0) > steps.length)
    throw refusalError({ code: "step_out_of_range", task: id, step: step ?? 0, steps: steps.length });
}

/** A wrong configuration is an error of the user, not of rouse. */
function orRefused<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ApiError("refused", (error as Error).message);
  }
}

const shown = (name: string): string => sanitize(name, 80);

const queueOf = (filter: { [Name in keyof QueueFilter]: QueueFilter[Name] | undefined }): QueueFilter => given(filter);

/** Without undefined values. */
const given = <Fields extends object>(fields: Fields): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** A check is a command: nothing but the user's own hand sets one. */
function checkCheck({ check }: { check?: unknown }, { inside, token, rights }: Identity): void {
  if (check === undefined || (inside === null && token === null && rights.has("admin"))) return;
  throw new ApiError("identity", "check: only you can set the check of a task: `rouse task edit ID --check …`");
}
