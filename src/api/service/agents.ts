/** Agents: views of them, and orders to type into, recover and end them. */
import { isQuestion } from "../../core/incidents/problem.js";
import { openPrompt } from "../../core/judgement/evidence/prompts.js";
import { compareByMove } from "../../core/move.js";
import { isReservedName, ROUSE } from "../../core/reserved.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { PromptKind } from "../../core/states.js";
import { recentEnds, unacknowledgedEnds } from "../../daemon/unacknowledged-ends.js";
import { type IncidentView, incidentViews } from "../../daemon/views/incident-view.js";
import { type RecoveryView, recoveryView } from "../../daemon/views/recovery-view.js";
import { recordOf, type SessionRecord } from "../../daemon/views/session-record.js";
import { type SessionView, viewOf } from "../../daemon/views/view.js";
import { type WhyView, whyOf } from "../../daemon/views/why.js";
import { shareName } from "../../terminal/names.js";
import type { ControlOrder } from "../agent-control.js";
import type { ControlResult } from "../control-result.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import { READY_SECONDS } from "../operations/fields.js";
import { readPane } from "../pane.js";
import { controllableAgent, findAgent, livingAgent, type ServiceContext } from "./context.js";

export interface AgentStatus extends SessionView {
  /** Id that other calls accept, as they accept the name. */
  pane_id: string;
  is_awaiting_input: boolean;
  is_awaiting_confirmation: boolean;
  /** The open question; null if there is none. */
  prompt: { type: PromptKind; text: string; since: string } | null;
}

export interface AgentFilter {
  tag?: string | undefined;
  name?: string | undefined;
  health?: "healthy" | "unhealthy" | undefined;
  /** Include agents that ended. */
  ended?: boolean | undefined;
  /** Include agents that ended: within the last ten minutes, or with an unacknowledged problem. */
  recent?: boolean | undefined;
}

export interface InputOptions {
  request_id?: string | undefined;
  /** How long the program may take to become ready for input. */
  timeout_secs?: number | undefined;
  /** False: the text is left in the composer. */
  enter?: boolean | undefined;
}

/** Agents of one account share its limits; null: not known. */
export type ListedSession = SessionRecord & { account: string | null };

export type WhyAnswer = WhyView & { incidents: IncidentView[] };

/** Answer to an order that ran; a refusal is an `ApiError`. */
export type OrderResult = ControlResult & { result: "done" | "failed" | "unknown" };

/** Prompts that take yes or no; the others take text. */
const CONFIRMED: ReadonlySet<string> = new Set<PromptKind>(["confirmation", "permission", "plan", "trust"]);

export class AgentService {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  list({ tag, name, health, ended, recent }: AgentFilter): SessionView[] {
    const { loop } = this.#context;
    const now = loop.now();
    const shown = new Set(recent ? recentEnds(loop) : health === "unhealthy" ? unacknowledgedEnds(loop) : []);
    return loop
      .sessions()
      .filter((judge) => judge.session.endedAt === null || shown.has(judge) || (ended === true && hasExited(judge)))
      .filter(({ session }) => tag === undefined || session.tags.includes(tag))
      .filter(({ session }) => name === undefined || session.name === name)
      .map((judge) => viewOf(judge, now, loop.incidents))
      .filter(({ healthy }) => health === undefined || healthy === (health === "healthy"))
      .sort(compareByMove);
  }

  /** Of those that run. */
  sessions(): ListedSession[] {
    const { loop } = this.#context;
    return loop
      .sessions()
      .flatMap(({ session }) =>
        session.endedAt === null ? [{ ...recordOf(session), account: loop.state.rules.accountOf(session) }] : [],
      );
  }

