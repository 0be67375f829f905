/**
 * The steps of a recovery plan that concern the task of an agent: release it, block it, or let another session continue it.
 * Each write carries the fence of the claim, so a repetition is refused by the hub. If the hub's answer is lost, the claim is
 * read again; what cannot be read is unknown.
 */
import { agentOfTags, type ConfiguredAgent } from "../config/agents.js";
import type { Action, ActionName } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { isUnseen } from "../core/agent-decisions.js";
import type { EffectContext } from "../effects/index.js";
import {
  doneResult,
  type EffectResult,
  failedResult,
  refusedResult,
  unknownResult,
} from "../effects/keys/terminal-session.js";
import { keepCheckpoint } from "../effects/process/checkpoint.js";
import { leftoversOf } from "../effects/process/leftovers.js";
import type { ClaimRef, Hub } from "../hub/hub.js";
import { HubError, type HubErrorCode } from "../hub/hub-error.js";
import { identityOf } from "../sensors/process/process-sensor.js";
import type { WorkSignal } from "./claim-keeper.js";
import { holderOf, type Sessions } from "./holder.js";
import type { NodeHub } from "./node-hub.js";
import { type HeldTask, heldTasks } from "./own-claim.js";
import { NotStarted, type TaskStarter } from "./task-starter.js";

export interface TaskEffectsOptions {
  hub: NodeHub;
  starter: TaskStarter;
  sessions: Sessions;
  agents: () => ReadonlyMap<string, ConfiguredAgent>;
  /** The configured agent that continues tasks if nothing else names one; empty for none. */
  continueWith: string;
  context: EffectContext;
  signal: (session: string, signal: WorkSignal) => Promise<void>;
  /** What the session did that others can see. */
  effectsOf: (session: string) => string[];
}

export class TaskEffects {
  readonly #options: TaskEffectsOptions;

  constructor(options: TaskEffectsOptions) {
    this.#options = options;
  }

  /** What is possible for the task that a session holds. */
  can(session: AgentSession): ActionName[] {
    const judge = this.#options.sessions.find(session.id);
    if (!judge || judge.evidence.checkpoint.claims.size === 0) return [];
    const isReplaceable = session.origin === "spawn" || isUnseen(judge);
    return [
      "release",
      "block",
      ...(isReplaceable && this.#successorOf(session) !== null ? (["continue"] as const) : []),
    ];
  }

  /** Null for an action that does not concern a task. */
  carryOut(action: Action, agent: AgentSession): Promise<EffectResult> | null {
    if (action.do === "release") return this.#each(action, agent, (hub, held) => this.#release(hub, held, action));
    if (action.do === "block") return this.#each(action, agent, (hub, held) => this.#block(hub, held, action));
    if (action.do === "continue") return this.#each(action, agent, (_, held) => this.#continue(held, action, agent));
    return null;
  }

  /** The agent of the same configuration; else the one for continuations; else the one with the same program. */
  #successorOf({ tags, command }: AgentSession): string | null {
    const { agents, continueWith } = this.#options;
    const known = agents();
    const same = [...known.values()].find((one) => one.command[0] === command[0]);
    return [agentOfTags(tags), continueWith, same?.name].find((name) => name && known.has(name)) ?? null;
  }

  async #each(
    action: Action,
    agent: AgentSession,
    work: (hub: Hub, held: HeldTask) => Promise<EffectResult>,
  ): Promise<EffectResult> {
    const { hub: own, sessions } = this.#options;
    let hub: Hub;
    let held: HeldTask[];
    try {
      hub = await own.open();
      held = await heldTasks(hub, own.node, agent.id, (claim) => holderOf(sessions, claim));
    } catch (error) {
      // Nothing was sent yet.
      return refusedResult(`the hub cannot be reached: ${(error as Error).message}`.slice(0, 300));
    }
    if (held.length === 0) return refusedResult(`it holds no task, so there is nothing to ${action.do}`);
    const results: EffectResult[] = [];
    for (const one of held) results.push(await work(hub, one));
    return worstOf(results);
  }

  async #release(hub: Hub, held: HeldTask, action: Action): Promise<EffectResult> {
    const claim = refOf(held);
    return this.#write(hub, held, async () => {
      const task = await hub.release(claim, { reason: this.#reasonFor(action), abandoned: true });
      return task.status === "failed"
        ? failedResult(`task ${held.id} failed: no continuation was left`)
        : doneResult(`released task ${held.id}; it is offered again`, null);
    });
  }

  async #block(hub: Hub, held: HeldTask, action: Action): Promise<EffectResult> {
    return this.#write(hub, held, async () => {
      await hub.finish(refOf(held), { outcome: "blocked", error: this.#reasonFor(action) });
      return doneResult(`blocked task ${held.id} until you unblock it`, null);
    });
  }

  async #write(hub: Hub, held: HeldTask, write: () => Promise<EffectResult>): Promise<EffectResult> {
    try {
      const result = await write();
      await this.#signalEnd(held);
      return result;
    } catch (error) {
      if (!isLost(error)) return refusedResult((error as Error).message.slice(0, 300));
      return this.#afterLoss(hub, held, error as Error);
    }
  }

  /** The hub did not answer: whether it wrote can be read later, never repeated blindly. */
  async #afterLoss(hub: Hub, held: HeldTask, error: Error): Promise<EffectResult> {
    try {
      const { fence, claim } = await hub.get(held.id);
      if (claim !== null && fence === held.claim.fence)
        return refusedResult(`nothing was written: ${error.message}`.slice(0, 300));
      await this.#signalEnd(held);
      return doneResult(`task ${held.id} is no longer held; the hub's first answer was lost`, null);
    } catch {
      return unknownResult(`the hub did not answer: ${error.message}`.slice(0, 300));
    }
  }

  async #continue(held: HeldTask, action: Action, agent: AgentSession): Promise<EffectResult> {
    const { starter, context, sessions } = this.#options;
    const as = this.#successorOf(agent);
    if (as === null) return refusedResult("no agent is configured to continue it; add [agents.NAME]");
    const judge = sessions.find(agent.id);
    const mayStillRun = judge && isUnseen(judge) ? mayStillRunText(agent) : null;
    const objection = mayStillRun === null ? await this.#checkEnded(agent, action) : null;
    if (objection !== null) return refusedResult(objection);
    try {
      const started = await starter.start({
        task: held.id,
        as,
        // The name goes on: what comes next is about the same agent.
        name: mayStillRun === null ? agent.name : null,
        from: { claim: held.claim, reason: this.#reasonFor(action), mayStillRun },
        workspace: agent.workspace,
        effects: this.#options.effectsOf(agent.id),
      });
      if (started.result === "exhausted") {
        await this.#signalEnd(held);
        return { ...failedResult(started.title), details: started.history };
      }
      const how =
        started.prompt && started.prompt.result !== "done"
          ? `; the prompt was not accepted: ${started.prompt.reason}`
          : "";
      const reason = `${started.agent} continues task ${held.id} as session ${started.session}${how}`;
      return how === "" ? doneResult(reason, null) : failedResult(reason);
    } catch (error) {
      if (error instanceof NotStarted)
        return error.isClaimed ? failedResult(error.message) : refusedResult(error.message);
      if (!isLost(error)) return refusedResult((error as Error).message.slice(0, 300));
      return unknownResult(
        `${(error as Error).message}; see \`rouse task show ${held.id}\` at ${new Date(context.now()).toISOString()}`.slice(
          0,
          300,
        ),
      );
    }
  }

  /** Proves that the old session ended, and keeps what it left. Returns an objection. */
  async #checkEnded(agent: AgentSession, action: Action): Promise<string | null> {
    const { context } = this.#options;
    const { pid, pidStart } = agent;
    if (pid === null || pidStart === null) return "cannot tell whether the old process has exited";
    if (identityOf(pid) === pidStart) return "the old process is still running";
    const transcript = context.transcript(agent.id);
    const { working } = await leftoversOf(agent.id, transcript, context.paths, context);
    if (working !== null) return working;
    const kept = await keepCheckpoint(agent, {
      at: context.now(),
      reason: `${action.do}: ${action.problem}`,
      evidence: context.evidence(agent.id),
      transcript,
      paths: context.paths,
    }).catch((error: Error) => error);
    return kept instanceof Error ? `cannot write a checkpoint: ${kept.message}`.slice(0, 300) : null;
  }

  #reasonFor({ problem, session }: Action): string {
    const [why] = this.#options.context.assessment(session)?.reasons ?? [];
    return why === undefined ? problem : `${problem}: ${why}`.slice(0, 500);
  }

  async #signalEnd({ id, claim }: HeldTask): Promise<void> {
    await this.#options.signal(claim.session, { kind: "claim", task: String(id), phase: "released" });
  }
}

const refOf = ({ id, claim }: HeldTask): ClaimRef => ({ task: id, fence: claim.fence });

const mayStillRunText = ({ name }: AgentSession): string =>
  `rouse cannot see the earlier session (${name}), so it may still be running. Its reports are refused from now on. Before you change a file, check whether something else is changing it.`;

/** The write may or may not have happened. */
const LOST: readonly HubErrorCode[] = ["unreachable", "busy", "closed"];
const isLost = (error: unknown): boolean => !(error instanceof HubError) || LOST.includes(error.code);

const ORDER = ["unknown", "failed", "refused", "done"] as const;

function worstOf(results: readonly EffectResult[]): EffectResult {
  const worst = ORDER.find((name) => results.some(({ result }) => result === name)) ?? "done";
  const found = results.find(({ result }) => result === worst) as EffectResult;
  return { ...found, reason: results.map(({ reason }) => reason).join("; ") };
}