  status(agent: string): AgentStatus {
    const { loop } = this.#context;
    const judge = findAgent(this.#context, agent);
    const now = loop.now();
    const view = viewOf(judge, now, loop.incidents);
    const isAsked = isQuestion(judge.peek(now));
    const isConfirmed = isAsked && CONFIRMED.has(view.cause ?? "");
    return {
      ...view,
      pane_id: view.session,
      is_awaiting_input: isAsked && !isConfirmed,
      is_awaiting_confirmation: isConfirmed,
      prompt: isAsked ? promptOf(judge, view) : null,
    };
  }

  why(agent: string): WhyAnswer {
    const { loop } = this.#context;
    const judge = findAgent(this.#context, agent);
    const now = loop.now();
    const which = { all: false, since: null, agent: judge.session.name };
    return { ...whyOf(judge, now, loop.incidents), incidents: incidentViews({ state: loop.state, now }, which) };
  }

  async readPane(agent: string, lines: number): Promise<{ agent: string; pane_id: string; lines: string[] }> {
    const { session } = findAgent(this.#context, agent);
    const rows = await readPane(session, lines, this.#context.paths);
    return { agent: session.name, pane_id: session.id, lines: rows };
  }

  async sendInput(client: Identity, agent: string, text: string, options: InputOptions = {}): Promise<OrderResult> {
    const session = controllableAgent(this.#context, agent);
    const { request_id: requestId, timeout_secs = READY_SECONDS, enter = true } = options;
    const given = { waitMs: timeout_secs * 1000, isDraft: !enter };
    return unlessRefused(
      await this.#context.agentControl.sendInput({ ...orderOf(client), session, requestId }, text, given),
    );
  }

  async stop(client: Identity, agent: string, requestId?: string): Promise<OrderResult> {
    const session = livingAgent(this.#context, agent);
    if (session.origin !== "spawn")
      throw new ApiError(
        "refused",
        `${session.name} was not started by \`rouse spawn\`: rouse does not end an agent in a user's own terminal`,
      );
    return unlessRefused(await this.#context.agentControl.stop({ ...orderOf(client), session, requestId }));
  }

  /** Only a running agent: what it did before is renamed with it. */
  rename(agent: string, name: string): { agent: string; before: string } {
    const { loop, journal, paths, rename } = this.#context;
    const session = livingAgent(this.#context, agent);
    const before = session.name;
    if (isReservedName(name)) throw new ApiError("bad", `name: ${ROUSE} is reserved for rouse itself`);
    if (name === before) throw new ApiError("refused", `${before} already has this name`);
    const isFree = loop.find(name) === null && (session.hostSocket === null || shareName(paths, before, name));
    if (!isFree) throw new ApiError("refused", `${name} is the name of another agent; see \`rouse status --all\``);
    rename(session, name);
    // The loop renames the sessions that it keeps; older ones are only in the journal.
    for (const old of journal.sessions())
      if (old.name === before && old.endedAt !== null) journal.putSession({ ...old, name });
    return { agent: name, before };
  }

  /** An order is permission, but an agent that rouse only found needs the user's permission first. */
  async recover(
    client: Identity,
    agent: string,
    { dry_run, restart }: { dry_run: boolean; restart: boolean },
  ): Promise<RecoveryView> {
    const { recovery, orders } = this.#context;
    const judge = findAgent(this.#context, agent);
    if (!dry_run && !client.rights.has("admin") && judge.session.endedAt === null)
      controllableAgent(this.#context, agent);
    const { name, id: session } = judge.session;
    const order = { action: restart ? "restart" : "recover", agent: name, session, text: "" };
    const line = dry_run ? null : orders.begin(client, order);
    const canType = client.origin !== "fleet";
    const found = await recovery.recover(judge, restart ? "restart" : "plan", dry_run, canType);
    const view = recoveryView(judge, found, dry_run);
    const last = view.steps.at(-1);
    if (line !== null) orders.finish(line, last?.result ?? "refused", last?.reason ?? view.reason);
    return view;
  }
}

const orderOf = (client: Identity): Pick<ControlOrder, "client" | "by"> => ({ client: client.name, by: client });

/** An agent that is only no longer watched has not ended; one that could not be judged may have. */
const hasExited = ({ evidence, judgingError }: SessionJudge): boolean =>
  evidence.exit !== null || judgingError !== null;

/** A refused order did nothing, so the client gets an error. */
function unlessRefused({ result, reason, proven }: ControlResult): OrderResult {
  if (result === "refused") throw new ApiError("refused", `refused, nothing was done: ${reason}`);
  return { result, reason, proven };
}

function promptOf({ evidence, since }: SessionJudge, view: SessionView): AgentStatus["prompt"] {
  const open = openPrompt(evidence.prompts);
  return {
    // The cause of a limit's dialog is the limit.
    type: ((view.cause === "limit" ? open?.prompt : view.cause) ?? "input") as PromptKind,
    text: view.question ?? view.reasons[0] ?? "",
    since: new Date(open?.at ?? since).toISOString(),
  };
}
